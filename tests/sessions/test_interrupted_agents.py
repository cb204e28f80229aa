"""Sub-agents that xun was killed with: their calls and their work are closed as those of the session are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.sessions.support import added, call, decided, new, reply, resumed, started
from xun.events import (
    AnyEvent,
    SubAgentEnded,
    SubAgentStarted,
    SubAgentUpdated,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from xun.messages import Usage
from xun.sessions.repair import NOT_RUN, UNKNOWN
from xun.sessions.resume import load, resume


def of(agent: str, *events: AnyEvent, above: str = "main") -> Iterable[AnyEvent]:
    return [event.model_copy(update={"agent_id": agent, "parent_id": above}) for event in events]


def killed(folder: Path, *events: AnyEvent) -> Path:
    """A session that ends after `events`, without what a turn's end tells."""
    writer = new(folder)
    for seq, event in enumerate(events, 1):
        writer.append(event.model_copy(update={"session_id": writer.id, "seq": seq}))
    writer.close()
    return writer.path


def begun() -> Iterable[AnyEvent]:
    run, ran, waits, deep = call("r", "agent_run"), call("1"), call("2"), call("d", "agent_run")
    yield from (event.model_copy(update={"agent_id": "main"}) for event in started())
    yield from (added(reply("", run)), ToolStarted(call=run), decided(run))
    yield from of("a", SubAgentStarted(name="one", task="x", call_id="r"))
    yield from of("a", SubAgentUpdated(steps=2, usage=Usage(input_tokens=7), cost=0.5))
    yield from of("a", ToolStarted(call=ran), decided(ran), ToolStarted(call=waits), ToolStarted(call=deep))
    yield from of("b", SubAgentStarted(name="two", task="y", call_id="d"), SubAgentUpdated(steps=1), above="a")


def test_each_has_its_end_after_those_of_its_calls_and_of_who_works_for_it(tmp_path: Path) -> None:
    made = resumed(killed(tmp_path, *begun())).events[-8:]
    assert [(event.agent_id, event.parent_id, event.type, getattr(event, "call_id", "")) for event in made] == [
        ("b", "a", "sub_agent_ended", ""),
        ("a", "main", "tool_ended", "1"),
        ("a", "main", "tool_ended", "2"),
        ("a", "main", "tool_ended", "d"),
        ("a", "main", "sub_agent_ended", ""),
        ("main", "", "tool_ended", "r"),
        ("main", "", "message_added", ""),
        ("main", "", "turn_ended", ""),
    ]
    told = [event.result.content for event in made if isinstance(event, ToolEnded)]
    assert told == [UNKNOWN, NOT_RUN, NOT_RUN, UNKNOWN]
    end = made[4]
    assert isinstance(end, SubAgentEnded)
    assert (end.status, end.steps, end.tool_calls, end.usage.input_tokens, end.cost) == ("cancelled", 2, 3, 7, 0.5)


def test_one_in_the_background_of_a_turn_that_has_ended_is_closed_alone(tmp_path: Path) -> None:
    end = TurnEnded(status="completed", stop_reason="end_turn")
    path = killed(tmp_path, *started(), *of("a", SubAgentStarted(name="one", task="x")), added(reply("Fine.")), end)
    session = resumed(path)
    assert [event.type for event in session.events[-2:]] == ["turn_ended", "sub_agent_ended"]
    assert session.interruption == "" and session.notices == ()
    assert load(path).events == session.events


def test_the_turn_that_was_cut_off_tells_by_its_end_what_became_of_its_calls(tmp_path: Path) -> None:
    ran, waits = call("1"), call("2")
    both = (ToolStarted(call=ran), ToolStarted(call=waits), decided(ran))
    path = killed(tmp_path, *started(), added(reply("", ran, waits)), *both)
    assert why(path) == "xun ended before this turn did; 1 call whose outcome is unknown, 1 call not run"
    session, writer = resume(path)
    for seq, event in enumerate(started("and?"), session.last_seq + 1):
        writer.append(event.model_copy(update={"seq": seq}))
    writer.close()
    assert why(path) == "xun ended before this turn did"  # what an earlier repair has closed is not counted again


def why(path: Path) -> str:
    """What the end of the last turn says."""
    end = resumed(path).events[-1]
    assert isinstance(end, TurnEnded) and end.error is not None
    return end.error.message
