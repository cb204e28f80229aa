"""Signals: the screen closes in good order, the session is whole, and the exit code tells which signal it was."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def on_signals(leave: Callable[[int], None]) -> None:
    """Call `leave` with the exit code, 128 + the signal's number, when one of the ending signals comes."""
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, leave, 128 + number)
