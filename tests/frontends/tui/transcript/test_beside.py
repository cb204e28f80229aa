"""What the person runs while a reply arrives stands at one place of it, live and after `--continue`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.frontends.tui.transcript.support import bash, deltas, ran, turn, user
from tests.frontends.tui.transcript.test_book import Told
from tests.frontends.tui.transcript.test_earlier import DONE, ended, loaded
from xun.asides import QUIET_ID, SHELL_ID, as_block, quotation
from xun.events import (
    AnyEvent,
    AttemptReset,
    ErrorDetail,
    MessageAdded,
    TextDelta,
    ThinkingDelta,
    ToolStarted,
    TurnEnded,
)
from xun.messages import Message, Reply, Text, Thinking, ToolCall

ANSWER = "First, a title.\n\n- one\n- two\n\n```py\nx = 1\n```\nThe end."
BLOCKS = ["First, a title.", "• one", "• two", "┌ py", "The end."]
OWN = bash("ls", f"{SHELL_ID}1")
INNER = bash("make", "c1")


def begins(call: ToolCall = OWN) -> Iterable[AnyEvent]:
    yield ToolStarted(call=call)


def ends(call: ToolCall = OWN) -> Iterable[AnyEvent]:
    yield from list(ended(call, "exit code 0\nfine", seconds=0.3))[:1]


def whole(*calls: ToolCall, thought: str = "", text: str = ANSWER) -> MessageAdded:
    thinking = (Thinking(text=thought, wire="w"),) if thought else ()
    return MessageAdded(message=Message(role="assistant", blocks=(*thinking, Text(text=text), *calls)))


def after(size: int, *calls: ToolCall) -> Iterable[AnyEvent]:
    """A line that is run once `size` characters of the reply have come."""
    yield from (turn(), user("go"))
    yield from (*deltas(ANSWER[:size]), *begins(), *ends(), *deltas(ANSWER[size:]))
    yield whole(*calls)
    if calls:
        yield from list(ran(INNER, "exit code 0\nmade"))[1:]
    yield DONE


def thought(text: str) -> Iterable[AnyEvent]:
    yield from (turn(), user("go"), ThinkingDelta(text="Hm."), *deltas(text))
    yield from (*begins(), *ends(), *deltas(ANSWER[len(text) :]), whole(thought="Hm."), DONE)


def two_of_them() -> Iterable[AnyEvent]:
    other = bash("env", f"{QUIET_ID}2")
    yield from (turn(), user("go"), *deltas("First"), *begins(), *deltas(ANSWER[5:20]))
    yield from (*begins(other), *ends(), *deltas(ANSWER[20:]), *ends(other), whole(), DONE)


def over_steps() -> Iterable[AnyEvent]:
    """A line that runs on while the reply ends, a call is made, and the person says more."""
    yield from (turn(), user("go"), *deltas("First"), *begins(), *deltas(ANSWER[5:]))
    yield from (whole(INNER), *list(ran(INNER, "exit code 0\nmade"))[1:], whole(), DONE)
    yield from (turn("and?"), user("and?"), *ends(), whole(), DONE)
    quoted = (Text(text="so?"), as_block(quotation("ls", "exit code 0\nfine")))
    yield from (turn("so?"), MessageAdded(message=Message(role="user", blocks=quoted)), whole(), DONE)


def tried_again() -> Iterable[AnyEvent]:
    yield from (turn(), user("go"), *deltas("Fir"), *begins(), *ends(), *deltas("st"))
    yield AttemptReset(attempt=1, reason="overloaded", wait=0.1)
    yield from (*deltas(ANSWER), whole(), DONE)


def interrupted() -> Iterable[AnyEvent]:
    yield from (turn(), user("go"), *deltas(ANSWER[:20]), *begins(), *ends(), *deltas(ANSWER[20:30]))
    reply = Reply(provider="p", model="m", stop_reason="interrupted")
    yield MessageAdded(message=Message(role="assistant", blocks=(Text(text=ANSWER[:30]),), reply=reply))
    yield TurnEnded(status="cancelled", stop_reason="cancelled")


def cut_in_thought(*said: AnyEvent) -> Iterable[AnyEvent]:
    yield from (turn(), user("go"), ThinkingDelta(text="Hm, "), *begins(), *ends(), ThinkingDelta(text="I see."))
    reply = Reply(provider="p", model="m", stop_reason="interrupted")
    text = "".join(event.text for event in said if isinstance(event, TextDelta))
    if text:
        yield from said
        yield MessageAdded(message=Message(role="assistant", blocks=(Text(text=text),), reply=reply))
    yield TurnEnded(status="cancelled", stop_reason="cancelled")


def failed_in_thought() -> Iterable[AnyEvent]:
    yield from (turn(), user("go"), ThinkingDelta(text="Hm, "), *begins(), *ends())
    yield TurnEnded(status="failed", stop_reason="error", error=ErrorDetail(kind="x", message="gone"))


STORIES = {
    "cut-in-thought": cut_in_thought,
    "cut-after-thought": lambda: cut_in_thought(*deltas("First, a")),
    "failed-in-thought": failed_in_thought,
    **{f"after-{size}": lambda size=size: after(size) for size in range(0, len(ANSWER), 7)},
    "before-a-call": lambda: after(len(ANSWER), INNER),
    "before-text-and-a-call": lambda: after(9, INNER),
    "thought": lambda: thought(""),
    "thought-and-said": lambda: thought("First, a"),
    "two": two_of_them,
    "over-steps": over_steps,
    "tried-again": tried_again,
    "interrupted": interrupted,
}


@pytest.mark.parametrize("story", STORIES)
def test_it_stands_where_it_stood_live(story: str, tmp_path: Path) -> None:
    live, again = Told(), Told()
    for event in STORIES[story]():  # shown as it comes
        live.hear(event)
    again.book.load(loaded(tmp_path, STORIES[story]()))
    for told in (live, again):
        told.rows.unfold(True)
    assert again.lines == live.lines


@pytest.mark.parametrize(("size", "above"), [(0, 0), (3, 1), (15, 1), (20, 2), (30, 3), (len(ANSWER), 5)])
def test_it_stands_below_what_had_come_of_the_reply(size: int, above: int, tmp_path: Path) -> None:
    told = Told()
    told.book.load(loaded(tmp_path, after(size)))
    shown = [line.strip() for line in told.lines]
    place = shown.index("✓ bash ls  exit 0 · 0.3 s ▸")
    places = [next(at for at, line in enumerate(shown) if line.startswith(block)) for block in BLOCKS]
    assert sum(at < place for at in places) == above


def test_it_stands_there_too_where_xun_was_killed(tmp_path: Path) -> None:
    events = list(after(20))
    end = next(at for at, event in enumerate(events) if isinstance(event, TextDelta) and event.text not in ANSWER[:20])
    told = Told()
    told.book.load(loaded(tmp_path, events[:end]))
    shown = [line.strip() for line in told.lines if line.strip()]
    assert shown[:5] == ["> go", "First, a title.", "• o", "✓ bash ls  exit 0 · 0.3 s ▸", "│ fine"]


def test_one_that_runs_is_still_there_when_a_turn_is_taken_back() -> None:
    told = Told(turn(), user("go"), whole(), DONE, *begins())
    told.book.load(told.book._past)
    assert told.lines[-1].startswith("· bash ls  waits")
    told.hear(*ends())
    assert "✓ bash ls  exit 0 · 0.3 s ▸" in told.lines
