"""What a process prints, as text that is safe to show and to send, in bounded memory.

`Cleaner` turns bytes into text: UTF-8 with replacement, terminal control sequences cut out, every other
control character made visible. `Capture` keeps the head and the tail of it and writes the whole to a file
when it is long.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import IO

SPILL_CAP = 50_000_000
"""Bytes that a spill file holds at most."""

# OSC, DCS, SOS, PM and APC: their text ends at BEL, at ST or, when it is never ended, with the line.
_STRING = r"[\]PX^_][^\x07\x1b\n]*"
_ESCAPE = re.compile(rf"\x1b(?:\[[0-?]*[ -/]*[@-~]|{_STRING}(?:\x07|\x1b\\)?|[ -/]*[0-~])|\x1b")
_UNFINISHED = re.compile(rf"\x1b(?:\[[0-?]*[ -/]*|{_STRING}\x1b?|[ -/]*)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_VISIBLE = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_VISIBLE |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_MAX_HELD = 4096


class Cleaner:
    """An incremental decoder: feed it bytes in any pieces, get printable text. It holds back a few bytes at
    most.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def feed(self, data: bytes, *, final: bool = False) -> str:
        text = self._held + self._decoder.decode(data, final)
        self._held = ""
        if not _CONTROL.search(text):
            return text
        if not final:
            text = self._hold_back(text)
        if "\x1b" in text:
            text = _ESCAPE.sub("", text)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.translate(_VISIBLE)

    def _hold_back(self, text: str) -> str:
        """Keep what may go on in the next piece: a carriage return, a sequence that has not ended."""
        start = text.rfind("\x1b")
        if start > 0 and start == len(text) - 1:
            # The last escape may be the first half of a string terminator: then the string began before it.
            earlier = text.rfind("\x1b", 0, start)
            if earlier >= 0 and _UNFINISHED.fullmatch(text, earlier):
                start = earlier
        if start < 0 or not _UNFINISHED.fullmatch(text, start):
            self._held = "\r" if text.endswith("\r") else ""
            return text.removesuffix("\r")
        held = text[start:]
        # Of a long string only its kind matters: its text is never shown.
        self._held = held if len(held) <= _MAX_HELD else held[:2] + held[-1:]
        return text[:start]


class Capture:
    """The text of one stream: at most `limit` characters in memory, the first and the last half of them.

    `spill` names a file for the whole text. It is made, for its owner alone, only when more than `limit`
    comes.
    """

    def __init__(self, limit: int, spill: Callable[[], Path] | None = None) -> None:
        self._cleaner = Cleaner()
        self._head_room = limit // 2
        self._tail_room = limit - limit // 2
        self._head = ""
        self._tail = ""
        self._spill = spill
        self._file: IO[bytes] | None = None
        self._spilled = 0
        self.total = 0
        self.spill_path: Path | None = None
        self.spill_cut = False

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """Take in `data`; gives back its text, cleaned."""
        text = self._cleaner.feed(data, final=final)
        if text:
            self._keep(text)
        return text

    def _keep(self, text: str) -> None:
        room = self._head_room + self._tail_room
        if self._file is not None:
            self._write(text)
        elif self.total <= room < self.total + len(text):
            self._open_spill()
            self._write(self._head + self._tail + text)
        self.total += len(text)
        if missing := self._head_room - len(self._head):
            self._head += text[:missing]
            text = text[missing:]
        if text:
            self._tail = (self._tail + text)[-self._tail_room :] if self._tail_room else ""

    def _open_spill(self) -> None:
        if self._spill is None:
            return
        with contextlib.suppress(OSError):  # without the file the head and the tail still tell the most
            path = self._spill()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.fdopen(os.open(path, flags, 0o600), "wb")
            self.spill_path = path

    def _write(self, text: str) -> None:
        if self._file is None or self.spill_cut:
            return
        data = text.encode("utf-8")
        part = data[: SPILL_CAP - self._spilled]
        try:
            self._file.write(part)
        except OSError:
            self.spill_cut = True
            return
        self._spilled += len(part)
        self.spill_cut = len(part) < len(data)

    @property
    def omitted(self) -> int:
        """Characters between the head and the tail that are not kept."""
        return self.total - len(self._head) - len(self._tail)

    def close(self) -> str:
        """End the stream. Gives what was kept, with one line in place of what was not."""
        self.feed(b"", final=True)
        if self._file is not None:
            try:
                self._file.close()
            except OSError:
                self.spill_cut = True
            self._file = None
        if not self.omitted:
            return self._head + self._tail
        where = ""
        if self.spill_path is not None:
            part = f"first {self._spilled:,} bytes" if self.spill_cut else "full text"
            where = f"; {part}: {self.spill_path}"
        return f"{self._head}\n[... {self.omitted:,} characters omitted{where} ...]\n{self._tail}"
