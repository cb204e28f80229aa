"""Reading a file of which nothing is known yet: it may be a folder, a pipe, a device, or endless."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from xun.result import XunError


class UnreadableError(XunError):
    """A file that is not read. `str()` is the end of a sentence that begins with its name."""


def read_regular(path: Path | str, limit: int, *, links: bool = True) -> bytes | None:
    """The content of `path`, or None where there is no such file. Never waits.

    Raises `UnreadableError` for anything but a regular file of at most `limit` bytes; for a symbolic link too,
    unless `links`.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | (0 if links else os.O_NOFOLLOW)
    try:
        # Non-blocking: a named pipe without a writer must not hold anything up.
        descriptor = os.open(path, flags | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise UnreadableError("is a folder, not a file" if stat.S_ISDIR(mode) else "is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise UnreadableError(f"is larger than {limit // 1024} KiB")
    return data


def read_named(path: Path | str, limit: int) -> str:
    """The text of a file that the person names, which may be a pipe, such as a shell's `<(command)`.

    Raises `UnreadableError` where it cannot be read, is longer than `limit` bytes, or is not UTF-8.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    if len(data) > limit:
        raise UnreadableError(f"is larger than {limit // 1024} KiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError("is not UTF-8 text") from None
