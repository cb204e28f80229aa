"""What several sub-agents answered, told for each as its row tells it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.frontends.tui.transcript.support import reply, turn, user
from tests.frontends.tui.transcript.test_agents import DONE, ENDED, Told, of
from tests.frontends.tui.transcript.test_earlier import loaded
from xun.events import AnyEvent, MessageAdded, SubAgentStarted, ToolEnded, ToolStarted
from xun.messages import Message, ToolCall, ToolResult

FAILED = {"error": "the sub-agent three did not finish: HTTP 400 [b]", "details": "error"}
STOPPED = {"error": "the sub-agent two-2 did not finish: cancelled", "details": "cancelled"}
ITEMS = [("It is\none \x1b[31m[bold].", True), ("The same.", True), (STOPPED, False), (FAILED, False)]


def call(*tasks: str, names: list[str] | None = None) -> ToolCall:
    return ToolCall(id="p", name="agent_run_parallel", arguments={"tasks": [*tasks], "names": names})


def told_of(made: ToolCall, content: str, *names: str) -> list[AnyEvent]:
    """A turn with `made`, whose sub-agents have `names`; those without one never began."""
    tasks = zip("abcd", names, made.arguments["tasks"], strict=False)
    started = [(agent, SubAgentStarted(name=name, task=task, call_id="p")) for agent, name, task in tasks if name]
    result = ToolResult(call_id="p", name=made.name, content=content)
    return [
        turn(), user("go"), reply("", made), ToolStarted(call=made),
        *(event for agent, start in started for event in of(agent, start)),
        *(event for agent, _ in started for event in of(agent, ENDED)),
        ToolEnded(call_id="p", name=made.name, result=result, outcome="ok", seconds=2.0),
        MessageAdded(message=Message(role="tool", blocks=(result,))), reply("Done."), DONE,
    ]  # fmt: skip


def as_json(*items: tuple[Any, bool]) -> str:
    return json.dumps([{"value": value, "is_ok": fine} for value, fine in items])


def unfolded(folder: Path, events: list[AnyEvent]) -> list[str]:
    """The rows of the call, which are the same after `--continue`."""
    live, again = Told(*events), Told()
    again.book.load(loaded(folder, events))
    for told in (live, again):
        told.rows.unfold(True)
    assert again.lines == live.lines
    first = next(at for at, line in enumerate(live.lines) if "agent_run_parallel" in line)
    return [line for line in live.lines[first + 1 :] if line.startswith("  │")]


def test_each_answer_stands_below_the_name_the_task_and_the_state_of_who_gave_it(tmp_path: Path) -> None:
    made = call("Look at\none.", "Look at two.", "Look at two.", "Look at three.")
    events = told_of(made, as_json(*ITEMS), "one", "two", "two-2", "three")
    assert unfolded(tmp_path, events) == [
        "  │ ✓ one Look at one.",
        "  │   It is",
        "  │   one ␛[31m[bold].",
        "  │ ✓ two Look at two.",
        "  │   The same.",
        "  │ - two-2 Look at two.  cancelled",
        "  │   the sub-agent two-2 did not finish: cancelled",
        "  │ ✗ three Look at three.  failed",
        "  │   the sub-agent three did not finish: HTTP 400 [b]",
    ]


@pytest.mark.parametrize(
    ("names", "shown"),
    [(None, "✗ task 2 Two.  failed"), (["a", "b"], "✗ b Two.  failed")],
    ids=["nameless", "named"],
)
def test_one_that_could_not_begin_has_its_name_or_its_number(
    names: list[str] | None, shown: str, tmp_path: Path
) -> None:
    events = told_of(call("One.", "Two.", names=names), as_json(("Fine.", True), (FAILED, False)), "a", "")
    assert f"  │ {shown}" in unfolded(tmp_path, events)


def test_of_a_result_that_was_cut_all_that_is_left_is_readable(tmp_path: Path) -> None:
    whole = as_json(("One.", True), ("Two\nlines \\ and \u00e9" + "x" * 90, True), ("Three.", True))
    cut = f"{whole[:90]}\n[… 70 characters left out …]\n{whole[-40:]}"
    rows = unfolded(tmp_path, told_of(call("1.", "2.", "3."), cut, "a", "b", "c"))
    assert rows[:2] == ["  │ ✓ a 1.", "  │   One."]
    assert "\\n" not in "".join(rows)
    assert any(row.startswith("  │ lines \\ and é") for row in rows) and any("70 characters" in row for row in rows)


@pytest.mark.parametrize("content", ["there are 2 tasks and 1 names", "[1, 2]", "[{}]", "[", '[{"is_ok": 1}]'])
def test_what_is_no_list_of_answers_is_shown_as_it_is(content: str, tmp_path: Path) -> None:
    assert unfolded(tmp_path, told_of(call("1.", "2."), content)) == [f"  │ {content}"]
