"""Going in circles is noticed, told, and at last ended; honest work is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from xun.agent.calling.loopguard import LoopGuard
from xun.messages import Message, Reply, ToolCall, ToolResult

CUT = "the call was cut off by the output limit"


def observe(
    guard: LoopGuard, arguments: dict[str, Any], content: str = "ok", *, error: bool = False, tool: str = "edit_file"
) -> str | None:
    call = ToolCall(id="c", name=tool, arguments=arguments)
    return guard.observe(call, ToolResult(call_id="c", name=tool, content=content, is_error=error))


def reply(*calls: ToolCall, stop: str = "max_tokens") -> Message:
    return Message.model_validate(
        {
            "role": "assistant",
            "blocks": [call.model_dump() for call in calls],
            "reply": Reply(provider="p", model="m", stop_reason=stop),  # ty: ignore[invalid-argument-type]
        }
    )


def cut_call(raw: str = '{"path":"big.py","content":"import os', name: str = "write_file") -> ToolCall:
    return ToolCall(id="c", name=name, problem=CUT, raw=raw)


@pytest.mark.spec("H-PKG-06")
def test_the_third_failure_of_the_same_call_is_told_and_each_one_after_it() -> None:
    guard = LoopGuard()
    notes = [observe(guard, {"path": "a", "old": "x"}, f"no match {n}", error=True) for n in range(5)]
    assert notes[:2] == [None, None]
    assert notes[2] is not None
    assert "failed 3 times" in notes[2]
    assert "failed 5 times" in (notes[4] or "")


def test_other_calls_between_do_not_hide_it() -> None:
    guard = LoopGuard()
    notes = []
    for number in range(3):
        notes.append(observe(guard, {"path": "a"}, "no", error=True))
        observe(guard, {"path": f"other {number}"})
    assert notes[2] is not None


def test_order_of_arguments_does_not_hide_it() -> None:
    guard = LoopGuard()
    observe(guard, {"a": 1, "b": 2}, "no", error=True)
    observe(guard, {"b": 2, "a": 1}, "no", error=True)
    assert observe(guard, {"a": 1, "b": 2}, "no", error=True)


def test_a_success_starts_the_count_anew() -> None:
    guard = LoopGuard()
    for number in range(4):
        assert observe(guard, {"a": 1}, f"no {number}", error=True) is None
        assert observe(guard, {"a": 1}, f"no, {number}", error=True) is None
        assert observe(guard, {"a": 1}, f"yes {number}") is None


def test_different_failures_are_no_circle() -> None:
    guard = LoopGuard()
    assert [observe(guard, {"path": str(n)}, "no", error=True) for n in range(20)] == [None] * 20


@pytest.mark.spec("H-PKG-06")
def test_the_fifth_same_result_of_the_last_ten_is_told() -> None:
    guard = LoopGuard()
    notes = []
    for number in range(5):
        notes.append(observe(guard, {"command": "git status"}, "clean", tool="bash"))
        observe(guard, {"command": f"echo {number}"}, "x", tool="bash")
    assert notes[:4] == [None] * 4
    assert "5 of your last 9 calls" in (notes[4] or "")


def test_a_call_whose_result_changes_is_no_circle() -> None:
    guard = LoopGuard()
    assert [observe(guard, {"command": "date"}, f"{n}", tool="bash") for n in range(20)] == [None] * 20


def test_a_rare_repetition_is_no_circle() -> None:
    guard = LoopGuard()
    for number in range(60):
        content = "same" if number % 3 == 0 else str(number)
        arguments = {"command": "pytest" if number % 3 == 0 else str(number)}
        assert observe(guard, arguments, content, tool="bash") is None


def test_memory_stays_bounded() -> None:
    guard = LoopGuard()
    for number in range(5_000):
        observe(guard, {"n": number}, str(number), error=bool(number % 2))
    assert len(guard._failures) <= 64
    assert len(guard._counts) <= len(guard._recent) <= 10


@pytest.mark.bug("api-tool-json-cut-by-max-tokens")
def test_three_replies_cut_off_in_the_same_tool_end_the_run() -> None:
    guard = LoopGuard()
    assert [guard.truncated(reply(cut_call(f'{{"content":"{"x" * n}'))) for n in range(3)] == [False, False, True]


@pytest.mark.parametrize("raw", ['{"path":"big.py","con', '{"a": "x}', '{"a": [1, 2', '{"a":', "{"])
def test_a_cut_is_seen_whatever_the_provider_calls_it(raw: str) -> None:
    guard = LoopGuard()
    assert [guard.truncated(reply(cut_call(raw), stop="tool_use")) for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize("raw", ['{"a": 1}', "[1, 2]", '{"a": 1, }', "", '"text"'])
def test_arguments_that_are_whole_but_wrong_are_no_cut(raw: str) -> None:
    guard = LoopGuard()
    assert not any(guard.truncated(reply(cut_call(raw), stop="tool_use")) for _ in range(5))


def test_a_whole_reply_or_another_tool_starts_the_count_anew() -> None:
    guard = LoopGuard()
    whole = reply(ToolCall(id="c", name="write_file", arguments={"path": "a"}), stop="tool_use")
    for between in (whole, reply(cut_call(name="bash")), reply(stop="end_turn")):
        assert not guard.truncated(reply(cut_call()))
        assert not guard.truncated(reply(cut_call()))
        assert not guard.truncated(between)


def test_the_notes_are_one_line_each() -> None:
    guard = LoopGuard()
    failed = [observe(guard, {}, "no", error=True) for _ in range(3)][-1]
    repeated = [observe(guard, {"a": 1}) for _ in range(5)][-1]
    assert failed
    assert repeated
    assert "\n" not in failed + repeated


def test_a_call_that_was_refused_for_a_huge_number_is_not_one_that_breaks_off() -> None:
    assert not LoopGuard().truncated(reply(cut_call('{"n": ' + "1" * 5000 + "}"), stop="tool_use"))
