"""Which files that hold secrets does a repository keep? Read from its index without git, so that nothing starts."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from xun.gate.disk import Disk
from xun.gate.repository import place_of
from xun.policy.paths import fold, may_hold_secret, secret
from xun.workspace.regular import read_regular

_MAX_INDEX = 1 << 28
# The mode of a folder that an index lists without what is in it.
_FOLDER = 0o040000
# And of a repository of its own. `submodule.recurse` has `git grep` search these too.
_SUBMODULE = 0o160000
_MAX_REPOSITORIES = 64
_LINK = 0o120000
# Whoever keeps such files where tests and examples stand made them up.
_MADE_UP = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|specs?|fixtures?|examples?|samples?|mocks?|docs?)/", re.IGNORECASE
)


def tracked_secrets(folder: str, disk: Disk | None = None) -> tuple[tuple[str, bool], ...] | None:
    """The files that hold secrets and that git keeps in the repository of `folder` and in its submodules, by index.

    Each with whether it is known to be on the disk as it is kept. None when that cannot be told.
    """
    try:
        return tuple(_tracked(folder, disk or Disk(), set()))
    except (OSError, ValueError, IndexError):
        return None


def made_up(path: str) -> bool:
    """Does a file with secrets stand where nobody keeps real ones? `path` counts from the work tree."""
    return _MADE_UP.search(path) is not None


def kept_links(folder: str, disk: Disk) -> tuple[str, ...] | None:
    """The links that the index of the repository around `folder` lists; None where nobody can tell."""
    try:
        top = place_of(folder, disk)
        if top is None or any(name.startswith("sharedindex.") for name in os.listdir(top[1])):  # noqa: PTH208
            return None
        index = posixpath.join(top[1], "index")
        info = os.stat(index)  # noqa: PTH116 - by its text, as everything here
        return tuple(posixpath.join(top[0], name) for name in _links(index, info.st_mtime_ns, info.st_size))
    except (OSError, ValueError, IndexError):
        return None


@lru_cache(maxsize=4)
def _links(index: str, changed: int, size: int) -> tuple[str, ...]:
    """The links in an index. The other arguments tell its versions."""
    data = read_regular(index, _MAX_INDEX)
    if data is None:
        raise ValueError("the index is no file")
    return tuple(name.decode(errors="surrogateescape") for mode, name, *_ in _entries(data) if mode == _LINK)


def kept_names(folder: str, disk: Disk) -> frozenset[str] | None:
    """The names, folded, of all files that the repository around `folder` keeps; None where nobody can tell."""
    try:
        top = place_of(folder, disk)
        if top is None:
            return None
        found: frozenset[str] = frozenset()
        for name in os.listdir(top[1]):  # noqa: PTH208 - by its text, as everything here
            if name == "index" or name.startswith("sharedindex."):
                index = posixpath.join(top[1], name)
                info = os.stat(index)  # noqa: PTH116
                found |= _folded(index, info.st_mtime_ns, info.st_size)
    except (OSError, ValueError, IndexError):
        return None
    return found


@lru_cache(maxsize=4)
def _folded(index: str, changed: int, size: int) -> frozenset[str]:
    return frozenset(fold(posixpath.basename(name)) for name in _names(index, changed, size))


def keeps(path: Path) -> bool:
    """Does the repository around `path` keep a version of it, or of something below it? False where nobody can tell."""
    try:
        top = place_of(os.fspath(path.parent))
        index = posixpath.join(top[1], "index") if top else ""
        info = os.stat(index)  # noqa: PTH116 - by its text, as everything here
        return top is not None and posixpath.relpath(path, top[0]) in _names(index, info.st_mtime_ns, info.st_size)
    except (OSError, ValueError, IndexError):
        return False


@lru_cache(maxsize=4)
def _names(index: str, changed: int, size: int) -> frozenset[str]:
    """The paths in an index, and the folders they lie in. The other arguments tell its versions."""
    data = read_regular(index, _MAX_INDEX)
    found: set[str] = set()
    for _, name, *_ in _entries(data or b""):
        path = name.decode(errors="surrogateescape")
        while path and path not in found:
            found.add(path)
            path = posixpath.dirname(path)
    return frozenset(found)


def _tracked(folder: str, disk: Disk, seen: set[str]) -> Iterator[tuple[str, bool]]:
    top = place_of(folder, disk)
    if top is None or top[1] in seen:
        return
    seen.add(top[1])
    if len(seen) > _MAX_REPOSITORIES:
        raise ValueError("there are too many submodules to look at")
    work_tree, git_folder = top
    indexed = disk.exists(posixpath.join(git_folder, "index"))
    if not indexed and git_folder == disk.real(folder):
        raise ValueError("without a work tree only its commits tell what it keeps")
    for name in os.listdir(git_folder):  # noqa: PTH208 - by its text, as everything here
        # Of an index that is split, most stands in another file.
        if name == "index" or name.startswith("sharedindex."):
            index = posixpath.join(git_folder, name)
            info = os.stat(index)  # noqa: PTH116
            secrets, submodules = _kept(index, info.st_mtime_ns, info.st_size)
            for path, *at in secrets:
                yield posixpath.join(work_tree, path), _unchanged(work_tree, path, at)
            for path in submodules:
                inner = posixpath.join(work_tree, path)
                if disk.exists(posixpath.join(inner, ".git")):
                    yield from _tracked(inner, disk, seen)


@lru_cache(maxsize=16)
def _kept(index: str, changed: int, size: int) -> tuple[tuple[tuple[str, int, int], ...], tuple[str, ...]]:
    """The secret files in an index (path, time of change in seconds, size) and its submodules.

    The other arguments tell its versions.
    """
    data = read_regular(index, _MAX_INDEX)
    if data is None:
        raise ValueError("the index is no file")
    secrets: list[tuple[str, int, int]] = []
    submodules: list[str] = []
    for mode, name, mtime, length in _entries(data):
        path = name.decode(errors="surrogateescape")
        if mode == _SUBMODULE:
            submodules.append(path)
        elif may_hold_secret(path) and secret("/" + path) and not _MADE_UP.search(path):
            secrets.append((path, mtime, length))
    return tuple(secrets), tuple(submodules)


def _unchanged(work_tree: str, path: str, at: Sequence[int]) -> bool:
    try:
        info = os.lstat(posixpath.join(work_tree, path))
    except OSError:
        return False
    return [int(info.st_mtime), info.st_size] == list(at)


def _entries(data: bytes) -> Iterator[tuple[int, bytes, int, int]]:
    """The entries of an index, in any of its versions: mode, path, time of change, size."""
    version = int.from_bytes(data[4:8])
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("the index is of an unknown kind")
    at, name = 12, b""
    for _ in range(int.from_bytes(data[8:12])):
        mode = int.from_bytes(data[at + 24 : at + 28])
        if mode == _FOLDER:
            raise ValueError("the index does not list what is in a folder")
        mtime, length = int.from_bytes(data[at + 8 : at + 12]), int.from_bytes(data[at + 36 : at + 40])
        start = at + (64 if int.from_bytes(data[at + 60 : at + 62]) & 0x4000 else 62)
        kept = 0
        if version == 4:
            dropped, start = _offset(data, start)
            kept = len(name) - dropped
        end = data.index(b"\x00", start)
        name = name[:kept] + data[start:end]
        yield mode, name, mtime, length
        at = end + 1 if version == 4 else at + (end - at + 8) // 8 * 8


def _offset(data: bytes, at: int) -> tuple[int, int]:
    """A number as packs and indexes write it, and where it ends."""
    value = data[at] & 127
    while data[at] & 128:
        at += 1
        value = (value + 1 << 7) | (data[at] & 127)
    return value, at + 1
