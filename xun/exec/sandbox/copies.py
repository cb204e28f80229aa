"""Small files that a command could change where it must not, and that are put back as they were.

Landlock can open a repository or leave it closed, and not keep the hooks and configuration in it; and no mount can
stand on a link. What runs meanwhile runs in the sandbox too, so it is enough that they are as before when that command
has ended. No link is followed on the way, neither to look nor to write.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from xun.exec.sandbox.beneath import opened, remove

_MAX_SIZE = 1 << 20
_MAX_FILES = 2000
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

    def differs(self, path: Path) -> bool:
        """Does something else stand at `path` now than stood there?"""
        now = _files((path,)).get(path)
        return now is not None and now != self.files.get(path)

    def put_back(self) -> tuple[Path, ...]:
        """Make them again what they were. Gives the paths that were changed, made or removed."""
        now = _files(self.paths)
        # Of too many files nobody knows which are new: then these stay.
        looked = self.files if len(self.files) >= _MAX_FILES else {**self.files, **now}
        changed = tuple(path for path in looked if self.files.get(path) != now.get(path))
        for path in changed:
            with contextlib.suppress(OSError), opened(path.parent) as folder:
                remove(folder, path.name)
            if path in self.files:
                with contextlib.suppress(OSError):
                    _write(path, *self.files[path])
        return changed


def _files(paths: Iterable[Path]) -> dict[Path, Content]:
    found: dict[Path, Content] = {}
    for path in paths:
        with contextlib.suppress(OSError), opened(path.parent) as folder:
            _look(path, folder, found)
    return found


def _look(path: Path, folder: int, found: dict[Path, Content]) -> None:
    """Add what stands at `path`, an entry of the open `folder`, and below."""
    if len(found) >= _MAX_FILES:
        return
    status = os.lstat(path.name, dir_fd=folder)
    if not stat.S_ISDIR(status.st_mode):
        found[path] = _content(path.name, folder, status)
        return
    inner = os.open(path.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        for name in sorted(os.listdir(inner)):  # noqa: PTH208 - by its descriptor
            with contextlib.suppress(OSError):
                _look(path / name, inner, found)
    finally:
        os.close(inner)


def _content(name: str, folder: int, status: os.stat_result) -> Content:
    if stat.S_ISLNK(status.st_mode):
        return 0, os.fsencode(os.readlink(name, dir_fd=folder))
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_SIZE:
        return status.st_mode, str((status.st_ino, status.st_mtime_ns)).encode()
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
        return status.st_mode, file.read(_MAX_SIZE)


def _write(path: Path, mode: int, data: bytes) -> None:
    if mode and not (stat.S_ISREG(mode) and len(data) <= _MAX_SIZE):
        return
    _ensure(path.parent)
    with opened(path.parent) as folder:
        if not mode:
            os.symlink(os.fsdecode(data), path.name, dir_fd=folder)
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(path.name, flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), stat.S_IMODE(mode))


def _ensure(path: Path) -> None:
    """Have a folder at `path`, made anew where a link or a file was put in its place."""
    with contextlib.suppress(OSError), opened(path):
        return
    _ensure(path.parent)
    with opened(path.parent) as folder:
        with contextlib.suppress(FileNotFoundError):
            remove(folder, path.name)
        os.mkdir(path.name, dir_fd=folder)
