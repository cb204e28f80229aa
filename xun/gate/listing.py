"""What stands in folders, within a bound, and what matters of each remembered for as long as the folder is the same."""

from __future__ import annotations

import os
import posixpath
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from xun.policy.paths import may_hold_secret, secret, within_any

MAX_ENTRIES = 200_000  # of folders, for one action
MAX_OUTSIDE = 20_000  # of these outside of the workspace, where what is read asks anyway
_MAX_REMEMBERED = 20_000
# A folder that has just changed may change again within the same tick of the clock of its disk.
_SETTLED = 2_000_000_000  # nanoseconds
# Names that a program may take for several, for an option or for a file of options.
ODD_NAME = re.compile(r"[\s'\"\\\ud800-\udfff]|^[-+@]")
IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")
_IGNORING = (*IGNORE_FILES, ".git")


class Spent(Exception):
    """More entries than are looked at."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What is in a folder, by names: its folders, links, what is neither file nor folder, files whose names alone say
    that they hold secrets, odd names of any kind, and what says what a search passes over."""

    count: int = 0
    folders: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()
    ignoring: tuple[str, ...] = ()


_remembered: dict[str, tuple[tuple[int, ...], Listing]] = {}


@dataclass(slots=True)
class Budget:
    """How many entries of folders are still looked at for one action; fewer of them outside of `roots`."""

    left: int = field(default_factory=lambda: MAX_ENTRIES)
    roots: Sequence[str] = ("/",)
    outside: int = field(default_factory=lambda: MAX_OUTSIDE)

    def entries(self, folder: str) -> list[os.DirEntry[str]]:
        """What is in `folder`: nothing where it cannot be listed. Raises `Spent`."""
        inside = within_any(folder, self.roots)
        found = _scan(folder, self._most(inside))
        self._take(len(found), inside)
        return found

    def listing(self, folder: str) -> Listing:
        """What matters of what is in `folder`. Raises `Spent`."""
        inside = within_any(folder, self.roots)
        try:
            info = os.stat(folder)  # noqa: PTH116 - by its text, as everything here
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            self._take(0, inside)
            return Listing()
        # Whoever sets the time of a folder back changes when that was done.
        version = (info.st_dev, info.st_ino, info.st_mtime_ns, info.st_ctime_ns)
        known, listing = _remembered.get(folder, ((), Listing()))
        if known == version:
            self._take(listing.count, inside)
            return listing
        entries = _scan(folder, self._most(inside))
        self._take(len(entries), inside)  # what is cut off here is not remembered
        listing = _listing(folder, entries)
        if len(_remembered) >= _MAX_REMEMBERED:
            _remembered.clear()
        if time.time_ns() - max(info.st_mtime_ns, info.st_ctime_ns) > _SETTLED:
            _remembered[folder] = version, listing
        return listing

    def _most(self, inside: bool) -> int:
        return self.left if inside else min(self.left, self.outside)

    def _take(self, entries: int, inside: bool) -> None:
        self.left -= entries + 1
        if not inside:
            self.outside -= entries + 1
        if self.left < 0 or self.outside < 0:
            raise Spent


def _scan(folder: str, most: int) -> list[os.DirEntry[str]]:
    if most <= 0:
        raise Spent
    try:
        with os.scandir(folder) as scan:
            return list(islice(scan, most + 1))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def _listing(folder: str, entries: list[os.DirEntry[str]]) -> Listing:
    above = posixpath.basename(folder)
    folders: list[str] = []
    links: list[str] = []
    others: list[str] = []
    secrets: list[str] = []
    for entry in entries:
        name = entry.name
        if entry.is_symlink():
            links.append(name)
        elif entry.is_dir(follow_symlinks=False):
            folders.append(name)
        elif not entry.is_file(follow_symlinks=False):
            others.append(name)
        elif may_hold_secret(name) and secret(f"/{above}/{name}"):
            secrets.append(name)
    names = [entry.name for entry in entries]
    odd = filter(ODD_NAME.search, names)
    ignoring = (name for name in _IGNORING if name in names)
    return Listing(
        len(entries), tuple(folders), tuple(links), tuple(others), tuple(secrets), tuple(odd), tuple(ignoring)
    )
