"""Listing and finding sessions, foreign and damaged files among them; deleting old ones only as set."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.sessions.support import new, started, store, turn
from xun.events import ModeChanged
from xun.sessions.index import Entry, find, last, list_sessions
from xun.sessions.record import Header, SessionError
from xun.sessions.resume import resume
from xun.sessions.retention import prune


def last_path(sessions: Path, folder: Path) -> Path | None:
    entry = last(sessions, folder).entry
    return entry.path if entry is not None else None


def saved(sessions: Path, folder: Path, age_days: float = 0.0, prompt: str = "do it", *, whole: bool = True) -> Path:
    path = store(new(sessions, cwd=folder), [*started(prompt), *(turn(1)[2:] if whole else ())])
    used = time.time() - age_days * 86_400
    os.utime(path, (used, used))
    return path


def test_the_last_used_comes_first_and_only_this_folder(tmp_path: Path, work: Path) -> None:
    sessions = tmp_path / "s"
    old = saved(sessions, work, 3, "old\n  one")
    fresh = saved(sessions, work, 1, whole=False)
    other = saved(sessions, tmp_path, 2)
    listing = list_sessions(sessions, work)
    assert [entry.path for entry in listing.entries] == [fresh, old]
    assert [entry.status for entry in listing.entries] == ["interrupted", "completed"]
    assert listing.entries[1].title == "old one"
    assert listing.entries[0].header.model == "scripted:x"
    assert [entry.path for entry in list_sessions(sessions).entries] == [fresh, other, old]
    assert last_path(sessions, work) == fresh
    assert last_path(sessions, tmp_path) == other
    assert last_path(sessions, tmp_path / "home") is None


def test_a_folder_is_the_same_through_a_link(tmp_path: Path, work: Path) -> None:
    (tmp_path / "link").symlink_to(work)
    path = saved(tmp_path / "s", tmp_path / "link")
    assert last_path(tmp_path / "s", work) == path
    assert last_path(tmp_path / "s", tmp_path / "link") == path


def test_without_any_session_the_list_is_empty(tmp_path: Path, work: Path) -> None:
    assert list_sessions(tmp_path / "none") == list_sessions(tmp_path / "none", work)
    assert list_sessions(tmp_path / "none").entries == ()
    assert last_path(tmp_path / "none", work) is None


def test_foreign_and_damaged_files_are_named_and_hide_nothing(tmp_path: Path, work: Path) -> None:
    sessions = tmp_path / "s"
    good = saved(sessions, work, 1)
    (sessions / "foreign.jsonl").write_text('{"not": "ours"}\n')
    (sessions / "newer.jsonl").write_text('{"type":"session","version":99}\n')
    (sessions / "empty.jsonl").write_text("")
    (sessions / "notes.txt").write_text("x")
    (sessions / "folder.jsonl").mkdir()
    os.mkfifo(sessions / "pipe.jsonl")
    (sessions / "link.jsonl").symlink_to(good)
    listing = list_sessions(sessions)
    assert [entry.path for entry in listing.entries] == [good]
    assert sorted(line.split(":")[0] for line in listing.problems) == [
        str(sessions / "foreign.jsonl"),
        str(sessions / "newer.jsonl"),
    ]
    assert last_path(sessions, work) == good


UNUSABLE = [
    pytest.param(b"", "is empty", id="empty"),
    pytest.param(b"\0" * 5000, "is not a session file, or its first line is damaged", id="nul"),
    pytest.param(bytes(range(255, 0, -1)) * 9, "is not a session file, or its first line is damaged", id="binary"),
    pytest.param(b'{"type":"session","version":99}\n', "was written by a newer xun", id="newer"),
]


@pytest.mark.parametrize(("data", "why"), UNUSABLE)
def test_a_file_that_is_passed_over_for_the_last_session_is_told_with_the_reason(
    data: bytes, why: str, tmp_path: Path, work: Path
) -> None:
    sessions = tmp_path / "s"
    older, good = saved(sessions, work, 3), saved(sessions, work, 2)
    saved(sessions, tmp_path, 1).write_bytes(data)
    bad = next(path for path in sessions.iterdir() if path not in (older, good))
    found = last(sessions, work)
    assert found.entry is not None and found.entry.path == good
    [line] = found.passed
    assert line.startswith(f"{bad}: {why}")
    os.utime(bad, (1, 1))
    assert last(sessions, work).passed == ()
    with pytest.raises(SessionError, match=why):
        find(sessions, bad.stem)


def test_the_last_session_of_a_newer_xun_is_not_replaced_by_an_older_session(tmp_path: Path, work: Path) -> None:
    sessions = tmp_path / "s"
    old, newest = saved(sessions, work, 2), saved(sessions, work, 1)
    newest.write_bytes(newest.read_bytes().replace(b'"version":1', b'"version":99'))
    with pytest.raises(SessionError, match=f"{newest}: was written by a newer xun"):
        last(sessions, work)
    assert last(sessions, tmp_path).passed == (), "it is of another folder"
    os.utime(newest, (1, 1))
    assert last_path(sessions, work) == old


def test_a_torn_session_is_listed(tmp_path: Path, work: Path) -> None:
    path = saved(tmp_path / "s", work)
    path.write_bytes(path.read_bytes()[:-25])
    [entry] = list_sessions(tmp_path / "s").entries
    assert entry.status == "interrupted"


def test_what_comes_after_a_turn_leaves_its_end_and_one_in_use_is_told_from_one_that_was_killed(
    tmp_path: Path, work: Path
) -> None:
    sessions = tmp_path / "s"
    writer = new(sessions, cwd=work)

    def entry() -> Entry:
        [found] = list_sessions(sessions).entries
        return found

    writer.append(ModeChanged(mode="auto", seq=1))
    assert (entry().status, entry().in_use) == ("new", True)
    for event in started("go"):
        writer.append(event)
    assert (entry().status, entry().in_use) == ("running", True)
    for event in turn(1)[2:]:
        writer.append(event)
    writer.append(ModeChanged(mode="manual", seq=99))
    assert (entry().status, entry().in_use) == ("completed", True)
    writer.close()
    assert (entry().status, entry().in_use) == ("completed", False)


@pytest.mark.bug("session-resume-deleted-cwd")
def test_a_session_of_a_deleted_folder_is_listed(tmp_path: Path) -> None:  # session-resume-deleted-cwd
    folder = tmp_path / "gone"
    folder.mkdir()
    saved(tmp_path / "s", folder)
    folder.rmdir()
    [entry] = list_sessions(tmp_path / "s", folder).entries
    assert not entry.folder_exists


def test_a_unique_start_of_an_id_is_enough(tmp_path: Path, work: Path) -> None:
    sessions = tmp_path / "s"
    sessions.mkdir()
    for name in ("20260101-000000-aaaaaa", "20260101-000000-aaaabb", "20260202-000000-cccccc", "2026"):
        header = Header(id=name, created=1.0, cwd="/", xun="0", model="m")
        (sessions / f"{name}.jsonl").write_bytes(header.line())
    assert find(sessions, "20260202").id == "20260202-000000-cccccc"
    assert find(sessions, "20260101-000000-aaaaaa").id == "20260101-000000-aaaaaa"
    assert find(sessions, "2026").id == "2026"  # a whole id goes before those that it begins
    with pytest.raises(SessionError, match=r"2 sessions begin with '20260101'.*write more"):
        find(sessions, "20260101")


@pytest.mark.parametrize("word", ["", "x", "../s/2026", "*", "/etc/passwd", "2026\x00"])
def test_what_is_no_id_is_not_found(tmp_path: Path, word: str) -> None:
    saved(tmp_path / "s", tmp_path)
    with pytest.raises(SessionError, match="no session has the id"):
        find(tmp_path / "s", word)


# Deleting.


def test_nothing_is_deleted_unless_a_setting_says_so(tmp_path: Path, work: Path) -> None:
    path = saved(tmp_path / "s", work, 10_000)
    removed = prune(tmp_path / "s")
    assert (removed.ids, removed.notice()) == ((), None)
    assert path.exists()


def test_the_old_are_deleted_with_their_damaged_parts_and_it_is_said(tmp_path: Path, work: Path) -> None:
    sessions = tmp_path / "s"
    old, fresh = saved(sessions, work, 31), saved(sessions, work, 29)
    old.with_suffix(".damaged").write_bytes(b"x" * 2_000_000)
    (sessions / "notes.txt").write_text("not ours")
    removed = prune(sessions, max_age_days=30)
    assert removed.ids == (old.stem,)
    assert removed.notice() == f"deleted session {old.stem} (2.0 MB), as the settings of sessions say"
    assert sorted(path.name for path in sessions.iterdir()) == sorted([fresh.name, "notes.txt"])


def test_the_oldest_go_until_the_rest_fits(tmp_path: Path, work: Path) -> None:
    sessions = tmp_path / "s"
    paths = [saved(sessions, work, age) for age in (3, 2, 1)]
    for path in paths:
        used = path.stat().st_mtime
        path.write_bytes(path.read_bytes() + b" " * 600_000)
        os.utime(path, (used, used))
    removed = prune(sessions, max_megabytes=1)
    assert removed.ids == (paths[0].stem, paths[1].stem)
    assert removed.notice() == "deleted 2 sessions (1.2 MB), as the settings of sessions say"


def test_a_session_in_use_or_just_made_is_kept(tmp_path: Path, work: Path) -> None:
    sessions = tmp_path / "s"
    used, recent = saved(sessions, work, 31), saved(sessions, work)
    _, writer = resume(used)
    os.utime(used, (1, 1))
    assert prune(sessions, max_age_days=1, max_megabytes=1).ids == ()
    writer.close()
    assert prune(sessions, max_age_days=1).ids == (used.stem,)
    assert recent.exists()


def test_a_missing_folder_has_nothing_to_delete(tmp_path: Path) -> None:
    assert prune(tmp_path / "none", max_age_days=1).ids == ()
