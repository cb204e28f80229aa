"""Finding sessions. Each file tells all itself: there is no index that could be lost or be wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xun.sessions.locking import locked
from xun.sessions.record import Header, LaterVersionError, SessionError

_LINE = 1024 * 1024  # bytes of one line that are read for a title
_EARLY = 20  # lines after the header in which the first prompt is looked for
_TAIL = 64 * 1024  # bytes at the end in which the last turn's end is looked for
_TITLE = 100  # characters
_OF_TURN = b"turn_"


@dataclass(frozen=True, slots=True)
class Entry:
    """One session. `updated` is Unix time in seconds, `size` in bytes, `title` the start of the first prompt.

    `status` is how the last turn ended: completed, failed or cancelled. One that has not ended is running where the
    session is `in_use`, which one is that a process has open, this one or another; else it was interrupted. "new" is
    one without a turn.
    """

    path: Path
    header: Header
    updated: float
    size: int
    title: str
    status: str
    in_use: bool = False

    @property
    def id(self) -> str:
        return self.header.id

    @property
    def folder_exists(self) -> bool:
        return Path(self.header.cwd).is_dir()


@dataclass(frozen=True, slots=True)
class Listing:
    """Sessions, the last used first, and a line for each file that is none."""

    entries: tuple[Entry, ...]
    problems: tuple[str, ...]


def list_sessions(sessions: Path, folder: Path | None = None) -> Listing:
    """The sessions stored in `sessions`, only those of `folder` where it is given (it need not exist any more)."""
    entries: list[Entry] = []
    problems: list[str] = []
    wanted = os.path.realpath(folder) if folder is not None else None
    for path in _files(sessions):
        try:
            entry = read_entry(path)
        except SessionError as error:
            problems.append(str(error))
            continue
        if wanted is None or entry.header.cwd == wanted:
            entries.append(entry)
    return Listing(tuple(entries), tuple(problems))


@dataclass(frozen=True, slots=True)
class Last:
    """The session last used in a folder, None where there is none, and a line for each file used later that is none."""

    entry: Entry | None
    passed: tuple[str, ...] = ()


def last(sessions: Path, folder: Path) -> Last:
    """The session last used in `folder`.

    Raises `SessionError` where that is one of a newer xun: an older one would not be what is asked for.
    """
    wanted = os.path.realpath(folder)
    passed: list[str] = []
    for path in _files(sessions, empty=True):
        try:
            with path.open("rb") as file:
                header = Header.parse(file.readline(_LINE), path)
            if header.cwd == wanted:
                return Last(read_entry(path), tuple(passed))
        except OSError as error:
            passed.append(f"{path}: cannot be read: {error.strerror}")
        except LaterVersionError as error:
            if error.cwd == wanted:
                raise
            if not error.cwd:
                passed.append(str(error))
        except SessionError as error:
            passed.append(str(error))
    return Last(None, tuple(passed))


def find(sessions: Path, prefix: str) -> Entry:
    """The session whose id is, or alone begins with, `prefix`. Raises `SessionError`."""
    names = sorted(path.stem for path in _files(sessions, empty=True))
    matches = [name for name in names if prefix and name.startswith(prefix)]
    if prefix in matches:
        matches = [prefix]
    if not matches:
        raise SessionError(f"no session has the id {prefix!r}; `xun sessions list --all` shows them")
    if len(matches) > 1:
        shown = ", ".join(matches[:3]) + (", …" if len(matches) > 3 else "")
        raise SessionError(f"{len(matches)} sessions begin with {prefix!r}: {shown}; write more of the id")
    return read_entry(sessions / f"{matches[0]}.jsonl")


def read_entry(path: Path) -> Entry:
    """What a list shows of the session at `path`, from its first and last lines. Raises `SessionError`."""
    try:
        with path.open("rb") as file:
            header = Header.parse(file.readline(_LINE), path)
            title = _title(file.readline(_LINE) for _ in range(_EARLY))
            status = os.fstat(file.fileno())
            file.seek(max(0, status.st_size - _TAIL))
            in_use = locked(file.fileno())
            ended = _status(file.read(_TAIL), whole=status.st_size <= _TAIL, in_use=in_use)
    except OSError as error:
        raise SessionError(f"{path}: cannot be read: {error.strerror}") from None
    return Entry(path, header, status.st_mtime, status.st_size, title, ended, in_use)


def _files(sessions: Path, *, empty: bool = False) -> list[Path]:
    """The session files, the last used first; an `empty` one, too, where asked: a session that ended as it began."""
    found: list[tuple[float, str]] = []
    try:
        with os.scandir(sessions) as items:
            for item in items:
                if item.name.endswith(".jsonl") and item.is_file(follow_symlinks=False):
                    status = item.stat(follow_symlinks=False)
                    if status.st_size or empty:
                        found.append((status.st_mtime, item.path))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SessionError(f"{sessions}: cannot be listed: {error.strerror}") from None
    return [Path(path) for _, path in sorted(found, reverse=True)]


def _title(lines: Iterator[bytes]) -> str:
    for line in lines:
        event = _event(line)
        if event.get("type") == "turn_started":
            return " ".join(str(event.get("prompt", "")).split())[:_TITLE]
    return ""


def _status(tail: bytes, *, whole: bool, in_use: bool) -> str:
    """How the last turn ended, by the end of a file or the `whole` of it."""
    for line in reversed(tail.split(b"\n")):
        event = _event(line) if _OF_TURN in line else {}
        if event.get("type") == "turn_ended":
            return str(event.get("status", "interrupted"))
        if event.get("type") == "turn_started":
            break
    else:
        if whole:
            return "new"
    return "running" if in_use else "interrupted"


def _event(line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
