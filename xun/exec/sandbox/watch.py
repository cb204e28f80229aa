"""What is protected and stood there before a command, and what of it is made good when the command has ended.

Mounts keep what they can stand on. The rest is undone: protected files that were made meanwhile are moved aside, and
links and files with a second name, which can be changed past any mount, are put back.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xun.exec.sandbox.beneath import put_aside
from xun.exec.sandbox.copies import Copies
from xun.exec.sandbox.masks import MASKS
from xun.exec.sandbox.profile import Profile
from xun.exec.sandbox.repository import Repository, folders_of, vacant
from xun.exec.sandbox.scan import by_copy, led_to, protected_entries

Identity = tuple[int, int]


@dataclass(slots=True)
class Watch:
    """What was there. `moving` are the files that may be moved with a person's yes, by what they are."""

    profile: Profile
    repositories: tuple[Repository, ...]
    before: frozenset[Path]
    moving: frozenset[Identity]
    copies: Copies

    @classmethod
    def of(cls, profile: Profile, repositories: Sequence[Repository]) -> Watch:
        watch = cls(profile, tuple(repositories) if profile.git else (), frozenset(), frozenset(), Copies.of(()))
        watch.before = frozenset(watch._standing())
        # With Landlock a folder of git's is open as a whole.
        copied = [path for one in watch.repositories for path in (*one.kept(), *one.missing)]
        if profile.kind == "bwrap":
            copied = [path for path in copied if path.is_symlink()]
        loose = [path for path in watch.before if not profile.opens(path) and _loose(path)]
        watch.copies = Copies.of(
            dict.fromkeys((*by_copy(profile, protected_entries(profile)), *copied, *loose, *watch._targets()))
        )
        watch.moving = frozenset(_identity(path) for path in watch.before if profile.opens(path))
        return watch

    def undo(self) -> tuple[Path, ...]:
        """Move aside what was made, put back what was changed. Gives the paths, as far as that could be done."""
        new = [path for path in self.news() if put_aside(path, self.profile.aside)]
        for path in self.copies.paths:
            if path in self.copies.files and self.copies.differs(path):
                put_aside(path, self.profile.aside)
        back = self.copies.put_back()
        found = dict.fromkeys((*new, *back))
        return tuple(path for path in found if not any(above in found for above in path.parents))

    def news(self) -> tuple[Path, ...]:
        """What is protected, was made since and may not stay."""
        masked = MASKS.used()
        return tuple(
            path for path in self._standing()
            if path not in self.before and path not in masked and not vacant(path) and not self.profile.opens(path)
            and _identity(path) not in self.moving
        )  # fmt: skip

    def settled(self) -> None:
        """From now on, what stands there counts as having been there."""
        self.before = frozenset(self._standing())

    def _standing(self) -> list[Path]:
        opened = folders_of(self.repositories)
        found = dict.fromkeys(protected_entries(self.profile))
        found |= dict.fromkeys(path for one in self.repositories for path in one.kept())
        return [path for path in found if path not in opened and path not in self.profile.roots]

    def _targets(self) -> list[Path]:
        """Where protected links lead to in the roots and nothing is: what is made there is obeyed like the link."""
        return [path for path in led_to(self.before, self.profile.roots) if not os.path.lexists(path)]


def _loose(path: Path) -> bool:
    """Is it a link, or a file with more than one name?"""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISLNK(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink > 1)


def _identity(path: Path) -> Identity:
    try:
        status = path.lstat()
    except OSError:
        return (0, 0)
    return status.st_dev, status.st_ino
