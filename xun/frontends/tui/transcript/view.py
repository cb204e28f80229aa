"""The widget that shows the conversation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from rich.segment import Segment
from textual.content import Content
from textual.events import Click, MouseDown, Resize
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from xun.events import AnyEvent
from xun.frontends.tui.transcript.book import Book
from xun.frontends.tui.transcript.item import Notice, Output
from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.palette import CLASSES, CSS, Palette
from xun.frontends.tui.transcript.rows import Rows
from xun.frontends.tui.transcript.selecting import address, selected
from xun.frontends.tui.transcript.window import Shown, Window
from xun.messages import Message

FRAME = 1 / 30
"""Seconds between two looks at what has come, while something comes. There is no timer otherwise."""

_SIGN = " ↓ new below "


class Transcript(ScrollView, can_focus=True):
    """Hears events and shows them. It follows the end until somebody scrolls up, and then does not move."""

    ALLOW_SELECT = True
    FOCUS_ON_CLICK = False
    COMPONENT_CLASSES: ClassVar[set[str]] = set(CLASSES)
    DEFAULT_CSS = CSS

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows = Rows()
        self._window = Window(self._rows)
        self._book = Book(self._rows, self._reading)
        self._shown: list[Shown] = []
        self._unseen = False
        self._palette: Palette | None = None
        self._ticker: Timer | None = None
        self._pending = False
        self._syncing = False
        self._unfolded = False
        self._pressed: tuple[int, int] | None = None

    # What the app says to it

    def hear(self, event: AnyEvent) -> None:
        """Take in an event. It is on the screen within a thirtieth of a second."""
        if self._book.hear(event):
            self._unseen = True
            self._wake()

    def load(self, messages: Iterable[Message]) -> None:
        """Show a conversation from its end, in place of all that is shown."""
        self._book.load(messages)
        self._window.follow()
        self.screen.clear_selection()
        self._wake()

    def say(self, text: str, level: Literal["info", "warning", "error"] = "info") -> None:
        """Show a line of xun's own."""
        self._book.add(Notice(text, level))
        self._unseen = True
        self._wake()

    def show(self, content: Content | str) -> None:
        """Show what a command printed."""
        self._book.add(Output(content if isinstance(content, str) else content.plain))
        self._unseen = True
        self._wake()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._window.follow()
        self._wake()

    @property
    def following(self) -> bool:
        """Whether new text scrolls the view."""
        return self._window.following

    def toggle_details(self) -> None:
        """Unfold everything that folds, or fold it again."""
        self._unfolded = not self._unfolded
        for index, item in enumerate(self._rows):
            if item.foldable:
                item.toggle(folded=not self._unfolded)
                self._rows.changed(index)
        self._wake()

    def scroll_by(self, unit: Literal["line", "page", "end"], step: int) -> None:
        """Scroll by lines or pages, or to the beginning (-1) or the end (1)."""
        if unit == "end":
            if step > 0:
                self._window.follow()
            else:
                self._window.jump(0)
        else:
            self._window.move(step * (max(self._window.height - 2, 1) if unit == "page" else 1))
        self._draw()

    def plain_text(self) -> str:
        """All that is shown, folded parts left out, as text."""
        self._book.flush()
        return "\n".join(item.text for item in self._rows)

    # Drawing

    def on_mount(self) -> None:
        """Have the timer ready."""
        self._ticker = self.set_interval(FRAME, self._tick, pause=not self._pending)

    def _wake(self) -> None:
        self._pending = True
        if self._ticker is not None:
            self._ticker.resume()

    def _tick(self) -> None:
        self._pending = False
        if self._ticker is not None:
            self._ticker.pause()
        self._book.flush()
        self._draw()

    def _reading(self, index: int) -> bool:
        return not self._window.following and any(shown.item == index for shown in self._shown)

    def _draw(self) -> None:
        """Look at the window anew and refresh the rows that are not as they were."""
        if not self._window.height:
            return
        before, signed = self._shown, self._signed
        self._shown = self._window.shown()
        if self._book.release():
            self._shown = self._window.shown()
        if self._window.following:
            self._unseen = False
        self._sync()
        rows = max(len(before), len(self._shown))
        last = self._window.height - 1
        for y in range(rows):
            old = before[y].line if y < len(before) else None
            new = self._shown[y].line if y < len(self._shown) else None
            if old is not new or (y == last and signed != self._signed):
                self.refresh(Region(0, y, self.size.width, 1))

    @property
    def _signed(self) -> bool:
        return self._unseen and not self._window.following

    def _sync(self) -> None:
        """Tell the scrollbar. Set quietly: it costs no layout, and is no wish to scroll."""
        position, total = self._window.position, self._rows.total
        size = Size(self.size.width, max(total, position + self._window.height if position else total))
        self.set_reactive(Widget.virtual_size, size)
        self.set_reactive(Widget.scroll_y, float(position))
        self.set_reactive(Widget.scroll_target_y, float(position))
        self.vertical_scrollbar.window_virtual_size = size.height
        self.vertical_scrollbar.window_size = self._window.height
        self.vertical_scrollbar.position = position

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Somebody used the wheel, the scrollbar, or drags a selection over the edge."""
        rows = round(new_value) - self._window.position
        if not rows:
            return
        if abs(rows) <= 2 * self._window.height:
            self._window.move(rows)
        else:
            self._window.jump(round(new_value))
        self._draw()

    def _scroll_to(
        self, x: float | None = None, y: float | None = None, *, animate: bool = True, **options: Any
    ) -> bool:
        # Never animated: rows are measured as they come near, and the target would move under the animation.
        return super()._scroll_to(x, y, animate=False, **options)

    def on_resize(self, event: Resize) -> None:
        """Wrap what is visible at the new width."""
        self._window.resize(max(self.size.width, 1), self.size.height)
        self._shown = []
        self._draw()
        self.refresh()

    def notify_style_update(self) -> None:
        """The theme has changed."""
        super().notify_style_update()
        self._palette = None
        for shown in self._shown:
            shown.line.strip = None

    def render_line(self, y: int) -> Strip:
        """A row of the screen."""
        width = self.size.width
        if self._palette is None:
            self._palette = Palette(lambda name: self.get_component_rich_style(name, partial=True), self.rich_style)
        base = self._palette.base
        if y >= len(self._shown):
            strip = Strip.blank(width, base)
        else:
            strip = self._strip(self._shown[y], self._palette, width)
        if self._signed and y == self._window.height - 1:
            sign = Segment(_SIGN, self._palette.style("sign"))
            strip = Strip([*strip.crop(0, width - len(_SIGN)), sign], width)
        return strip

    def _strip(self, shown: Shown, palette: Palette, width: int) -> Strip:
        line = shown.line
        kept = line.strip
        if not (isinstance(kept, tuple) and kept[0] is palette and kept[1] == width):
            segments = [Segment(text, style) for text, style in palette.segments(line) if text]
            strip = Strip(segments).apply_offsets(0, 0)
            kept = line.strip = (palette, width, strip)
        strip = kept[2].apply_offsets(0, address(shown))
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(address(shown))) is not None:
            strip = self._highlight(strip, line, span)
        return strip.extend_cell_length(width, palette.base).crop(0, width)

    def _highlight(self, strip: Strip, line: Line, span: tuple[int, int]) -> Strip:
        start, end = span
        start = strip.index_to_cell_position(max(start, line.furniture))
        stop = strip.cell_length if end < 0 else strip.index_to_cell_position(end)
        if stop <= start:
            return strip
        style = self.screen.get_component_rich_style("screen--selection")
        before, inside, after = strip.crop(0, start), strip.crop(start, stop), strip.crop(stop)
        return Strip.join([before, inside.apply_style(style), after])

    # The mouse

    def on_mouse_down(self, event: MouseDown) -> None:
        """Remember where, to tell a click from a selection."""
        self._pressed = (event.x, event.y)

    def on_click(self, event: Click) -> None:
        """Fold or unfold what was clicked, or go to the end."""
        if self._pressed != (event.x, event.y):
            return
        if self._signed and event.y == self._window.height - 1 and event.x >= self.size.width - len(_SIGN):
            self.follow()
        elif event.y < len(self._shown):
            self._toggle(self._shown[event.y])

    def _toggle(self, shown: Shown) -> None:
        item = self._rows[shown.item]
        if item.foldable and shown.number == int(item.gap):
            self._window.hold()
            item.toggle()
            self._rows.changed(shown.item)
            self._window.move(0)
            self._draw()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that was selected, as it stands in the conversation: unwrapped, without decoration."""
        text = selected(self._rows, selection)
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:
        """Show what is selected."""
        self.refresh()
