"""A scrolling widget over rows that are made as they come into view."""

from __future__ import annotations

from typing import Any

from textual.events import MouseDown, Resize
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from xun.frontends.tui.transcript.palette import Palette
from xun.frontends.tui.transcript.rows import Rows
from xun.frontends.tui.transcript.selecting import address, paragraph_at, selected, word_at
from xun.frontends.tui.transcript.strips import Strips
from xun.frontends.tui.transcript.window import Shown, Window

SIGN = " ↓ new below "


class Canvas(ScrollView):
    """Draws the rows of a window, scrolls them, and lets the mouse select text.

    The window, not the scroll offset of the base class, says what is in view; the base class has the scrollbar, the
    wheel and the dragging of a selection over the edge, and each wish to scroll comes in by `watch_scroll_y`.
    """

    ALLOW_SELECT = True

    def __init__(self) -> None:
        super().__init__()
        self._rows = Rows()
        self._window = Window(self._rows)
        self._shown: list[Shown] = []
        self._strips: Strips | None = None
        self._unseen = False  # something came below while the view stayed where it was
        self._signed = False  # whether that is shown
        self._end_shown = True  # whether nothing lay below the view when it was drawn
        self._cursor: int | None = None  # the item that keys act on
        self._pressed: Offset | None = None
        self._arranging = False

    @property
    def room(self) -> int:
        """Cells of a row. The scrollbar stands beside them; `size` counts it in."""
        return self.scrollable_content_region.width

    @property
    def following(self) -> bool:
        """Whether new text scrolls the view."""
        return self._window.following

    def settled(self) -> bool:
        """Called when another part came into view. True if that changed rows that are not in view."""
        return False

    def draw(self) -> None:
        """Look at the window anew, and refresh the rows that are not as they were."""
        if not self._window.height:
            return
        before, signed = self._shown, self._signed
        self._shown = self._window.shown()
        if self.settled():
            self._shown = self._window.shown()
        self._end_shown = self._window.following or self._window.reaches_end()
        self._unseen = self._unseen and not self._end_shown
        self._signed = self._unseen
        self._sync()
        last = self._window.height - 1
        for y in range(max(len(before), len(self._shown))):
            old = before[y].line if y < len(before) else None
            new = self._shown[y].line if y < len(self._shown) else None
            if old is not new or (y == last and signed != self._signed):
                self.refresh(Region(0, y, self.room, 1))

    def redraw(self) -> None:
        """Draw every row."""
        self._shown = []
        self.draw()
        self.refresh()

    def _sync(self) -> None:
        """Tell the scrollbar. It is set quietly: that costs no layout, and is no wish to scroll."""
        position, height = self._window.position, self._window.height
        size = Size(self.room, max(self._rows.total, position + height if position else 0))
        self.set_reactive(Widget.virtual_size, size)
        self.set_reactive(Widget.scroll_y, float(position))
        self.set_reactive(Widget.scroll_target_y, float(position))
        bar = self.vertical_scrollbar
        bar.window_virtual_size, bar.window_size, bar.position = size.height, height, position

    def _scroll_update(self, virtual_size: Size) -> None:
        """Part of a layout: the base class brings the offset into the bounds of the new size. Nobody has scrolled."""
        self._arranging = True
        try:
            super()._scroll_update(virtual_size)
        finally:
            self._arranging = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Somebody used the wheel or the scrollbar, or drags a selection over the edge."""
        if self._arranging:
            return
        rows = round(new_value) - self._window.position
        if not rows:
            return
        if abs(rows) <= 2 * self._window.height:
            self._window.move(rows)
        else:
            self._window.jump(round(new_value))
        rest = new_value - round(new_value)
        self.draw()
        self.set_reactive(Widget.scroll_y, self._window.position + rest)  # slow dragging moves by parts of a row

    def _scroll_to(
        self, x: float | None = None, y: float | None = None, *, animate: bool = True, **options: Any
    ) -> bool:
        # Never animated: rows are measured as they come near, and the target would move under the animation.
        return super()._scroll_to(x, y, animate=False, **options)

    def on_resize(self, event: Resize) -> None:
        """Wrap what is visible, and no more, at the new width."""
        if self._strips is None or self.room != self._rows.width:
            self._strips = None
            self.screen.clear_selection()  # it is kept by rows, and those are others now
        self._window.resize(max(self.room, 1), self.size.height)
        self.redraw()

    def notify_style_update(self) -> None:
        """The theme has changed."""
        super().notify_style_update()
        self._strips = None

    def render_line(self, y: int) -> Strip:
        """A row of the screen."""
        strips = self._strips = self._strips or self._fresh_strips()
        if y >= len(self._shown):
            strip = strips.blank()
        elif (selection := self.text_selection) is not None:
            style = self.screen.get_component_rich_style("screen--selection")
            strip = strips.selected(self._shown[y], selection, style)
        else:
            strip = strips.strip(self._shown[y])
        if y < len(self._shown) and self._is_cursor(self._shown[y]):
            strip = strips.marked(strip, "cursor")
        return strips.signed(strip, SIGN) if self._signed and y == self._window.height - 1 else strip

    def _fresh_strips(self) -> Strips:
        palette = Palette(lambda name: self.get_component_rich_style(name, partial=True), self.rich_style)
        return Strips(palette, self.room)

    def _is_cursor(self, shown: Shown) -> bool:
        return self.has_focus and shown.item == self._cursor and shown.number == int(self._rows[shown.item].gap)

    def on_mouse_down(self, event: MouseDown) -> None:
        """Remember where, to tell a click from the end of a selection."""
        self._pressed = event.offset

    def select_at(self, offset: Offset, *, whole: bool) -> None:
        """Select the word at a place of the screen, or the whole line of text."""
        if offset.y >= len(self._shown):
            return
        shown = self._shown[offset.y]
        if whole:
            lines = self._rows.lines(shown.item)
            first, last = paragraph_at(lines, shown.number)
            start = Offset(0, address(shown._replace(number=first)))
            end = Offset(len(lines[last].text), address(shown._replace(number=last)))
        else:
            left, right = word_at(shown.line, offset.x)
            start, end = Offset(left, address(shown)), Offset(right, address(shown))
        self.screen.selections = {self: Selection(start, end)}

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that was selected, as it stands in the conversation: unwrapped, without decoration."""
        text = selected(self._rows, selection)
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:
        """Show what is selected."""
        self.refresh()
