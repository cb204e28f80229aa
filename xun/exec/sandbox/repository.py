"""The folders that git keeps a repository in: what in them a git command may write, and what stays as it is.

Most of a repository is data. Some of it decides what git runs, or where it looks for that: configuration, hooks, the
file that names the common folder, what belongs to submodules and other working trees. So git gets the entries that
are known to be data; any other one is kept as it is, and what is made beside them is taken away again.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# Entries that are data: what commits, branches, the index and the state of a merge are kept in.
_DATA = re.compile(
    r"objects|refs|logs|packed-refs|shallow|lfs|rr-cache|gc\.(?:log|pid)|reftable|lost-found"
    r"|HEAD|[A-Z]+(?:_[A-Z]+)*_HEAD|[A-Z]+_(?:EDITMSG|MSG|MODE|RR)|AUTO_MERGE|AUTO_STASH|MERGE_AUTOSTASH"
    r"|BISECT_[A-Z_]+|(?:shared)?index(?:\.[\w.]+)?|next-index-\d+"
    r"|(?:HEAD|index|packed-refs|shallow|(?:next-index-\d+))\.(?:lock|new)"
)
# What git does step by step; a step may be a command to run.
_STEPS = frozenset({"rebase-merge", "rebase-apply", "sequencer"})
# What decides most, looked up by name whatever else is made beside it.
_DECIDING = ("config", "config.worktree", "hooks", "info", "commondir", "gitdir")
# Each holds folders that are repositories in turn.
_NESTING = ("modules", "worktrees")
_MOST, _DEEPEST = 20_000, 6


@dataclass(frozen=True, slots=True)
class Repository:
    """The folders of one repository: `folders` belong to the working tree, the common one last.

    `inner` are those of its submodules and other working trees, as far as they are open too.
    """

    folders: tuple[Path, ...] = ()
    inner: tuple[Path, ...] = ()
    steps: bool = False
    nested: bool = False

    def kept(self) -> tuple[Path, ...]:
        """What stands in them now and is no data."""
        return tuple(path for folder in (*self.folders, *self.inner) for path in self._kept(folder))

    def _kept(self, folder: Path) -> Iterator[Path]:
        named = [path for name in _DECIDING if os.path.lexists(path := folder / name)]
        for path in dict.fromkeys((*named, *_entries(folder))):
            data = _DATA.fullmatch(path.name) is not None or (self.steps and path.name in _STEPS)
            opened = self.nested and path.name in _NESTING
            if not data and not opened and path not in self.folders:
                yield path

    @property
    def missing(self) -> tuple[Path, ...]:
        """The folders of hooks that are not there."""
        return tuple(hooks for one in (*self.folders, *self.inner) if vacant(hooks := one / "hooks"))


def repository_of(folder: Path, *, steps: bool = False, nested: bool = False) -> Repository:
    """The repository that git would use in `folder`, also where its folder lies elsewhere (a worktree, a submodule).

    `steps` opens what git does step by step, `nested` the submodules and working trees in it.
    """
    found = next((one for above in (folder, *folder.parents) if (one := git_folder(above / ".git"))), None)
    if found is None:
        return Repository()
    folders = [found]
    if common := _first_line(found / "commondir"):
        folders.append(Path(os.path.realpath(found / common)))
    folders = list(dict.fromkeys(folders))
    inner = [one for at in folders for name in _NESTING for one in _repositories(at / name)] if nested else []
    return Repository(tuple(folders), tuple(one for one in inner if one not in folders), steps, nested)


def _repositories(folder: Path, left: int = _DEEPEST) -> Iterator[Path]:
    """The folders of repositories below: the name of a submodule may hold slashes."""
    for path in _entries(folder) if left else ():
        if path.is_symlink() or not path.is_dir():
            continue
        if (path / "HEAD").exists():
            yield path
            for name in _NESTING:
                yield from _repositories(path / name, left - 1)
        else:
            yield from _repositories(path, left - 1)


def vacant(path: Path) -> bool:
    """Is nothing at `path`, or what a command in the sandbox leaves there while it runs: an empty folder?"""
    if not os.path.lexists(path):
        return True
    known = path.name in (".git", ".xun", "hooks")
    return known and path.is_dir() and not path.is_symlink() and not _entries(path)


def git_folder(path: Path) -> Path | None:
    """Where the repository at a `.git` really is: that folder, or the one that a `.git` file names."""
    real = Path(os.path.realpath(path))
    if real.is_dir():
        return real if (real / "HEAD").exists() else None
    line = _first_line(real)
    if not line.startswith("gitdir:"):
        return None
    target = Path(os.path.realpath(real.parent / line.removeprefix("gitdir:").strip()))
    return target if target.is_dir() else None


def above_is_repository(folder: Path) -> bool:
    """Does `folder` lie in the working tree of a repository whose top is above it?"""
    return any(git_folder(above / ".git") is not None for above in folder.parents)


def folders_of(repositories: Iterable[Repository]) -> tuple[Path, ...]:
    """The folders of several, each once, the outer before the inner."""
    found = {folder for one in repositories for folder in (*one.folders, *one.inner)}
    return tuple(sorted(found, key=lambda path: len(path.parts)))


def _first_line(path: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError), path.open(encoding="utf-8") as file:
        return file.readline(4096).strip()
    return ""


def _entries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as scan:
            return [Path(entry.path) for entry, _ in zip(scan, range(_MOST), strict=False)]
    except OSError:
        return []
