"""Opening a file of which nothing is known yet: it may be a pipe or a device, for which one could wait for good."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1 << 16
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class NotRegularError(OSError):
    """It is a folder, a pipe or a device."""

    def __init__(self, path: str | Path, mode: int) -> None:
        super().__init__(
            errno.EINVAL, f"is {'a folder' if stat.S_ISDIR(mode) else 'a pipe or device'}, not a file", path
        )
        self.mode = mode


def open_regular(path: str | Path, *, follow: bool = True, dir_fd: int | None = None) -> BinaryIO:
    """A regular file, opened for reading. Looked at is what was opened, and not what stood there before.

    Unless `follow`, a link at the end of `path` is refused. Raises `OSError`, also for all but a regular file.
    """
    return os.fdopen(_opened(path, follow=follow, dir_fd=dir_fd)[0], "rb")


def read_regular(path: str | Path, limit: int) -> bytes | None:
    """The contents of a regular file, or None for one of more than `limit` bytes. Raises as `open_regular` does."""
    descriptor, size = _opened(path)
    try:
        parts: list[bytes] = []
        left = limit + 1 if size <= limit else 0
        while left > 0 and (part := os.read(descriptor, min(left, max(size + 1, _CHUNK)))):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(descriptor)
    return b"".join(parts) if left > 0 else None


def _opened(path: str | Path, *, follow: bool = True, dir_fd: int | None = None) -> tuple[int, int]:
    """A descriptor of a regular file, and the size of that."""
    descriptor = os.open(path, _FLAGS | (0 if follow else os.O_NOFOLLOW), dir_fd=dir_fd)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise NotRegularError(path, status.st_mode)
    return descriptor, status.st_size
