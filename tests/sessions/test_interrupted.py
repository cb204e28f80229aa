"""A turn that was cut off: its calls are answered, its end is told, and any model accepts the history."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.support import (
    added,
    answers,
    call,
    check_durable,
    contents,
    decided,
    ended,
    reply,
    result,
    resumed,
    saved,
    started,
    store,
    turn,
)
from xun.events import (
    Answered,
    Asked,
    Decided,
    HistoryReplaced,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    UsageUpdated,
)
from xun.messages import Message, Usage
from xun.policy.action import Run
from xun.policy.decision import Answer, Ask, Decision
from xun.sessions.repair import NOT_RUN, UNKNOWN
from xun.sessions.resume import load, resume


@pytest.mark.bug("api-orphan-tool-use-on-resume")
@pytest.mark.parametrize("ending", ["", "user"])
def test_a_call_that_was_running_has_an_unknown_outcome(tmp_path: Path, ending: str) -> None:
    one = call("c1")
    more = [added(Message.user("continue"))] if ending else []
    begun = (ToolStarted(call=one), decided(one))
    path = saved(tmp_path, *started(), StepStarted(step=1), added(reply("", one)), *begun, *more)
    session = check_durable(path)
    assert contents(session) == [UNKNOWN]
    roles = [message.role for message in session.messages]
    assert roles == ["user", "assistant", "tool", *(["user"] if ending else [])]
    assert session.messages[2].results[0].is_error


@pytest.mark.bug("api-orphan-tool-use-on-resume")
def test_of_two_calls_the_finished_one_keeps_its_result(tmp_path: Path) -> None:
    one, two, three = call("c1"), call("c2"), call("c3")
    path = saved(
        tmp_path,
        *started(),
        added(reply("", one, two, three)),
        ToolStarted(call=one),
        ToolStarted(call=two),
        ToolStarted(call=three),
        decided(one),
        decided(two),
        ended(two, "two's own output"),
    )
    session = check_durable(path)
    assert contents(session) == [UNKNOWN, "two's own output", NOT_RUN]
    assert session.messages[-1].results[1] == result(two, "two's own output")


def test_a_call_without_a_verdict_or_with_a_no_was_not_run(tmp_path: Path) -> None:
    waiting, refused, running = call("c1"), call("c2"), call("c3")
    path = saved(
        tmp_path,
        *started(),
        added(reply("", waiting, refused, running)),
        *(ToolStarted(call=item) for item in (waiting, refused, running)),
        decided(refused, allowed=False),
        decided(running),
    )
    assert contents(check_durable(path)) == [NOT_RUN, NOT_RUN, UNKNOWN]


def test_a_call_that_waited_for_a_yes_was_not_run(tmp_path: Path) -> None:
    one, two = call("c1"), call("c2")
    decision = Decision(action=Run(command="x", cwd="/"), effect="ask")
    asks = [Ask(id=f"q{c.id}", agent="main", call_id=c.id, tool="bash", decisions=(decision,)) for c in (one, two)]
    path = saved(
        tmp_path,
        *started(),
        added(reply("", one, two)),
        ToolStarted(call=one),
        ToolStarted(call=two),
        *(Asked(ask=ask) for ask in asks),
        Answered(ask_id="qc1", answer=Answer.once(), by="person"),
        Decided(call_id="c1", tool="bash", decision=decision, allowed=True, by="person"),
    )
    assert contents(check_durable(path)) == [UNKNOWN, NOT_RUN]


def test_results_that_were_ready_but_not_yet_history_are_kept(tmp_path: Path) -> None:
    one = call("c1")
    path = saved(tmp_path, *started(), added(reply("", one)), ToolStarted(call=one), ended(one, "fine"))
    assert contents(check_durable(path)) == ["fine"]


def test_the_same_call_id_in_two_steps_is_not_mixed_up(tmp_path: Path) -> None:
    same = call("call_0")
    path = saved(
        tmp_path,
        *started(),
        added(reply("", same)), ToolStarted(call=same), decided(same), ended(same, "first"),
        added(answers(result(same, "first"))),
        added(reply("", same)), ToolStarted(call=same), decided(same),
    )  # fmt: skip
    assert contents(check_durable(path)) == ["first", UNKNOWN]


def test_a_turn_cut_off_before_any_reply_or_in_text_is_closed(tmp_path: Path) -> None:
    path = saved(tmp_path, *turn(1), *started("again"), StepStarted(step=1), added(reply("half an answer")))
    session = check_durable(path)
    end = session.events[-1]
    assert isinstance(end, TurnEnded)
    assert (end.status, end.output, end.steps) == ("cancelled", "half an answer", 1)
    assert session.interruption == "the last turn was interrupted"


def test_what_an_interrupted_turn_used_is_counted(tmp_path: Path) -> None:
    used = UsageUpdated(usage=Usage(input_tokens=7, output_tokens=1), cost=0.25)
    path = saved(tmp_path, *turn(1), *started("again"), used)
    session = check_durable(path)
    assert (session.usage.input_tokens, session.cost) == (27, 1.25)
    assert load(path).usage == session.usage


def test_the_repair_closes_what_it_found_open(tmp_path: Path) -> None:
    one, two = call("c1"), call("c2")
    starts = (ToolStarted(call=one), ToolStarted(call=two), decided(one), decided(two))
    path = saved(tmp_path, *started(), added(reply("", one, two)), *starts, ended(one))
    session = resumed(path)
    made = session.events[8:]
    assert [event.type for event in made] == ["tool_ended", "message_added", "turn_ended"]
    assert isinstance(made[0], ToolEnded)
    assert (made[0].call_id, made[0].outcome) == ("c2", "cancelled")
    assert all(event.agent_id == "main" and event.session_id == session.header.id for event in made)
    assert session.interruption == "the last turn was interrupted: 1 call whose outcome is unknown"


def test_a_session_goes_on_after_its_repair(tmp_path: Path) -> None:
    one = call("c1")
    path = saved(tmp_path, *started(), added(reply("", one)), ToolStarted(call=one))
    session, writer = resume(path)
    store(writer, turn(2), session.last_seq + 1)
    again = check_durable(path)
    assert len(again.messages) == 3 + 4
    assert again.notices == ()


@pytest.mark.parametrize("beside", ["alone", "before a turn", "in a turn", "over replies", "over a compaction"])
def test_a_shell_line_of_the_person_that_was_cut_off_is_told_as_ended(tmp_path: Path, beside: str) -> None:
    line = call("shell-1")
    begun = (ToolStarted(call=line), decided(line))
    events = {
        "alone": (*begun,),
        "before a turn": (*begun, *turn(1)),
        "in a turn": (*started(), StepStarted(step=1), *begun),
        "over replies": (*started(), *begun, added(reply("", call("c1"))), ended(call("c1")),
                         added(answers(result(call("c1")))), added(reply("done"))),
        "over a compaction": (*begun, *turn(1), HistoryReplaced(messages=(Message.user("note"),), reason="compact")),
    }[beside]  # fmt: skip
    session = check_durable(saved(tmp_path, *events))
    (end,) = [event for event in session.events if isinstance(event, ToolEnded) and event.call_id == line.id]
    assert end.outcome == "cancelled" and end.result.content == UNKNOWN
    assert not any(found.call_id == line.id for message in session.messages for found in message.results)
