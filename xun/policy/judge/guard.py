"""What of the disk is kept whatever its name says: xun's own files, and the hidden files of a home in the workspace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from xun.policy.facts import Facts, Own
from xun.policy.paths import protected, secret, within, within_any


class Guard:
    """Says of resolved paths which hold secrets and which are run or trusted later, by name and by where they are.

    `homes` are the spellings of the person's home folder, `own` what xun keeps for itself: of that, a folder which
    holds one of the roots cannot be kept from who works there.
    """

    __slots__ = ("_deeper", "_homes", "_own", "_plain", "own", "roots")

    def __init__(self, roots: tuple[str, ...], homes: tuple[str, ...], own: Own) -> None:
        self.roots = roots
        self.own = tuple(one for one in own.kept if not any(within(root, one) for root in roots))
        self._homes = tuple(home for home in homes if home and any(within(home, root) for root in roots))
        # Whoever works in a hidden folder of the home folder, such as `~/.dotfiles`, works on what is in it.
        self._deeper = tuple(root for root in roots if self._homes and not any(within(one, root) for one in homes))
        self._own, self._plain = _below(self.own), _below(own.plain)

    def inside(self, path: str) -> str:
        """`path` without the root it is in: the names above a workspace say nothing about what is in it."""
        for root in self.roots:
            if within(path, root):
                return path[len(root) :]
        return path

    def is_own(self, path: str) -> bool:
        """Is it one of xun's own files: its configuration, policy, trust, keys and sessions?"""
        return self._own is not None and self._own.fullmatch(path) is not None

    def own_secret(self, path: str) -> bool:
        """Is it one of those that may hold keys or conversations?"""
        return self.is_own(path) and not (self._plain and self._plain.fullmatch(path))

    def secret(self, path: str) -> bool:
        return secret(self.inside(path)) or self.own_secret(path)

    def at_home(self, path: str) -> bool:
        """Is it hidden in a home folder that lies in the workspace: what shells, editors and other programs obey?"""
        if not any(hidden_at(home, path) for home in self._homes):
            return False
        return not within_any(path, self._deeper)

    def homes_below(self, folder: str) -> tuple[str, ...]:
        """The home folders of the workspace that lie below `folder`, or are it."""
        return tuple(home for home in self._homes if within(home, folder))

    def protected(self, path: str) -> bool:
        return protected(self.inside(path)) or self.kept(path)

    def kept(self, path: str) -> bool:
        """Is it protected for where it is, whatever its name?"""
        return self.is_own(path) or self.at_home(path)

    def goes(self, path: str, real: str, top: str) -> bool:
        """Is what was found at `path` in the folder `top`, and really is at `real`, protected there?"""
        return protected(path[len(top) :]) or self.kept(real)


def hidden_at(home: str, path: str) -> bool:
    """Is `path` a hidden file of the home folder, or in a hidden folder of it, caches aside?"""
    start = home.rstrip("/") + "/."
    return path.startswith(start) and path != start and not within(path, start + "cache")


def guard_of(facts: Facts) -> Guard:
    return guard(facts.roots, facts.homes or (facts.home,), facts.own)


def guard(roots: tuple[str, ...], homes: tuple[str, ...], own: Own) -> Guard:
    """The guard of a workspace: the same one for the same."""
    return _guard(roots, homes, own.kept, own.plain)


@lru_cache(maxsize=64)
def _guard(roots: tuple[str, ...], homes: tuple[str, ...], kept: tuple[str, ...], plain: tuple[str, ...]) -> Guard:
    return Guard(roots, homes, Own(kept=kept, plain=plain))


def _below(paths: Sequence[str]) -> re.Pattern[str] | None:
    """An expression for these paths and all below them, in whatever case."""
    if not paths:
        return None
    return re.compile("(?:" + "|".join(map(re.escape, paths)) + ")(?:/.*)?", re.DOTALL | re.IGNORECASE)
