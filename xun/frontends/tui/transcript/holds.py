"""Items that keep their look for now, because somebody reads them."""

from __future__ import annotations

from collections.abc import Callable

from xun.frontends.tui.transcript.item import Item
from xun.frontends.tui.transcript.rows import Rows


class Holds:
    """What is held, until nobody reads it. `reading` tells whether somebody has scrolled up and looks at an item."""

    def __init__(self, rows: Rows, reading: Callable[[int], bool]) -> None:
        self._rows = rows
        self._reading = reading
        self._held: dict[int, Item] = {}

    def wanted(self, index: int) -> bool:
        """Whether the item there must not change its rows."""
        return self._reading(index)

    def add(self, index: int, item: Item) -> None:
        """An item has kept its look."""
        self._held[index] = item

    def release(self) -> bool:
        """Let items go that nobody reads any more. False if none was."""
        free = [index for index in self._held if not self._reading(index)]
        for index in free:
            item = self._held.pop(index)
            item.release()
            if index < len(self._rows) and self._rows[index] is item:  # it may be gone, or have moved up
                self._rows.changed(index)
        return bool(free)
