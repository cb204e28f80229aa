"""What a person takes for one character: letters with their accents, joined pictures, flags, stand-ins."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len

from xun.frontends.tui.prompt.unseen import pieces


@lru_cache(maxsize=16)
def edges(line: str) -> Sequence[int]:
    """The columns between the characters of `line`, as it stands in the prompt, its both ends among them."""
    if line.isascii():
        return range(len(line) + 1)
    from wcwidth import iter_graphemes  # not before something is typed that needs it

    found = [0]
    for piece, whole in pieces(line):
        for cluster in (piece,) if whole else iter_graphemes(piece):
            found.append(found[-1] + len(cluster))
    return found


def at_or_before(line: str, column: int) -> int:
    """The last edge of `line` that is not after `column`."""
    found = edges(line)
    return found[max(bisect_right(found, column) - 1, 0)]


def at_or_after(line: str, column: int) -> int:
    """The first edge of `line` that is not before `column`; its end where there is none."""
    found = edges(line)
    return found[min(bisect_left(found, column), len(found) - 1)]


def column_at(line: str, start: int, end: int, cells: int) -> int:
    """The column of the character that is `cells` cells behind column `start`, in the row that goes to `end`.

    Behind the row, it is the end of the line, or the last character where the line goes on in another row.
    """
    found = edges(line)
    last = at = at_or_after(line, start)
    for after in found[bisect_right(found, at) : bisect_right(found, end)]:
        cells -= cell_len(line[at:after])
        if cells < 0:
            return at
        last, at = at, after
    return at if end == len(line) else last


def word_before(line: str, column: int) -> int:
    """Where the word, or the run of punctuation, before `column` begins; blanks between are passed over."""
    found = edges(line)
    at = bisect_right(found, column) - 1
    while at and line[found[at - 1]].isspace():
        at -= 1
    end = at
    while at and _kind(line[found[at - 1]]) == _kind(line[found[end - 1]]):
        at -= 1
    return found[at]


def word_after(line: str, column: int) -> int:
    """Where the word, or the run of punctuation, after `column` ends; blanks between are passed over."""
    found = edges(line)
    at, last = bisect_left(found, column), len(found) - 1
    while at < last and line[found[at]].isspace():
        at += 1
    start = at
    while at < last and _kind(line[found[at]]) == _kind(line[found[start]]):
        at += 1
    return found[at]


def _kind(char: str) -> str:
    return "blank" if char.isspace() else "word" if char.isalnum() or char == "_" else "punctuation"
