"""Writing: every event at once, nothing torn, nothing readable by others, no key."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sessions import support
from xun.config.redact import Redactor
from xun.events import Notice, PlanUpdated, TextDelta, ToolProgress, ToolStarted, Waiting
from xun.messages import Message, ToolCall
from xun.sessions.resume import load
from xun.sessions.store import new_id


def lines(path: Path) -> list[dict[str, object]]:
    data = path.read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


def notice(text: str) -> Notice:
    return Notice(level="info", text=text)


def test_a_header_and_one_line_an_event(tmp_path: Path) -> None:
    writer = support.new(tmp_path / "s", cwd=tmp_path)
    path = support.store(writer, support.turn(1))
    header, *events = lines(path)
    assert header["type"] == "session"
    assert header["version"] == 1
    assert header["id"] == writer.id == path.stem
    assert header["cwd"] == str(tmp_path)
    assert [event["seq"] for event in events] == list(range(1, len(support.turn(1)) + 1))
    assert events[-1]["type"] == "turn_ended"


def test_what_only_shows_progress_is_not_kept(tmp_path: Path) -> None:
    writer = support.new(tmp_path)
    for event in (
        ToolProgress(call_id="c", text="a"),
        Waiting(on="model", seconds=3),
        TextDelta(text="a"),
    ):
        writer.append(event)
    writer.close()
    assert not writer.path.exists()


def test_a_session_in_which_nothing_happened_leaves_no_file(tmp_path: Path) -> None:
    support.new(tmp_path / "s").close()
    assert not (tmp_path / "s").exists()


def test_each_event_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    writer = support.new(tmp_path)
    for number in range(5):
        writer.append(notice(str(number)))
        assert len(lines(writer.path)) == number + 2
    writer.close()
    writer.append(notice("too late"))
    writer.close()
    assert len(lines(writer.path)) == 6


@pytest.mark.parametrize("umask", [0o000, 0o277])
def test_the_file_is_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        path = support.store(support.new(tmp_path), support.turn(1))
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_planted_link_is_never_written_through(tmp_path: Path) -> None:
    told: list[str] = []
    writer = support.new(tmp_path, on_error=told.append)
    target = tmp_path / "target"
    writer.path.symlink_to(target)
    writer.append(notice("x"))
    assert not target.exists()
    assert len(told) == 1


def test_ids_sort_by_time_and_differ() -> None:
    now = time.time()
    assert new_id(now) < new_id(now + 1)
    assert new_id(now + 0.125) < new_id(now + 0.126), "two of one second too"
    assert len({new_id(now) for _ in range(100)}) > 90
    assert new_id(0).startswith("19700101-000000-")


def test_text_of_any_kind_survives(tmp_path: Path) -> None:
    odd = "line\nbreak\r\x00\x1b[2J \u2028 \U0001f600 é"
    path = support.store(support.new(tmp_path), [support.added(Message.user(odd))])
    assert len(path.read_bytes().splitlines()) == 2 or path.read_bytes().count(b"\n") == 2
    assert load(path).messages[0].text == odd


def test_a_byte_that_was_no_text_costs_only_itself(tmp_path: Path) -> None:
    events = [support.added(Message.user("caf\udce9 au lait")), notice("next")]
    path = support.store(support.new(tmp_path), events)
    session = load(path)
    assert session.messages[0].text == "caf? au lait"
    assert len(session.events) == 2


def test_a_folder_whose_name_is_no_text_is_found_again(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    folder.mkdir()
    path = support.store(support.new(tmp_path, cwd=folder), support.turn(1))
    assert load(path).folder == folder


@pytest.mark.spec("H-SES-04")
def test_a_value_without_a_json_form_is_refused_and_told_and_not_stored_as_its_name(tmp_path: Path) -> None:
    told: list[str] = []
    writer = support.new(tmp_path, on_error=told.append)
    writer.append(ToolStarted(call=ToolCall(id="c", name="t", arguments={"value": object()})))
    writer.append(notice("next"))
    writer.close()
    assert len(told) == 1
    assert "tool_started" in told[0]
    assert [line["type"] for line in lines(writer.path)] == ["session", "notice"]


def test_numbers_that_json_lacks_do_not_break_the_file(tmp_path: Path) -> None:
    todos = ({"content": "x", "weight": float("nan")},)
    path = support.store(support.new(tmp_path), [PlanUpdated(todos=todos), notice("next")])
    assert len(load(path).events) == 2


@pytest.mark.spec("W46")
def test_the_key_is_never_in_the_file(tmp_path: Path) -> None:
    writer = support.new(tmp_path, redact=Redactor(["test-key-123"]))
    path = support.store(writer, support.started("my key is test-key-123"))
    assert b"test-key-123" not in path.read_bytes()
    assert load(path).messages[0].text == "my key is ***"


# session-torn-last-line: a disk that refuses.


def full_disk(path: Path, room: int) -> None:
    """Let no file of this process grow beyond the present size of `path` plus `room` bytes."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + room, hard))


