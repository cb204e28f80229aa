"""A line of the prompt, to be drawn."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from xun.frontends.tui.prompt.clusters import at_or_after, at_or_before
from xun.frontends.tui.prompt.unseen import standing, to_see


class DrawnLine(Text):
    """`line` as it stands in the prompt; what stands for something else is in `style`.

    A style never ends inside a character: the terminal could not draw half of it, and its cells would be miscounted.
    """

    def __init__(self, line: str, style: Style) -> None:
        super().__init__(to_see(line), end="", no_wrap=True)
        self._line = line
        for start, end in standing(line):
            self.stylize(style, start, end)

    def stylize(self, style: str | Style, start: int = 0, end: int | None = None) -> None:
        """Put `style` on the characters that columns `start` to `end` touch."""
        if 0 <= start < len(self._line):
            start = at_or_before(self._line, start)
        if end is not None and 0 < end < len(self._line):
            end = at_or_after(self._line, end)
        super().stylize(style, start, end)
