"""What lies in the roots of a command and is to be kept from it: protected files, repositories, sockets of others.

Roots are looked through two levels deep: deeper nothing that is run or trusted by its name usually lies, and a command
should not wait for a walk through a whole tree.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from xun.exec.sandbox.profile import Profile

MAX_ENTRIES = 4000
"""Entries of folders that are looked at for one command."""
_SKIPPED = frozenset({"node_modules", "site-packages", ".venv", "venv", "__pycache__"})
_REPOSITORY_KEPT = ("hooks", "config", "config.worktree")
ALWAYS = (".git", ".xun")
"""Kept from being made at the top of a root."""


def protected_entries(profile: Profile) -> tuple[Path, ...]:
    """What is protected in the roots and stands there now, links among it."""
    left = [MAX_ENTRIES]
    # A folder that is open for one path in it, which is yet to be made, is no more open than a root.
    opened = (path for path in standing(profile.writable) if path not in profile.writable)
    roots = dict.fromkeys((*profile.roots, *opened))
    return tuple(found for root in roots for found in _within(root, profile, left))


def standing(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Of each path the nearest that is there: what is to be made needs a folder that can be written."""
    nearest = (next(one for one in (path, *path.parents) if one.exists()) for path in paths)
    real = (Path(os.path.realpath(path)) for path in nearest)
    return tuple(dict.fromkeys(path for path in real if path != Path("/")))


def _within(root: Path, profile: Profile, left: list[int]) -> Iterator[Path]:
    top = len(os.fspath(root).rstrip("/"))
    for entry in _entries(root, left):
        if profile.protected(entry.path[top:]):
            yield Path(entry.path)
        elif _is_folder(entry):
            for inner in _entries(entry.path, left):
                if profile.protected(inner.path[top:]):
                    yield Path(inner.path)


def _entries(folder: str | Path, left: list[int]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scan:
            found = list(islice(scan, max(left[0], 0)))
    except OSError:
        return []
    left[0] -= len(found)
    return found


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)


@dataclass(frozen=True, slots=True)
class Repository:
    """The folders in which git keeps what belongs to one working tree, and what stays read-only in them."""

    folders: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = field(default=())


def repository_of(folder: Path) -> Repository:
    """The repository that git would use in `folder`, also where its folder lies elsewhere (a worktree, a submodule)."""
    for above in (folder, *folder.parents):
        found = git_folder(above / ".git")
        if found is not None:
            break
    else:
        return Repository()
    folders = [found]
    common = _first_line(found / "commondir")
    if common:
        folders.append(Path(os.path.realpath(found / common)))
    kept: list[Path] = []
    missing: list[Path] = []
    for one in folders:
        inner = [one, *_children(one / "modules"), *_children(one / "worktrees")]
        names = [at / name for at in inner for name in _REPOSITORY_KEPT]
        kept += [path for path in names if path.exists() and not vacant(path)]
        missing += [one / "hooks"] if vacant(one / "hooks") else []
    return Repository(tuple(dict.fromkeys(folders)), tuple(dict.fromkeys(kept)), tuple(missing))


def vacant(path: Path) -> bool:
    """Is nothing at `path`, or what a command in the sandbox leaves there while it runs: an empty folder?"""
    if not os.path.lexists(path):
        return True
    return path.name in (*ALWAYS, "hooks") and path.is_dir() and not path.is_symlink() and not _entries(path, [1])


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


def _first_line(path: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError), path.open(encoding="utf-8") as file:
        return file.readline(4096).strip()
    return ""


def _children(folder: Path) -> list[Path]:
    return [Path(entry.path) for entry in _entries(folder, [200]) if entry.is_dir(follow_symlinks=False)]


def sockets(outside: Sequence[Path]) -> tuple[Path, ...]:
    """The sockets with a name that programs of this machine listen on, apart from those in the folders `outside`."""
    try:
        lines = Path("/proc/net/unix").read_text(encoding="utf-8", errors="surrogateescape").splitlines()[1:]
    except OSError:
        return ()
    names = {parts[7] for line in lines if len(parts := line.split(maxsplit=7)) == 8 and parts[7].startswith("/")}
    found = (Path(os.path.realpath(name)) for name in sorted(names))
    return tuple(path for path in found if not inside(path, outside) and _is_socket(path))


def _is_socket(path: Path) -> bool:
    try:
        return path.is_socket()
    except OSError:  # whoever may not look at it, in a folder of another user, does not reach it either
        return False


def inside(path: Path, folders: Iterable[Path]) -> bool:
    """Is `path` one of `folders` or below one? All are resolved."""
    return any(path.is_relative_to(folder) for folder in folders)
