"""What happened before the transcript was there looks as it did live."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.frontends.tui.transcript.support import bash, ran, reply, turn, user
from tests.frontends.tui.transcript.test_book import Told
from xun.asides import QUIET_ID, SHELL_ID, as_block, quotation
from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    AttemptReset,
    CallOutcome,
    Compacted,
    Decided,
    ErrorDetail,
    HistoryReplaced,
    MessageAdded,
    Notice,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from xun.frontends.tui.transcript.said import BROKEN_OFF
from xun.messages import Message, Text, ToolCall, ToolResult
from xun.policy.action import Run, Write
from xun.policy.decision import Answer, Ask, Decision, Reason
from xun.sessions.past import Past
from xun.sessions.resume import load
from xun.sessions.store import SessionWriter
from xun.workspace.diff import unified

BEFORE = "".join(f"line {number}\n" for number in range(1, 31))
DONE = TurnEnded(status="completed", stop_reason="end_turn")


def loaded(folder: Path, events: Iterable[AnyEvent]) -> Past:
    """`events` as they come back from a session on disk."""
    writer = SessionWriter.create(folder, cwd=folder, model="m", version="0")
    for seq, event in enumerate(events, 1):
        writer.append(event.model_copy(update={"session_id": writer.id, "seq": seq}))
    writer.close()
    assert writer.error is None
    return load(writer.path).past


def put(call: ToolCall, action: Run | Write, answer: Answer, *, number: int) -> Iterable[AnyEvent]:
    """A question about a call, and its answer."""
    decision = Decision(action=action, effect="ask", reasons=(Reason(code="unlisted", text="not on the list"),))
    ask = Ask(id=f"ask-{number}", agent="xun", call_id=call.id, tool=call.name, decisions=(decision,))
    yield ToolStarted(call=call)
    yield Asked(ask=ask)
    yield Answered(ask_id=ask.id, answer=answer, by="person")
    yield Decided(
        call_id=call.id, tool=call.name, decision=decision, allowed=answer.yes, by="person", number=number
    )  # fmt: skip


def ended(call: ToolCall, content: str, outcome: CallOutcome = "ok", seconds: float = 0.0) -> Iterable[AnyEvent]:
    result = ToolResult(call_id=call.id, name=call.name, content=content, is_error=outcome != "ok")
    yield ToolEnded(call_id=call.id, name=call.name, result=result, outcome=outcome, seconds=seconds)
    yield MessageAdded(message=Message(role="tool", blocks=(result,)))


def edited() -> Iterable[AnyEvent]:
    after = BEFORE.replace("line 15\n", "fifteen\n")
    edit = ToolCall(id="e", name="edit_file", arguments={"path": "n.txt", "old": "line 15", "new": "fifteen"})
    whole = ToolCall(id="w", name="write_file", arguments={"path": "b.txt", "content": "ho\n"})
    yield reply("Edit.", edit)
    diff = unified(BEFORE, after, "n.txt").text
    yield from put(edit, Write(path="/w/n.txt", op="edit", diff=diff), Answer.once(), number=1)
    yield from ended(edit, "Edited n.txt at line 15")
    yield reply("Write.", whole)
    diff = unified("-- hi\n++ there\n", "ho\n", "b.txt").text
    yield from put(whole, Write(path="/w/b.txt", diff=diff), Answer.session(), number=2)
    yield from ended(whole, "Wrote b.txt")


def ran_and_refused() -> Iterable[AnyEvent]:
    yes, no, never = bash("make", "c1"), bash("mkdir x", "c2"), bash("sleep 9", "c3")
    yield reply("Both.", yes, no, never)
    yield from put(yes, Run(command="make", cwd="/w"), Answer.once(), number=3)
    yield from list(ended(yes, "exit code 0\nfine\nall", seconds=2.5))[:1]
    yield from put(no, Run(command="mkdir x", cwd="/w"), Answer.no("not there"), number=4)
    yield from list(ended(no, "Permission denied: the person said no: not there", "denied"))[:1]
    yield ToolStarted(call=never)
    yield from list(ended(never, "it was cancelled", "cancelled"))[:1]
    contents = {
        "c1": "exit code 0\nfine\nall",
        "c2": "Permission denied: the person said no: not there",
        "c3": "it was cancelled",
    }
    results = [ToolResult(call_id=one, name="bash", content=content) for one, content in contents.items()]
    yield MessageAdded(message=Message(role="tool", blocks=tuple(results)))


def own_lines() -> Iterable[AnyEvent]:
    told, quiet = bash("ls", f"{SHELL_ID}1"), bash("env", f"{QUIET_ID}2")
    for call, content in ((told, "exit code 0\na\nb"), (quiet, "exit code 1\nno")):
        yield ToolStarted(call=call)
        yield from list(ended(call, content, seconds=0.3))[:1]
    yield turn()
    yield MessageAdded(
        message=Message(role="user", blocks=(Text(text="so?"), as_block(quotation("ls", "exit code 0\na\nb"))))
    )


def tried_in_vain() -> Iterable[AnyEvent]:
    yield AttemptReset(attempt=1, reason="overloaded", wait=1.0)
    yield AttemptReset(attempt=2, reason="overloaded again", wait=2.0)
    yield Notice(level="warning", text="the model is busy")
    yield TurnEnded(status="failed", stop_reason="error", error=ErrorDetail(kind="x", message="gave up"))


def of_a_sub_agent() -> Iterable[AnyEvent]:
    decision = Decision(action=Run(command="rm x", cwd="/"), effect="deny", reasons=(Reason(code="x", text="never"),))
    yield TurnStarted(prompt="go", model="m", agent_id="main")
    yield TurnStarted(prompt="sub", model="m", agent_id="child", parent_id="main")
    yield Notice(level="info", text="looking", agent_id="child", parent_id="main")
    yield Decided(
        call_id="s", tool="bash", decision=decision, allowed=False, by="rule", agent_id="child", parent_id="main"
    )
    yield DONE.model_copy(update={"agent_id": "child", "parent_id": "main"})
    yield MessageAdded(message=Message.user("go"), agent_id="main")
    yield DONE.model_copy(update={"agent_id": "main"})


def summed_up() -> Iterable[AnyEvent]:
    last = Message.user("third")
    for text in ("first", "second"):
        yield from (turn(text), user(text), reply(f"answer to {text}"), DONE)
    yield from (turn("third"), MessageAdded(message=last))
    yield HistoryReplaced(messages=(Message.user("a summary"), last), reason="compact")
    yield Compacted(before_tokens=9, after_tokens=3, removed_messages=4, automatic=True, summary="what was said")
    yield from (reply("answer to third"), DONE)


STORIES = {
    "edits": lambda: (turn(), user("go"), *edited(), reply("Done."), DONE),
    "calls": lambda: (turn(), user("go"), *ran_and_refused(), reply("Done."), DONE),
    "own": lambda: (*own_lines(), reply("Yes."), DONE),
    "tries": lambda: (turn(), user("go"), *tried_in_vain(), turn("again"), user("again"), reply("Here."), DONE),
    "sub-agent": of_a_sub_agent,
    "compacted": summed_up,
    "cut": lambda: (turn(), user("go"), *ran(bash("x", "9"), "y"),
                    TurnEnded(status="cancelled", stop_reason="cancelled")),
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize("unfolded", [False, True])
def test_it_looks_as_it_did_live(story: str, unfolded: bool, tmp_path: Path) -> None:
    live, again = Told(*STORIES[story]()), Told()
    again.book.load(loaded(tmp_path, STORIES[story]()))
    for told in (live, again):
        told.rows.unfold(unfolded)
    assert again.lines == live.lines
    assert len(live.lines) > 4


def test_an_edit_has_its_true_line_numbers_and_a_refusal_its_explanation(tmp_path: Path) -> None:
    told = Told()
    told.book.load(loaded(tmp_path, (turn(), user("go"), *edited(), *ran_and_refused(), DONE)))
    shown = "\n".join(told.lines)
    assert "15 - line 15" in shown and "15 + fifteen" in shown and "No newline" not in shown
    assert "+1 -2" in shown
    assert shown.count("allowed by you") == 3
    assert "refused by you: mkdir x — not there · /policy why 4" in shown


def test_what_was_refused_is_counted(tmp_path: Path) -> None:
    assert loaded(tmp_path, (turn(), *ran_and_refused(), *of_a_sub_agent())).refused == 2


@pytest.mark.parametrize(("reason", "left"), [("retry", 1), ("revise", 0)])
def test_what_is_taken_back_takes_nothing_else_along(reason: str, left: int, tmp_path: Path) -> None:
    first = (turn(), user("go"), *edited(), DONE)
    kept = [event.message for event in first if isinstance(event, MessageAdded)]
    words = Message.user("and now?")
    events = (
        *first, turn(), MessageAdded(message=words), *tried_in_vain(), turn(), reply("Hm."), DONE,
        HistoryReplaced(messages=(*kept, words)[: len(kept) + left], reason=reason),
    )  # fmt: skip
    live, again = Told(*events), Told()
    again.book.load(loaded(tmp_path, events))
    assert live.lines == again.lines
    shown = "\n".join(live.lines)
    assert "15 + fifteen" in shown and shown.count("allowed by you") == 2
    assert ("and now?" in shown) is bool(left) and "Hm." not in shown


def test_a_message_is_held_once_however_often_the_history_was_replaced(tmp_path: Path) -> None:
    messages = [Message.user(f"message {number}") for number in range(6)]
    events = [
        *(MessageAdded(message=message) for message in messages),
        HistoryReplaced(messages=(Message.user("summary"), *messages[3:]), reason="compact"),
        HistoryReplaced(messages=(Message.user("summary"), *messages[3:5]), reason="revise"),
    ]
    past = loaded(tmp_path, events)
    told = [entry for entry in past.told if isinstance(entry, Message)]
    assert [message.text for message in told] == [f"message {number}" for number in range(5)]
    assert all(one is other for one, other in zip(past.history[1:], told[3:], strict=True))


def test_what_came_of_a_reply_that_failed_is_there_and_says_so(tmp_path: Path) -> None:
    error = ErrorDetail(kind="network", message="gone")
    end = TurnEnded(status="failed", stop_reason="error", error=error, broken="so **far**")
    past = loaded(tmp_path, [TurnStarted(prompt="go", model="m"), MessageAdded(message=Message.user("go")), end])
    told = Told()
    told.book.load(past)
    assert told.lines[:6] == ["", "> go", "", "  so far", "", f"! warning: {BROKEN_OFF}"]


def test_after_the_error_of_a_failed_turn_the_way_on_is_told(tmp_path: Path) -> None:
    failed = TurnEnded(status="failed", stop_reason="error", error=ErrorDetail(kind="auth", message="no such key"))
    told = Told()
    told.book.load(loaded(tmp_path, (turn(), user("go"), failed)))
    shown = "\n".join(told.lines)
    assert "✗ error: no such key\n· /model key enters another key" in shown


def test_an_edit_whose_decision_is_not_known_says_nothing_of_the_end_of_the_file() -> None:
    call = ToolCall(id="e", name="edit_file", arguments={"path": "n.txt", "old": "15", "new": "fifteen"})
    result = ToolResult(call_id="e", name="edit_file", content="Edited n.txt at line 15")
    told = Told()
    told.book.load(Past.of((Message(role="assistant", blocks=(call,)), Message(role="tool", blocks=(result,)))))
    shown = "\n".join(told.lines)
    assert "15 + fifteen" in shown and "No newline" not in shown
