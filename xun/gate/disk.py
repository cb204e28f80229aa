"""The disk as one action finds it: what stands at a path, and where it leads, is looked up once."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from posixpath import isdir, realpath
from typing import Any, TypeVar

_Found = TypeVar("_Found")

_MOST_PARTS = 64  # of a path whose folders are remembered


class Disk:
    """What was looked up for one action. Paths are absolute; none is looked at again, whatever happens meanwhile."""

    __slots__ = ("_asked", "_known", "_status", "_straight")

    def __init__(self) -> None:
        self._status: dict[str, os.stat_result | None] = {}
        self._known: dict[str, str] = {}
        self._straight: dict[str, str] = {"/": "/"}
        self._asked: dict[tuple[Callable[..., Any], str], Any] = {}

    def status(self, path: str) -> os.stat_result | None:
        """What stands at `path`, a link for itself; None where nothing does.

        Raises `OSError` where that cannot be told, and `ValueError` for what can be no path.
        """
        if path in self._status:
            return self._status[path]
        if path.endswith("/.") and (real := self._without_links(path)) and self.is_folder(real):
            return self.status(real)
        try:
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            found = None
        self._status[path] = found
        return found

    def exists(self, path: str) -> bool:
        """Is it known that something stands at `path`, be it a link that leads nowhere?"""
        return self._mode(path) != 0

    def is_link(self, path: str) -> bool:
        return stat.S_ISLNK(self._mode(path))

    def is_folder(self, path: str) -> bool:
        """Does `path` lead to a folder?"""
        mode = self._mode(path)
        return isdir(path) if stat.S_ISLNK(mode) else stat.S_ISDIR(mode)

    def real(self, path: str) -> str:
        """`path` with every link resolved. Raises `ValueError` for what can be no path."""
        if (real := self._known.get(path)) is None:
            near = path.startswith("/") and path.count("/") <= _MOST_PARTS
            real = self._known[path] = (near and self._without_links(path)) or realpath(path)
        return real

    def once(self, look: Callable[[str, Disk], _Found], path: str) -> _Found:
        """What `look` finds at `path`."""
        if (look, path) not in self._asked:
            self._asked[look, path] = look(path, self)
        return self._asked[look, path]

    def _mode(self, path: str) -> int:
        """What is known of what stands at `path`: 0 where that is nothing."""
        try:
            return self._mode_of(path)
        except ValueError:
            return 0

    def _mode_of(self, path: str) -> int:
        """The same. Raises `ValueError` for what can be no path."""
        try:
            found = self.status(path)
        except OSError:
            return 0
        return found.st_mode if found else 0

    def _without_links(self, path: str) -> str:
        """The resolved path of one that leads through no link and never upwards, else nothing."""
        if (real := self._straight.get(path)) is None:
            folder, _, name = path.rpartition("/")
            real = self._without_links(folder or "/")
            if real and name not in ("", "."):
                real = f"{real}/{name}" if real != "/" else f"/{name}"
                real = "" if name == ".." or stat.S_ISLNK(self._mode_of(real)) else real
            self._straight[path] = real
        return real
