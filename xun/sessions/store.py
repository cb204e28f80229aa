"""Writing a session: every event becomes a line at once, and no line is ever changed again."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from xun.events import PROVISIONAL, AnyEvent, SubAgentUpdated, TurnEnded
from xun.sessions.arriving import Arriving
from xun.sessions.locking import lock
from xun.sessions.record import Header, SessionError, encode


class Redact(Protocol):
    """Takes secrets out of a text."""

    def __call__(self, text: str) -> str:
        """`text` without them."""
        ...

    def settled(self, text: str) -> int:
        """How many characters of `text`, of which more is to come, hold no part of one that goes on behind them."""
        ...


OnError = Callable[[str], None]


class SessionUnwritable(SessionError):
    """Sessions cannot be written where they are kept. Its caller can offer to do without."""


def new_id(now: float) -> str:
    """An id that sorts by time: date, time (UTC), then the part of the second and four random hexadecimal digits."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{int(now % 1 * 0x1000):03x}{os.urandom(2).hex()}"


class SessionWriter:
    """Appends events to the file of one session, which it holds locked until `close`.

    `append` never raises. When the disk refuses (full, gone, broken), the events wait in memory, the file
    keeps only whole lines, and each later event tries again; `error` is the reason for as long as that
    lasts, and `on_error` is called with a line for the person once each time it begins. Not safe for use
    from several threads at once.
    """

    def __init__(
        self,
        path: Path,
        header: Header,
        *,
        redact: Redact | None = None,
        on_error: OnError | None = None,
        descriptor: int | None = None,
        end: int = 0,
    ) -> None:
        """Use `create` for a new session and `xun.sessions.resume.resume` for one that exists.

        `descriptor` is the locked, open file and `end` its length in bytes; without, the file is made when
        the first event comes, so that a session in which nothing happened leaves none.
        """
        self.path = path
        self.header = header
        self.error: OSError | None = None
        self._redact = redact
        self._on_error = on_error
        self._descriptor = descriptor
        self._end = end
        self._torn = False
        self._closed = False
        self._waiting: deque[bytes] = deque()
        self._arriving = Arriving(redact.settled) if redact is not None else Arriving()

    @classmethod
    def create(
        cls,
        folder: Path,
        *,
        cwd: Path,
        model: str,
        version: str,
        redact: Redact | None = None,
        on_error: OnError | None = None,
    ) -> SessionWriter:
        """A new session in `folder`, which `xun.config.paths.private_folder` makes private.

        `cwd` is the folder the agent works in, `version` that of xun. `redact` takes secrets out of each
        line.
        """
        now = time.time()
        header = Header(id=new_id(now), created=now, cwd=os.path.realpath(cwd), xun=version, model=model)
        return cls(folder / f"{header.id}.jsonl", header, redact=redact, on_error=on_error)

    @property
    def id(self) -> str:
        return self.header.id

    @property
    def stored(self) -> bool:
        """Whether the file is there and begun, so that the session can be found again and resumed."""
        return self._end > 0

    def append(self, event: AnyEvent) -> None:
        """Store `event`, unless it only shows progress: of a reply that is arriving, a piece now and then.

        How far a sub-agent has come is stored too: nothing else knows it where that does not come to its end. After a
        turn's end the file is forced to the disk.
        """
        if self._closed:
            return
        piece = self._arriving.heard(event)
        if piece is not None:
            self._store(piece)
        if not isinstance(event, PROVISIONAL) or isinstance(event, SubAgentUpdated):
            self._store(event)

    def _store(self, event: AnyEvent) -> None:
        try:
            line = encode(event)
        except (TypeError, ValueError) as problem:
            self._tell(f"an event ({event.type}) could not be stored: {problem}")
            return
        if self._redact is not None:
            line = self._redact(line.decode()).encode()
        self._waiting.append(line)
        self._drain()
        if isinstance(event, TurnEnded):
            self.sync()

    def sync(self) -> None:
        """Force what was written to the disk. A failure is told like one of `append`."""
        if self._descriptor is None:
            return
        try:
            os.fsync(self._descriptor)
        except OSError as problem:
            self._fail(problem)

    def close(self) -> None:
        """Try once more to write what waits, and let others use the session. Closing again does nothing."""
        if self._closed:
            return
        if self._waiting:
            self._drain()
        self._closed = True
        if self._descriptor is not None:
            if not self.stored:
                self.path.unlink(missing_ok=True)  # not even its first line could be written: it is no session
            os.close(self._descriptor)
            self._descriptor = None

    def _drain(self) -> None:
        try:
            if self._descriptor is None:
                self._descriptor = self._create()
            while self._waiting:
                self._write(self._descriptor, self._waiting[0])
                self._waiting.popleft()
        except OSError as problem:
            self._fail(problem)
        else:
            self.error = None

    def _create(self) -> int:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.path, flags, 0o600)
        os.fchmod(descriptor, 0o600)  # the umask may have taken bits of the owner
        lock(descriptor, self.path, wait=True)
        self._waiting.appendleft(self.header.line())
        return descriptor

    def _write(self, descriptor: int, line: bytes) -> None:
        if self._torn:
            self._mend(descriptor)
        self._torn = True
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except OSError:
            with suppress(OSError):
                self._mend(descriptor)
            raise
        self._end += len(line)
        self._torn = False

    def _mend(self, descriptor: int) -> None:
        """Take back a record of which only a part was written."""
        os.ftruncate(descriptor, self._end)
        self._torn = False

    def _fail(self, problem: OSError) -> None:
        first = self.error is None
        self.error = problem
        if first:
            why = problem.strerror or str(problem)
            self._tell(f"the session cannot be saved to {self.path}: {why}; the run goes on without")

    def _tell(self, line: str) -> None:
        if self._on_error is not None:
            self._on_error(line)
