"""The line in which a reason, own words or a secret are typed."""

from __future__ import annotations

from textual.events import Key, Paste
from textual.widgets import Input

from xun.frontends.text import visible
from xun.frontends.tui.focus import give_keys


class EntryLine(Input):
    """One line. A paste of several lines goes into it whole, and what cannot be seen in it is made visible."""

    DEFAULT_CSS = """
    EntryLine { display: none; border: none; height: 1; padding: 0; }
    """

    def __init__(self) -> None:
        super().__init__(id="question-entry", compact=True, select_on_focus=False)
        self.cursor_blink = False  # a screen that waits does nothing
        self._for = ""

    def open(self, purpose: str, *, secret: bool) -> None:
        """Take the keys for `purpose`. What was typed for the same one before is still there, but for a secret."""
        if secret or purpose != self._for:
            self.value = ""
        self._for = purpose
        self.password = secret
        give_keys(self)

    def take(self, event: Key | Paste) -> None:
        """Let `event`, which came elsewhere, do what it does here."""
        self._forward_event(Key(event.key, event.character) if isinstance(event, Key) else Paste(event.text))

    def put(self, text: str) -> None:
        """Let `text` stand in it, to be edited: the cursor is at its end."""
        self.value = text
        self.cursor_position = len(text)

    def empty(self) -> tuple[str, str]:
        """Forget what was typed, and for what; both are given back, but for a secret."""
        typed = ("", "") if self.password else (self._for, self.value)
        self.value = self._for = ""
        return typed

    def refill(self, purpose: str, text: str) -> None:
        """Let `text`, typed for `purpose` before, be there again when it is opened for the same."""
        self._for = purpose
        self.put(text)

    def _on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        text = visible(" ".join(event.text.splitlines()))
        self.replace(text, *sorted(self.selection))
