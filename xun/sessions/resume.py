"""Reading a session back, whole again, and going on with it."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from xun.events import PROVISIONAL, AnyEvent, Decided, Mode
from xun.messages import Message, Usage
from xun.sessions.locking import SessionBusy, lock
from xun.sessions.past import Past
from xun.sessions.record import Header, Scan, SessionError, encode, scan
from xun.sessions.repair import KILLED, left_behind, repairs, stamped
from xun.sessions.replay import Replay, replay
from xun.sessions.store import OnError, Redact, SessionUnwritable, SessionWriter, new_id

_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as stored and made whole.

    `messages` are the history to go on with. `usage` and `cost` (dollars, None where a price is unknown) are the
    totals of all turns, `last_seq` the number of the last event, `decisions` how many were made. `notices` are
    lines for the person about what was lost or closed; `interruption` is the one about a turn that was, "" where none
    was: its end in `past` tells it too. `asides` is output of shell lines that the model was not told
    yet, `queued` the prompts that waited, `mode` the last one that was told, None where none was, `model` the
    name and the effort of the last turn's. `events` are all
    that happened, where the session was only read: they take many times the memory of the history. Who goes on with it
    needs no more of them than `past`, what a transcript shows.
    """

    path: Path
    header: Header
    messages: tuple[Message, ...]
    todos: tuple[dict[str, Any], ...]
    usage: Usage
    cost: float | None
    last_seq: int
    decisions: int = 0
    notices: tuple[str, ...] = ()
    interruption: str = ""
    asides: tuple[str, ...] = ()
    queued: tuple[str, ...] = ()
    mode: Mode | None = None
    model: tuple[str, str | None] = ("", None)
    past: Past = field(default_factory=Past)
    events: tuple[AnyEvent, ...] = ()

    @property
    def folder(self) -> Path | None:
        """The folder it worked in, or None where that is gone."""
        folder = Path(self.header.cwd)
        return folder if folder.is_dir() else None


def load(path: Path) -> StoredSession:
    """Read the session at `path`, repaired in memory: nothing is written. Raises `SessionError`."""
    events: list[AnyEvent] = []
    try:
        with path.open("rb") as file:
            found = scan(file, path, events.append)
    except OSError as error:
        raise SessionError(f"{path}: cannot be read: {error.strerror}") from None
    session, missing = _whole(path, found, replay(events))
    # The pieces of a reply are told of by no event of their own: it is there as a whole, or made of them.
    events = [event for event in events if not isinstance(event, PROVISIONAL)]
    return replace(session, events=(*events, *missing))


def decisions(path: Path) -> list[Decided]:
    """The decisions stored so far in the session at `path`, which may be open; none where it cannot be read."""
    found: list[Decided] = []
    with contextlib.suppress(OSError, SessionError), path.open("rb") as file:
        scan(file, path, lambda event: found.append(event) if isinstance(event, Decided) else None)
    return found


