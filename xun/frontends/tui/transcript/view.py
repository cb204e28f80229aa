"""The widget that shows the conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Focus, Key
from textual.message import Message as TextualMessage
from textual.timer import Timer

from xun.events import AnyEvent, HistoryReplaced
from xun.frontends.tui.keys import OF_SCREEN
from xun.frontends.tui.transcript.book import Book
from xun.frontends.tui.transcript.canvas import SIGN, Canvas
from xun.frontends.tui.transcript.item import Notice, Output
from xun.frontends.tui.transcript.palette import CLASSES, CSS
from xun.sessions.past import Past

FRAME = 1 / 25
"""Seconds between two looks at what has come, while something comes. Nothing ticks otherwise."""


class Transcript(Canvas, can_focus=True):
    """Hears events and shows them. It follows the end until somebody scrolls up, and then does not move."""

    FOCUS_ON_CLICK = False  # clicking into the text leaves the keys with the prompt
    COMPONENT_CLASSES: ClassVar[set[str]] = set(CLASSES)
    DEFAULT_CSS = CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor(-1)", show=False),
        Binding("down,j", "cursor(1)", show=False),
        Binding("enter,space", "fold", show=False),
        Binding("pageup", "scroll_rows('page', -1)", show=False),
        Binding("pagedown", "scroll_rows('page', 1)", show=False),
        Binding("shift+up", "scroll_rows('line', -1)", show=False),
        Binding("shift+down", "scroll_rows('line', 1)", show=False),
        Binding("home,ctrl+home,g", "scroll_rows('end', -1)", show=False),
        Binding("end,ctrl+end,G", "scroll_rows('end', 1)", show=False),
    ]

    @dataclass
    class Typed(TextualMessage):
        """A key that is not for the transcript was pressed while it had the focus."""

        key: Key

    def __init__(self) -> None:
        super().__init__()
        self._book = Book(self._rows, self._reading)
        self._ticker: Timer | None = None

    def hear(self, event: AnyEvent) -> None:
        """Take in an event. It is on the screen within a twenty-fifth of a second."""
        self._join()
        if not self._book.hear(event):
            return
        if isinstance(event, HistoryReplaced):
            self._begin()
        self._came()

    def load(self, past: Past) -> None:
        """Show a conversation from its end, in place of all that is shown. What comes is added to `past`."""
        self._book.load(past)
        self._begin()
        self._wake()

    def _begin(self) -> None:
        """All that was shown is gone."""
        self._cursor = None
        self._window.follow()
        if self.is_attached:
            self.screen.clear_selection()

    def say(self, text: str, level: Literal["info", "warning", "error"] = "info", *, gap: bool = True) -> None:
        """Show a line of xun's own, set off from what stands above by a `gap`."""
        self._join()
        self._book.add(Notice(text, level, gap=gap and not self._echoed))
        self._came()

    def echo(self, line: str) -> None:
        """Show a command as it was typed; what it gives back comes right below."""
        self._join()
        self._book.add(Notice(line, "command"))
        self._came()

    @property
    def _echoed(self) -> bool:
        """Whether a command stands at the end."""
        last = self._rows[len(self._rows) - 1] if len(self._rows) else None
        return isinstance(last, Notice) and last.level == "command"

    def show(self, content: Content | str) -> None:
        """Show what a command gave back, from its beginning where it is longer than the view.

        Of `Content` the text is taken, for the colours here are the transcript's.
        """
        self._join()
        text = content if isinstance(content, str) else content.plain
        echoed = self._echoed
        self._book.add(Output(text, gap=not echoed))
        if self._window.following:
            self._window.begin_with(len(self._rows) - 1 - echoed)
        self._came()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._window.follow()
        self._wake()

    def toggle_details(self) -> None:
        """Unfold everything that folds, and what is to come, or fold it again."""
        self._rows.unfold(not self._rows.unfolded)
        self.draw()

    def scroll_by(self, unit: Literal["line", "page", "end"], step: int) -> None:
        """Scroll by lines or pages, or to the beginning (-1) or the end (1)."""
        if unit == "end" and step > 0:
            self._window.follow()
        elif unit == "end":
            self._window.jump(0)
        else:
            # Two rows of a page stay in view, so that the eye finds its place.
            self._window.move(step * (max(self._window.height - 2, 1) if unit == "page" else 1))
        self.draw()

    def plain_text(self) -> str:
        """All that is shown, as text without wrapping; what is folded away is left out."""
        self._book.flush()
        return "\n".join(item.text for item in self._rows)

    # Time

    def on_mount(self) -> None:
        """Have the timer ready, and show what came before there was one."""
        self._ticker = self.set_interval(FRAME, self._tick)

    def _join(self) -> None:
        """Who sees the end is at the end, however that came about, and follows what comes next."""
        if self._end_shown and not self._window.following:
            self._window.settle()

    def _came(self) -> None:
        self._unseen = True
        self._wake()

    def _wake(self) -> None:
        if self._ticker is not None:
            self._ticker.resume()

    def _tick(self) -> None:
        if self._ticker is not None:
            self._ticker.pause()
        self._book.flush()
        self.draw()

    def _reading(self, index: int) -> bool:
        return not self._window.following and any(shown.item == index for shown in self._shown)

    def settled(self) -> bool:
        """Blocks that kept their look while somebody read them may change once they are out of view."""
        return self._book.release()

    # Folding

    def on_click(self, event: Click) -> None:
        """Fold or unfold what was clicked, go to the end, or select a word or a line."""
        event.prevent_default()  # a double click would select the whole conversation
        if self._pressed != event.offset:
            return
        if event.chain > 1:
            self.select_at(event.offset, whole=event.chain > 2)
        elif self._signed and event.y == self._window.height - 1 and event.x >= self.room - len(SIGN):
            self.follow()
        elif event.y < len(self._shown):
            shown = self._shown[event.y]
            if shown.number == int(self._rows[shown.item].gap):
                self._toggle(shown.item)

    def action_fold(self) -> None:
        """Fold or unfold the item under the cursor."""
        if self._cursor is not None and self._cursor < len(self._rows):
            self._toggle(self._cursor)

    def _toggle(self, index: int) -> None:
        """What is on the screen above the item stays where it is, unless the end can be followed with it in view."""
        item = self._rows[index]
        if not item.foldable:
            return
        followed = self._window.following
        self._window.hold()
        item.toggle()
        self._rows.changed(index)
        self._window.settle()
        if followed and not self._window.following:
            self._window.follow_with(index)
        self.draw()

    # Keys

    def on_focus(self, event: Focus) -> None:
        """Put the cursor on the last item in view that folds."""
        folding = [shown.item for shown in self._shown if self._rows[shown.item].foldable]
        self._cursor = folding[-1] if folding else None
        self.refresh()

    def action_cursor(self, step: int) -> None:
        """Go to the next item that folds, or scroll a line where there is none."""
        index = (len(self._rows) if self._cursor is None else self._cursor) + step
        while 0 <= index < len(self._rows) and not self._rows[index].foldable:
            index += step
        if 0 <= index < len(self._rows):
            self._cursor = index
            self._window.reveal(index)
            self.draw()
            self.refresh()
        else:
            self.scroll_by("line", step)

    def action_scroll_rows(self, unit: Literal["line", "page", "end"], step: int) -> None:
        """Scroll, as `scroll_by` does."""
        self.scroll_by(unit, step)

    def on_key(self, event: Key) -> None:
        """Hand on what is typed here by mistake."""
        bound = any(event.key == key or event.character == key for key in self._bindings.key_to_bindings)
        if not bound and event.key not in OF_SCREEN:
            event.stop()
            self.post_message(self.Typed(event))
