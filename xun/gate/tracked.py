"""Which files that hold secrets does a repository keep? Read from its index without git, so that nothing starts."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from posixpath import lexists, realpath

from xun.gate.repository import place_of
from xun.policy.paths import may_hold_secret, secret
from xun.workspace.regular import read_regular

_MAX_INDEX = 1 << 28
# The mode of a folder that an index lists without what is in it.
_FOLDER = 0o040000
# Whoever keeps such files where tests and examples stand made them up.
_MADE_UP = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|specs?|fixtures?|examples?|samples?|mocks?|docs?)/", re.IGNORECASE
)


def tracked_secrets(folder: str) -> tuple[tuple[str, bool], ...] | None:
    """The files that hold secrets and that git keeps in the repository of `folder`, by its index.

    Each with whether it is known to be on the disk as it is kept. None when that cannot be told.
    """
    try:
        top = place_of(folder)
        if top is None:
            return ()
        work_tree, git_folder = top
        indexed = lexists(posixpath.join(git_folder, "index"))
        if not indexed and git_folder == realpath(folder):
            return None  # without a work tree: only its commits tell what it keeps
        found: list[tuple[str, int, int]] = []
        for name in os.listdir(git_folder):  # noqa: PTH208 - by its text, as everything here
            # Of an index that is split, most stands in another file.
            if name == "index" or name.startswith("sharedindex."):
                index = posixpath.join(git_folder, name)
                info = os.stat(index)  # noqa: PTH116
                found += _secrets(index, info.st_mtime_ns, info.st_size)
        return tuple((posixpath.join(work_tree, path), _unchanged(work_tree, path, at)) for path, *at in found)
    except (OSError, ValueError, IndexError):
        return None


@lru_cache(maxsize=16)
def _secrets(index: str, changed: int, size: int) -> tuple[tuple[str, int, int], ...]:
    """The secret files in an index: path, time of change in seconds, size. The other arguments tell its versions."""
    data = read_regular(index, _MAX_INDEX)
    if data is None:
        raise ValueError("the index is no file")
    entries = ((name.decode(errors="surrogateescape"), mtime, length) for name, mtime, length in _entries(data))
    may_hold = (entry for entry in entries if may_hold_secret(entry[0]))
    return tuple(entry for entry in may_hold if secret("/" + entry[0]) and not _MADE_UP.search(entry[0]))


def _unchanged(work_tree: str, path: str, at: Sequence[int]) -> bool:
    try:
        info = os.lstat(posixpath.join(work_tree, path))
    except OSError:
        return False
    return [int(info.st_mtime), info.st_size] == list(at)


def _entries(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """The entries of an index, in any of its versions: path, time of change, size."""
    version = int.from_bytes(data[4:8])
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("the index is of an unknown kind")
    at, name = 12, b""
    for _ in range(int.from_bytes(data[8:12])):
        if int.from_bytes(data[at + 24 : at + 28]) == _FOLDER:
            raise ValueError("the index does not list what is in a folder")
        mtime, length = int.from_bytes(data[at + 8 : at + 12]), int.from_bytes(data[at + 36 : at + 40])
        start = at + (64 if int.from_bytes(data[at + 60 : at + 62]) & 0x4000 else 62)
        kept = 0
        if version == 4:
            dropped, start = _offset(data, start)
            kept = len(name) - dropped
        end = data.index(b"\x00", start)
        name = name[:kept] + data[start:end]
        yield name, mtime, length
        at = end + 1 if version == 4 else at + (end - at + 8) // 8 * 8


def _offset(data: bytes, at: int) -> tuple[int, int]:
    """A number as packs and indexes write it, and where it ends."""
    value = data[at] & 127
    while data[at] & 128:
        at += 1
        value = (value + 1 << 7) | (data[at] & 127)
    return value, at + 1