def resume(
    path: Path, *, redact: Redact | None = None, on_error: OnError | None = None
) -> tuple[StoredSession, SessionWriter]:
    """Read the session at `path`, make its file whole, and return it with the writer that goes on with it.

    Torn bytes at the end are moved to a file beside it, `<id>.damaged`; results that are missing are
    appended. Raises `SessionBusy` when another process has the session open, `SessionUnwritable` when it may not
    be written, `SessionError` when it cannot be read or repaired.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in _FORBIDDEN:
            raise SessionUnwritable(
                f"{path}: cannot be written: {error.strerror}; --no-session goes on without keeping it"
            ) from None
        raise SessionError(f"{path}: cannot be opened: {error.strerror}") from None
    try:
        lock(descriptor, path)
        if os.fstat(descriptor).st_nlink == 0:
            raise SessionError(f"{path}: has just been deleted")
        state = Replay()
        with os.fdopen(os.dup(descriptor), "rb") as file:
            found = scan(file, path, state.add)
        end = _mend(path, descriptor, found)
    except OSError as error:
        os.close(descriptor)
        raise SessionError(f"{path}: cannot be repaired: {error.strerror}") from None
    except BaseException:
        os.close(descriptor)
        raise
    session, missing = _whole(path, found, state)
    writer = SessionWriter(path, found.header, redact=redact, on_error=on_error, descriptor=descriptor, end=end)
    for event in missing:
        writer.append(event)
    return session, writer


def fork(path: Path) -> Path:
    """Copy the session at `path` into a new one beside it, which the copy names as its parent. Returns its path.

    The original may be in use: what runs and what waits there then is none of the copy's, which says so. Raises
    `SessionUnwritable` where nothing may be written, else `SessionError`.
    """
    try:
        state = Replay()
        with path.open("rb") as original:
            used = _in_use(original.fileno(), path)
            data = original.read()
        found = scan(BytesIO(data), path, state.add)
        now = time.time()
        header = replace(found.header, id=new_id(now), created=now, parent=found.header.id)
        copy = path.with_name(f"{header.id}.jsonl")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(copy, flags, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            first = data.index(b"\n") + 1 if b"\n" in data else len(data)
            body = data[first : found.end]
            file.write(header.line() + body)
            if body and not found.complete:
                file.write(b"\n")
            if used:
                file.writelines(map(encode, stamped(left_behind(state), header.id, state)))
    except OSError as error:
        kind = SessionUnwritable if error.errno in _FORBIDDEN and error.filename != str(path) else SessionError
        raise kind(f"{path}: cannot be copied: {error.strerror}; --no-session goes on without keeping it") from None
    return copy


def _in_use(descriptor: int, path: Path) -> bool:
    """Whether another process has the open session file; where none has, it is locked until it is closed."""
    try:
        lock(descriptor, path)
    except SessionBusy:
        return True
    return False


def _mend(path: Path, descriptor: int, found: Scan) -> int:
    """Leave only whole lines in the file; what is cut off is kept first. Returns the new length. Raises `OSError`."""
    end = found.end
    if found.size > end:
        torn = os.pread(descriptor, found.size - end, end)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(path.with_suffix(".damaged"), flags, 0o600), "wb") as aside:
            aside.write(torn + b"\n")
            aside.flush()
            os.fsync(aside.fileno())
        os.ftruncate(descriptor, end)
    if not found.complete:
        end += os.write(descriptor, b"\n")
    return end


def _whole(path: Path, found: Scan, state: Replay) -> tuple[StoredSession, Sequence[AnyEvent]]:
    """The session that `state` was built from, and the events that make it whole."""
    missing = stamped(repairs(state), found.header.id, state)
    notices = _damage(path, found)
    known = {id(result) for message in state.messages for result in message.results}
    interrupted = state.turn is not None
    for event in missing:
        state.add(event)
    made = [result.content for message in state.messages for result in message.results if id(result) not in known]
    interruption = ": ".join(filter(None, ("the last turn was interrupted", KILLED.lost(made))))
    if made and not interrupted:
        notices.append(interruption)
    if not Path(found.header.cwd).is_dir():
        notices.append(f"the folder of this session, {found.header.cwd}, is gone")
    session = StoredSession(
        path=path,
        header=found.header,
        messages=tuple(state.messages),
        todos=state.todos,
        usage=state.usage,
        cost=state.cost,
        last_seq=state.seq,
        decisions=state.decisions,
        notices=tuple(notices),
        interruption=interruption if interrupted else "",
        asides=tuple(state.asides),
        queued=state.queued,
        mode=state.mode,
        model=state.model,
        past=state.past,
    )
    return session, missing


def _damage(path: Path, found: Scan) -> list[str]:
    notices = []
    if torn := found.size - found.end:
        aside = path.with_suffix(".damaged").name
        notices.append(f"the last record of the session was cut off; its {torn} bytes are kept in {aside}")
    if found.damaged:
        lines = ", ".join(map(str, found.damaged[:5])) + (" and more" if len(found.damaged) > 5 else "")
        notices.append(f"{path.name}: damaged and left out: line {lines}")
    if found.unknown:
        notices.append(f"{path.name}: {found.unknown} events of a later version of xun are left out")
    return notices
