"""A reply that was arriving when xun was killed: what of it was stored, and what history makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.sessions import support
from tests.sessions.support import (
    added,
    answers,
    call,
    check_valid,
    check_wires,
    decided,
    ended,
    reply,
    result,
    started,
)
from xun.config.redact import Redactor
from xun.events import (
    AnyEvent,
    AttemptReset,
    MessageAdded,
    QueueChanged,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolStarted,
    TurnEnded,
    Waiting,
)
from xun.messages import Reply, Text, Thinking
from xun.sessions.arriving import EVERY
from xun.sessions.resume import StoredSession, fork, load

ANSWER = "Half of an answer that goes on "


def said(text: str, start: float = 0.0, step: float = EVERY) -> list[AnyEvent]:
    """`text` word by word, one `step` seconds after the other."""
    return [
        TextDelta(text=f"{word} ", at=start + place * step)
        for place, word in enumerate(text.removesuffix(" ").split(" "))
    ]


def killed(folder: Path, *events: AnyEvent, redact: Redactor | None = None) -> Path:
    """The file of a session whose process ended after `events`."""
    writer = support.new(folder, redact=redact)
    for seq, event in enumerate(events, 1):
        writer.append(event.model_copy(update={"seq": seq, "agent_id": "main"}))
    writer.close()
    return writer.path


def pieces(path: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()[1:]]
    numbers = [line["seq"] for line in lines]
    assert numbers == sorted(set(numbers))
    return [line for line in lines if line["type"] == "text_delta"]


def checked(path: Path) -> StoredSession:
    """The session as it goes on: the same however it is read, valid on each wire, and repaired once."""
    alone, session = load(path), support.resumed(path)
    assert session.messages == alone.messages == load(path).messages == tuple(session.past.history)
    check_valid(session.messages)
    check_wires(session.messages)
    mended = path.read_bytes()
    again = support.resumed(path)
    assert again.notices == () and path.read_bytes() == mended
    assert not any(isinstance(event, TextDelta) for event in again.events)
    return session


def test_what_had_arrived_is_in_history_after_a_kill_marked_as_interrupted(tmp_path: Path) -> None:
    path = killed(tmp_path, *support.turn(1), *started("again"), StepStarted(step=1), *said(ANSWER))
    session = checked(path)
    assert session.messages[-1].blocks == (Text(text=ANSWER),)
    assert session.messages[-1].reply == Reply(provider="scripted:x", model="", stop_reason="interrupted")
    end = session.events[-1]
    assert isinstance(end, TurnEnded) and (end.status, end.output) == ("cancelled", ANSWER)
    assert session.interruption == "the last turn was interrupted"


def test_it_comes_after_the_results_of_the_step_before(tmp_path: Path) -> None:
    one = call("c1")
    step = (added(reply("", one)), ToolStarted(call=one), decided(one), ended(one), added(answers(result(one))))
    session = checked(killed(tmp_path, *started(), *said("I look. "), *step, *said(ANSWER)))
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "assistant"]
    assert session.messages[-1].text == ANSWER


def test_pieces_are_stored_once_a_second_and_none_of_a_quick_reply(tmp_path: Path) -> None:
    deltas = said("word " * 1000, step=0.01)  # ten seconds
    path = killed(tmp_path, *started(), *deltas)
    assert 8 <= len(pieces(path)) <= 10
    assert len("".join(piece["text"] for piece in pieces(path))) >= len("word ") * 880
    path = killed(tmp_path, *started(), *said("word " * 90, step=0.01), added(reply("word " * 90)))
    assert pieces(path) == []


def test_when_the_model_falls_silent_all_of_it_is_stored(tmp_path: Path) -> None:
    path = killed(tmp_path, *started(), *said("A few words. ", step=0.0), Waiting(on="model", seconds=10))
    assert checked(path).messages[-1].text == "A few words. "


def test_a_clock_that_goes_back_does_not_keep_it_from_being_stored(tmp_path: Path) -> None:
    path = killed(tmp_path, *started(), *said("At noon ", start=5000.0), *said("and an hour before ", start=1400.0))
    assert checked(path).messages[-1].text == "At noon and an hour before "


@pytest.mark.parametrize(
    "over",
    [
        added(reply(ANSWER)),
        AttemptReset(attempt=1, reason="overloaded", wait=1.0),
        TurnEnded(status="failed", stop_reason="error", broken=ANSWER),
    ],
    ids=lambda event: event.type,
)
def test_once_a_reply_is_over_its_pieces_count_no_more(tmp_path: Path, over: AnyEvent) -> None:
    path = killed(tmp_path, *started(), *said(ANSWER), over)
    assert pieces(path)
    texts = [message.text for message in checked(path).messages if message.role == "assistant"]
    assert texts == ([ANSWER] if isinstance(over, MessageAdded) else [])


def test_the_pieces_of_one_try_do_not_go_into_the_next(tmp_path: Path) -> None:
    again = AttemptReset(attempt=1, reason="overloaded", wait=1.0)
    path = killed(tmp_path, *started(), *said("Not this. "), again, *said("But this one here. ", start=50.0))
    assert checked(path).messages[-1].text == "But this one here. "


def test_thinking_the_words_of_sub_agents_and_blanks_are_none_of_it(tmp_path: Path) -> None:
    theirs = [event.model_copy(update={"parent_id": "main"}) for event in said(ANSWER)]
    thought = [ThinkingDelta(text="Hm. ", at=place * EVERY) for place in range(5)]
    blank = [TextDelta(text="\n", at=place * EVERY) for place in range(5)]
    path = killed(tmp_path, *started(), *theirs, *thought, *blank)
    assert [message.role for message in checked(path).messages] == ["user"]


def test_what_was_thought_is_told_and_is_none_of_the_reply(tmp_path: Path) -> None:
    thought = [ThinkingDelta(text=f"Hm {place}. ", at=place * EVERY / 2) for place in range(6)]
    path = killed(tmp_path, *started(), *thought, *said(ANSWER, start=20.0))
    session = checked(path)
    assert session.messages[-1].text == ANSWER and not session.messages[-1].calls
    [told] = [entry for entry in session.past.told if isinstance(entry, Thinking)]
    assert told.text == "".join(event.text for event in thought)
    assert [entry.text for entry in support.resumed(path).past.told if isinstance(entry, Thinking)] == [told.text]


def test_what_was_thought_before_a_reply_that_came_is_in_its_message_alone(tmp_path: Path) -> None:
    thought = [ThinkingDelta(text="Hm. ", at=place * EVERY) for place in range(3)]
    path = killed(tmp_path, *started(), *thought, *said(ANSWER, start=20.0), added(reply(ANSWER)))
    assert not any(isinstance(entry, Thinking) for entry in checked(path).past.told)


def test_what_is_typed_meanwhile_leaves_it_whole(tmp_path: Path) -> None:
    first, second = said("Some words "), said("and more of them ", start=20.0)
    silent = Waiting(on="model", seconds=10)
    path = killed(tmp_path, *started(), *first, QueueChanged(queued=("later",)), silent, *second, silent)
    assert len(pieces(path)) > 1
    session = checked(path)
    assert session.messages[-1].text == "Some words and more of them "
    assert session.queued == ("later",)


def test_a_copy_of_a_session_that_is_open_has_it_too(tmp_path: Path) -> None:
    path = killed(tmp_path, *started(), *said(ANSWER))
    assert checked(fork(path)).messages[-1].text == ANSWER


def test_no_piece_has_a_part_of_a_secret(tmp_path: Path) -> None:
    key, secret = "sk-ant-api03-" + "Ab1_-" * 8, "first second third"
    text = f"It is {key} with {secret} in it. "
    deltas = [TextDelta(text=char, at=place * EVERY) for place, char in enumerate(text)]
    path = killed(tmp_path, *started(), *deltas, redact=Redactor([secret]))
    assert b"sk-ant" not in path.read_bytes() and b"second" not in path.read_bytes()
    assert checked(path).messages[-1].text == "It is sk-*** with *** in it. "
