"""A call that failed for a passing reason is made again, where a second one does no harm."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from xun.events import CallOutcome
from xun.result import Err, ErrorInfo, Result
from xun.toolbox.replay import Passing, ToolRetry
from xun.toolbox.safe import contained
from xun.toolbox.tool import Tool
from xun.worker import run_in_thread

_READS_AS_PASSING = re.compile(
    r"\b(?:429|503|504|529|rate.?limit\w*|too many requests|throttl\w+|overload\w*|over capacity"
    r"|temporarily unavailable|try again later|time[ds]?.?out)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a call gave, how it ended, and the seconds that the tool itself has taken."""

    result: Result[Any]
    outcome: CallOutcome
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt, counted from 1, that failed for a passing reason; the next one comes after `wait` seconds."""

    attempt: int
    reason: str
    wait: float

    def __str__(self) -> str:
        return f"attempt {self.attempt} failed ({self.reason}); the next one comes in {self.wait:.1f} s\n"


Attempt = Callable[[], Awaitable[Ran]]


async def repeated(
    attempt: Attempt,
    tool: Tool,
    retry: ToolRetry | None,
    tell: Callable[[Failure], Awaitable[None]],
    complain: Callable[[str], None],
) -> Ran:
    """Make a call of `tool` up to `retry.attempts` times; once where `retry` is None.

    `tell` is awaited before each wait, which is no time of the tool. A call that ran out of its time is not made again:
    it may still be at work. `complain` is told where `retry_if_result` fails; what the call gave then stands.
    """
    ran = await attempt()
    number, seconds = 1, ran.seconds
    while retry is not None and (why := await _passing(ran, tool, retry, complain)) is not None:
        if number == retry.attempts:
            return _given_up(ran, number, seconds)
        failure = Failure(number, why, retry.delay(number))
        await tell(failure)
        await asyncio.sleep(failure.wait)
        ran = await attempt()
        number, seconds = number + 1, seconds + ran.seconds
    return ran if number == 1 else replace(ran, seconds=seconds)


async def _passing(ran: Ran, tool: Tool, retry: ToolRetry, complain: Callable[[str], None]) -> str | None:
    """Why the call may be made again, in one line; None where what it gave stands."""
    if ran.outcome == "timeout":
        return None
    if ran.result.is_err():
        error = ran.result.unwrap_err()
        asked = isinstance(ran.result, Passing)
        reads = retry.retry_error_results and _READS_AS_PASSING.search(error.error)
        return _line(error.error) if asked or reads else None
    if tool.retry_if_result is None or not await _says(tool, ran.result.unwrap(), complain):
        return None
    return "by its result"


async def _says(tool: Tool, value: Any, complain: Callable[[str], None]) -> bool:
    assert tool.retry_if_result is not None
    waiting = asyncio.current_task()
    try:
        return bool(await run_in_thread(partial(tool.retry_if_result, _own(value)), f"retry-{tool.name}"))
    except BaseException as error:  # noqa: BLE001 - whatever is wrong with it, it is told
        why = _line(contained(error, waiting).unwrap_err().error)
        complain(f"retry_if_result of the tool {tool.name} failed, so its result stands: {why}")
        return False


def _own(value: Any) -> Any:
    """`value` for one who looks at it and may change it; itself where it cannot be copied."""
    try:
        return deepcopy(value)
    except Exception:  # noqa: BLE001 - a value of others: a lock, an open file
        return value


def _given_up(ran: Ran, attempts: int, seconds: float) -> Ran:
    result = ran.result
    if result.is_err():
        error = result.unwrap_err()
        result = Err(ErrorInfo(error=f"{error.error} (given up after {attempts} attempts)", details=error.details))
    return Ran(result, ran.outcome, seconds)


def _line(text: str) -> str:
    return " ".join(text.split())[:200]
