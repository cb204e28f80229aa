"""The model's text: closed blocks as Markdown, the open one as plain rows."""

from __future__ import annotations

from xun.frontends.tui.transcript.growing import Growing
from xun.frontends.tui.transcript.item import Item, rows_of
from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.markdown import render
from xun.frontends.tui.transcript.wrap import MARGIN, measure


class Block(Item):
    """A closed piece of Markdown. `number`: as `splitter.Block` has it."""

    __slots__ = ("_held", "_number", "_source")

    def __init__(self, text: str, *, gap: bool, number: int | None = None) -> None:
        super().__init__(gap=gap)
        self._number = number
        self._source = text
        self._held: Open | None = None

    def hold(self, look: Open) -> None:
        """Look as the block did while it was open: somebody reads it, and nothing they look at may move."""
        self._held = look

    def release(self) -> None:
        if self._held is not None:
            self._held = None
            self.changed()

    def body(self, width: int) -> list[Line]:
        if self._held is not None:
            return self._held.body(width)
        return render(self._source, width, MARGIN, self._number)

    def estimate(self, width: int) -> int:
        return rows_of(self._source, measure(width) - 2) + self.gap


class Open(Item):
    """The block that is being written."""

    __slots__ = ("_growing",)

    def __init__(self, text: str = "", *, gap: bool) -> None:
        super().__init__(gap=gap)
        self._growing = Growing(text, fences=True)

    def add(self, text: str) -> None:
        self._growing.add(text)
        self.changed()

    def body(self, width: int) -> list[Line]:
        return self._growing.rows(width)

    def estimate(self, width: int) -> int:
        return len(self._growing.rows(width)) + self.gap
