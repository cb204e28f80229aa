"""Files that are torn, damaged or no session at all: what was whole is kept, the rest is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.support import check_durable, check_valid, resumed, store, three_turns, turn
from xun.sessions.record import SessionError
from xun.sessions.resume import fork, load, resume


@pytest.mark.bug("session-torn-last-line")
def test_a_torn_last_line_is_set_aside_once(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-25])
    torn = whole[:-25].rpartition(b"\n")[2]
    before = load(path)
    assert path.read_bytes() == whole[:-25]  # reading changes nothing
    session, writer = resume(path)
    assert session.notices == before.notices
    assert len([line for line in session.notices if "cut off" in line]) == 1
    store(writer, turn(4), session.last_seq + 1)
    aside = path.with_suffix(".damaged")
    assert aside.read_bytes() == torn + b"\n"
    assert aside.stat().st_mode & 0o777 == 0o600
    again = check_durable(path)
    assert again.notices == ()
    prompts = [message.text for message in again.messages if message.role == "user"]
    assert prompts == [f"prompt {number}" for number in (1, 2, 3, 4)]


def test_a_file_cut_at_any_byte_loads_with_all_that_was_whole(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    whole = path.read_bytes()
    first = whole.index(b"\n")
    for cut in range(first, len(whole) + 1, 5):
        path.write_bytes(whole[:cut])
        session = load(path)
        check_valid(session.messages)
        stored = sum(event.at == 0.0 for event in session.events)
        assert stored in (whole[:cut].count(b"\n") - 1, whole[:cut].count(b"\n"))


@pytest.mark.bug("session-torn-last-line")
def test_a_file_cut_at_any_byte_resumes_and_stays_whole(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    whole = path.read_bytes()
    for cut in range(whole.index(b"\n"), len(whole) + 1, 131):
        path.write_bytes(whole[:cut])
        check_durable(path)


def test_a_record_that_lacks_only_its_line_end_is_kept(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    session, writer = resume(path)
    assert session.notices == ()
    store(writer, turn(4), session.last_seq + 1)
    assert len(check_durable(path).events) == 4 * len(turn(1))
    assert not path.with_suffix(".damaged").exists()


@pytest.mark.parametrize("tail", [b"\0" * 300, b"{", b"\n\n", b"[1]\n", b'{"type": "notice"}\n', b"\xff\xfe\n{}"])
def test_any_rubbish_at_the_end_is_set_aside(tmp_path: Path, tail: bytes) -> None:
    path = three_turns(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + tail)
    session = resumed(path)
    assert path.read_bytes() == whole
    assert path.with_suffix(".damaged").read_bytes() == tail + b"\n"
    assert len(session.events) == 3 * len(turn(1))


def test_a_damaged_line_inside_is_left_alone_and_named(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[6] = lines[6][:20]
    path.write_bytes(b"\n".join(lines))
    session = resumed(path)
    check_valid(session.messages)
    assert session.notices == (f"{path.name}: damaged and left out: line 7",)
    assert len(session.events) == 3 * len(turn(1)) - 1


def test_events_of_a_later_version_are_passed_over(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    later = b'{"seq":40,"type":"teleported","to":"mars"}\n'
    path.write_bytes(path.read_bytes() + later)
    session = resumed(path)
    assert path.read_bytes().endswith(later)
    assert session.notices == (f"{path.name}: 1 events of a later version of xun are left out",)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (b"", "is empty"),
        (b"{}\n", "not a session file"),
        (b'{"type":"session","ver', "not a session file"),
        (b'{"type":"session","version":2}\n', "newer xun"),
        (b'{"type":"session","version":1}\n', "lacks"),
        (b"\x7fELF\0\n", "not a session file"),
        (b"[" * 100_000, "not a session file"),
    ],
)
def test_what_is_no_session_is_said_in_one_line(tmp_path: Path, first: bytes, said: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(first)
    for read in (load, resume, fork):
        with pytest.raises(SessionError, match=said) as caught:
            read(path)
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == first


def test_a_missing_file_and_a_link_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="cannot be opened"):
        resume(tmp_path / "none.jsonl")
    with pytest.raises(SessionError, match="cannot be read"):
        load(tmp_path / "none.jsonl")
    path = three_turns(tmp_path)
    (tmp_path / "link.jsonl").symlink_to(path)
    with pytest.raises(SessionError, match="cannot be opened"):
        resume(tmp_path / "link.jsonl")
