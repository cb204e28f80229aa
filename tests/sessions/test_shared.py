"""A session that two would use at once: one has it, the other may copy it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sessions.support import new, resumed, store, three_turns, turn
from xun.sessions.resume import fork, load, resume
from xun.sessions.store import SessionBusy

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
