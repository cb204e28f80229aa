"""Reading back: what was stored comes back, as a history that any model accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.support import (
    added,
    answers,
    call,
    check_durable,
    contents,
    new,
    reply,
    result,
    resumed,
    saved,
    stamp,
    started,
    store,
    turn,
)
from xun.events import (
    ErrorDetail,
    HistoryReplaced,
    PlanUpdated,
    TurnEnded,
)
from xun.messages import Image, Message, Text, Thinking, ToolResult, Usage
from xun.sessions.repair import NOT_RUN
from xun.sessions.resume import load


def test_everything_comes_back(tmp_path: Path) -> None:
    todos = ({"content": "one", "status": "done"},)
    blocks = (
        Thinking(text="hm", signature="sig", wire="anthropic"),
        Image(media_type="image/png", data="AAAA"),
        Text(text="x"),
    )
    odd = added(Message(role="assistant", blocks=blocks))
    last = stamp([*turn(1), PlanUpdated(todos=todos), odd, *turn(2)])
    path = store(new(tmp_path), last)
    session = load(path)
    assert session.events == tuple(last)
    assert [message.role for message in session.messages[:4]] == ["user", "assistant", "tool", "assistant"]
    assert session.messages[4].blocks == blocks
    assert session.todos == todos
    assert session.usage == Usage(input_tokens=40, output_tokens=8)
    assert session.cost == 2.0
    assert session.last_seq == len(last)
    assert session.notices == ()
    check_durable(path)


@pytest.mark.parametrize(("usage", "cost"), [(Usage(), 1.0), (Usage(input_tokens=1), None)])
def test_a_turn_of_unknown_price_makes_the_cost_unknown_only_where_it_used_something(
    tmp_path: Path, usage: Usage, cost: float | None
) -> None:
    end = TurnEnded(status="failed", stop_reason="error", usage=usage, cost=None)
    assert load(saved(tmp_path, *turn(1), *started("more"), end)).cost == cost


def test_turns_that_did_not_complete_keep_their_place(tmp_path: Path) -> None:
    failed = TurnEnded(status="failed", stop_reason="error", error=ErrorDetail(kind="auth", message="no such key"))
    cancelled = TurnEnded(status="cancelled", stop_reason="cancelled")
    path = saved(tmp_path, *turn(1), *started("more"), failed, *started("still more"), cancelled)
    told = load(path).past.told
    kinds = [end.status for end in told if isinstance(end, TurnEnded)]
    assert kinds == ["failed", "cancelled"] and isinstance(told[-1], TurnEnded) and isinstance(told[-3], TurnEnded)
    assert told[-3].error == failed.error


@pytest.mark.parametrize(
    ("reason", "left", "kept"),
    [("revise", 5, ["failed"]), ("compact", 4, ["failed", "cancelled"]), ("clear", 0, [])],
)
def test_what_was_told_goes_with_the_messages_before_it_and_stays_beside_a_summary(
    tmp_path: Path, reason: str, left: int, kept: list[str]
) -> None:
    failed = TurnEnded(status="failed", stop_reason="error")
    cancelled = TurnEnded(status="cancelled", stop_reason="cancelled")
    events = [*turn(1), *started("more"), failed, *started("still more"), cancelled]
    messages = load(saved(tmp_path, *events)).messages
    replaced = HistoryReplaced(messages=messages[:left], reason=reason)
    past = load(saved(tmp_path, *events, replaced)).past
    assert past.history == list(messages[:left])
    assert [entry.status for entry in past.told if isinstance(entry, TurnEnded)] == kept
    shown = [entry for entry in past.told if isinstance(entry, Message)]
    assert shown == list(messages if reason == "compact" else messages[:left])


def test_history_is_what_was_added_and_replaced(tmp_path: Path) -> None:
    summary = Message.user("summary")
    path = saved(tmp_path, *turn(1), HistoryReplaced(messages=(summary,), reason="compacted"), *turn(2))
    assert load(path).messages[0] == summary
    assert len(load(path).messages) == 5


def test_sub_agents_do_not_get_into_the_history(tmp_path: Path) -> None:
    outer = stamp(turn(1))
    inner = [event.model_copy(update={"agent_id": "child", "parent_id": "main"}) for event in stamp(turn(2))]
    writer = new(tmp_path)
    for event in (*outer[:5], *inner, *outer[5:]):
        writer.append(event)
    writer.close()
    session = load(writer.path)
    assert len(session.messages) == 4
    assert session.usage == Usage(input_tokens=20, output_tokens=4)
    assert len(session.events) == len(outer) + len(inner)


def test_a_history_that_was_already_broken_inside_is_put_right(tmp_path: Path) -> None:
    one, two = call("c1"), call("c2")
    stray = ToolResult(call_id="nobody", name="bash", content="?")
    path = saved(
        tmp_path,
        added(answers(stray)),
        *started(),
        added(reply("", one, two)),
        added(answers(result(two), stray)),
        added(Message.user("go on")),
        added(reply("", call("c3"))),
        added(reply("text")),
        added(Message.user("and")),
    )
    session = check_durable(path)
    assert contents(session) == [NOT_RUN, "done", NOT_RUN]


@pytest.mark.bug("api-empty-text-block")
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_blank_text_never_reaches_a_model_again(tmp_path: Path, role: str) -> None:
    one = call("c1")
    blank = Message(role=role, blocks=(Text(text=" \n"),))  # ty: ignore[invalid-argument-type]
    path = saved(
        tmp_path,
        *started(),
        added(Message(role="assistant", blocks=(Text(text=""), one))),
        added(answers(result(one, ""))),
        added(blank),
        added(Message(role="assistant", blocks=())),
        added(Message.user("hello?")),
    )
    session = check_durable(path)
    assert contents(session) == ["(no output)"]
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "user"]


@pytest.mark.bug("session-resume-deleted-cwd")
def test_a_session_whose_folder_is_gone_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    path = store(new(tmp_path / "s", cwd=folder), turn(1))
    assert load(path).folder == folder
    folder.rmdir()
    session = resumed(path)
    assert session.folder is None
    assert session.notices == (f"the folder of this session, {folder}, is gone",)
