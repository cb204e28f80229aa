"""The screen on a pseudo-terminal, read through a terminal emulator, and somebody who types."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import termios
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import pyte

from tests.e2e.support import LONG, Model, end_left_running, start

# What Textual asks terminals and they answer; pyte answers nothing, as some real ones do not.
_MODES = {1000: "mouse", 1002: "mouse", 1003: "mouse", 1006: "mouse", 1004: "focus", 2004: "paste", 1049: "alternate", 25: "cursor"}  # fmt: skip


_ALTERNATE = 1049


class Emulator(pyte.Screen):
    """A terminal whose alternate screen is empty whenever it is gone to, as those of people are."""

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        super().set_mode(*modes, **kwargs)
        if kwargs.get("private") and _ALTERNATE in modes:
            self.erase_in_display(2)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        super().reset_mode(*modes, **kwargs)
        if kwargs.get("private") and _ALTERNATE in modes:
            self.erase_in_display(2)  # what stood on the other one before is not kept


SHOWN = 0.3  # seconds in which a key that shows anything does so
TAKEN = 5.0  # seconds in which it is read, if it is; on a busy machine that takes longer than to show a key
APART = 0.1  # seconds between keys of a person: what comes faster is taken for a paste


class Screen:
    """Runs `xun WORDS` on a terminal of `width` by `height` cells. `raw` is everything that it has written."""

    def __init__(
        self,
        *words: str,
        model: Model | None = None,
        env: Mapping[str, str] | None = None,
        width: int = 80,
        height: int = 24,
        program: str = "",
    ) -> None:
        self._master, self._slave = os.openpty()
        self._emulator = Emulator(width, height)
        self._stream = pyte.ByteStream(self._emulator)
        self._changed = threading.Condition()
        self._text: str | None = None
        self._marks = 0
        self.raw = b""
        self.resize(width, height)
        self.settings = termios.tcgetattr(self._slave)
        # The first terminal that a session leader opens becomes its controlling one.
        first = f"exec <>{os.ttyname(self._slave)} >&0 2>&0"
        variables = {"TERM": "xterm-256color", "COLORTERM": "", **(model.env if model else {}), **(env or {})}
        self.process = start(*words, env=variables, first=first, program=program, stdout=None, stderr=None)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        killed = self.process.poll() is None
        if killed:
            self.process.kill()
        self.process.wait()
        self.hang_up()
        if killed:  # it had no time to end what it had begun, such as a look at the folder
            end_left_running()
        os.close(self._slave)

    # Reading

    def _read(self) -> None:
        while True:
            try:
                if not select.select([self._master], [], [], 0.2)[0]:
                    continue
                data = os.read(self._master, 65_536)
            except (OSError, ValueError):  # the terminal was hung up
                return
            with self._changed:
                self.raw += data
                # The emulator does not know the sequences by which keyboards are set up.
                self._stream.feed(data.replace(b"\x1b[>", b"\x1b[?").replace(b"\x1b[<u", b""))
                self._text = None
                self._changed.notify_all()

    @property
    def text(self) -> str:
        """What stands on the screen, lines without their trailing blanks."""
        with self._changed:
            if self._text is None:
                self._text = "\n".join(line.rstrip() for line in self._emulator.display)
            return self._text

    def until(self, text: str | Callable[[str], bool], why: str = "") -> str:
        """Wait until `text` stands on the screen, or is true of it; returns the screen."""
        there = text if callable(text) else lambda shown: text in shown
        end = time.monotonic() + LONG
        while not there(shown := self.text):
            assert time.monotonic() < end, f"waited for {why or text!r}; the screen is\n{shown}"
            with self._changed:  # what is asked for may also be true of something beside the screen
                self._changed.wait_for(lambda before=shown: self.text != before, 0.05)
        return shown

    def gone(self, text: str) -> str:
        """Wait until `text` is on the screen no more."""
        return self.until(lambda shown: text not in shown, f"the end of {text!r}")

    def opened(self) -> str:
        """Wait until there is an agent to type to; returns the screen."""

        def there(shown: str) -> bool:
            line = shown.splitlines()[-1]  # where room is short, a context of unknown size is told in tokens
            return ("context" in line or " tok" in line) and "/" in line

        return self.until(there, "an agent")

    def read_out(self) -> None:
        """Wait until all is read that was written to the terminal before: a mark of ours, written now, comes after it."""
        self._marks += 1
        mark = b"\x1b]9999;%d\x07" % self._marks  # a command of no meaning: shows nothing
        os.write(self._slave, mark)
        with self._changed:
            assert self._changed.wait_for(lambda: mark in self.raw, LONG), "the terminal was not read to its end"

    # Typing

    def type(self, *texts: str) -> None:
        """Type `texts`, each as a person would: what follows comes once it is shown, and not at once.

        On a busy machine keys are else read together, long after they were typed, and look like a paste.
        """
        for text in texts:
            with self._changed:
                before = len(self.raw)
                os.write(self._master, text.encode())
                self._changed.wait_for(lambda seen=before: len(self.raw) > seen, SHOWN)
            self._taken()
            time.sleep(APART)

    def _taken(self) -> None:
        """Wait until what was typed is read by whoever runs there, if anybody reads it at all."""
        end = time.monotonic() + TAKEN
        while struct.unpack("i", fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4)))[0] and time.monotonic() < end:
            time.sleep(0.01)

    def paste(self, text: str) -> None:
        """Paste `text` as a terminal does that marks pastes."""
        data = b"\x1b[200~" + text.encode() + b"\x1b[201~"
        while data:
            data = data[os.write(self._master, data[:4096]) :]

    def send_bytes(self, data: bytes) -> None:
        """Send `data` as it is, at once."""
        os.write(self._master, data)

    def send(self, prompt: str) -> None:
        """Type `prompt` and Enter."""
        self.type(prompt, "\r")

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        with self._changed:
            self._emulator.resize(height, width)
            self._text = None
        if hasattr(self, "process"):
            os.killpg(self.process.pid, signal.SIGWINCH)

    # Ending

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def hang_up(self) -> None:
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def end(self) -> int:
        """Wait for the end of the program, and for what it wrote last: its exit code."""
        code = self.process.wait(LONG)
        if self._master >= 0:
            self.read_out()
        return code

    def settings_now(self) -> list[Any]:
        return termios.tcgetattr(self._slave)

    def left_on(self) -> set[str]:
        """The terminal modes that were switched on and not off again, by the last word about each."""
        with self._changed:
            raw = self.raw
        on = set()
        for number, name in _MODES.items():
            last_on, last_off = raw.rfind(b"\x1b[?%dh" % number), raw.rfind(b"\x1b[?%dl" % number)
            if number == 25:
                last_on, last_off = last_off, last_on  # the cursor is to be shown again
            if last_on > last_off:
                on.add(f"{name} {number}")
        return on
