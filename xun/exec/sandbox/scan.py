"""What lies in the roots of a command and is to be kept from it: protected files, and sockets of others.

Roots are looked through two levels deep: deeper nothing that is run or trusted by its name usually lies, and a command
should not wait for a walk through a whole tree. However many files somebody has made, what is protected stays so: where
a folder holds more than is looked through, the known names are looked up in it one by one, and where there are too many
folders for that, the root as a whole counts as protected.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from xun.exec.sandbox.profile import Profile, nothing

MOST = 60_000
"""Entries that are looked at in a root."""
WIDE = 8_000
"""Entries that are looked at in one folder of a root."""
MOUNTED = 40
"""Protected entries up to which each is kept by a mount of its own: each takes longer than the one before."""
_NAMED, _COPIED, _SMALL = 500, 1500, 1 << 20
_SKIPPED = frozenset({"node_modules", "site-packages", ".venv", "venv", "__pycache__"})
ALWAYS = (".git", ".xun")
"""Kept from being made at the top of a root."""


def protected_entries(profile: Profile) -> tuple[Path, ...]:
    """What is protected in the roots and stands there now, links among it; a root itself where nobody can tell."""
    # A folder that is open for one path in it, which is yet to be made, is no more open than a root.
    opened = standing(path for path in profile.folders if not path.exists() and not inside(path, profile.roots))
    roots = dict.fromkeys((*profile.roots, *opened))
    found = [found for root in roots for found in _Look(root, profile).found()]
    named = [path for path in profile.named if os.path.lexists(path) and not inside(path, found)]
    return tuple(dict.fromkeys((*found, *named)))


def by_copy(profile: Profile, entries: Sequence[Path]) -> tuple[Path, ...]:
    """Of many protected `entries` those small files, deeper than the top, that are put back instead of mounted.

    None where something may go on when nobody looks.
    """
    if len(entries) <= MOUNTED or profile.background or profile.kind != "bwrap":
        return ()
    deep = [path for path in entries if path.parent not in profile.roots and not profile.opens(path)]
    return tuple(path for path in deep if _is_small(path))[:_COPIED]


def _is_small(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= _SMALL


def standing(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Of each path the nearest that is there: what is to be made needs a folder that can be written."""
    nearest = (next(one for one in (path, *path.parents) if one.exists()) for path in paths)
    real = (Path(os.path.realpath(path)) for path in nearest)
    return tuple(dict.fromkeys(path for path in real if path != Path("/")))


@dataclass(slots=True)
class _Look:
    """A look through one root."""

    root: Path
    profile: Profile
    left: int = MOST
    named: int = _NAMED

    def found(self) -> Iterator[Path]:
        top = os.fspath(self.root).rstrip("/")
        entries = self._entries(self.root, None)
        crowded = len(entries) > MOST
        if crowded:  # no more can be made in it; what one command has made is looked up by name, once
            yield from self._by_name(top, top)
        for entry in entries:
            if not crowded and self._protected(entry.path, top):
                yield Path(entry.path)
            elif entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False):
                yield from self._inside(entry.path, top)
        if crowded or self.named < 0 or self.profile.denied(top):
            yield self.root

    def _inside(self, folder: str, top: str) -> Iterator[Path]:
        most = min(WIDE if self.profile.known else MOST, max(self.left, 0))
        entries = self._entries(folder, most)
        yield from (Path(entry.path) for entry in entries if self._protected(entry.path, top))
        if len(entries) < most:
            return
        if not self.profile.known or self.profile.denied is not nothing:  # no names tell what may be in it
            yield Path(folder)
        elif self.named >= 0:
            self.named -= 1
            yield from self._by_name(folder, top)

    def _by_name(self, folder: str, top: str) -> Iterator[Path]:
        paths = (f"{folder}/{name}" for name in self.profile.known)
        yield from (Path(path) for path in paths if os.path.lexists(path) and self._protected(path, top))

    def _protected(self, path: str, top: str) -> bool:
        profile = self.profile
        return profile.protected(path[len(top) :]) or profile.closed(path) or profile.denied(path)

    def _entries(self, folder: str | Path, most: int | None) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as scan:
                found = list(islice(scan, most))
        except OSError:
            return []
        self.left -= len(found)
        return found


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


def led_to(entries: Iterable[Path], folders: Sequence[Path]) -> tuple[Path, ...]:
    """Where links among `entries` lead to in `folders`: what is changed there is obeyed like the link."""
    real = (Path(os.path.realpath(path)) for path in entries if path.is_symlink())
    return tuple(path for path in real if inside(path, folders))


def inside(path: Path, folders: Iterable[Path]) -> bool:
    """Is `path` one of `folders` or below one? All are resolved."""
    return any(path.is_relative_to(folder) for folder in folders)
