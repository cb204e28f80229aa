"""A pseudo-terminal with a `xun run` on it, and somebody who reads and types."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import termios
import time
from types import TracebackType
from typing import Any

from tests.e2e.support import LONG, Model


class Terminal:
    """Runs `xun run WORDS` with a terminal of its own.

    Standard output is a pipe, as in `xun run … | cat`, unless `out` says that it is the terminal too. `stderr` takes
    standard error away from it.
    """

    def __init__(self, model: Model, *words: str, out: bool = False, stderr: Any = None) -> None:
        self._master, self._slave = pty.openpty()
        self.settings = termios.tcgetattr(self._slave)
        self.screen = ""
        # The first terminal that a session leader opens becomes its controlling one.
        name = os.ttyname(self._slave)
        first = f"exec <>{name}{'' if stderr else ' 2>&0'}{' >&0' if out else ''}"
        self.process = model.start(*words, first=first, stderr=stderr or subprocess.DEVNULL)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.hang_up()
        os.close(self._slave)

    def until(self, text: str) -> str:
        """Read until `text` is on the screen, and return all that came since the last call."""
        end = time.monotonic() + LONG
        while text not in self.screen:
            assert time.monotonic() < end, f"waited for {text!r}, got {self.screen!r}"
            self._read(0.05)
        seen, _, self.screen = self.screen.partition(text)
        return seen + text

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 65_536)
        except OSError:  # nobody has the other end open
            return False
        self.screen += data.decode().replace("\r\n", "\n")
        return bool(data)

    def enter(self, text: str) -> None:
        os.write(self._master, text.encode())

    def hang_up(self) -> None:
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def end(self) -> tuple[int, str]:
        """Wait for the end of the run: its exit code and its standard output. The screen holds the rest."""
        out, _ = self.process.communicate(timeout=LONG)
        while self._master >= 0 and self._read(0):
            continue
        return self.process.returncode, out.decode()

    def settings_now(self) -> list[Any]:
        return termios.tcgetattr(self._slave)
