"""The folders an agent may work in, and what a path given to it means."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path

from xun.errors import ConfigurationError, WrongTypeError

# Doors out of any folder: what they lead to depends on the process that opens them, not on the disk.
_DOORS = (Path("/proc"), Path("/dev/fd"), Path("/dev/stdin"), Path("/dev/stdout"), Path("/dev/stderr"))


class WorkspaceError(ConfigurationError):
    """A path means nothing here, or leads out of the workspace."""


class Workspace:
    """The folder an agent works in, folders added to it, and a temporary folder once somebody asked for one.

    `root` and `extra_roots` must exist and be folders; each is resolved once, here. Raises `WorkspaceError`
    otherwise, `TypeError` for what is no path, and for one extra root that is no list. Methods may be called from any
    thread. Whoever makes one calls `close()`; an agent closes only what it has made itself.
    """

    def __init__(self, root: str | Path, *, extra_roots: Iterable[str | Path] = ()) -> None:
        if isinstance(extra_roots, str | Path):
            raise WrongTypeError(f"extra_roots must be a list of folders, not one: write [{extra_roots!r}]")
        self._root = _folder(root)
        self._extra = tuple(_folder(extra) for extra in extra_roots)
        self._temp: Path | None = None
        self._lock = threading.Lock()

    @property
    def root(self) -> Path:
        """The folder itself, without links."""
        return self._root

    @property
    def roots(self) -> tuple[Path, ...]:
        """Every folder whose contents are within the workspace, `root` first."""
        temp = self._temp
        return (self._root, *self._extra, *((temp,) if temp else ()))

    @property
    def temp(self) -> Path | None:
        """The temporary folder, or None as long as nobody needed one."""
        return self._temp

    def temp_dir(self) -> Path:
        """The temporary folder, created at the first call with mode 0700 and an unpredictable name."""
        with self._lock:
            # One that was removed meanwhile is not made again under its old name, which others know by now.
            if self._temp is None or not self._temp.is_dir():
                self._temp = Path(os.path.realpath(tempfile.mkdtemp(prefix="xun-")))
            return self._temp

    def absolute(self, path: str | Path) -> Path:
        """`path` made absolute as asked: against `root`, `~` as the home folder, links and `..` left alone.

        A file whose name really begins with `~` is asked for as `./~name`. Raises `WorkspaceError` for a path
        that is empty, holds a NUL, or cannot be a file name on this system.
        """
        asked = _spelt(path)
        if not asked.strip():
            raise WorkspaceError("The path is empty: give one, or . for the workspace itself")
        return Path(self._root, os.path.expanduser(asked))  # noqa: PTH111 - Path.expanduser raises for an unknown user

    def resolve(self, path: str | Path, *, follow: bool = True) -> Path:
        """Where `path` really leads: absolute, without links or `..`, within the workspace.

        A name that does not exist yet is judged by its nearest existing parent. With `follow=False` the last
        component may itself be a link, which is then what is meant. Raises `WorkspaceError` for a path that
        leads out of the workspace, goes through `/proc` or `/dev/fd`, or means nothing (see `absolute`).
        """
        asked = self.absolute(path)
        if follow or asked.name in ("", ".."):
            real = Path(os.path.realpath(asked))
        else:
            real = Path(os.path.realpath(asked.parent), asked.name)
        if _is_door(Path(os.path.normpath(asked))) or _is_door(real) or self.root_of(real) is None:
            raise WorkspaceError(f"Path {real} is not within the agent's workspace; use a path in {self._root}")
        return real

    def root_of(self, resolved: Path) -> Path | None:
        """The innermost root that holds a resolved path, or None if none does."""
        holding = [root for root in self.roots if resolved.is_relative_to(root)]
        return max(holding, key=lambda root: len(root.parts), default=None)

    def holds_root(self, resolved: Path) -> bool:
        """True where removing or moving `resolved` would take a root of the workspace with it."""
        return any(root.is_relative_to(resolved) for root in self.roots)

    def display(self, path: str | Path) -> str:
        """`path` for people: relative to `root` where it lies there, else absolute; links stay unresolved."""
        asked = self.absolute(path)
        return str(asked.relative_to(self._root)) if asked.is_relative_to(self._root) else str(asked)

    def close(self) -> None:
        """Remove the temporary folder with all it holds. A later `temp_dir()` makes a new one."""
        with self._lock:
            temp, self._temp = self._temp, None
        if temp is not None:
            shutil.rmtree(temp, ignore_errors=True)


def _spelt(path: str | Path) -> str:
    """`path` as text that can name a file. Raises `WorkspaceError` where it cannot, `WrongTypeError` for no path."""
    asked = os.fspath(path) if isinstance(path, str | os.PathLike) else path
    if not isinstance(asked, str):
        raise WrongTypeError(f"a path must be text or a Path, not a value of type {type(path).__name__}")
    if "\0" in asked:
        raise WorkspaceError(f"Path {asked!r} holds a NUL character")
    try:
        os.fsencode(asked)
    except UnicodeEncodeError:
        raise WorkspaceError(f"Path {asked!r} cannot be a file name here") from None
    return asked


def _folder(path: str | Path) -> Path:
    asked = _spelt(path)
    try:
        real = Path(os.path.realpath(asked))
        usable = bool(asked) and real.is_dir()
    except FileNotFoundError:  # that of a relative path: what it is relative to was removed
        raise WorkspaceError(
            "The current folder no longer exists; change to another one, or name a workspace"
        ) from None
    except OSError:  # in a folder that we may not enter
        usable = False
    if not usable:
        raise WorkspaceError(f"The workspace folder {asked!r} does not exist or is not a folder")
    return real


def _is_door(path: Path) -> bool:
    return any(path.is_relative_to(door) for door in _DOORS)
