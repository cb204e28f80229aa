"""The list above the prompt: completions, or what was sent before."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.content import Content
from textual.events import Resize

from xun.frontends.text import one_line
from xun.frontends.tui.measured import Text
from xun.frontends.tui.prompt.complete import Item
from xun.frontends.tui.safe import plain

ROWS = 8  # items in view at a time, where the terminal has rows enough


class Popup(Text):
    """Shows items, one of them chosen.

    `changed` is called whenever it may want more or fewer rows; `fit` then says how many it has.
    """

    DEFAULT_CSS = """
    Popup { height: auto; max-height: 10; display: none; text-wrap: nowrap; text-overflow: ellipsis; }
    Popup.-open { display: block; }
    """

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._changed = changed
        self._rows = ROWS + 2
        self.is_open = False
        self._items: tuple[Item, ...] = ()
        self._at = 0
        self._title = ""
        self.moved = False  # whether another item than the first offered was looked for

    @property
    def chosen(self) -> Item | None:
        """The chosen item, None where there is none."""
        return self._items[self._at] if self.is_open and self._items else None

    def open(self, items: Sequence[Item], *, title: str = "") -> None:
        """Show `items` under `title`, the first one chosen. Nothing at all closes the list."""
        if not items and not title:
            self.close()
            return
        self._items, self._title, self._at, self.moved = tuple(items), title, 0, False
        self.is_open = True
        self._changed()
        self.set_class(self._rows > 0, "-open")
        self.draw()

    def close(self) -> None:
        self._items, self._title = (), ""
        self.is_open = False
        self.remove_class("-open")
        self._changed()

    @property
    def wanted(self) -> int:
        """Rows that it would fill."""
        return bool(self._title) + min(len(self._items), ROWS) + (len(self._items) > ROWS) if self.is_open else 0

    def fit(self, rows: int) -> None:
        """Take `rows`; with none it is not shown, but open all the same."""
        if rows != self._rows:
            self._rows = rows
            if self.is_open:
                self.set_class(rows > 0, "-open")
                self.draw()

    def move(self, step: int) -> None:
        """Choose the next (1) or previous (-1) item, round the ends."""
        if self._items:
            self._at = (self._at + step) % len(self._items)
            self.moved = True
            self.draw()

    def on_resize(self, event: Resize) -> None:
        """Fit the new size."""
        if self.is_open:
            self.draw()

    def draw(self) -> None:
        """Lay out as many items as there is room for."""
        beside = self._rows - bool(self._title)
        counted = len(self._items) > beside > 1
        rows = min(ROWS, max(beside - counted, 1))
        width = max(self.app.size.width - 4, 20)
        lines = [plain(self._title, "dim")] if self._title else []
        first = max(0, min(self._at - rows // 2, len(self._items) - rows))
        shown = self._items[first : first + rows]
        room = min(max((len(item.text) for item in self._items), default=0), width // 2)
        for index, item in enumerate(shown, first):
            here = index == self._at
            text = one_line(item.text, width).ljust(room)
            line = plain(f"{'▸' if here else ' '} {text}", "bold" if here else "")
            help_room = width - max(len(text), room) - 3
            if item.help and help_room > 10:
                line = line + plain(f"   {one_line(item.help, help_room)}", "dim")
            lines.append(line)
        if counted:
            lines.append(plain(f"  {self._at + 1} of {len(self._items)}", "dim"))
        self.update(Content("\n").join(lines[: max(self._rows, 1)]))
