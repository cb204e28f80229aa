"""The signals that end a run. Until the run itself takes care of them, each raises `KeyboardInterrupt`."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}

_came: list[int] = []


def watched() -> list[signal.Signals]:
    """Those that end a run. A hangup does not where the caller has it ignored, as nohup does."""
    return [number for number in CODES if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN]


def raise_early() -> None:
    """From now on the first of them raises; a second one ends the process."""
    for number in watched():
        signal.signal(number, _raise)


def came() -> int | None:
    """The exit code for the one that has raised, which tells which it was; None where none has."""
    return _came[0] if _came else None


def _raise(number: int, _frame: FrameType | None) -> NoReturn:
    for each in watched():
        signal.signal(each, signal.SIG_DFL)
    _came.append(CODES[signal.Signals(number)])
    raise KeyboardInterrupt
