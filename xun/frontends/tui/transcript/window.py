"""Which rows are on the screen, and that they stay where they are.

What holds the view is a place in an item, not a number of rows: items above may change, grow, or turn out to be higher
than was estimated, and the first row on the screen is still the same.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import NamedTuple

from xun.frontends.tui.transcript.line import Line, Place
from xun.frontends.tui.transcript.rows import Rows


class Shown(NamedTuple):
    """One row on the screen: its item, its number there, and itself."""

    item: int
    number: int
    line: Line


class Window:
    """A view of `height` rows. `following`: it stays at the end, whatever is added there."""

    def __init__(self, rows: Rows, height: int = 24) -> None:
        self.height = height
        self.following = True
        self._rows = rows
        self._item = 0
        self._place: Place = (-1, 0)
        self._floor = (0, 0)  # while following, the first row does not lie above this one
        self._head: int | None = None  # the item that the view begins with, as `begin_with` has it

    @property
    def position(self) -> int:
        """Rows above the view."""
        if not len(self._rows):
            return 0
        item, number = self._top()
        return self._rows.before(item) + number

    def resize(self, width: int, height: int) -> None:
        """Take another size. The first row goes on with the same text."""
        self.height = height
        self._rows.set_width(width)
        if self._head is not None and self._head < len(self._rows):
            self.begin_with(self._head)  # it may be in view with the end now

    def shown(self) -> list[Shown]:
        """The rows in view, at most `height`."""
        if not len(self._rows):
            return []
        item, number = self._top()
        shown: list[Shown] = []
        while item < len(self._rows) and len(shown) < self.height:
            lines = self._rows.lines(item)
            for line in lines[number : number + self.height - len(shown)]:
                shown.append(Shown(item, number, line))
                number += 1
            item, number = item + 1, 0
        return shown

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following, self._head = True, None
        self._item, self._floor = 0, (0, 0)

    def follow_with(self, item: int) -> None:
        """Follow the end if the first row of an item is in view there; else stay."""
        held = (self._item, self._place)
        self.follow()
        if self._top() > (item, int(self._rows[item].gap)):
            self.following = False
            self._item, self._place = held

    def begin_with(self, item: int) -> None:
        """Follow the end if the first row of an item is in view there; else begin with that row."""
        if not self.following:
            self.follow()
        first = (item, int(self._rows[item].gap))
        if self._top() > first:
            self._set(*first)
            self._head = item

    def hold(self) -> None:
        """Stay at what is shown now."""
        if len(self._rows):
            self._set(*self._top())

    def settle(self) -> None:
        """Follow the end again if it is in view; rows that are free below it are left for what comes."""
        if not self.following and len(self._rows) and self.reaches_end():
            floor = self._top()
            self.follow()
            self._floor = floor

    def move(self, rows: int) -> None:
        """Go down by some rows, or up where that is negative."""
        if not len(self._rows) or not rows:
            return
        item, number = self._top()
        self._set(*(self._up(item, number, -rows) if rows < 0 else self._down(item, number, rows)))
        if self.reaches_end():
            self.follow()

    def jump(self, row: int) -> None:
        """Go to a row, counted from the beginning as `position` counts."""
        if not len(self._rows):
            return
        item, number = self._rows.find(max(row, 0))
        self._set(item, min(number, len(self._rows.lines(item)) - 1))
        if self.reaches_end():
            self.follow()

    def reveal(self, item: int) -> None:
        """Bring the first row of an item into view, if it is not."""
        shown = self.shown()
        heading = 1 if self._rows[item].gap else 0
        if any(row.item == item and row.number == heading for row in shown):
            return
        below = bool(shown) and item >= shown[-1].item
        self._set(item, 0)
        if below:
            self.move(-(self.height - 2))

    def reaches_end(self) -> bool:
        """Whether no row lies below the view."""
        shown = self.shown()
        if len(shown) < self.height:
            return True
        last = shown[-1]
        return last.item == len(self._rows) - 1 and last.number == len(self._rows.lines(last.item)) - 1

    def _top(self) -> tuple[int, int]:
        """The first row in view: its item, and its number there."""
        last = len(self._rows) - 1
        if self._item > last:
            self.follow()  # what was in view is gone
        if self.following:
            return max(self._up(last, len(self._rows.lines(last)), self.height), min(self._floor, (last, 0)))
        lines = self._rows.lines(self._item)
        return self._item, max(bisect_right(lines, self._place, key=attrgetter("at")) - 1, 0)

    def _set(self, item: int, number: int) -> None:
        self.following, self._head = False, None
        self._item = item
        self._place = self._rows.lines(item)[number].at

    def _up(self, item: int, number: int, rows: int) -> tuple[int, int]:
        while rows > number:
            if not item:
                return 0, 0
            rows -= number
            item -= 1
            number = len(self._rows.lines(item))
        return item, number - rows

    def _down(self, item: int, number: int, rows: int) -> tuple[int, int]:
        number += rows
        while number >= (size := len(self._rows.lines(item))):
            if item + 1 == len(self._rows):
                return item, size - 1
            number -= size
            item += 1
        return item, number
