"""Standard output that is UTF-8 whatever the locale, and whose failures are told from all others."""

from __future__ import annotations

import errno
import io
import os
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Buffer


class OutputError(Exception):
    """Standard output could not be written; `str()` is one line that says why.

    `gone` is true where the reader of a pipe has closed it. No `OSError`, so that nothing between the writer
    and whoever reports it takes it for a failure of some file of its own.
    """

    def __init__(self, why: str, *, gone: bool = False) -> None:
        super().__init__(f"standard output could not be written: {why}")
        self.gone = gone

    @classmethod
    def of(cls, error: OSError | ValueError) -> OutputError:
        """The same as `error`. A `ValueError` is what Python raises for a stream that was closed."""
        if isinstance(error, OSError) and error.errno != errno.EBADF:
            return cls(error.strerror or str(error), gone=error.errno == errno.EPIPE)
        return cls("it is closed")


class _Output(io.FileIO):
    """A descriptor, with `OutputError` in place of `OSError`: once, and from then on it leads nowhere.

    What could not be written stays in the buffers above, which would fail again at each flush.
    """

    _failed = False

    def write(self, data: Buffer, /) -> int:
        if self._failed:
            return memoryview(data).nbytes
        try:
            while (written := super().write(data)) is None:
                _wait(self)  # whoever shares this terminal or pipe has made it non-blocking
        except OSError as error:
            self._failed = True
            raise OutputError.of(error) from error
        return written


def _wait(stream: io.FileIO) -> None:
    import select

    select.select([], [stream], [])


def standard_output(fd: int = 1) -> TextIO:
    """A text stream on `fd`, which stays open when the stream is closed. Its writes raise `OutputError`."""
    raw = _Output(fd, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding="utf-8", errors="replace", newline="\n", line_buffering=os.isatty(fd)
    )
