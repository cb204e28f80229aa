"""One output pipe of a child, read by the event loop into a `Capture`."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable

from xun.exec.capture import Capture

_CHUNK = 65_536
_IDLE_PAUSE = 0.05


class Stream:
    """Reads `fd`, which it owns, as data comes. `on_text` gets each cleaned piece, `on_end` the end of the
    pipe.

    After `detach()` what still comes is thrown away, slowly: a background child neither blocks on a full
    pipe nor dies of a closed one, and a flood of it costs next to nothing.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, fd: int, capture: Capture, on_text: Callable[[str], None],
        on_end: Callable[[], None],
    ) -> None:  # fmt: skip
        self._loop = loop
        self._fd = fd
        self._capture = capture
        self._on_text = on_text
        self._on_end = on_end
        self._detached = False
        self.received = 0
        self.open = True
        os.set_blocking(fd, False)
        loop.add_reader(fd, self._ready)

    def _ready(self) -> None:
        if not self.read():
            return
        if self._detached:
            self._loop.remove_reader(self._fd)
            self._loop.call_later(_IDLE_PAUSE, self._resume)

    def _resume(self) -> None:
        if self.open:
            self._loop.add_reader(self._fd, self._ready)

    def read(self) -> bool:
        """Read one piece if there is one. False when there is none now, or never will be."""
        if not self.open:
            return False
        try:
            data = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.close()
            self._on_end()
            return False
        self.received += len(data)
        if not self._detached and (text := self._capture.feed(data)):
            self._on_text(text)
        return True

    def detach(self) -> None:
        self._detached = True

    def close(self) -> None:
        if not self.open:
            return
        self.open = False
        if not self._loop.is_closed():
            self._loop.remove_reader(self._fd)
        with contextlib.suppress(OSError):
            os.close(self._fd)
