"""Rows as strips, which is what Textual draws."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.palette import Palette
from xun.frontends.tui.transcript.selecting import address
from xun.frontends.tui.transcript.window import Shown


class Strips:
    """Makes strips of `width` cells in the colours of `palette`, each once."""

    def __init__(self, palette: Palette, width: int) -> None:
        self._palette = palette
        self._width = width

    def blank(self) -> Strip:
        """An empty row."""
        return Strip.blank(self._width, self._palette.base)

    def strip(self, shown: Shown) -> Strip:
        """A row. Its characters tell the mouse where they are; the blanks that fill it do not."""
        line = shown.line
        if line.strip is None or line.strip[0] is not self or line.strip[1] != shown[:2]:
            line.strip = (self, shown[:2], self._placed(self._bare(line), shown))
        return line.strip[2]

    def selected(self, shown: Shown, selection: Selection, style: Style) -> Strip:
        """A row of which a part may be selected."""
        span = selection.get_span(address(shown))
        if span is None:
            return self.strip(shown)
        strip, text = self._bare(shown.line), shown.line.text
        start = cell_len(text[: max(span[0], shown.line.furniture)])
        stop = strip.cell_length if span[1] < 0 else cell_len(text[: span[1]])
        if stop > start:
            inside = strip.crop(start, stop).apply_style(style)
            strip = Strip.join([strip.crop(0, start), inside, strip.crop(stop)])
        return self._placed(strip, shown)

    def marked(self, strip: Strip, name: str) -> Strip:
        """The same row with one more style."""
        return strip.apply_style(self._palette.style(name))

    def signed(self, strip: Strip, sign: str) -> Strip:
        """The row with a sign over its end."""
        return Strip.join([strip.crop(0, self._width - len(sign)), Strip([Segment(sign, self._palette.style("sign"))])])

    def _bare(self, line: Line) -> Strip:
        return Strip([Segment(text, style) for text, style in self._palette.segments(line)])

    def _placed(self, strip: Strip, shown: Shown) -> Strip:
        # Places come last: each part of a row that was cut has to tell its own.
        return strip.apply_offsets(0, address(shown)).crop_extend(0, self._width, self._palette.base)
