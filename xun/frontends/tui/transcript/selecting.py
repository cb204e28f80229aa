"""What a selection covers. A row is addressed by its item and its number there, so scrolling changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.geometry import Offset
from textual.selection import Selection

from xun.frontends.tui.transcript.line import Line, joined
from xun.frontends.tui.transcript.rows import Rows
from xun.frontends.tui.transcript.window import Shown

_ROWS = 1 << 24
"""Rows of an item at most, as far as addresses go."""


def address(shown: Shown) -> int:
    """The row as the y of an `Offset`: in order, and the same wherever the row is on the screen."""
    return shown.item * _ROWS + shown.number


def selected(rows: Rows, selection: Selection) -> str:
    """The text under a selection."""
    first = selection.start or Offset(0, 0)
    last_item, last_row = divmod(selection.end.y, _ROWS) if selection.end else (len(rows) - 1, _ROWS - 1)
    first_item, first_row = divmod(first.y, _ROWS)
    lines: list[Line] = []
    for item in range(first_item, min(last_item, len(rows) - 1) + 1):
        for number, line in enumerate(rows.lines(item)):
            if not line.silent and (first_item, first_row) <= (item, number) <= (last_item, last_row):
                lines.append(_part(line, selection.get_span(item * _ROWS + number)))
    return joined(lines)


def _part(line: Line, span: tuple[int, int] | None) -> Line:
    if span is None:
        return Line(join=line.join)
    start, end = span
    text = line.text[max(start, line.furniture) : None if end < 0 else end]
    return Line(((text.rstrip() if end < 0 else text, ""),), join=line.join)


def word_at(line: Line, cell: int) -> tuple[int, int]:
    """Where the word at a cell of a row begins and ends, in characters; an empty span between words."""
    text = line.text
    index = len(text)
    for position in range(len(text)):
        if cell_len(text[: position + 1]) > cell:
            index = position
            break
    left = right = index
    while left > line.furniture and not text[left - 1].isspace():
        left -= 1
    while right < len(text) and not text[right].isspace():
        right += 1
    return (left, right) if index < len(text) and not text[index].isspace() else (index, index)


def paragraph_at(lines: Sequence[Line], number: int) -> tuple[int, int]:
    """The first and the last row of the line of text that a row is part of."""
    first = last = number
    while first and lines[first].join is not None:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].join is not None:
        last += 1
    return first, last
