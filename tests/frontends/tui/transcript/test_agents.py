"""Sub-agents in the transcript: a row each, with what they do in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.frontends.tui.transcript.support import bash, reply, turn, user
from tests.frontends.tui.transcript.test_book import Told as Narrow
from tests.frontends.tui.transcript.test_earlier import DONE, loaded
from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    Decided,
    ErrorDetail,
    HistoryReplaced,
    MessageAdded,
    Notice,
    SubAgentEnded,
    SubAgentStarted,
    SubAgentUpdated,
    TextDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
)
from xun.frontends.tui.transcript.agent_row import SHOWN
from xun.messages import Message, ToolCall, ToolResult
from xun.policy.action import Run
from xun.policy.decision import Answer, Ask, Decision, Reason
from xun.sessions.repair import NOT_RUN

CALL = ToolCall(id="d1", name="agent_run_parallel", arguments={"tasks": ["count", "list"]})
REASON = Reason(code="unlisted", text="rm is not on the list")
COUNTER = SubAgentStarted(name="counter", task="count\nthem [all]", call_id="d1")
ENDED = SubAgentEnded(status="completed", stop_reason="end_turn", steps=2, tool_calls=1, cost=0.25, seconds=2.0)


class Told(Narrow):
    """In which a row has room for all that is said of a sub-agent."""

    def __init__(self, *events: AnyEvent) -> None:
        super().__init__(*events, width=80)


def of(agent: str, *events: AnyEvent, above: str = "main") -> Iterable[AnyEvent]:
    """`events` as those of a sub-agent."""
    return [event.model_copy(update={"agent_id": agent, "parent_id": above}) for event in events]


def begun() -> Iterable[AnyEvent]:
    return (turn(), user("go"), reply("", CALL), ToolStarted(call=CALL))


def over() -> Iterable[AnyEvent]:
    done = ToolResult(call_id="d1", name=CALL.name, content="both")
    yield ToolEnded(call_id="d1", name=CALL.name, result=done, outcome="ok", seconds=3.0)
    yield from (MessageAdded(message=Message(role="tool", blocks=(done,))), reply("Done."), DONE)


def ran(content: str, outcome: str = "ok") -> ToolEnded:
    result = ToolResult(call_id="0", name="bash", content=content)
    return ToolEnded.model_validate(
        {"call_id": "0", "name": "bash", "result": result, "outcome": outcome, "seconds": 1.0}
    )


def verdict(command: str, answer: Answer | None = None) -> Iterable[AnyEvent]:
    """What is decided on a command; `answer` is the person's, who is asked then."""
    decision = Decision(action=Run(command=command, cwd="/w"), effect="ask" if answer else "allow", reasons=(REASON,))
    if answer is not None:
        yield Asked(ask=Ask(id="q", agent="xun/lister", call_id="0", tool="bash", decisions=(decision,)))
        yield Answered(ask_id="q", answer=answer, by="person")
    allowed = answer is None or answer.yes
    yield Decided(call_id="0", tool="bash", decision=decision, allowed=allowed, by="person" if answer else "rule")


def story() -> Iterable[AnyEvent]:
    failed = ErrorDetail(kind="network", message="the line is cut")
    yield from begun()
    yield from of("a", COUNTER)
    yield from of("b", SubAgentStarted(name="lister", task="list", call_id="d1"))
    yield from of("a", ToolStarted(call=bash("wc x", "0")), *verdict("wc x"))
    yield from of("b", ToolStarted(call=bash("rm x", "0")), *verdict("rm x", Answer.no("keep it")))
    yield from of("a", ran("exit code 0\n3"))
    yield from of("b", ran("refused", "denied"))
    yield from of("c", SubAgentStarted(name="deep", task="help"), above="b")
    yield from of("c", SubAgentEnded(status="completed", stop_reason="end_turn", steps=1, cost=0.5), above="b")
    yield from of("b", SubAgentEnded(status="failed", stop_reason="error", error=failed, steps=2, seconds=3.0))
    yield from of("a", ENDED)
    yield from over()


ONE = ToolCall(id="d1", name="agent_run", arguments={"task": COUNTER.task, "name": "counter"})


