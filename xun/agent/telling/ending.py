"""How the task of a turn ended, in the words of its result."""

from __future__ import annotations

import asyncio

from xun.errors import text_of
from xun.events import ErrorDetail, Status, StopReason
from xun.providers.base import ProviderError
from xun.result import printable

Outcome = tuple[Status, StopReason, ErrorDetail | None]


class Stop(Exception):
    """Ends the turn with `reason` after the transcript is closed."""

    def __init__(self, reason: StopReason, message: str, kind: str | None = None) -> None:
        super().__init__(message)
        self.reason: StopReason = reason
        self.kind = kind or reason


def outcome_of(task: asyncio.Task[None], cancelled: str) -> Outcome:
    """The status, stop reason and error of a turn; `cancelled` says in a word what a cancelled one was."""
    if not task.done() or task.cancelled():  # not done: its loop was stopped in the middle of it
        if task.done() and not task.cancelling():  # nobody did: some code that it awaits has ended itself so
            return (
                "failed",
                "error",
                ErrorDetail(kind="internal", message="something that the run called cancelled itself"),
            )
        return "cancelled", "cancelled", ErrorDetail(kind="cancelled", message=f"the run was {cancelled}")
    match task.exception():
        case None:
            return "completed", "end_turn", None
        case KeyboardInterrupt():
            return "cancelled", "cancelled", ErrorDetail(kind="cancelled", message="the run was interrupted")
        case Stop() as stop:
            return "failed", stop.reason, ErrorDetail(kind=stop.kind, message=_line(str(stop)))
        case ProviderError() as error:
            detail = ErrorDetail(
                kind=error.kind,
                message=_line(error.message),
                status=error.status,
                request_id=error.request_id,
            )
            return "failed", "usage" if error.kind == "config" else "error", detail
        case error:
            said = f"{type(error).__name__}: {_line(text_of(error))}"
            return "failed", "error", ErrorDetail(kind="internal", message=said)


def _line(text: str) -> str:
    return printable(" ".join(text.split()))