def free_disk() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


@pytest.mark.bug("session-torn-last-line")
def test_a_full_disk_leaves_whole_lines_tells_once_and_nothing_is_lost(tmp_path: Path) -> None:
    told: list[str] = []
    writer = support.new(tmp_path, on_error=told.append)
    events = support.stamp([*support.turn(1), *support.turn(2), *support.turn(3)])
    third = len(events) // 3
    for event in events[:third]:
        writer.append(event)
    before = lines(writer.path)
    full_disk(writer.path, 100)  # half a record would fit
    try:
        for event in events[third : 2 * third]:
            writer.append(event)
            assert len(lines(writer.path)) >= len(before)
        assert writer.error is not None
        assert len(told) == 1
        assert str(writer.path) in told[0]
        assert "File too large" in told[0]
    finally:
        free_disk()
    for event in events[2 * third :]:
        writer.append(event)
    assert writer.error is None
    writer.close()
    assert load(writer.path).events == tuple(events)


def test_a_second_failure_is_told_again(tmp_path: Path) -> None:
    told: list[str] = []
    writer = support.new(tmp_path, on_error=told.append)
    writer.append(notice("a"))
    for _ in range(2):
        full_disk(writer.path, 10)
        try:
            writer.append(notice("b"))
            writer.append(notice("c"))
        finally:
            free_disk()
        writer.append(notice("d"))
    writer.close()
    assert len(told) == 2
    assert len(lines(writer.path)) == 8


def test_what_waited_is_written_on_close(tmp_path: Path) -> None:
    writer = support.new(tmp_path)
    writer.append(notice("a"))
    full_disk(writer.path, 10)
    try:
        writer.append(notice("b"))
    finally:
        free_disk()
    writer.close()
    assert len(lines(writer.path)) == 3


def test_a_folder_that_cannot_be_made_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told: list[str] = []
    writer = support.new(tmp_path / "file" / "sessions", on_error=told.append)
    for event in support.turn(1):
        writer.append(event)
    writer.close()
    assert len(told) == 1


def test_a_disk_that_fails_when_forced_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    told: list[str] = []
    writer = support.new(tmp_path, on_error=told.append)
    support.store(writer, support.turn(1))
    assert told == [f"the session cannot be saved to {writer.path}: Input/output error; the run goes on without"]


def test_half_a_record_that_could_not_be_taken_back_is_taken_back_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = support.new(tmp_path)
    writer.append(notice("a"))
    real_truncate = os.ftruncate

    def broken(descriptor: int, length: int) -> None:
        raise OSError(5, "Input/output error")

    full_disk(writer.path, 10)
    monkeypatch.setattr(os, "ftruncate", broken)
    try:
        writer.append(notice("b"))
    finally:
        free_disk()
    monkeypatch.setattr(os, "ftruncate", real_truncate)
    writer.append(notice("c"))
    writer.close()
    assert [line.get("text") for line in lines(writer.path)] == [None, "a", "b", "c"]


def test_the_store_loads_nothing_heavy() -> None:
    code = (
        "import sys, xun.sessions.store, xun.sessions.resume, xun.config.load\n"
        "print([name for name in ('httpx2', 'typer', 'textual', 'anthropic', 'openai', 'tomlkit', 'difflib', "
        "'platformdirs', 'tree_sitter', 'asyncio') if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]"
