"""Pieces of some lines of a text file, each around a place in its line. No line is held whole, however long it is."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from xun.workspace.encoding import utf8_chunks


@dataclass(frozen=True, slots=True)
class Clip:
    """A piece of line `number`. `start` counts the characters before it, `length` those of the whole line.

    Bytes that are not UTF-8 are escaped, as `surrogateescape` does it.
    """

    number: int
    text: str
    start: int
    length: int


def read_clips(file: BinaryIO, columns: Mapping[int, int], *, width: int, before: int) -> Iterator[Clip]:
    """Of each line that `columns` names, `width` characters, or all if it has no more, in the order of the lines.

    Lines count from 1, and so do columns, in bytes of UTF-8. Of a longer line the piece begins `before` characters
    ahead of its column, or less far at the beginning and further at the end of the line. Nothing is read beyond the
    last of the lines.
    """
    waiting = sorted(columns, reverse=True)
    number = 1
    open_clip: _Clip | None = None
    for chunk in utf8_chunks(file):
        position = 0
        while position < len(chunk) and waiting:
            if open_clip is None and number < waiting[-1]:
                number, position = _skip(chunk, position, number, waiting[-1])
                continue
            open_clip = open_clip or _Clip(number, columns[number], width, before)
            end = chunk.find(b"\n", position)
            open_clip.add(chunk[position : end if end >= 0 else len(chunk)])
            if end < 0:
                break
            yield open_clip.finish()
            waiting.pop()
            open_clip = None
            number, position = number + 1, end + 1
        if not waiting:
            return
    if open_clip is not None:
        yield open_clip.finish()


def _skip(chunk: bytes, position: int, number: int, wanted: int) -> tuple[int, int]:
    """The line and the place in the chunk where line `wanted` begins, or those where the chunk ends before it."""
    ends = chunk.count(b"\n", position)
    if number + ends < wanted:
        return number + ends, len(chunk)
    for _ in range(wanted - number):
        position = chunk.index(b"\n", position) + 1
    return wanted, position


class _Clip:
    """One line that comes in parts. Kept are `width` characters before its column, and as many from there on."""

    def __init__(self, number: int, column: int, width: int, before: int) -> None:
        self._number, self._width, self._before = number, width, before
        self._ahead = column - 1  # bytes that are still to come before the column
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._kept = ""
        self._first = 0  # of the kept characters, in the line
        self._at = 0
        self._length = 0
        self._returned = False

    def add(self, part: bytes) -> None:
        ahead = part[: self._ahead]
        if ahead:
            self._ahead -= len(ahead)
            self._append(self._decoder.decode(ahead))
            self._at = self._length
            self._first = max(0, self._length - self._width)
            self._kept = self._kept[-self._width :]
        self._after(self._decoder.decode(part[len(ahead) :]))

    def finish(self) -> Clip:
        self._after(self._decoder.decode(b"", True))
        length = self._length - self._returned
        start = max(self._first, min(self._at - self._before, length - self._width))
        text = self._kept[start - self._first : min(length, start + self._width) - self._first]
        return Clip(self._number, text, start, length)

    def _after(self, text: str) -> None:
        room = self._at + self._width - self._first - len(self._kept)
        self._append(text, room)

    def _append(self, text: str, room: int | None = None) -> None:
        if text:
            self._kept += text[:room]
            self._length += len(text)
            self._returned = text.endswith("\r")
