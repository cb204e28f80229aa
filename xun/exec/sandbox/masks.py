"""Empty folders that carry a mount while a command runs, so that what is not there cannot be made; gone with the last.

A mask stands on the real disk as an empty folder, since a mount needs something to stand on. Those who use one hold a
shared lock on it; whoever can lock it alone is the last and removes it. Removing never takes what is not empty.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from xun.exec.guard import guard_folder

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Masks:
    """The masks that one process uses. Callable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: dict[Path, tuple[int, int]] = {}

    def take(self, paths: Sequence[Path]) -> None:
        """Make those that are not there, and hold all of them. Raises `OSError`, holding none."""
        taken: list[Path] = []
        try:
            for path in paths:
                self._take(path)
                taken.append(path)
        except OSError:
            self.drop(taken)
            raise

    def _take(self, path: Path) -> None:
        with self._lock:
            descriptor, users = self._used.get(path, (-1, 0))
            if users == 0:
                guard_folder(path)
                with contextlib.suppress(FileExistsError):
                    path.mkdir(mode=0o755)
                descriptor = os.open(path, _FLAGS)
                fcntl.flock(descriptor, fcntl.LOCK_SH)
            self._used[path] = (descriptor, users + 1)

    def drop(self, paths: Sequence[Path]) -> None:
        """Hold them no longer; the last one of all processes removes the folder."""
        for path in paths:
            with self._lock:
                descriptor, users = self._used.pop(path)
                if users > 1:
                    self._used[path] = (descriptor, users - 1)
                    continue
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.rmdir()
                except OSError:
                    pass  # another process uses it, or somebody has put something there
                finally:
                    os.close(descriptor)

    def used(self) -> tuple[Path, ...]:
        return tuple(self._used)


MASKS = Masks()
