"""Text that is still arriving, as rows that only grow."""

from __future__ import annotations

import re

from rich.cells import cell_len

from xun.frontends.tui.transcript.label import label_of, language_of
from xun.frontends.tui.transcript.line import Line, Piece
from xun.frontends.tui.transcript.wrap import MARGIN, MIN_WIDTH, expand, fold, measure, prose, words

_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:`{3,}([^`]*)|~{3,}(.*))$")
CODE_MARGIN: tuple[Piece, ...] = (*MARGIN, ("│ ", "rule"))
"""What stands before a line of code that belongs to no list."""


class Growing:
    """Wraps text as it comes. A new piece costs its own length and that of the last row, no more.

    `style` is that of plain rows. With `fences`, what stands between code fences looks as it will once it is closed.
    """

    __slots__ = (
        "_code", "_column", "_cr", "_fences", "_line", "_paragraph", "_parts", "_place", "_rows", "_style", "_width",
        "size",
    )  # fmt: skip

    def __init__(self, text: str = "", *, style: str = "text", fences: bool = False) -> None:
        self.size = len(text)
        self._parts = [text]
        self._style = style
        self._fences = fences
        self._restart(0)

    @property
    def source(self) -> str:
        """All of the text."""
        return "".join(self._parts)

    def add(self, text: str) -> None:
        self._parts.append(text)
        self.size += len(text)
        if self._width:
            self._take(text)

    def rows(self, width: int) -> list[Line]:
        """The rows at `width` cells, at least one. Those of the last call stay as they were, but for its last ones."""
        if width != self._width:
            self._restart(width)
            self._take(self.source)
        shown = len(self._rows)
        while shown > 1 and not self._rows[shown - 1].content:
            shown -= 1  # an empty line that nothing follows yet
        return self._rows[:shown]

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
        head, *rest = prose(text[:-1] if self._cr else text).split("\n")
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
        margin, style = (CODE_MARGIN, "code") if self._code else (MARGIN, self._style)
        furniture = sum(len(part) for part, _ in margin)
        width = self._width if self._code else measure(self._width)
        spans = (fold if self._code else words)(whole, max(width - furniture, MIN_WIDTH))
        join = self._rows.pop().join
        for start, end, joint in spans:
            place = (self._paragraph, self._place + start)
            pieces = (*margin, (whole[start:end], style))
            self._rows.append(Line(pieces, place, furniture, joint if start else join))
        last = spans[-1][0]
        self._line = whole[last:]
        self._place += last

    def _end_line(self) -> None:
        if self._fences and not self._place and (fence := _FENCE.match(self._line)):
            self._code = not self._code
            if self._code:
                self._rows.pop()
                if language := language_of(fence[1] or fence[2] or ""):
                    self._rows.append(label_of(language, self._width, MARGIN, (self._paragraph, 0)))
        self._paragraph += 1
        self._line, self._place, self._column = "", 0, 0
        margin = CODE_MARGIN if self._code else MARGIN
        self._rows.append(Line(margin, (self._paragraph, 0), sum(len(part) for part, _ in margin)))
