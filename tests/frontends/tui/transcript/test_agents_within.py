"""Sub-agents of sub-agents in the transcript, and those that xun was killed with: live and later one story."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.frontends.tui.transcript.support import bash
from tests.frontends.tui.transcript.test_agents import COUNTER, ENDED, Told, alone, begun, of, over, ran, verdict
from tests.frontends.tui.transcript.test_earlier import loaded
from xun.events import (
    AnyEvent,
    HistoryReplaced,
    MessageAdded,
    SubAgentEnded,
    SubAgentStarted,
    SubAgentUpdated,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from xun.messages import Message, ToolCall, ToolResult
from xun.policy.decision import Answer
from xun.sessions.repair import NOT_RUN, UNKNOWN

DEEP = ToolCall(id="d2", name="agent_run", arguments={"task": "dig", "name": "deep"})
BOTH = ToolCall(id="d3", name="agent_run_parallel", arguments={"tasks": ["left", "right"]})


def answered(call: ToolCall, content: str) -> ToolEnded:
    result = ToolResult(call_id=call.id, name=call.name, content=content)
    return ToolEnded(call_id=call.id, name=call.name, result=result, outcome="ok", seconds=0.0)


def deep(*, ends: bool = True) -> Iterable[AnyEvent]:
    """A sub-agent that lets another one dig, which runs a command."""
    yield from list(alone(ends=False))[:5]
    yield from of("a", COUNTER, SubAgentUpdated(steps=1), ToolStarted(call=DEEP))
    yield from of("b", SubAgentStarted(name="deep", task="dig", call_id="d2"), above="a")
    yield from of("b", SubAgentUpdated(steps=2), ToolStarted(call=bash("rm x", "0")), above="a")
    yield from of("b", *verdict("rm x", Answer.no("keep it")), ran("refused", "denied"), above="a")
    if ends:
        yield from of("b", ENDED, above="a")
        yield from of("a", answered(DEEP, "deep says"), ENDED)
        yield from list(alone())[-6:]


def both(*, ends: bool = True) -> Iterable[AnyEvent]:
    """A sub-agent that lets two others work side by side."""
    yield from begun()
    yield from of("a", COUNTER, ToolStarted(call=BOTH))
    for agent, task in (("b", "left"), ("c", "right")):
        yield from of(agent, SubAgentStarted(name=f"the-{task}", task=task, call_id="d3"), above="a")
        yield from of(agent, ToolStarted(call=bash(f"echo {task}", "0")), *verdict("echo"), above="a")
    if ends:
        for agent in "bc":
            yield from of(agent, ran("exit code 0\n3"), ENDED, above="a")
        yield from of("a", answered(BOTH, '[{"value": "l", "is_ok": true}, {"value": "r", "is_ok": true}]'), ENDED)
        yield from over()


@pytest.mark.parametrize("tell", [deep, both])
@pytest.mark.parametrize("unfolded", [False, True])
def test_within_another_one_it_looks_again_as_it_did_live(
    tell: Callable[[], Iterable[AnyEvent]], unfolded: bool, tmp_path: Path
) -> None:
    live, again = Told(*tell()), Told()
    again.book.load(loaded(tmp_path, tell()))
    for told in (live, again):
        told.rows.unfold(unfolded)
    assert again.lines == live.lines


def test_within_another_one_too_there_is_one_row_for_it_and_its_call() -> None:
    told = Told(*deep())
    told.rows.unfold(True)
    assert told.lines[3:15] == [
        "✓ counter count them [all]  2 steps · 1 call · $0.25 · 2.0 s ▾",
        "  │ count",
        "  │ them [all]",
        "  │ ✓ deep dig  2 steps · 1 call · $0.25 · 2.0 s ▾",
        "  │   │ ⊘ bash rm x  refused · 1.0 s ▾",
        "  │   │   │ refused by you: rm x — keep it",
        "  │   │   │ refused",
        "  │   │ deep says",
        "  │ Three words.",
        "  │ Really.",
        "✓ bash ls  exit 0 ▾",
        "  │ a.py",
    ]


def test_side_by_side_within_another_one_they_stand_below_their_call_and_tell_what_each_said() -> None:
    told = Told(*both())
    told.rows.unfold(True)
    shown = "\n".join(told.lines)
    assert (
        "    │ ✓ agent_run_parallel  ▾\n"
        "    │   │ ✓ the-left left\n"
        "    │   │   l\n"
        "    │   │ ✓ the-right right\n"
        "    │   │   r\n"
        "    │   ✓ the-left left  2 steps · 1 call · $0.25 · 2.0 s ▾\n"
        "    │     │ ✓ bash echo left  exit 0 · 1.0 s ▾\n"
    ) in shown


def test_what_is_refused_to_one_within_another_is_told_while_both_are_folded() -> None:
    assert "  │ refused by you: rm x — keep it" in Told(*deep()).lines


def test_while_one_works_within_another_that_is_what_the_other_does() -> None:
    told = Told(*deep(ends=False))
    assert "  │ ● deep dig  running · 2 steps · 1 call ▸" in told.lines


def test_killed_with_them_their_rows_tell_how_far_they_came_and_what_may_have_run(tmp_path: Path) -> None:
    told = Told()
    events = list(both(ends=False))
    asked = next(iter(verdict("rm x", Answer.once())))
    more = of("c", SubAgentUpdated(steps=3), ToolStarted(call=bash("rm x", "1")), asked, above="a")
    told.book.load(loaded(tmp_path, [*events, *more]))
    told.rows.unfold(True)
    assert told.lines[3:-2] == [
        "- agent_run_parallel  cancelled ▾",
        f"  │ {NOT_RUN}",
        "  - counter count them [all]  cancelled · 1 call ▾",
        "    │ count",
        "    │ them [all]",
        "    │ - agent_run_parallel  cancelled ▾",
        f"    │   │ {NOT_RUN}",
        "    │   - the-left left  cancelled · 1 call ▾",
        "    │     │ - bash echo left  cancelled ▾",
        f"    │     │   │ {UNKNOWN[:64]}",
        f"    │     │   │ {UNKNOWN[64:]}",
        "    │   - the-right right  cancelled · 3 steps · 2 calls ▾",
        "    │     │ - bash echo right  cancelled ▾",
        f"    │     │   │ {UNKNOWN[:64]}",
        f"    │     │   │ {UNKNOWN[64:]}",
        "    │     │ - bash rm x  cancelled ▾",
        f"    │     │   │ {NOT_RUN}",
    ]


def test_one_at_work_in_the_background_shows_over_a_revision_what_runs_and_how_far_it_came() -> None:
    told = Told(*deep(ends=False))
    told.hear(TurnEnded(status="cancelled", stop_reason="cancelled"), MessageAdded(message=Message.user("and?")))
    kept = [message for message in told.book._past.history if message.text != "and?"]
    told.hear(*of("b", ToolStarted(call=bash("wc x", "1")), *verdict("wc", None), above="a"))
    before = told.lines
    told.hear(HistoryReplaced(messages=tuple(kept), reason="revise"))
    told.rows.unfold(True)
    assert "  │ ● deep dig  running · 2 steps · 2 calls ▸" in before
    assert "  │ ● deep dig  running · 2 steps · 2 calls ▾" in told.lines
    told.hear(*of("b", SubAgentEnded(status="failed", stop_reason="error", steps=9), above="a"))
    assert "  │ ✗ deep dig  failed · 9 steps · 2 calls ▾" in told.lines
