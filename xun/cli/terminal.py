"""The terminal before and after the screen."""

from __future__ import annotations

import os
import termios
from typing import IO

DUMB = ("", "dumb", "unknown")


class RawEarly:
    """From the first moment on keys are neither echoed nor changed: they are the prompt's, which is not there yet.

    `attributes` are the terminal's settings as they were; leaving brings them back.
    """

    def __init__(self, fd: int = 0) -> None:
        self._fd = fd
        self.attributes = termios.tcgetattr(fd)

    def __enter__(self) -> RawEarly:
        early = termios.tcgetattr(self._fd)
        early[0] &= ~termios.ICRNL
        early[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(self._fd, termios.TCSANOW, early)
        return self

    def __exit__(self, *error: object) -> None:
        try:
            termios.tcsetattr(self._fd, termios.TCSANOW, self.attributes)
        except termios.error:
            return  # it was closed


def drawing_stream() -> IO[str]:
    """A stream to the terminal: standard error may lead elsewhere, and a front end's own text must not follow it."""
    fd = next(fd for fd in (2, 1) if os.isatty(fd))
    return os.fdopen(os.dup(fd), "w", encoding="utf-8", errors="replace")
