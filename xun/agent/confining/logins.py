"""The files of the home folder that hold keys and logins, found by the names that the policy knows for them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

from xun.policy.paths import secret
from xun.policy.tables.online import LOGINS

_MOST = 2000
_MOST_SETTINGS = 1 << 18  # bytes
# Hold what is fetched anew, by the thousand, or are looked through by those who wrote it.
_SKIPPED = frozenset({".cache", ".npm", ".local"})


def logins_in(home: Path) -> tuple[Path, ...]:
    """What in `home`, and in the hidden folders of settings in it, usually holds secrets."""
    folders = tuple(_folders(home))
    return _secrets(home, tuple((folder, _changed(folder)) for folder in folders))


def logins_of(home: Path, programs: Iterable[str]) -> tuple[Path, ...]:
    """Where in `home` the logins of these programs are, by the policy's names for them."""
    names = set(programs)
    if "git" in names and _logs_in_with_gh(home):
        names.add("gh")
    return tuple(home / path for name in sorted(names) for path in LOGINS.get(name, ()))


def _logs_in_with_gh(home: Path) -> bool:
    """Does the person's git ask gh for passwords?"""
    files = (home / ".gitconfig", home / ".config" / "git" / "config")
    return any(b"gh auth git-credential" in _start(path) for path in files)


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_SETTINGS)
    except OSError:
        return b""


def _folders(home: Path) -> Iterator[Path]:
    """The folders in which programs keep their settings."""
    yield home
    for name in _hidden_folders(home):
        yield home / name
    config = home / ".config"
    yield from (config / name for name in _folders_in(config, _changed(config)))
    yield from (path for path in (home / "Library", home / ".local" / "share") if path.is_dir())


def _hidden_folders(home: Path) -> tuple[str, ...]:
    names = _folders_in(home, _changed(home))
    return tuple(name for name in names if name.startswith(".") and name not in _SKIPPED)


@lru_cache(maxsize=8)
def _folders_in(folder: Path, changed: int) -> tuple[str, ...]:
    return tuple(entry.name for entry in _entries(folder) if entry.is_dir(follow_symlinks=False))


@lru_cache(maxsize=4)
def _secrets(home: Path, folders: tuple[tuple[Path, int], ...]) -> tuple[Path, ...]:
    """The secrets in `folders`, of which the other part tells its versions."""
    top = len(os.fspath(home).rstrip("/"))
    return tuple(
        Path(entry.path) for folder, _ in folders for entry in _entries(folder) if secret(entry.path[top:])
    )  # fmt: skip


def _changed(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scan:
            return list(islice(scan, _MOST))
    except OSError:
        return []
