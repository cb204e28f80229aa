"""The prompt: a text area, the list above it, and what Enter, Up, Tab and Escape mean between the two."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Key, Paste, Resize
from textual.message import Message
from textual.widgets import TextArea

from xun.frontends.tui.focus import give_keys
from xun.frontends.tui.prompt.area import PromptArea
from xun.frontends.tui.prompt.complete import Completer, Item
from xun.frontends.tui.prompt.folds import Span
from xun.frontends.tui.prompt.history import History, line_with
from xun.frontends.tui.prompt.popup import Popup
from xun.frontends.tui.prompt.room import TEXT, Wanted, share
from xun.frontends.tui.queue_view import QueueView

_FOUND = 50  # earlier prompts at most
_SEARCH_KEYS = "↑ ↓ choose · Enter takes it · Esc goes back", "↑ ↓ Enter Esc"  # and where that is too long
_NOTHING_FOUND = "nothing found · Esc goes back", "nothing found"


class Prompt(Vertical):
    """Where one types. `idle` and `blank` tell others whether it is in use."""

    DEFAULT_CSS = """
    Prompt { height: auto; }
    Prompt #prompt-frame { height: auto; border: round $border; padding: 0 1; }
    Prompt.-shell #prompt-frame { border: round $accent; }
    Prompt.-tight #prompt-frame { border: none; padding: 0 2; }
    """

    class Submitted(Message):
        """`text` is to be sent; `steer` asks for it to go into the running turn."""

        def __init__(self, text: str, *, steer: bool) -> None:
            super().__init__()
            self.text = text
            self.steer = steer

    class Edited(Message):
        """What stands in it is another text now."""

    def __init__(self, history: History, completer: Completer) -> None:
        super().__init__()
        # Held, not looked up: they are gone before the prompt is when the screen closes.
        self.area, self._popup = PromptArea(self._first, self._pasted), Popup(self._share)
        self.history = history
        self._completer = completer
        self._start = 0
        self._dismissed = ""
        self._searching: str | None = None
        self._beside_question = False
        self._rows = 0  # of the text, at most
        self._last_key = float("-inf")

    def compose(self) -> ComposeResult:
        """The parts, top to bottom."""
        yield self._popup
        with Vertical(id="prompt-frame"):
            yield self.area

    def on_mount(self) -> None:
        """Take notice when other parts of the screen grow or shrink."""
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda screen: self._share())

    def on_resize(self, event: Resize) -> None:
        """Fit the new size."""
        self._share()

    def _share(self) -> None:
        """Let each part take the rows that are due to it."""
        if not self.query(PromptArea):
            return  # the screen is closing
        queue = next(iter(self.screen.query(QueueView)), None)
        self._beside_question = bool(self.screen.query(".-asking"))
        wanted = Wanted(
            min(self.area.wrapped_document.height, TEXT),
            self._popup.wanted,
            queue.wanted if queue is not None else 0,
            self._beside_question,
        )
        room = share(self.app.size.height - self._fixed(), wanted)
        self.set_class(not room.framed, "-tight")
        self._popup.fit(room.items)
        if queue is not None:
            queue.fit(room.queue, asked=self._beside_question)
        if self._rows != room.text:
            self._rows = self.area.styles.max_height = room.text
            self.area.call_after_refresh(self.area.scroll_cursor_visible)

    def _fixed(self) -> int:
        """Rows of what always has the same height, such as the status line."""
        return sum(
            part.outer_size.height
            for part in self.siblings
            if part.display and part.styles.height is not None and part.styles.height.is_cells
        )

    # What others need

    @property
    def blank(self) -> bool:
        return not self.area.text.strip()

    def take_stray(self, names: Callable[[str], bool]) -> str:
        """Take the one character that stands here, where it is a key of `names`. "" where it is not."""
        text = self.area.text
        if len(text) != 1 or not names(text):
            return ""
        self.area.put("")
        return text

    @property
    def engaged(self) -> bool:
        """Whether keys mean something special just now: a search goes on, or a list is open."""
        return self._searching is not None or self._popup.is_open

    def idle(self) -> float:
        """Seconds since the last key that was typed here."""
        return time.monotonic() - self._last_key

    def take_keys(self) -> None:
        """Let what is typed come here, from now on: a key that comes while nothing has the focus would be lost."""
        give_keys(self.area)

    def take(self, event: Key | Paste) -> None:
        """Let `event` do what it would have done here, and take the keys from now on."""
        self.take_keys()
        self.area.take(event)

    def put_back(self, text: str, pasted: tuple[Span, ...] | None = None) -> None:
        """Put `text` before whatever is there: a prompt that was taken back, or not delivered.

        `pasted` says where in it long pastes are; None asks the history, which has what was sent.
        """
        back = self._as_it_was(text) if pasted is None else self.area.folds.again(text, pasted)
        present = self.area.marked
        self.area.put(f"{back}\n{present}" if present.strip() else back)

    def _as_it_was(self, text: str) -> str:
        """`text`, which was sent before, as it stood in the prompt."""
        return self.area.folds.again(text, self.history.pasted(text))

    def clear(self) -> bool:
        """Empty it. What was there can be had again with Up. False when it was empty."""
        text, pasted = self.area.unfolded
        self._close()
        if not text:
            return False
        self.history.add(text, pasted)
        self.area.put("")
        return True

    # Keys that mean something between list and text

    def _first(self, event: Key) -> bool:
        """Take a key before the text area does. True when it has been dealt with."""
        self._last_key = time.monotonic()
        if self._searching is not None:
            return self._search_key(event)
        if event.key == "ctrl+r":
            self._search("")
            return True
        if self._popup.is_open:
            return self._popup_key(event.key)
        if event.key == "tab" and not self.blank and not self._beside_question:  # there it is for the answers
            self._dismissed = ""
            self._complete()
            return True
        if event.key == "ctrl+s" and not self.blank:
            self._send(steer=True)
            return True
        if event.key in ("ctrl+p", "ctrl+n"):
            self._walk(-1 if event.key == "ctrl+p" else 1)
            return True
        return False

    def _pasted(self, text: str) -> bool:
        """Take what is pasted before the text area does, into a search that goes on."""
        self._last_key = time.monotonic()
        if self._searching is None:
            return False
        self._search(self._searching + " ".join(text.split("\n")))
        return True

    def _popup_key(self, key: str) -> bool:
        match key:
            case "up" | "ctrl+p":
                self._popup.move(-1)
            case "down" | "ctrl+n":
                self._popup.move(1)
            case "escape":
                self._dismissed = self.area.before_cursor
                self._popup.close()
            case "tab":
                return self._accept()
            case "enter":
                # What is typed is sent as it stands, unless another line of the list was looked for.
                if self._popup.moved:
                    return self._accept()
                self._close()
                return False
            case _:
                return False
        return True

    def _accept(self) -> bool:
        chosen = self._popup.chosen
        if chosen is None:
            return False
        row, column = self.area.cursor_location
        quoted = chosen.text.startswith('@"')
        # Behind the cursor may be the quotation mark of a folder that was taken before.
        end = column + (quoted and self.area.document.get_line(row)[column : column + 1] == '"')
        folder = chosen.text.rstrip('"').endswith("/")
        self.area.replace(chosen.text if folder else f"{chosen.text} ", (row, self._start), (row, end))
        if not folder:
            self._close()
        elif quoted:
            self.area.action_cursor_left()
        return True

    # Completion

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.set_class(self.area.text.startswith("!"), "-shell")
        self._share()
        if self.area.wrapped_document.height > self._rows:  # its rows are scrolled, and are laid out by then
            self.area.call_after_refresh(self.area.scroll_cursor_visible)
        if self._searching is None:
            self._complete()
        self.post_message(self.Edited())

    def complete_again(self) -> None:
        """More may be known now than when the last key was typed."""
        if self._popup.is_open and self._searching is None:
            self._complete()

    def _complete(self) -> None:
        before = self.area.before_cursor
        if self._dismissed and before.startswith(self._dismissed):
            return
        self._dismissed = ""
        found = self._completer.complete(before, first_line=self.area.cursor_location[0] == 0)
        if found is None:
            self._popup.close()
            return
        self._start = found.start
        self._popup.open(found.items, title=found.note)

    def _close(self) -> None:
        self._searching = None
        self._popup.close()

    # Sending and walking

    @on(PromptArea.Sent)
    def _sent(self, event: PromptArea.Sent) -> None:
        event.stop()
        self._send(steer=event.steer)

    def _send(self, *, steer: bool) -> None:
        text, pasted = self.area.unfolded
        self._close()
        if text.strip():
            self.history.add(text, pasted)
        self.area.put("")
        self.post_message(self.Submitted(text, steer=steer))

    @on(PromptArea.Walk)
    def _walked(self, event: PromptArea.Walk) -> None:
        event.stop()
        self._walk(event.step)

    def _walk(self, step: int) -> None:
        text = self.history.older(self.area.marked) if step < 0 else self.history.newer()
        if text is not None:
            self._dismissed = text  # what was sent before needs no completion
            self.area.put(self._as_it_was(text))
            self._popup.close()

    # Searching in what was sent before

    def _search(self, query: str) -> None:
        self._searching = query
        found = self.history.search(query, _FOUND)
        keys, brief = _SEARCH_KEYS if found else _NOTHING_FOUND
        room = self.app.size.width - len(f"search: ▏  {brief}  ")
        shown = query if len(query) <= room else f"…{query[1 - room :]}"
        title = f"search: {shown}▏  {keys if len(shown) + len(keys) <= room + len(brief) else brief}"
        self._popup.open([Item(text, line_with(query, text)) for text in found], title=title)

    def _search_key(self, event: Key) -> bool:
        assert self._searching is not None
        match event.key:
            case "ctrl+r" | "down":
                self._popup.move(1)
            case "up" | "ctrl+s":
                self._popup.move(-1)
            case "escape" | "ctrl+g" | "ctrl+c":
                self._close()
            case "enter" | "tab":
                chosen = self._popup.chosen
                self._close()
                if chosen is not None:
                    self._dismissed = chosen.text
                    self.area.put(self._as_it_was(chosen.text))
            case "backspace":
                self._search(self._searching[:-1])
            case _ if event.is_printable and event.character:
                self._search(self._searching + event.character)
        return True
