"""The items of a transcript as rows: made when somebody looks, kept while there is room, else only counted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from xun.frontends.tui.transcript.heights import Heights
from xun.frontends.tui.transcript.item import Item
from xun.frontends.tui.transcript.line import Line

CAPACITY = 3_000
"""Rows kept at most, besides those of the item asked for last."""


class Rows:
    """Items and how high they are. A height is an estimate until `lines` was asked for."""

    def __init__(self, width: int = 80) -> None:
        self.width = width
        self.unfolded = False  # whether what comes is unfolded
        self._items: list[Item] = []
        self._heights = Heights()
        self._kept: OrderedDict[Item, tuple[int, list[Line], int]] = OrderedDict()
        self._kept_rows = 0

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Item:
        return self._items[index]

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    @property
    def total(self) -> int:
        """Rows of all items."""
        return self._heights.total

    @property
    def kept(self) -> int:
        """Rows that are held at the moment."""
        return self._kept_rows

    def before(self, index: int) -> int:
        """Rows above an item."""
        return self._heights.before(index)

    def find(self, row: int) -> tuple[int, int]:
        """The item at a row, and the row within it."""
        return self._heights.find(row)

    def append(self, item: Item) -> int:
        """Add at the end. Gives the index."""
        self._look(item)
        self._items.append(item)
        self._heights.append(item.estimate(self.width))
        return len(self._items) - 1

    def extend(self, items: Sequence[Item]) -> None:
        """Add many, at a cost of a few microseconds each."""
        for item in items:
            self._look(item)
        self._items += items
        self._heights.reset(item.estimate(self.width) for item in self._items)

    def unfold(self, unfolded: bool) -> None:
        """Unfold everything that folds, and what comes, or fold it."""
        self.unfolded = unfolded
        for index, item in enumerate(self._items):
            if item.foldable:
                item.toggle(folded=not unfolded)
                self.changed(index)

    def replace(self, index: int, item: Item) -> None:
        self._forget(self._items[index])
        self._items[index] = item
        self._heights[index] = item.estimate(self.width)

    def truncate(self, length: int) -> None:
        """Drop all items from `length` on."""
        for item in self._items[length:]:
            self._forget(item)
        del self._items[length:]
        self._heights.truncate(length)

    def changed(self, index: int) -> None:
        """An item says something else now."""
        self._heights[index] = self._items[index].estimate(self.width)

    def set_width(self, width: int) -> None:
        """Other rows everywhere: all heights are estimates again."""
        if width == self.width:
            return
        self.width = width
        self._kept.clear()
        self._kept_rows = 0
        self._heights.reset(item.estimate(width) for item in self._items)

    def lines(self, index: int) -> list[Line]:
        """The rows of an item, whose height is exact from now on."""
        item = self._items[index]
        kept = self._kept.get(item)
        if kept is not None and kept[0] == item.version:
            self._kept.move_to_end(item)
            lines = kept[1]
        else:
            lines = item.render(self.width)
            self._forget(item)
            self._kept[item] = (item.version, lines, len(lines))
            self._kept_rows += len(lines)
            self._evict()
        self._heights[index] = len(lines)
        return lines

    def _look(self, item: Item) -> None:
        if self.unfolded and item.foldable:
            item.toggle(folded=False)

    def _forget(self, item: Item) -> None:
        kept = self._kept.pop(item, None)
        if kept is not None:
            self._kept_rows -= kept[2]

    def _evict(self) -> None:
        while self._kept_rows > CAPACITY and len(self._kept) > 1:
            _, (_, _, size) = self._kept.popitem(last=False)
            self._kept_rows -= size
