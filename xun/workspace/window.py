"""Some lines of a text file of any size, read in one pass with bounded memory."""

from __future__ import annotations

import codecs
import hashlib
import os
from dataclasses import dataclass, field
from typing import BinaryIO

from xun.workspace.encoding import utf8_chunks
from xun.workspace.text import as_shown


@dataclass(slots=True)
class Line:
    """A piece of one line. `length` counts the characters of the whole line, without its line end."""

    number: int
    text: str
    length: int


@dataclass(slots=True)
class Window:
    """What `read_window` found. `total` counts lines, and `digest` is the SHA-256 of the whole file in
    hexadecimal; both are None where reading stopped early, so that more lines follow.
    """

    lines: list[Line] = field(default_factory=list)
    total: int | None = None
    digest: str | None = None


def read_window(file: BinaryIO, *, first: int, limit: int, column: int, width: int, budget: int, whole: int) -> Window:
    """Up to `limit` lines of `file` from number `first` on, of each the `width` characters from `column` on.

    Numbers and columns count from 1. Taking lines stops when `budget` bytes of UTF-8 are full, but not before
    one line. The rest of the file is read only to count and to hash, and only if the file has at most `whole`
    bytes.
    """
    complete = os.fstat(file.fileno()).st_size <= whole
    digest = hashlib.sha256()
    taker = _Taker(first, limit, column, width, budget)
    for chunk in filter(None, utf8_chunks(file, digest.update)):
        taker.feed(chunk)
        if taker.full and not complete:
            return Window(taker.lines)
    taker.finish()
    return Window(taker.lines, taker.number, digest.hexdigest() if complete else None)


class _Taker:
    """Takes the wanted lines out of chunks, which may end anywhere."""

    def __init__(self, first: int, limit: int, column: int, width: int, budget: int) -> None:
        self.lines: list[Line] = []
        self.number = 0  # of complete lines so far; of all lines after finish()
        self._first, self._limit = first, limit
        self._column, self._width, self._budget = column, width, budget
        self._open = False  # bytes of a line came, but not its end
        self._stopped = False
        self._piece = _Piece(column, width)

    @property
    def full(self) -> bool:
        return self._stopped or len(self.lines) >= self._limit

    def feed(self, chunk: bytes) -> None:
        position = self._skip(chunk)
        while position < len(chunk) and not self.full:
            end = chunk.find(b"\n", position)
            self._piece.add(chunk[position : end if end >= 0 else len(chunk)])
            self._open = end < 0
            if end < 0:
                return
            self._take()
            position = end + 1
        if position < len(chunk):
            self.number += chunk.count(b"\n", position)
            self._open = not chunk.endswith(b"\n")

    def finish(self) -> None:
        if self._open and not self.full and self.number + 1 >= self._first:
            self._take()
        elif self._open:
            self.number += 1

    def _skip(self, chunk: bytes) -> int:
        """Pass over lines before the first wanted one; returns where in the chunk that one begins."""
        missing = self._first - 1 - self.number
        if missing <= 0:
            return 0
        ends = chunk.count(b"\n")
        if ends < missing:
            self.number += ends
            self._open = not chunk.endswith(b"\n")
            return len(chunk)
        position = 0
        for _ in range(missing):
            position = chunk.index(b"\n", position) + 1
        self.number += missing
        self._open = False
        return position

    def _take(self) -> None:
        self.number += 1
        text, length = self._piece.finish()
        self._piece = _Piece(self._column, self._width)
        size = len(text.encode()) + 1
        if size > self._budget:
            self._stopped = True
            if self.lines:
                return
            text = text.encode()[: self._budget].decode("utf-8", "ignore")
        self._budget -= size
        self.lines.append(Line(self.number, text, length))


class _Piece:
    """The wanted characters of one line that comes in parts."""

    def __init__(self, column: int, width: int) -> None:
        self._skip, self._width = column - 1, width
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._kept = ""
        self._length = 0
        self._returned = False

    def add(self, part: bytes, *, final: bool = False) -> None:
        text = self._decoder.decode(part, final)
        start = max(0, self._skip - self._length)
        self._kept += text[start : start + self._width - len(self._kept)]
        self._length += len(text)
        self._returned = text.endswith("\r") if text else self._returned

    def finish(self) -> tuple[str, int]:
        self.add(b"", final=True)
        if self._returned:
            self._length -= 1
            if self._skip + len(self._kept) > self._length:
                self._kept = self._kept[:-1]
        return as_shown(self._kept), self._length
