"""Where xun's own files are, as facts: what no agent may write, and of it what none may read."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path
from posixpath import realpath

from xun.policy.facts import Own
from xun.policy.judge.guard import Guard
from xun.policy.paths import within


def own_files(kept: Iterable[Path], plain: Iterable[Path]) -> Own:
    """The files of xun at these paths, as spelled and where links lead to now."""
    return Own(kept=_spelled(kept), plain=_spelled(plain))


def _spelled(paths: Iterable[Path]) -> tuple[str, ...]:
    spelled = [os.path.abspath(path) for path in paths]  # noqa: PTH100 - without a link being followed
    return tuple(dict.fromkeys(one for path in spelled for one in (path, realpath(path))))


def own_in(key: str, guard: Guard) -> Iterator[tuple[str, str]]:
    """xun's own files in a folder that is gone through, each as found and resolved: those that may hold keys."""
    if not guard.own:
        return
    top = realpath(key)
    if guard.own_secret(top):
        yield top, top
    for path in guard.own:
        if path != top and within(path, top) and guard.own_secret(path) and posixpath.lexists(path):
            yield path, realpath(path)


def own_moved(key: str, guard: Guard) -> Iterator[tuple[str, str]]:
    """The same of what would be moved or removed with the folder: all of xun's, and what is hidden in a home folder."""
    top = realpath(key)
    for path in guard.own:
        if path != top and within(path, top) and posixpath.lexists(path):
            yield path, realpath(path)
    for home in guard.homes_below(top):
        yield from ((entry.path, entry.path) for entry in os.scandir(home) if guard.at_home(entry.path))
