"""Whatever a tool's function does ends as a `Result`: a plain value as `Ok`, an exception as `Err`.

Only what is meant for the program itself passes: `KeyboardInterrupt`, cancellation, and the closing of the coroutine
that waits for the tool. A tool that leaves by `sys.exit`, or by an exception that is no `Exception`, has failed like
any other.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from xun.errors import text_of
from xun.result import Err, ErrorInfo, Ok, Result, to_jsonable
from xun.toolbox.replay import Passing, TransientToolError

_HAS_RUN = "the call has run and only what it gave is lost, so check its effects before repeating it"
_PASSING = (KeyboardInterrupt, asyncio.CancelledError)


def except_safe(call: Callable[[], Any]) -> Result[Any]:
    """Call it now. An awaitable it returns comes back as an `Ok` of it, not awaited."""
    try:
        value = call()
        return Ok(value) if inspect.isawaitable(value) else as_result(value)
    except _PASSING:
        raise
    except BaseException as error:  # noqa: BLE001 - any failure of a tool is an answer to the model
        return error_of(error)


async def except_safe_await(call: Callable[[], Awaitable[Any]]) -> Result[Any]:
    """Call it and await what it returns."""
    waiting = asyncio.current_task()
    try:
        return as_result(await call())
    except _PASSING:
        raise
    except BaseException as error:  # any failure of a tool is an answer to the model
        if _closes(error, waiting):
            raise
        return error_of(error)


def contained(error: BaseException, waiting: asyncio.Task[Any] | None) -> Err:
    """`error`, raised by code of others that the task `waiting` awaited, as an `Err`.

    Raises it again where it is meant for the program itself. A cancellation is, if it is one of that task.
    """
    if isinstance(error, asyncio.CancelledError) and waiting is not None and not waiting.cancelling():
        return Err("the tool cancelled itself")
    if isinstance(error, _PASSING) or _closes(error, waiting):
        raise error
    return error_of(error)


def _closes(error: BaseException, waiting: asyncio.Task[Any] | None) -> bool:
    """Whether `error` closes a coroutine of `waiting`, which no loop runs any more, rather than coming from a tool."""
    if not isinstance(error, GeneratorExit):
        return False
    try:
        return asyncio.current_task() is not waiting
    except RuntimeError:  # no loop runs at all
        return True


def as_result(value: Any) -> Result[Any]:
    """`value`, which a tool gave, as an `Ok`, a `Result` as it is.

    Raises `TypeError` where JSON cannot hold it, naming its type, and saying that the tool has run: else a model would
    take it for a call that did nothing, and make it again.
    """
    result = value if isinstance(value, Result) else Ok(value)
    if result.is_ok():
        try:
            to_jsonable(result.unwrap())
        except Exception as error:
            raise TypeError(f"{text_of(error)}; {_HAS_RUN}") from error
    return result


def error_of(error: BaseException) -> Err:
    """`error` as an `Err`: its text on one line, or its class where it has none, and its `repr` as the details."""
    kind = Passing if isinstance(error, TransientToolError) else Err
    said = text_of(error)
    line = said if len(said.splitlines()) < 2 else " ".join(said.split())
    return kind(ErrorInfo(error=line, details=_repr(error)))


def _repr(error: BaseException) -> str:
    try:
        return repr(error)
    except BaseException:  # noqa: BLE001 - an exception of others that cannot even be shown
        return type(error).__name__
