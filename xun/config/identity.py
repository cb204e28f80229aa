"""Which folder it is that stands at a path: another clone in the same place is another one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_AT_FDCWD, _NO_FOLLOW = -100, 0x100
_BIRTH = 0x800  # STATX_BTIME
_BIRTH_AT = slice(80, 92)  # of struct statx: seconds in eight bytes, nanoseconds in four


def identity(folder: Path) -> str:
    """What tells `folder` from every other: its inode and birth, and those of its `.git` where it has one.

    Both stay while files in it change, and are new for a copy and for another clone. Where the file system keeps no
    births, the inodes alone tell. Empty where there is no such folder.
    """
    return " ".join(filter(None, (_mark(folder), _mark(folder / ".git"))))


def is_same(known: str | None, folder: Path) -> bool:
    """Is `folder` the one that `known` told? It is still where a repository has been made of it since."""
    if not known:
        return False
    now = identity(folder)
    return now == known or now.startswith(f"{known} ")


def _mark(path: Path) -> str:
    try:
        status = path.lstat()
    except OSError:
        return ""
    birth = getattr(status, "st_birthtime", None) if sys.platform != "linux" else _birth_on_linux(path)
    return f"{status.st_ino}@{birth or ''}"


def _birth_on_linux(path: Path) -> str | None:
    """When `path` was made, None where that is not known. Python's own `stat` does not say it there."""
    import ctypes

    found = ctypes.create_string_buffer(256)
    try:
        statx = ctypes.CDLL(None, use_errno=True).statx
    except (OSError, AttributeError):  # a C library without it
        return None
    if statx(_AT_FDCWD, os.fsencode(path), _NO_FOLLOW, _BIRTH, found) != 0:
        return None
    if not int.from_bytes(found.raw[:4], sys.byteorder) & _BIRTH:
        return None
    moment = found.raw[_BIRTH_AT]
    return f"{int.from_bytes(moment[:8], sys.byteorder)}.{int.from_bytes(moment[8:], sys.byteorder):09}"
