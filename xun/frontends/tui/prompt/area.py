"""The text area of the prompt: what each key does."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.document._document import Location
from textual.events import Key, Paste
from textual.message import Message
from textual.timer import Timer

from xun.frontends.tui.measured import Measured
from xun.frontends.tui.prompt.burst import SETTLE, Burst
from xun.frontends.tui.prompt.characters import CharacterArea
from xun.frontends.tui.prompt.clusters import at_or_after, at_or_before
from xun.frontends.tui.prompt.folds import Folds, Span
from xun.frontends.tui.prompt.kill_ring import KillRing
from xun.frontends.tui.prompt.unseen import meant
from xun.frontends.tui.timers import sure

_NEW_LINE = ("shift+enter", "ctrl+j", "alt+enter", "alt+ctrl+j", "ctrl+enter")


class PromptArea(Measured, CharacterArea, inherit_bindings=False):
    """Multi-line text with a shell's editing keys. Enter sends; it never sends a line that was pasted."""

    # Only these: what a text area binds besides belongs here to the transcript or to the whole program.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", show=False),
        Binding("down", "cursor_down", show=False),
        Binding("left,ctrl+b", "cursor_left", show=False),
        Binding("right,ctrl+f", "cursor_right", show=False),
        Binding("ctrl+left,alt+left,alt+b", "cursor_word_left", show=False),
        Binding("ctrl+right,alt+right,alt+f", "cursor_word_right", show=False),
        Binding("home,ctrl+a", "cursor_line_start", show=False),
        Binding("end,ctrl+e", "cursor_line_end", show=False),
        Binding("shift+left", "cursor_left(True)", show=False),
        Binding("shift+right", "cursor_right(True)", show=False),
        Binding("shift+home", "cursor_line_start(True)", show=False),
        Binding("shift+end", "cursor_line_end(True)", show=False),
        Binding("ctrl+shift+left", "cursor_word_left(True)", show=False),
        Binding("ctrl+shift+right", "cursor_word_right(True)", show=False),
        Binding("ctrl+x", "cut", show=False),
        Binding("ctrl+v", "paste", show=False),
        Binding("backspace,ctrl+h", "delete_back", show=False),
        Binding("delete", "delete_right", show=False),
        Binding("ctrl+w,alt+backspace,ctrl+backspace", "kill_word_left", show=False),
        Binding("alt+d,alt+delete", "kill_word_right", show=False),
        Binding("ctrl+u", "kill_to_start", show=False),
        Binding("ctrl+k", "kill_to_end", show=False),
        Binding("ctrl+y", "yank", show=False),
        Binding("ctrl+underscore,ctrl+minus", "undo", show=False),
    ]

    DEFAULT_CSS = """
    PromptArea { height: auto; border: none; padding: 0; background: $surface; }
    PromptArea:focus { border: none; }
    """

    class Sent(Message):
        """Enter was pressed. `steer` asks for it to go into the running turn."""

        def __init__(self, *, steer: bool = False) -> None:
            super().__init__()
            self.steer = steer

    class Walk(Message):
        """Up at the top (-1) or Down at the bottom (1)."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, first: Callable[[Key], bool], pasted: Callable[[str], bool] = lambda text: False) -> None:
        self.folds = Folds()
        super().__init__(
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            compact=True,
            highlight_cursor_line=False,
        )
        self.cursor_blink = False  # an idle screen does nothing
        self._first, self._pasted = first, pasted
        self._ring = KillRing()
        self._burst = Burst()
        self._settling: Timer | None = None

    # What is in it

    @property
    def whole(self) -> str:
        """The text as it would be sent: pastes in full."""
        return self.unfolded[0]

    @property
    def unfolded(self) -> tuple[str, tuple[Span, ...]]:
        """The same, and where in it long pastes are."""
        return self.folds.unfold(self.marked)

    @property
    def selected_text(self) -> str:
        """What is selected: pastes in full."""
        return self.folds.whole(super().selected_text)

    def put(self, text: str) -> None:
        """Replace everything by `text`, cursor at its end. Undo brings back what was there."""
        self._stop_settling()
        self.replace(text, self.document.start, self.document.end)
        self.move_cursor(self.document.end)

    @property
    def before_cursor(self) -> str:
        """The current line up to the cursor."""
        row, column = self.cursor_location
        return self.document.get_line(row)[:column]

    # Keys

    def take(self, event: Key | Paste) -> None:
        """Let `event`, which came elsewhere, do what it does here."""
        self._forward_event(Key(event.key, event.character) if isinstance(event, Key) else Paste(event.text))

    async def _on_key(self, event: Key) -> None:
        if self._settling is not None:
            self._settle_as_line()
        if event.key == "tab" and self._burst.types_on(event.time):
            self._take(event)
            self._burst.key(event.time)
            self.insert("\t")
        elif self._first(event):
            self._take(event)
        elif event.key in _NEW_LINE:
            self._take(event)
            self._burst.key(event.time)
            self.insert("\n")
        elif event.key == "enter":
            self._take(event)
            self._enter(event.time)
        elif event.key in ("up", "down") and self._at_edge(event.key):
            self._take(event)
            self.post_message(self.Walk(-1 if event.key == "up" else 1))
        elif event.character and unicodedata.category(event.character) == "Cf":
            self._take(event)  # no "printable" character, but typed: in a joined picture, or in Persian
            self._burst.key(event.time)
            self.replace(event.character, *self.selection)
        else:  # the text area goes on with it
            self._burst.key(event.time)
            if event.is_printable:
                self._ring.pause()

    async def _on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        self._burst.paste(event.time)
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        if not self._pasted(text):
            self.replace(self.folds.fold(text), *self.selection)

    @staticmethod
    def _take(event: Key) -> None:
        event.stop()
        event.prevent_default()

    def _enter(self, at: float) -> None:
        if self._burst.enter(at):
            self._settling = sure(self.set_timer(SETTLE, self._settled))
        elif self.before_cursor.endswith("\\"):
            self.replace("\n", self._before(1), self.cursor_location)
        else:
            self.post_message(self.Sent())

    def _settled(self) -> None:
        """Silence after an Enter that came too fast for a person."""
        self._settling = None
        if self._burst.sends():
            self.post_message(self.Sent())
        else:
            self.insert("\n")

    def _settle_as_line(self) -> None:
        """More keys after such an Enter: it was a line's end."""
        self._stop_settling()
        self.insert("\n")

    def _stop_settling(self) -> None:
        if self._settling is not None:
            self._settling.stop()
            self._settling = None

    def _at_edge(self, key: str) -> bool:
        row = self.wrapped_document.location_to_offset(self.cursor_location).y
        return row == 0 if key == "up" else row >= self.wrapped_document.height - 1

    # A paste's mark is one thing: the cursor is before or behind it

    def _snapped(self, location: Location, to: Callable[[str, int], int]) -> Location:
        row, column = super()._snapped(location, to)
        mark = self.folds.mark_around(self.document.get_line(row), column)
        return (row, column) if mark is None else (row, mark[0] if to is at_or_before else mark[1])

    def get_cursor_up_location(self) -> Location:
        """The place in the row above; before a paste that is broken there, or the cursor would not get any higher."""
        return self._snapped(super().get_cursor_up_location(), at_or_before)

    def get_cursor_word_left_location(self) -> Location:
        """The beginning of the word, or paste, to the left, or the end of the line above."""
        return self._snapped(super().get_cursor_word_left_location(), at_or_before)

    def get_cursor_word_right_location(self) -> Location:
        """The end of the word, or paste, to the right, or the beginning of the line below."""
        return self._snapped(super().get_cursor_word_right_location(), at_or_after)

    # Editing

    def _before(self, count: int) -> tuple[int, int]:
        row, column = self.cursor_location
        return row, column - count

    def action_delete_back(self) -> None:
        """Delete to the left: a paste's mark as a whole, else a character or the selection."""
        mark = self.folds.mark_before(self.before_cursor) if self.selection.is_empty else ""
        if mark:
            self.delete(self._before(len(mark)), self.cursor_location)
        else:
            self.action_delete_left()

    def action_paste(self) -> None:
        """Put in what was cut or copied here; a long one as a mark."""
        if text := self.app.clipboard:
            self.replace(self.folds.fold(text), *self.selection)

    def _kill(self, start: tuple[int, int], end: tuple[int, int], *, before: bool) -> None:
        self._ring.take(meant(self.get_text_range(start, end)), before=before)
        self.delete(start, end)

    def action_kill_word_left(self) -> None:
        """Take the word before the cursor."""
        self._kill(self.get_cursor_word_left_location(), self.cursor_location, before=True)

    def action_kill_word_right(self) -> None:
        """Take the word after the cursor."""
        self._kill(self.cursor_location, self.get_cursor_word_right_location(), before=False)

    def action_kill_to_start(self) -> None:
        """Take everything before the cursor in its line; at its beginning, the line break."""
        row, column = self.cursor_location
        start = (row, 0) if column else self.get_cursor_left_location()
        self._kill(start, (row, column), before=True)

    def action_kill_to_end(self) -> None:
        """Take the rest of the line; at its end, the line break."""
        row, column = self.cursor_location
        end = (row, len(self.document.get_line(row)))
        self._kill((row, column), end if end != (row, column) else self.get_cursor_right_location(), before=False)

    def action_yank(self) -> None:
        """Put back what was taken last."""
        self.insert(self._ring.text)
