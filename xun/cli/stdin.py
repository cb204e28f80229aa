"""The rules of standard input for `xun run`. None of them can hang."""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable

FIRST_BYTE = 1.0  # seconds a pipe has to show a first byte or its end
FIRST_TASK_BYTE = 10.0  # the same where the pipe is to bring the task itself
SILENT = 5.0  # seconds of silence that end the reading of an appended pipe
LIMIT = 10 * 1024 * 1024  # bytes taken of an appended input

Say = Callable[[str], None]


class NoTaskError(ValueError):
    """There is no task: neither an argument nor standard input gives one."""


def read_task(task: str | None, *, say: Say, fd: int = 0) -> str:
    """The task from the argument and standard input. Raises `NoTaskError` when there is none."""
    if task == "-":
        return _required(_read_all(fd))
    kind = _kind(fd)
    if task is None:
        if kind in ("closed", "terminal"):
            raise NoTaskError('no task: give it as an argument, as in xun run "fix the failing test", or pipe it in')
        if kind == "pipe" and not _ready(fd, FIRST_TASK_BYTE):
            raise NoTaskError("no task: standard input is open but silent (use - to wait for its end)")
        return _required(_read_all(fd))
    if not task.strip():
        raise NoTaskError("the task is empty: say what is to be done")
    extra = _appended(fd, kind, say)
    return f"{task}\n\n{extra}" if extra.strip() else task


def _required(text: str) -> str:
    if not text.strip():
        raise NoTaskError("the task is empty: standard input held no text")
    return text


def _kind(fd: int) -> str:
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        return "closed"
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        return "pipe"
    return "terminal" if os.isatty(fd) else "other"


def _appended(fd: int, kind: str, say: Say) -> str:
    if kind == "file":
        return _decode(_read_some(fd, say, silent=None))
    if kind != "pipe":
        return ""
    if not _ready(fd, FIRST_BYTE):
        say("standard input is open but silent: it is left alone (use - to wait for its end)")
        return ""
    return _decode(_read_some(fd, say, silent=SILENT))


def _read_some(fd: int, say: Say, *, silent: float | None) -> bytes:
    data = bytearray()
    while len(data) <= LIMIT:
        if silent is not None and not _ready(fd, silent):
            say(f"standard input was silent for {silent:g} s: reading ended after {len(data)} bytes")
            return bytes(data)
        piece = os.read(fd, 65_536)
        if not piece:
            return bytes(data)
        data += piece
    say(f"standard input is longer than {LIMIT // 2**20} MiB: the rest is left out")
    return bytes(data[:LIMIT])


def _ready(fd: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while (left := until - time.monotonic()) > 0:
        if poll.poll(left * 1000):
            return True
    return False


def _read_all(fd: int) -> str:
    data = bytearray()
    while piece := os.read(fd, 65_536):
        data += piece
    return _decode(bytes(data))


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff")
