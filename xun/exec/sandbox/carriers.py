"""What mounts stand on in the folder that stands for /tmp, and the files that a command was allowed to make.

Both are made by xun, outside of the sandbox, where a command may have put a link before: none is followed.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from xun.exec.sandbox.beneath import opened, remove

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def carry(tmp: Path, private: Iterable[Path], paths: Iterable[Path]) -> None:
    """Have in `tmp` something for each of `paths` to be mounted on that lies in a folder that `tmp` stands for.

    Raises `OSError`.
    """
    known = tuple(paths)
    for top in private:
        inner = {path for path in known if os.fspath(path).startswith(f"{top}/")}
        for path in sorted(inner, key=lambda one: len(one.parts)):
            _carry(tmp / path.relative_to(top), tmp, folder=path.is_dir())


def _carry(path: Path, tmp: Path, *, folder: bool) -> None:
    if path.parent != tmp:
        _carry(path.parent, tmp, folder=True)
    with opened(path.parent) as above:
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISDIR(mode := os.lstat(path.name, dir_fd=above).st_mode) == folder and not stat.S_ISLNK(mode):
                return
            remove(above, path.name)
        if folder:
            os.mkdir(path.name, 0o700, dir_fd=above)
        else:
            os.close(os.open(path.name, _NEW, 0o600, dir_fd=above))


@dataclass(slots=True)
class NewFiles:
    """Empty files in the places of those that a command may make, which goes by the file and not by its folder."""

    made: dict[Path, os.stat_result]

    @classmethod
    def of(cls, paths: Iterable[Path]) -> NewFiles:
        """Make those whose folder is there. One that cannot be made is left out."""
        found: dict[Path, os.stat_result] = {}
        for path in paths:
            with contextlib.suppress(OSError), opened(path.parent) as folder:
                descriptor = os.open(path.name, _NEW, 0o666, dir_fd=folder)
                found[path] = os.fstat(descriptor)
                os.close(descriptor)
        return cls(found)

    def withdraw(self) -> None:
        """Remove those that nobody has opened to write since."""
        for path, then in self.made.items():
            with contextlib.suppress(OSError), opened(path.parent) as folder:
                now = os.lstat(path.name, dir_fd=folder)
                if (now.st_ino, now.st_size, now.st_ctime_ns) == (then.st_ino, 0, then.st_ctime_ns):
                    os.unlink(path.name, dir_fd=folder)
        self.made = {}
