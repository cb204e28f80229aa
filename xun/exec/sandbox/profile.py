"""What one command may do in the sandbox, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

Kind = Literal["bwrap", "landlock", "seatbelt"]
At = TypeVar("At", str, Path)


def nothing(path: At) -> bool:
    """Holds for no path."""
    return False


@dataclass(frozen=True, slots=True)
class Git:
    """What git may change, beyond the data of the repositories at `folders`; of the one it starts in without any.

    `steps` opens what a rebase keeps, in which commands may stand; `nested` what belongs to submodules and further
    working trees, and repositories that are made; `checks_out` says of which protected files it keeps a version, so
    that it may change them in the workspace.
    """

    folders: tuple[Path, ...] = ()
    steps: bool = False
    nested: bool = False
    checks_out: Callable[[Path], bool] = nothing


@dataclass(frozen=True, slots=True)
class Profile:
    """What a command may do. Everything else on the disk can be read and not be written.

    `roots` are writable, apart from what `protected` says of a path relative to its root, as "/.xun", and from the
    folders `programs`; `known` are the names that `protected` knows, for folders too large to be looked through.
    `closed` says of absolute paths in the roots which are protected for where they are, `denied` which nothing opens:
    neither a person's yes nor git; `named` are such paths that may lie too deep to be found.
    `tmp` stands for /tmp, and `temp`, the folder it lies in, can be read: xun itself writes there. `aside` is where xun
    moves what was made and must not stay, a folder that no command can write. `cache` is where tools keep what they may
    lose.

    `writable` are further paths, files or folders, that may be written and are not protected. One that is not there yet
    is made as an empty file and is open alone, or for those of `folders` too the folder that it would be made in.
    `readable` are paths in /tmp and its like that can be read although others stand there, `reached` sockets of other
    programs. `hidden` can be neither read nor written, wherever it lies. `git` makes repositories writable, but for
    what decides what git runs. `background` says that it may leave something running. All paths are absolute and
    resolved.
    """

    kind: Kind
    roots: tuple[Path, ...]
    tmp: Path
    aside: Path
    cache: Path | None = None
    temp: Path | None = None
    writable: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    reached: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    programs: tuple[Path, ...] = ()
    network: bool = False
    git: Git | None = None
    background: bool = False
    protected: Callable[[str], bool] = nothing
    known: tuple[str, ...] = ()
    closed: Callable[[str], bool] = nothing
    denied: Callable[[str], bool] = nothing
    named: tuple[Path, ...] = ()

    def opens(self, path: Path) -> bool:
        """May `path` be written although it is protected: named by a person, or kept by git where that may write?"""
        if self.denied(str(path)):
            return False
        if any(path.is_relative_to(one) for one in self.writable):
            return True
        if self.git is None or path.name == ".xun":
            return False
        return self.git.nested if path.name == ".git" else self.git.checks_out(path)

    @property
    def open_folders(self) -> tuple[Path, ...]:
        """What may be written as a whole."""
        return tuple(path for path in (*self.roots, self.tmp, self.cache) if path is not None)
