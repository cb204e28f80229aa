"""Opening a file of which nothing is known yet: it may be a pipe or a device, for which one could wait for good."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

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
    descriptor = os.open(path, _FLAGS | (0 if follow else os.O_NOFOLLOW), dir_fd=dir_fd)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise NotRegularError(path, mode)
    return os.fdopen(descriptor, "rb")


def read_regular(path: str | Path, limit: int) -> bytes | None:
    """The contents of a regular file, or None for one of more than `limit` bytes. Raises as `open_regular` does."""
    with open_regular(path) as file:
        data = file.read(limit + 1) if os.fstat(file.fileno()).st_size <= limit else None
    return None if data is None or len(data) > limit else data
