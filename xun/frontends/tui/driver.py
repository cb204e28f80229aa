"""The terminal under the screen: drawn on whichever descriptor is one, given back as it was, and never waited for."""

from __future__ import annotations

import codecs
import errno
import math
import os
import selectors
import signal
import termios
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import IO, Any

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from xun.frontends.tui.base import BaseApp
from xun.frontends.tui.keyboard import Keyboard

_AT_ONCE = 4096  # bytes read at a time
_LEAVING = 1.0  # seconds that the last words may take to reach a terminal that may not be there any more


class _Driver(LinuxDriver):
    def __init__(
        self,
        app: App[Any],
        *,
        attributes: list[Any],
        out: IO[str],
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._attributes, self._file = attributes, out
        self._due: deque[Callable[[], None]] = deque(maxlen=1)  # what the last signal asks for

    def start_application_mode(self) -> None:
        """Take the terminal; what is given back is what it was before anything of xun ran."""
        # That the process goes on is told to the main thread, before it hears of a key that another one has read.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCONT])
        try:
            super().start_application_mode()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.attrs_before = self._attributes

    # Signals come in the midst of anything, also of a write, whose lock the main thread then holds: they are noted, and
    # the event loop does what they ask for. As for the kernel, each undoes one before it that nothing was done for yet.

    def _sigtstp_application(self, *_: object) -> None:
        self._note(signal.SIGTSTP, self._stop)

    def _sigcont_application(self, *_: object) -> None:
        self._note(signal.SIGCONT, self._go_on)

    def _note(self, number: int, what: Callable[[], None]) -> None:
        self._due.append(what)
        self._told(math.inf)
        try:
            self._loop.call_soon_threadsafe(self._obey)
        except RuntimeError:  # the loop is closed, and the terminal was given back
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    def _told(self, back: float) -> None:
        if isinstance(self._app, BaseApp):
            self._app.back = back

    def _obey(self) -> None:
        while self._due:
            self._due.popleft()()
            self._told(time.monotonic())
            if self._due:  # noted before that was told
                self._told(math.inf)

    def _stop(self) -> None:
        """Give the terminal back and stop."""
        if self._auto_restart and not self._must_signal_resume:
            self.suspend_application_mode()
            self._must_signal_resume = True
        os.kill(os.getpid(), signal.SIGSTOP)

    def _go_on(self) -> None:
        """Take the terminal again. Stopped by a signal that nobody can catch, it was not even given back."""
        if not self._auto_restart:
            return
        while True:
            try:
                termios.tcflow(self.fileno, termios.TCOON)  # changes nothing, and behind the shell it stops the process
                break
            except termios.error as error:
                if error.args[0] != errno.EINTR:
                    return  # the terminal has gone, and its hang-up is on the way
        with suppress(ValueError):
            self._due.remove(self._go_on)  # what follows is the answer to it too
        if not self._must_signal_resume:
            self.suspend_application_mode()  # else there would be two threads that read, and two that write
            self._must_signal_resume = True
        with suppress(termios.error):  # what was typed until now was for the shell
            termios.tcflush(self.fileno, termios.TCIFLUSH)
        self._told(time.monotonic())
        self.resume_application_mode()

    def write(self, data: str) -> None:
        """Write `data`, unless nobody writes any more: what is never taken up would be waited for."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            self._writer_thread.write(data)

    def run_input_thread(self) -> None:
        """Read the terminal until the screen closes. What is no UTF-8 is shown as U+FFFD."""
        keyboard = Keyboard()
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if not selector.select(keyboard.wait):
                    messages = keyboard.tick()
                elif data := os.read(self.fileno, _AT_ONCE):
                    text = decoder.decode(data)  # "" where a character is not complete yet
                    messages = keyboard.feed(text) if text else ()
                else:
                    return
                for message in messages:
                    self.process_message(message)

    def close(self) -> None:
        """End the thread that writes. It may be stuck, or have died with the terminal."""
        writer = self._writer_thread
        if writer is not None:
            ending = threading.Thread(target=writer.stop, name="xun-last-words", daemon=True)
            ending.start()
            ending.join(_LEAVING)


def driver_on(attributes: list[Any], out: IO[str]) -> Callable[..., LinuxDriver]:
    """The driver for a terminal that `out` leads to and whose settings were `attributes`."""
    return partial(_Driver, attributes=attributes, out=out)
