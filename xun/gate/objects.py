"""Does a name of an object in a git repository lead to a commit? Read from its object files without git."""

from __future__ import annotations

import mmap
import os
import posixpath
import re
import zlib
from collections.abc import Iterator, Sequence
from posixpath import lexists

from xun.gate.disk import Disk
from xun.gate.repository import common_folder, place_of
from xun.workspace.regular import open_regular, read_regular

_MAX_CONFIG = 256 * 1024
_MAX_PACKS = 64
_MAX_DELTAS = 64
_WIDTH = 20  # bytes of a name, with SHA-1
_COMMIT, _OFFSET_DELTA, _NAME_DELTA = 1, 6, 7
# `v1.0-3-gabc1234`, as git describes a commit.
_DESCRIBED = re.compile(r".*-g([0-9a-fA-F]+)")


def commits_among(folder: str, names: Sequence[str], disk: Disk) -> tuple[str, ...]:
    """Those of `names`, whole or abbreviated, that the repository of `folder` knows as commits and as nothing else.

    None of them where that cannot be told.
    """
    try:
        top = place_of(folder, disk) if names else None
        if top is None:
            return ()
        common = common_folder(top[1])
        config = read_regular(posixpath.join(common, "config"), _MAX_CONFIG)
        if config is None or b"objectformat" in config.lower():
            return ()
        objects = posixpath.join(common, "objects")
        return tuple(name for name in names if _leads_to_commits(objects, name))
    except (OSError, ValueError, IndexError, zlib.error):
        return ()


def _leads_to_commits(objects: str, name: str) -> bool:
    described = _DESCRIBED.fullmatch(name)
    digits = (described[1] if described else name).lower()
    if not 4 <= len(digits) <= 2 * _WIDTH:
        return False
    found = [*_loose(objects, digits), *_packed(objects, digits)]
    return bool(found) and all(found)


def _loose(objects: str, digits: str) -> Iterator[bool]:
    """Of each object with a file of its own: is it a commit?"""
    folder = posixpath.join(objects, digits[:2])
    if not lexists(folder):
        return
    for name in os.listdir(folder):  # noqa: PTH208 - by its text, as everything here
        if name.startswith(digits[2:]):
            with open_regular(posixpath.join(folder, name)) as file:
                yield zlib.decompressobj().decompress(file.read(128), 16).startswith(b"commit ")


def _packed(objects: str, digits: str) -> Iterator[bool]:
    folder = posixpath.join(objects, "pack")
    if not lexists(folder):
        return
    indexes = [name for name in os.listdir(folder) if name.endswith(".idx")]  # noqa: PTH208
    if len(indexes) > _MAX_PACKS:
        raise ValueError("there are too many packs to look at")
    for name in indexes:
        path = posixpath.join(folder, name)
        with open_regular(path) as index, mmap.mmap(index.fileno(), 0, access=mmap.ACCESS_READ) as data:
            offsets = [_offset(data, at) for at in _places(data, digits)]
            if offsets:
                with open_regular(path.removesuffix(".idx") + ".pack") as pack:
                    for offset in offsets:
                        yield _kind(data, pack.fileno(), offset) == _COMMIT


def _places(data: mmap.mmap, digits: str) -> Iterator[int]:
    """The places of the names in an index of a pack that begin with `digits`."""
    if data[:8] != b"\xfftOc\x00\x00\x00\x02":
        raise ValueError("the index of a pack is of an unknown kind")
    lowest = bytes.fromhex(digits.ljust(2 * _WIDTH, "0"))
    low = int.from_bytes(data[8 + 4 * (lowest[0] - 1) :][:4]) if lowest[0] else 0
    high = count = int.from_bytes(data[8 + 4 * 255 : 8 + 4 * 256])
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if _name(data, middle) < lowest else (low, middle)
    while low < count and _name(data, low).hex().startswith(digits):
        yield low
        low += 1


def _name(data: mmap.mmap, at: int) -> bytes:
    start = 8 + 4 * 256 + _WIDTH * at
    return data[start : start + _WIDTH]


def _offset(data: mmap.mmap, at: int) -> int:
    count = int.from_bytes(data[8 + 4 * 255 : 8 + 4 * 256])
    offsets = 8 + 4 * 256 + (_WIDTH + 4) * count
    offset = int.from_bytes(data[offsets + 4 * at :][:4])
    if offset < 1 << 31:
        return offset
    far = offsets + 4 * count + 8 * (offset & 0x7FFFFFFF)
    return int.from_bytes(data[far : far + 8])


def _kind(data: mmap.mmap, pack: int, offset: int) -> int:
    """The kind of the object at `offset` of a pack: of what differs from another, that of the other."""
    for _ in range(_MAX_DELTAS):
        head = os.pread(pack, 64, offset)
        kind = head[0] >> 4 & 7
        at = 1 + next(index for index, byte in enumerate(head) if not byte & 128)
        if kind == _OFFSET_DELTA:
            back = head[at] & 127
            while head[at] & 128:
                at += 1
                back = (back + 1 << 7) | (head[at] & 127)
            offset -= back
        elif kind == _NAME_DELTA:
            offset = _offset(data, next(_places(data, head[at : at + _WIDTH].hex())))
        else:
            return kind
    raise ValueError("an object differs from too many others")