def alone(*, failed: bool = False, ends: bool = True) -> Iterable[AnyEvent]:
    """One sub-agent of a call of its own, and another call behind it."""
    error = ErrorDetail(kind="network", message="the line is cut")
    end = SubAgentEnded(status="failed", stop_reason="error", error=error, steps=1) if failed else ENDED
    said = "the sub-agent counter did not finish: the line is cut" if failed else "Three words.\nReally."
    done = ToolResult(call_id="d1", name="agent_run", content=said, is_error=failed)
    yield from (
        turn(),
        user("go"),
        reply("", ONE, bash("ls", "9")),
        ToolStarted(call=ONE),
        ToolStarted(call=bash("ls", "9")),
    )
    yield from of("a", COUNTER, ToolStarted(call=bash("wc x", "0")), *verdict("wc x"), ran("exit code 0\n3"))
    if not ends:
        return
    yield from of("a", end)
    yield ToolEnded(call_id="d1", name="agent_run", result=done, outcome="error" if failed else "ok", seconds=2.0)
    listed = ToolResult(call_id="9", name="bash", content="exit code 0\na.py")
    yield ToolEnded(call_id="9", name="bash", result=listed, outcome="ok", seconds=0.0)
    yield from (MessageAdded(message=Message(role="tool", blocks=(done, listed))), reply("Done."), DONE)


FOLDED = """\

> go

✓ agent_run_parallel  ▸
  ✓ counter count them [all]  2 steps · 1 call · $0.25 · 2.0 s ▸
  ✗ lister list  failed · 2 steps · 1 call · 3.0 s ▸
    │ refused by you: rm x — keep it
    │ the line is cut

  Done."""
INSIDE = """\
  ✗ lister list  failed · 2 steps · 1 call · 3.0 s ▾
    │ ⊘ bash rm x  refused · 1.0 s ▸
    │   │ refused by you: rm x — keep it
    │ ✓ deep help  1 step · $0.50 ▸
    │ the line is cut"""


def test_each_has_a_row_with_its_task_its_state_its_steps_its_cost_and_its_time() -> None:
    assert "\n".join(Told(*story()).lines) == FOLDED


def test_unfolded_it_has_the_rows_of_its_calls_in_it() -> None:
    told = Told(*story())
    told.rows[3].toggle()
    told.rows.changed(3)
    assert INSIDE in "\n".join(told.lines)


@pytest.mark.parametrize("unfolded", [False, True])
@pytest.mark.parametrize("tell", [story, alone, lambda: alone(failed=True)], ids=["several", "one", "failed"])
def test_it_looks_again_as_it_did_live(tell: Callable[[], Iterable[AnyEvent]], unfolded: bool, tmp_path: Path) -> None:
    live, again = Told(*tell()), Told()
    again.book.load(loaded(tmp_path, tell()))
    for told in (live, again):
        told.rows.unfold(unfolded)
    assert again.lines == live.lines
    assert ("exit 0 · 1.0 s" in "\n".join(live.lines)) is unfolded


def test_where_a_call_runs_one_alone_there_is_one_row_for_both() -> None:
    told = Told(*alone())
    first, second = "✓ counter count them [all]  2 steps · 1 call · $0.25 · 2.0 s ▸", "✓ bash ls  exit 0 ▸"
    assert told.lines[3:] == [first, second, "", "  Done."]
    told.rows[1].toggle()
    told.rows.changed(1)
    assert told.lines[3:-3] == [
        "✓ counter count them [all]  2 steps · 1 call · $0.25 · 2.0 s ▾",
        "  │ count",
        "  │ them [all]",
        "  │ ✓ bash wc x  exit 0 · 1.0 s ▸",
        "  │ Three words.",
        "  │ Really.",
    ]


def test_why_one_has_failed_is_told_once() -> None:
    told = Told(*alone(failed=True))
    assert "\n".join(told.lines).count("the line is cut") == 1
    told.rows.unfold(True)
    assert "\n".join(told.lines).count("the line is cut") == 1


def test_what_the_call_gives_is_shown_when_it_comes_after_the_end() -> None:
    told = Told(*alone(ends=False))
    told.rows.unfold(True)
    assert "Three words." not in "\n".join(told.lines)
    told.hear(*list(alone())[-6:])
    assert "Three words." in "\n".join(told.lines)


def test_while_it_works_its_row_tells_how_far_it_has_come_and_what_runs() -> None:
    told = Told(*begun(), *of("a", COUNTER))
    assert told.lines[-1] == "  ● counter count them [all]  running ▸"
    told.hear(*of("a", SubAgentUpdated(steps=1), ToolStarted(call=bash("wc x", "0")), *verdict("wc x")))
    told.hear(ToolProgress(call_id="d1", text="counter: bash wc x\n"))  # which its row tells
    assert told.lines[-3:] == [
        "· agent_run_parallel  waits ▸",
        "  ● counter count them [all]  running · 1 step · 1 call ▸",
        "    │ ● bash wc x  running ▸",
    ]


