"""Standard input of `xun run`, on real pipes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from xun.cli import stdin
from xun.cli.stdin import NoTaskError, read_task


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    for fd in (read, write):
        try:
            os.close(fd)
        except OSError:
            continue


def write_and_close(fd: int, data: bytes) -> None:
    os.write(fd, data)
    os.close(fd)


def test_a_pipe_is_the_task_when_none_is_given(pipe: tuple[int, int]) -> None:
    write_and_close(pipe[1], "fix it ✓\n".encode())
    assert read_task(None, say=print, fd=pipe[0]) == "fix it ✓\n"


@pytest.mark.bug("headless-open-stdin")
def test_a_pipe_is_appended_to_the_task(pipe: tuple[int, int]) -> None:
    write_and_close(pipe[1], b"extra")
    assert read_task("hi", say=print, fd=pipe[0]) == "hi\n\nextra"


def test_an_empty_pipe_adds_nothing(pipe: tuple[int, int]) -> None:
    os.close(pipe[1])
    assert read_task("hi", say=print, fd=pipe[0]) == "hi"


@pytest.mark.bug("headless-open-stdin")
def test_an_open_silent_pipe_is_left_alone_and_said(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdin, "FIRST_BYTE", 0.05)
    said: list[str] = []
    began = time.monotonic()
    assert read_task("hi", say=said.append, fd=pipe[0]) == "hi"
    assert time.monotonic() - began < 1
    assert "left alone" in said[0]


def test_a_pipe_that_falls_silent_ends_the_reading(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdin, "SILENT", 0.05)
    os.write(pipe[1], b"first")
    said: list[str] = []
    assert read_task("hi", say=said.append, fd=pipe[0]) == "hi\n\nfirst"
    assert "silent" in said[0]


def test_a_long_pipe_is_cut_and_said(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdin, "LIMIT", 1000)
    thread = threading.Thread(target=write_and_close, args=(pipe[1], b"x" * 5000))
    thread.start()
    said: list[str] = []
    assert read_task("hi", say=said.append, fd=pipe[0]) == "hi\n\n" + "x" * 1000
    thread.join()
    assert "the rest is left out" in said[0]


def test_a_dash_waits_for_the_end(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdin, "FIRST_BYTE", 0.01)
    threading.Timer(0.1, write_and_close, (pipe[1], b"late")).start()
    assert read_task("-", say=print, fd=pipe[0]) == "late"


def test_without_a_task_a_silent_pipe_is_given_up(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdin, "FIRST_TASK_BYTE", 0.05)
    with pytest.raises(NoTaskError, match="use - to wait"):
        read_task(None, say=print, fd=pipe[0])


def test_a_file_is_read_whole(work: Path) -> None:
    (work / "t").write_text("\ufefftask in a file")
    fd = os.open(work / "t", os.O_RDONLY)
    assert read_task(None, say=print, fd=fd) == "task in a file"
    os.close(fd)


@pytest.mark.parametrize("task", ["", "  \n"])
def test_a_blank_task_is_refused(task: str, pipe: tuple[int, int]) -> None:
    with pytest.raises(NoTaskError, match="empty"):
        read_task(task, say=print, fd=pipe[0])


@pytest.mark.bug("headless-open-stdin")
def test_closed_and_null_input_give_no_task(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    with pytest.raises(NoTaskError, match="no task"):
        read_task(None, say=print, fd=pipe[0])
    assert read_task("hi", say=print, fd=pipe[0]) == "hi"
    null = os.open(os.devnull, os.O_RDONLY)
    with pytest.raises(NoTaskError, match="empty"):
        read_task(None, say=print, fd=null)
    assert read_task("hi", say=print, fd=null) == "hi"
    os.close(null)
