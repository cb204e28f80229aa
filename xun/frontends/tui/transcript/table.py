"""Tables: columns as wide as they need, or as the screen allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from xun.frontends.tui.transcript.inline import inline_lines
from xun.frontends.tui.transcript.line import Piece
from xun.frontends.tui.transcript.wrap import MIN_WIDTH, wrap

if TYPE_CHECKING:
    from markdown_it.token import Token

_BETWEEN = (" │ ", "rule")
Cell = tuple[list[Piece], str]
"""Its text, and the side it stands on: "", "right" or "center"."""


def table_rows(tokens: Sequence[Token], width: int) -> list[list[Piece]] | None:
    """The table of `tokens` in at most `width` cells, or None where that would be unreadable."""
    table = _cells(tokens)
    columns = len(table[0])
    room = width - len(_BETWEEN[0]) * (columns - 1)
    widths = _widths(table, columns, room)
    if widths is None:
        return None
    rows: list[list[Piece]] = []
    for number, cells in enumerate(table):
        rows += _row(cells, widths)
        if not number:
            rows.append([("─┼─".join("─" * size for size in widths), "rule")])
    return rows


def _cells(tokens: Sequence[Token]) -> list[list[Cell]]:
    table: list[list[Cell]] = []
    side, style = "", "text"
    for token in tokens:
        if token.type == "tr_open":
            table.append([])
        elif token.type in ("th_open", "td_open"):
            side = str(token.attrs.get("style", "")).removeprefix("text-align:")
            style = "text strong" if token.type == "th_open" else "text"
        elif token.type == "inline":
            table[-1].append((inline_lines(token.children or [], style)[0], side))
    return table


def _widths(table: Sequence[Sequence[Cell]], columns: int, room: int) -> list[int] | None:
    wanted = [max(1, *(_size(row[column][0]) for row in table)) for column in range(columns)]
    if sum(wanted) <= room:
        return wanted
    if room < columns * MIN_WIDTH:
        return None
    # Narrow columns get what they want; the wide ones share the rest evenly.
    widths = [0] * columns
    left, order = room, sorted(range(columns), key=wanted.__getitem__)
    for place, column in enumerate(order):
        widths[column] = min(wanted[column], left // (columns - place))
        left -= widths[column]
    return widths


def _row(cells: Sequence[Cell], widths: Sequence[int]) -> list[list[Piece]]:
    columns = [[line.pieces for line in wrap(pieces, size)] for (pieces, _), size in zip(cells, widths, strict=True)]
    rows: list[list[Piece]] = []
    for number in range(max(map(len, columns))):
        row: list[Piece] = []
        for column, (lines, size, (_, side)) in enumerate(zip(columns, widths, cells, strict=True)):
            pieces = lines[number] if number < len(lines) else ()
            blank = max(size - _size(pieces), 0)
            left = blank if side == "right" else blank // 2 if side == "center" else 0
            row += [_BETWEEN] if column else []
            row += [(" " * left, ""), *pieces, (" " * (blank - left), "")]
        rows.append([piece for piece in row if piece[0]])
    return rows


def _size(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(text) for text, _ in pieces)