def test_while_it_asks_its_row_says_so() -> None:
    told = Told(*begun(), *of("a", COUNTER, ToolStarted(call=bash("rm x", "0"))))
    asked, answered, decided = verdict("rm x", Answer.once())
    told.hear(*of("a", asked))
    assert "? counter count them [all]  waits for your answer · 1 call ▸" in told.lines[-2]
    assert "? bash rm x  waits for your answer ▸" in told.lines[-1]
    told.hear(*of("a", answered, decided))
    assert "● counter" in told.lines[-2] and "● bash rm x" in told.lines[-1]


def test_what_is_said_by_it_stays_apart_from_what_the_agent_says() -> None:
    told = Told(*begun(), *of("a", COUNTER, TextDelta(text="inner"), Notice(level="warning", text="careful"), ENDED))
    told.hear(TextDelta(text="outer"))
    shown = "\n".join(told.lines)
    assert "inner" not in shown and "! warning: careful" in shown and shown.endswith("  outer")


def test_one_in_the_background_goes_on_below_what_came_since_and_over_a_revision() -> None:
    told = Told(*begun(), *of("a", COUNTER), *over())
    prompt = Message.user("go")
    told.hear(
        turn(), HistoryReplaced(messages=(prompt,), reason="revise"), *of("a", ToolStarted(call=bash("wc x", "0")))
    )
    assert not any("counter" in line for line in told.lines)  # its call was taken back
    told = Told(*begun(), *of("a", COUNTER), *over(), user("and?"))
    history = [entry for entry in told.book._past.history if entry.text != "and?"]
    told.hear(HistoryReplaced(messages=tuple(history), reason="revise"))
    told.hear(*of("a", ToolStarted(call=bash("wc x", "0")), SubAgentUpdated(steps=4)))
    assert "  ● counter count them [all]  running · 4 steps · 1 call ▸" in told.lines
    told.hear(*of("a", ENDED))
    assert "  ✓ counter count them [all]  2 steps · 1 call · $0.25 · 2.0 s ▸" in told.lines


def test_one_whose_xun_was_killed_does_not_run_for_ever(tmp_path: Path) -> None:
    told = Told()
    told.book.load(loaded(tmp_path, (*begun(), *of("a", COUNTER, ToolStarted(call=bash("wc x", "0"))))))
    assert told.lines[-3:-1] == ["  - counter count them [all]  cancelled · 1 call ▸", ""]
    told.rows.unfold(True)
    assert told.lines[-4:-2] == ["    │ - bash wc x  cancelled ▾", f"    │   │ {NOT_RUN}"]


@pytest.mark.parametrize(("width", "rows"), [(80, 0), (40, 1)])
def test_unfolded_its_task_is_told_once(width: int, rows: int) -> None:
    told = Told(*begun(), *of("a", SubAgentStarted(name="counter", task="count them all", call_id="d1")))
    told.rows.set_width(width)
    told.hear(*of("a", ENDED))
    told.rows.unfold(True)
    assert sum(line == "    │ count them all" for line in told.lines) == rows
    assert "\n".join(told.lines).count("count them all") == 1


def test_of_very_many_calls_the_last_are_shown() -> None:
    told = Told(*begun(), *of("a", COUNTER))
    for number in range(SHOWN + 20):
        told.hear(*of("a", ToolStarted(call=bash(f"echo {number}.", str(number)))))
    told.rows.unfold(True)
    shown = "\n".join(told.lines)
    assert "… 20 earlier calls" in shown and "echo 19." not in shown and "echo 20." in shown


@pytest.mark.parametrize("width", [20, 40, 80])
def test_its_rows_keep_to_the_width_and_show_no_control_characters(width: int) -> None:
    task = SubAgentStarted(name="co\x1b[2Junter", task="x" * 90 + " \u202e[/m] " + "word " * 40, call_id="d1")
    told = Told(*begun(), *of("a", task, ToolStarted(call=bash("echo " + "y" * 200, "0"))))
    told.rows.set_width(width)
    for unfolded in (False, True):
        told.rows.unfold(unfolded)
        assert all(len(line) <= width for line in told.lines)
        assert "\x1b" not in "".join(told.lines) and "\u202e" not in "".join(told.lines)


def test_one_that_somebody_reads_keeps_its_rows_until_nobody_does() -> None:
    told = Told(*begun(), *of("a", COUNTER))
    told.rows.unfold(True)
    before = told.lines
    told.reading.add(2)
    told.hear(*of("a", ToolStarted(call=bash("wc x", "0"))))
    assert len(told.lines) == len(before)
    told.reading.clear()
    assert told.book.release()
    assert len(told.lines) == len(before) + 1
