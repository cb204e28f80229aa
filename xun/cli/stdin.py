"""The rules of standard input for `xun run`. None of them can hang, but for the one that is asked to wait."""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable
from typing import Literal

from xun.result import printable

FIRST_BYTE = 1.0  # seconds a pipe has to show a first byte or its end
FIRST_TASK_BYTE = 10.0  # the same, and between two bytes, where the pipe is to bring the task itself
SILENT = 5.0  # seconds of silence that end the reading of an appended pipe
LIMIT = 10 * 1024 * 1024  # bytes taken

Say = Callable[[str], None]
Ending = Literal["end", "silent", "long"]


class NoTaskError(ValueError):
    """There is no task: neither an argument nor standard input gives one."""


def read_task(task: str | None, *, say: Say, fd: int = 0) -> str:
    """The task from the argument and standard input. Raises `NoTaskError` when there is none."""
    kind = _kind(fd)
    if task == "-" or task is None:
        return _from_input(fd, kind, wait=task == "-")
    if not task.strip():
        raise NoTaskError("the task is empty: say what is to be done")
    extra = _appended(fd, kind, say)
    return printable(f"{task}\n\n{extra}" if extra.strip() else task)


def _from_input(fd: int, kind: str, *, wait: bool) -> str:
    """The task that standard input holds: all of it or none, as half a task may say the opposite of the whole."""
    if kind in ("closed", "terminal") and not wait:
        raise NoTaskError('no task: give it as an argument, as in xun run "fix the failing test", or pipe it in')
    limited = kind == "pipe" and not wait
    if limited and not _ready(fd, FIRST_TASK_BYTE):
        raise NoTaskError("no task: standard input is open but silent (use - to wait for its end)")
    try:
        data, ending = _read(fd, silent=FIRST_TASK_BYTE if limited else None)
    except OSError as error:
        raise NoTaskError(f"no task: standard input could not be read: {error.strerror}") from error
    if ending == "silent":
        raise NoTaskError(f"no task: standard input fell silent after {len(data)} bytes (use - to wait for its end)")
    if ending == "long":
        raise NoTaskError(
            f"no task: standard input is longer than {LIMIT // 2**20} MiB; name a file to be read instead"
        )
    text = _decode(data)
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
    """What standard input adds to a task. What keeps it from being read whole is said."""
    if kind not in ("file", "pipe"):
        return ""
    if kind == "pipe" and not _ready(fd, FIRST_BYTE):
        say("standard input is open but silent: it is left alone (use - to wait for its end)")
        return ""
    try:
        data, ending = _read(fd, silent=SILENT if kind == "pipe" else None)
    except OSError as error:
        say(f"standard input could not be read and is left alone: {error.strerror}")
        return ""
    if ending == "silent":
        say(f"standard input was silent for {SILENT:g} s: reading ended after {len(data)} bytes")
    elif ending == "long":
        say(f"standard input is longer than {LIMIT // 2**20} MiB: the rest is left out")
    return _decode(data)


def _read(fd: int, *, silent: float | None) -> tuple[bytes, Ending]:
    """At most `LIMIT` bytes and why there are no more; `silent` seconds without any end the reading."""
    data = bytearray()
    while len(data) <= LIMIT:
        if silent is not None and not _ready(fd, silent):
            return bytes(data), "silent"
        try:
            piece = os.read(fd, 65_536)
        except BlockingIOError:  # whoever shares this stream has made it non-blocking
            select.select([fd], [], [])
            continue
        if not piece:
            return bytes(data), "end"
        data += piece
    return bytes(data[:LIMIT]), "long"


def _ready(fd: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while (left := until - time.monotonic()) > 0:
        if poll.poll(left * 1000):
            return True
    return False


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff")
