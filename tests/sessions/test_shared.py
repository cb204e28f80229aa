"""A session that two would use at once: one has it, the other may copy it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sessions.support import (
    added,
    call,
    check_durable,
    contents,
    decided,
    new,
    reply,
    resumed,
    stamp,
    started,
    store,
    three_turns,
    turn,
)
from xun.events import AnyEvent, Notice, QueueChanged, ToolStarted, TurnEnded
from xun.sessions.locking import SessionBusy
from xun.sessions.repair import FORKED, NOT_RUN, UNKNOWN
from xun.sessions.resume import fork, load, resume
from xun.sessions.store import SessionWriter

ROOT = Path(__file__).parents[2]


def test_a_session_in_use_is_refused_and_can_be_copied(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    session, writer = resume(path)
    with pytest.raises(SessionBusy, match=f"session {path.stem} is in use by another xun"):
        resume(path)
    copy = fork(path)
    forked, other = resume(copy)
    assert forked.messages == session.messages
    assert forked.header.parent == session.header.id
    assert copy.stat().st_mode & 0o777 == 0o600
    store(other, turn(9), forked.last_seq + 1)
    writer.close()
    assert len(resumed(path).messages) == 12
    assert len(resumed(copy).messages) == 16


def test_a_new_session_is_locked_from_its_first_event(tmp_path: Path) -> None:
    writer = new(tmp_path)
    writer.append(turn(1)[0])
    with pytest.raises(SessionBusy):
        resume(writer.path)
    assert load(writer.path).messages == ()
    writer.close()
    resumed(writer.path)


def test_another_process_is_kept_out_too(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    _, writer = resume(path)
    code = f"from pathlib import Path; from xun.sessions.resume import resume; resume(Path({str(path)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )  # fmt: skip
    writer.close()
    assert "SessionBusy: session" in done.stderr


def test_a_torn_session_is_copied_whole(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    path.write_bytes(path.read_bytes()[:-25])
    for line in fork(path).read_bytes().splitlines():
        json.loads(line)


def busy(folder: Path, *more: AnyEvent) -> SessionWriter:
    """A session in which a call runs, another one waits, and there is `more`."""
    runs, waits = call("c1"), call("c2")
    begun = (*started(), added(reply("", runs, waits)), ToolStarted(call=runs), decided(runs), ToolStarted(call=waits))
    writer = new(folder)
    for event in stamp([*begun, *more]):
        writer.append(event)
    return writer


def test_of_what_runs_in_the_session_the_copy_says_what_it_can_know(tmp_path: Path) -> None:
    writer = busy(tmp_path)
    session = check_durable(fork(writer.path))
    writer.close()
    assert contents(session) == [FORKED.unknown, FORKED.not_run]
    end = session.events[-1]
    assert isinstance(end, TurnEnded) and end.error is not None
    assert (end.status, end.error.kind) == ("cancelled", "forked")
    assert end.error.message == (
        "forked while that turn was running; it goes on in the original session; "
        "1 call whose outcome is not known here, 1 call not run by then"
    )
    assert session.interruption == "" and session.notices == ()


def test_what_waits_in_the_session_is_sent_there_and_not_in_the_copy_too(tmp_path: Path) -> None:
    end = TurnEnded(status="completed", stop_reason="end_turn")
    writer = busy(tmp_path, QueueChanged(queued=("later",), steering=("now",)), added(reply("Done.")), end)
    copy = resumed(fork(writer.path))
    assert copy.queued == () and load(writer.path).queued == ("now", "later")
    assert isinstance(copy.events[-1], Notice) and "stays there" in copy.events[-1].text
    writer.close()
    assert resumed(fork(writer.path)).queued == ("now", "later")  # nobody would send them


def test_a_session_that_nobody_has_open_is_copied_as_it_was_left(tmp_path: Path) -> None:
    writer = busy(tmp_path)
    writer.close()
    assert fork(writer.path).read_bytes().splitlines()[1:] == writer.path.read_bytes().splitlines()[1:]
    assert contents(resumed(fork(writer.path))) == [UNKNOWN, NOT_RUN]
