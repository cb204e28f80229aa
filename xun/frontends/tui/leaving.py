"""The end of the screen: asked for, by a signal, or by a fault of ours."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

from xun.frontends.tui.crash import keep_details
from xun.frontends.tui.drafting import Drafting

CLOSING = 5.0  # seconds that running commands have to end when the screen closes
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def on_signals(leave: Callable[[int], None]) -> None:
    """Call `leave` with the exit code, 128 + the signal's number, when one of the ending signals comes."""
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, leave, 128 + number)


class Leaving(Drafting):
    """A part of `XunApp`. The session is whole at the end, and the exit code tells which signal it was, if any."""

    def leave(self, code: int) -> None:
        """Close in good order and exit with `code`. Called again, exit at once."""
        if self.code is not None:
            self.exit(code)
            return
        self.code = code
        self.keep_draft()
        self.run_worker(self._close(code), exit_on_error=False)

    async def _close(self, code: int) -> None:
        try:
            if self.desk is not None:
                async with asyncio.timeout(CLOSING):
                    await self.desk.close()
        except TimeoutError:
            if self.desk is not None:
                self.desk.agent.processes.kill()
        finally:
            if code:  # a signal: whatever the terminal does now, it ends
                last = threading.Timer(CLOSING, os._exit, (code,))
                last.daemon = True
                last.start()
            self.exit(code)

    def _handle_exception(self, error: Exception) -> None:
        """A fault of ours ends the screen. The terminal is restored first; one line says where the details are."""
        if self.is_headless:
            super()._handle_exception(error)
            return
        self._return_code = 1
        self.crash = keep_details(self.opener.state, error)
        with suppress(Exception):  # the fault may be in the prompt itself
            self.keep_draft()
        if self.desk is not None:
            self.desk.agent.processes.kill()
        self._close_messages_no_wait()
