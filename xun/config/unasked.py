"""Whether commands with soft reasons alone run unasked in the sandbox, as the person said for one folder.

It is `auto_allow_sandboxed` for this folder alone, and not for another that comes to stand in its place. It is kept
with trust; a policy file that names the setting wins.
"""

from __future__ import annotations

import os
from pathlib import Path

from xun.config.paths import Paths
from xun.config.trust_store import changing, read_store

_WORDS = {"yes": True, "no": False}


def unasked_in(folder: Path, paths: Paths) -> bool | None:
    """What the person said for `folder`, None where nothing was said yet."""
    store, key = read_store(paths.trust_file), _key(folder)
    return _WORDS.get(store.unasked.get(key, "")) if store.is_of(key) else None


def say_unasked(folder: Path, paths: Paths, *, yes: bool) -> None:
    """Keep it for `folder`. Raises `OSError` where that cannot be done."""
    with changing(paths.trust_file) as store:
        key = _key(folder)
        store.settle(key)
        store.unasked[key] = "yes" if yes else "no"


def _key(folder: Path) -> str:
    return os.path.realpath(folder)
