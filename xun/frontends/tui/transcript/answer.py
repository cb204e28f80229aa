"""The model's text: closed blocks as Markdown, the open one as plain rows that only grow."""

from __future__ import annotations

import re

from rich.cells import cell_len

from xun.frontends.tui.transcript.item import MARGIN, Item, rows_of
from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.markdown import CODE_MARGIN, render
from xun.frontends.tui.transcript.wrap import MIN_WIDTH, clean, expand, fold, words

_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:`{3,}[^`]*|~{3,}.*)$")


class Block(Item):
    """A closed piece of Markdown."""

    __slots__ = ("_held", "_source")

    def __init__(self, text: str, *, gap: bool) -> None:
        super().__init__(gap=gap)
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
        return render(self._source, width, MARGIN)

    def estimate(self, width: int) -> int:
        return rows_of(self._source, width - 2) + self.gap


class Open(Item):
    """The block that is being written. A new piece costs its own length and that of the last row, no more."""

    __slots__ = ("_code", "_column", "_cr", "_line", "_paragraph", "_parts", "_place", "_rows", "_width")

    def __init__(self, text: str = "", *, gap: bool) -> None:
        super().__init__(gap=gap)
        self._parts = [text]
        self._restart(0)

    def add(self, text: str) -> None:
        self._parts.append(text)
        if self._width:
            self._take(text)
        self.changed()

    @property
    def source(self) -> str:
        return "".join(self._parts)

    def body(self, width: int) -> list[Line]:
        if width != self._width:
            self._restart(width)
            self._take(self.source)
        shown = len(self._rows)
        while shown > 1 and not self._rows[shown - 1].content:
            shown -= 1  # an empty line that nothing follows yet
        return self._rows[:shown]

    def estimate(self, width: int) -> int:
        return (len(self._rows) if width == self._width else rows_of(self.source, width - 2)) + self.gap

    def _restart(self, width: int) -> None:
        self._width = width
        self._code = False
        self._cr = False
        self._paragraph = 0  # the source line that the last row belongs to
        self._place = 0  # where in it that row begins
        self._column = 0  # how many cells of it there are, so that tabs stop where they should
        self._line = ""  # the text of that row
        self._rows = [Line(MARGIN, furniture=2)]

    def _take(self, text: str) -> None:
        text = "\r" + text if self._cr else text
        self._cr = text.endswith("\r")  # half of a line end, perhaps
        head, *rest = clean(text[:-1] if self._cr else text).split("\n")
        self._extend(head)
        for line in rest:
            self._end_line()
            self._extend(line)

    def _extend(self, text: str) -> None:
        """Wrap the last row anew, with what follows it. The rows above are final."""
        if not text:
            return
        text = expand(text, self._column)
        self._column += cell_len(text)
        whole = self._line + text
        margin, style = (CODE_MARGIN, "code") if self._code else (MARGIN, "text")
        furniture = sum(len(part) for part, _ in margin)
        spans = (fold if self._code else words)(whole, max(self._width - furniture, MIN_WIDTH))
        join = self._rows.pop().join
        for start, end, joint in spans:
            place = (self._paragraph, self._place + start)
            pieces = (*margin, (whole[start:end], style))
            self._rows.append(Line(pieces, place, furniture, joint if start else join))
        last = spans[-1][0]
        self._line = whole[last:]
        self._place += last

    def _end_line(self) -> None:
        if not self._place and _FENCE.match(self._line):
            self._code = not self._code
            if self._code:
                self._rows.pop()  # as it will look once the block is closed
        self._paragraph += 1
        self._line, self._place, self._column = "", 0, 0
        margin = CODE_MARGIN if self._code else MARGIN
        self._rows.append(Line(margin, (self._paragraph, 0), sum(len(part) for part, _ in margin)))
