"""What the terminal sends, told apart: keys, and pastes of which no byte is ever a key."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.events import Key, Paste
from textual.message import Message

PATIENCE = 2.0  # seconds of silence after which a paste is over whose end was never marked
_POLL = 0.1  # seconds between looks at whether the screen is still there
_QUIET = 0.05  # seconds of silence that part a paste from the keys of a person
_CUT = 0.5  # seconds that the rest of a start mark may take
_NO_KEY = len("\x1b[2")  # as much of a start mark is no key that a person presses


class Keyboard(XTermParser):
    """Textual's parser, but for pastes: it obeys escape sequences inside them, and drops what it does not know.

    It gets to see an empty paste. What stands between the marks is kept here as it came, and told as one `Paste` when
    the end mark has come, or `PATIENCE` seconds of silence. What comes right behind an end mark was copied with it by
    somebody who wants it typed: until there is silence, its keys are pasted text too.
    """

    def __init__(self, debug: bool = False, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(debug)
        self._clock = clock
        self._last = 0.0  # when something came last
        self._begun = ""  # the part of a mark that stood at its end
        self._paste: list[str] | None = None
        self._behind = False

    @property
    def wait(self) -> float:
        """Seconds of silence after which `tick` is to be called."""
        return _QUIET if self._behind else _POLL

    def feed(self, data: str) -> Iterable[Message]:
        """Take what came; "" is the end of it all."""
        if not data:
            yield from super().feed(data)
        self._last = self._clock()
        while data:
            if self._paste is None:
                keys, whole, data = self._up_to(BRACKETED_PASTE_START, data)
                yield from self._told(super().feed(keys))
                if whole:
                    self._paste = []
                    yield from (event for event in super().feed(BRACKETED_PASTE_END) if not isinstance(event, Paste))
            else:
                text, whole, data = self._up_to(BRACKETED_PASTE_END, data)
                self._paste.append(text)
                if whole:
                    yield self._ended(self._paste)
                    self._behind = True

    def tick(self) -> Iterable[Message]:
        """Nothing has come for `wait` seconds, or for longer."""
        self._behind = False
        silence = self._clock() - self._last
        if self._paste is not None:
            if silence >= PATIENCE:
                yield self._ended(self._paste)
        elif len(self._begun) < _NO_KEY or silence >= _CUT:
            waited = self._timeout_time is not None
            yield from super().tick()
            if waited and self._timeout_time is None:
                self._begun = ""  # the parser has told it as keys

    def _up_to(self, mark: str, data: str) -> tuple[str, bool, str]:
        """`data` up to the end of `mark`, whether it is there, and the rest. It may have begun in what came before."""
        seen = self._begun + data
        at = seen.find(mark)
        if at < 0:
            last = seen[seen.rfind("\x1b") :]
            self._begun = last if mark.startswith(last) else ""
            return data, False, ""
        end = at + len(mark) - len(self._begun)
        self._begun = ""
        return data[:end], True, data[end:]

    def _ended(self, pieces: list[str]) -> Paste:
        self._paste = None
        self._begun = ""
        # NUL is no text anywhere: terminals drop it, and so does Textual.
        return Paste("".join(pieces).removesuffix(BRACKETED_PASTE_END).replace("\0", ""))

    def _told(self, messages: Iterable[Message]) -> Iterator[Message]:
        """`messages`, with the keys that came right behind a paste as what they are."""
        typed: list[str] = []
        for message in messages:
            if self._behind and isinstance(message, Key):
                typed.append(message.character or "")
            else:
                yield message
        if text := "".join(typed):
            yield Paste(text)
