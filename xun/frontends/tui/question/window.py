"""Answers of which there are more than rows: those around the marked one, a row each where more stands beside them."""

from __future__ import annotations

from rich.cells import cell_len

from xun.frontends.tui.question.choices import Choice, Menu
from xun.frontends.tui.question.look import digits_of, number_of, row_of
from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.wrap import clean, cut, wrap

_LABELS = 0.45  # of the width, for the labels where something stands beside them


def window(menu: Menu, at: int, width: int, rows: int, *, ready: bool) -> list[Line]:
    """As many answers as fit in `rows`, the one at `at` among them, and how many there are before and behind."""
    told = rows > 1
    room = max(rows - told, 1)
    labels = _label_room(menu, width)

    def lines_of(index: int) -> list[Line]:
        if menu.listing:
            return _listed(menu, index, labels, width, marked=index == at, ready=ready)
        return row_of(menu, index, width, marked=index == at, ready=ready)

    first = last = at
    shown = lines_of(at)[:room]
    grown = True
    while grown and len(shown) < room:
        grown = False
        if last + 1 < len(menu.choices) and len(more := lines_of(last + 1)) <= room - len(shown):
            shown, last, grown = [*shown, *more], last + 1, True
        if first and len(more := lines_of(first - 1)) <= room - len(shown):
            shown, first, grown = [*more, *shown], first - 1, True
    return [*shown, *(_rest(first, len(menu.choices) - last - 1, width) if told else ())]


def _rest(before: int, behind: int, width: int) -> list[Line]:
    told = " · ".join(f"{count:,} more {where}" for count, where in ((before, "above"), (behind, "below")) if count)
    return [wrap(((cut(told, max(width - 2, 1)), "muted"),), width, first=(("  ", ""),))[0]]


def _label_room(menu: Menu, width: int) -> int:
    longest = max(cell_len(clean(choice.label)) for choice in menu.choices)
    return min(longest, max(int(width * _LABELS), 8))


def _listed(menu: Menu, index: int, labels: int, width: int, *, marked: bool, ready: bool) -> list[Line]:
    """One row: the label, and as much as there is room for of what stands beside it."""
    choice: Choice = menu.choices[index]
    label = cut(clean(choice.label), labels)
    number = number_of(index, digits_of(menu))
    head = f"{'▸' if marked else ' '} {number}{label}{' ' * (labels - cell_len(label))}"
    pieces = [(cut(head, width), "strong" if marked and ready else "")]
    room = width - cell_len(head) - 2
    if room > 0 and choice.keeps:
        pieces.append((f"  {cut(clean(choice.keeps).replace(chr(10), ' '), room)}", "muted"))
    return [Line(tuple(pieces), choice=index)]
