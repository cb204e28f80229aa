"""Breaking text into rows of a width in cells. Every function here is linear in the length of its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size, split_graphemes

from xun.frontends.text import readable, visible
from xun.frontends.tui.transcript.line import Line, Piece

MARGIN: tuple[Piece, ...] = (("  ", ""),)
"""What stands before the text of an item, under its mark."""
TAB = 8
MIN_WIDTH = 8
"""Cells that a text gets at least, however deep it is indented."""

MEASURE = 100
"""Cells of a row of prose at most, its margin included. Beyond that the eye loses its way to the next row.

Code, tables, diffs and output take the width that there is: broken rows of theirs are harder to read than long ones.
"""

# Blanks, one character of a script that breaks anywhere, or a word. A no-break space belongs to its word.
_ANYWHERE = "\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff"
_WORD = re.compile(f"[ \t]+|[{_ANYWHERE}]|[^ \t{_ANYWHERE}]+")
Span = tuple[int, int, str | None]
"""Start, end, and what `Line.join` says."""


def clean(text: str) -> str:
    """`text` with line ends as newlines and all that could command a terminal made visible. Tabs stay."""
    return visible(text.replace("\r\n", "\n") if "\r" in text else text)


def prose(text: str) -> str:
    """`clean` for what is read and never run: emoji stay joined, and the blanks of typesetting stay."""
    return readable(text.replace("\r\n", "\n") if "\r" in text else text)


def measure(width: int) -> int:
    """The cells that a row of prose gets in `width` cells."""
    return min(width, MEASURE)


def expand(line: str, column: int = 0) -> str:
    """A line with its tabs as blanks, the first character standing at `column`."""
    if "\t" not in line:
        return line
    parts: list[str] = []
    head, *rest = line.split("\t")
    column += cell_len(head)
    parts.append(head)
    for part in rest:
        blanks = TAB - column % TAB
        parts += (" " * blanks, part)
        column += blanks + cell_len(part)
    return "".join(parts)


def cut(text: str, room: int) -> str:
    """`text` in at most `room` cells, tabs as one blank each; an ellipsis stands for what is left out."""
    text = text.replace("\t", " ")
    fitting = set_cell_size(text, room).rstrip()
    return text if fitting == text.rstrip() else f"{set_cell_size(text, room - 1).rstrip()}…"


def fold(text: str, width: int) -> list[Span]:
    """Rows that are full, whatever stands at their ends: for code and output."""
    if cell_len(text) <= width:
        return [(0, len(text), None)]
    cuts = list(range(0, len(text), width) if text.isascii() else _cuts(text, width))
    ends = [*cuts[1:], len(text)]
    return [(start, end, "" if start else None) for start, end in zip(cuts, ends, strict=True)]


def _cuts(text: str, width: int) -> Iterator[int]:
    used = 0
    yield 0
    for start, _, size in split_graphemes(text)[0]:
        if used + size > width:
            yield start
            used = 0
        used += size


def words(text: str, width: int) -> list[Span]:
    """Rows that break between words, the blanks there left out; a word too long for a row is folded."""
    if cell_len(text) <= width:
        return [(0, len(text), None)]
    rows: list[Span] = []
    start, used, join, hangs = 0, 0, None, False
    for match in _WORD.finditer(text):
        size = cell_len(match.group())
        if used + size <= width:
            used += size
            continue
        at = match.start()
        if text[at] in " \t":
            used, hangs = width + 1, True  # blanks hang over the edge: what comes next begins a row
            continue
        if at > start:
            end = start + len(text[start:at].rstrip(" \t"))
            rows.append((start, end, join))
            join = text[end:at]
            start = at
        if size > width:
            *full, (last, _, _) = fold(match.group(), width)
            for index, (first, end, _) in enumerate(full):
                rows.append((at + first, at + end, "" if index else join))
            join = "" if full else join
            start = at + last
            size = cell_len(text[start : match.end()])
        used, hangs = size, False
    end = max(start, len(text.rstrip(" \t"))) if hangs else len(text)
    rows.append((start, end, join))
    return rows


def wrap(
    pieces: Sequence[Piece],
    width: int,
    *,
    first: Sequence[Piece] = (),
    rest: Sequence[Piece] | None = None,
    paragraph: int = 0,
    folded: bool = False,
) -> list[Line]:
    """One line of text as rows of `width` cells: between words, or `folded` at the edge.

    Each row is decorated by `first` or, from the second on, by `rest` (default: as many blanks). The pieces hold no
    newline; tabs are expanded.
    """
    if rest is None:
        rest = ((" " * sum(cell_len(text) for text, _ in first), ""),) if first else ()
    pieces = _expanded(pieces)
    text = pieces[0][0] if len(pieces) == 1 else "".join(text for text, _ in pieces)
    taken = max(sum(cell_len(text) for text, _ in decoration) for decoration in (first, rest))
    spans = (fold if folded else words)(text, max(width - taken, MIN_WIDTH))
    lines: list[Line] = []
    for row, (start, _, join) in zip(_slices(pieces, spans), spans, strict=True):
        decoration = rest if lines else first
        furniture = sum(len(text) for text, _ in decoration)
        lines.append(Line((*decoration, *row), (paragraph, start), furniture, join))
    return lines


def wrap_all(
    text: str, style: str, width: int, *, first: Sequence[Piece] = (), rest: Sequence[Piece] | None = None,
    folded: bool = False,
) -> list[Line]:  # fmt: skip
    """Each line of `text`, in one style; `rest` decorates all rows but the very first."""
    lines: list[Line] = []
    for number, line in enumerate(text.split("\n")):
        decoration = first if not number or rest is None else rest
        lines += wrap(((line, style),), width, first=decoration, rest=rest, paragraph=number, folded=folded)
    return lines


def _expanded(pieces: Sequence[Piece]) -> Sequence[Piece]:
    if not any("\t" in text for text, _ in pieces):
        return pieces
    column = 0
    result: list[Piece] = []
    for text, style in pieces:
        text = expand(text, column)
        column += cell_len(text)
        result.append((text, style))
    return result


def _slices(pieces: Sequence[Piece], spans: Sequence[Span]) -> Iterator[list[Piece]]:
    """The pieces of each span. Spans are in order and do not overlap."""
    index, offset = 0, 0  # the piece looked at, and where it begins
    for start, end, _ in spans:
        row: list[Piece] = []
        while index < len(pieces):
            text, style = pieces[index]
            part = text[max(start - offset, 0) : end - offset]
            if part:
                row.append((part, style))
            if offset + len(text) > end:
                break
            offset += len(text)
            index += 1
        yield row
