"""Small files that a command could change where it must not, and that are put back as they were.

Landlock can open a repository or leave it closed, and not keep the hooks and configuration in it. What runs meanwhile
runs in the sandbox too, so it is enough that they are as before when that command has ended.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_MAX_SIZE = 1 << 20
Content = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class Copies:
    """The files at and below some paths, as they were: their modes and bytes, or where a link leads with mode 0."""

    paths: tuple[Path, ...]
    files: Mapping[Path, Content]

    @classmethod
    def of(cls, paths: Iterable[Path]) -> Copies:
        known = tuple(paths)
        return cls(known, _files(known))

    def put_back(self) -> tuple[Path, ...]:
        """Make them again what they were. Gives the paths that were changed, made or removed."""
        now = _files(self.paths)
        changed = tuple(path for path in {**self.files, **now} if self.files.get(path) != now.get(path))
        for path in changed:
            with contextlib.suppress(OSError):
                _remove(path)
            if path in self.files:
                with contextlib.suppress(OSError):
                    _write(path, *self.files[path])
        return changed


def _files(paths: Iterable[Path]) -> dict[Path, Content]:
    found: dict[Path, Content] = {}
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            found |= _files(sorted(path.iterdir()))
        elif os.path.lexists(path):
            with contextlib.suppress(OSError):
                found[path] = _content(path)
    return found


def _content(path: Path) -> Content:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return 0, os.fsencode(path.readlink())
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_SIZE:
        return status.st_mode, str((status.st_ino, status.st_mtime_ns)).encode()
    return status.st_mode, path.read_bytes()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


def _write(path: Path, mode: int, data: bytes) -> None:
    if mode and not (stat.S_ISREG(mode) and len(data) <= _MAX_SIZE):
        return
    # Made anew on the way, never through a link that was put there.
    for folder in reversed(path.parents):
        if folder.is_symlink() or not folder.is_dir():
            _remove(folder)
            folder.mkdir()
    if not mode:
        path.symlink_to(os.fsdecode(data))
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), stat.S_IMODE(mode))
