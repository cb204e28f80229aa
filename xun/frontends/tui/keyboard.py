"""What the terminal sends, told apart: keys, and pastes of which no byte is ever a key."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import MODIFIER_FUNCTIONAL_KEYS
from textual._xterm_parser import (
    _MAX_SEQUENCE_SEARCH_THRESHOLD,
    BRACKETED_PASTE_END,
    BRACKETED_PASTE_START,
    XTermParser,
)
from textual.events import Key, Paste
from textual.keys import Keys
from textual.message import Message

PATIENCE = 2.0  # seconds of silence after which a paste is over whose end was never marked
_LONGEST = 64  # characters of a sequence that are looked at
_POLL = 0.1  # seconds between looks at whether the screen is still there
_QUIET = 0.05  # seconds of silence that part a paste from the keys of a person
_CUT = 0.5  # seconds that the rest of a start mark may take
_ANSWER = r"(\]\d+;|P[\d>=?!$+]|_G)"  # how the strings begin by which terminals answer
_STRING = re.compile(rf"\x1b{_ANSWER}")
_TORN = re.compile(  # the beginning of a sequence, more than a key with Alt
    rf"\x1b((\[[0-?]+|\[\[|O[0-9;]+)[ -/]*|{_ANSWER}[^\x07\x1b]*)"
)
_BELL, _STRING_END = "\x07", "\x1b\\"  # either ends a string
_WHOLE = re.compile(r"\x1b(\[(?!\[)[0-?]*[ -/]*[@-~]|O[0-9;]*[@-~])")
_BY_OTHERS = re.compile(r"\x1b\[(<.*|M.{0,3}|\?\d+;\d\$y)")  # the mouse, and what a terminal reports: no keys
_OTHER_KEYS = re.compile(r"\x1b\[27;(\d+);(\d+)~")  # xterm's way to tell a key with modifiers
# A key as kitty's protocol writes it with more than Textual reads: other keys of the same place behind colons, and
# whether it was pressed, held down or let go.
_DETAILED = re.compile(r"\x1b\[(\d*)((?::\d*)*);?(\d*)(?::(\d*))?((?:;[\d:]*)?)([u~A-HPQRS])")
# Keys that do nothing by themselves, and what others are called where they come without all of their modifiers.
_IDLE = frozenset(MODIFIER_FUNCTIONAL_KEYS) | {
    "caps_lock", "num_lock", "scroll_lock", "print_screen", "pause", "menu", "lower_volume", "raise_volume",
    "mute_volume", "media_play", "media_pause", "media_play_pause", "media_stop", "media_record", "media_reverse",
    "media_rewind", "media_fast_forward", "media_track_next", "media_track_previous",
}  # fmt: skip
_PLAIN = {"shift+backspace": "backspace", "ctrl+shift+minus": "ctrl+underscore"}
_SHIFT, _LET_GO = "2", "3"
_NO_BACK_TAB = ("\x1b\t", "\x1b[~")  # Textual takes them for Shift+Tab; the first is Esc and then Tab just as well
_BEGINNINGS = "[OP]X^_"  # what begins a sequence behind an escape character


class Keyboard(XTermParser):
    """Textual's parser, but for pastes: it obeys escape sequences inside them, and drops what it does not know.

    And but for keys that answer questions: an escape character and another one, whose keys it would tell apart, are
    that key with Alt, which types nothing; and of a sequence that nobody knows, or that was torn, no part is a key, nor
    of a string by which the terminal answers, however long that is.

    It gets to see an empty paste. What stands between the marks is kept here as it came, and told as one `Paste` when
    the end mark has come, or `PATIENCE` seconds of silence. What comes right behind an end mark was copied with it by
    somebody who wants it typed: until there is silence, its keys are pasted text too.
    """

    def __init__(self, debug: bool = False, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(debug)
        self._clock = clock
        self._last = 0.0  # when something came last
        self._begun = ""  # the part of a mark that stood at its end
        self._open = ""  # what came last, from its last escape character on
        self._tried = ""  # the last sequence that was looked up
        self._given_up = 0  # characters of it that will come again, as if they were keys
        self._within = False  # whether what comes is of a string that was too long for the parser
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
        self._open = (self._open + data)[-_LONGEST:]
        self._open = self._open[max(self._open.rfind("\x1b"), 0) :]
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
        ending = self._within and self._open == "\x1b"  # it may be the first half of what ends the string
        self._within = self._within and silence < _CUT
        if self._paste is not None:
            if silence >= PATIENCE:
                yield self._ended(self._paste)
        elif not (ending or _TORN.fullmatch(self._open)) or silence >= _CUT:
            waited = self._timeout_time is not None
            keys = super().tick()
            yield from (key for key in keys if not ending)
            if waited and self._timeout_time is None:
                self._begun = ""  # the parser has given it up

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """The keys that `sequence` stands for, none where it may be the beginning of a longer one.

        A sequence that the parser gives up comes again, its characters one by one: as keys, each could be an answer.
        """
        if len(sequence) > 1:
            self._tried = sequence
            return self._known(sequence)
        if self._given_up or self._within:
            self._given_up = max(self._given_up - 1, 0)
            self._within = self._within and sequence != _BELL
            return ()
        if sequence == "\x1b":
            self._given_up = len(self._tried) - (len(self._tried) < _MAX_SEQUENCE_SEARCH_THRESHOLD)
            self._within = bool(_STRING.match(self._tried))
            return ()
        if alt and len(self._tried) > 2:
            self._given_up = len(self._tried) - 2
            return ()
        return self._with_alt(sequence) if alt else super()._sequence_to_key_events(sequence)

    def _known(self, sequence: str) -> Iterable[Key]:
        within, self._within = self._within, False
        if (within and sequence == _STRING_END) or (sequence[-1] == _BELL and _STRING.match(sequence)):
            return (Key(Keys.Ignore, sequence),)
        if found := _OTHER_KEYS.fullmatch(sequence):
            sequence = f"\x1b[{found[2]};{found[1]}u"
        if sequence in _NO_BACK_TAB:
            return (Key("alt+tab" if sequence[1] == "\t" else Keys.Ignore, None),)
        # Of two characters, the table says what some keyboards type with Alt: here that is a key and no text.
        if len(sequence) == 2 and not isinstance(ANSI_SEQUENCES_KEYS.get(sequence), tuple):
            return () if sequence[1] in _BEGINNINGS else self._with_alt(sequence[1])
        try:
            keys = list(super()._sequence_to_key_events(_as_read(sequence)))
        except (ValueError, OverflowError):  # a number that is no character's
            keys = []
        keys = [Key(_PLAIN[key.key], key.character) if key.key in _PLAIN else key for key in keys]
        if any(key.key.rpartition("+")[2] in _IDLE for key in keys):
            return (Key(Keys.Ignore, sequence),)
        if any("\ud800" <= char <= "\udfff" for key in keys for char in key.character or ""):
            keys = []
        if not keys and _WHOLE.fullmatch(sequence) and not _BY_OTHERS.fullmatch(sequence):
            return (Key(Keys.Ignore, sequence),)
        return keys

    def _with_alt(self, character: str) -> Iterator[Key]:
        for key in super()._sequence_to_key_events(character, alt=True):
            yield Key(key.key if "alt+" in key.key else f"alt+{key.key}", None)

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


def _as_read(sequence: str) -> str:
    """A key without what Textual does not read of it, "" for one that was let go; anything else as it is."""
    found = _DETAILED.fullmatch(sequence) if ":" in sequence else None
    if found is None:
        return sequence
    code, others, modifiers, happened, text, end = found.groups(default="")
    if happened == _LET_GO:
        return ""
    shifted = others.split(":")[1] if others else ""
    if shifted and not text and modifiers == _SHIFT:
        text = f";{shifted}"
    return f"\x1b[{code};{modifiers or '1'}{text}{end}"
