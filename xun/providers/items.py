"""What a provider hands back, checked where it comes in: what is wrong with it is told in one line, as its fault."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import deque
from collections.abc import AsyncGenerator
from typing import Any

from xun.errors import text_of
from xun.messages import Usage
from xun.providers.base import (
    Done,
    InPlace,
    ModelInfo,
    Provider,
    ProviderError,
    Request,
    StreamItem,
    TextPart,
    ThinkingPart,
    Used,
)
from xun.result import printable
from xun.worker import awaited, is_cancelled

_END = object()
_LETS_GO = 1.0  # seconds in which a stream that is not read any more may close
_log = logging.getLogger("xun.providers")


async def items_of(provider: Provider, request: Request) -> AsyncGenerator[StreamItem]:
    """The items of its stream, to the first `Done`. The stream is closed with this one, however it ends.

    It runs in a task of its own: one that does not let go, or takes long to close, keeps nobody waiting. Raises what
    the stream raises, and `ProviderError` (kind "protocol") for what is no stream or no item of one.
    """
    arrived: deque[StreamItem] = deque()
    more = asyncio.Event()
    done = False

    async def read() -> None:
        stream = _stream_of(provider, request)
        try:
            while (item := await _next(stream)) is not _END:
                arrived.append(_checked(item))
                more.set()
                if isinstance(item, Done):
                    return
        finally:
            await _close(stream)

    task = asyncio.create_task(awaited(read), name=f"xun-stream-{provider.name}")
    task.add_done_callback(lambda _: more.set())
    try:
        while True:
            while arrived:
                done = isinstance(arrived[0], Done)
                yield arrived.popleft()
            if task.done():
                task.result()()
                return
            more.clear()
            await more.wait()
    except asyncio.CancelledError:
        await _let_go(task, done)
        for item in tuple(arrived):  # what has been said is told, also where nobody waits for the end of it
            if not isinstance(item, Done):
                yield item
        raise
    finally:
        await _let_go(task, done)


async def _let_go(task: asyncio.Task[Any], done: bool) -> None:
    """See the end of `task`, in a moment that it has to close: at once where its reply is not wanted any more."""
    if not task.done() and done:
        await asyncio.wait({task}, timeout=_LETS_GO)
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=_LETS_GO)


def _stream_of(provider: Provider, request: Request) -> Any:
    given: Any = provider.stream(request)
    if hasattr(given, "__aiter__") and hasattr(found := given.__aiter__(), "__anext__"):
        return found
    if inspect.iscoroutine(given) or inspect.isgenerator(given):
        given.close()
    raise _wrong(f"stream() gave {_kind(given)} in place of an asynchronous iterator: make it an async def with yield")


async def _next(stream: Any) -> Any:
    """The next item, `_END` after the last. Leaving the program, or cancelling itself, is a fault like any other."""
    try:
        return await anext(stream, _END)
    except asyncio.CancelledError:
        if is_cancelled():
            raise
        raise _wrong("its stream cancelled itself") from None
    except (Exception, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise _wrong(f"its stream ended with {type(error).__name__}: {' '.join(text_of(error).split())}") from error


async def _close(stream: Any) -> None:
    """Close it, where it can be. What fails in that takes nothing from a reply that is there."""
    close = getattr(stream, "aclose", None)
    try:
        if close is not None and inspect.isawaitable(waiting := close()):
            await waiting
    except Exception:  # noqa: BLE001 - whatever is wrong with it
        _log.info("a stream could not be closed", exc_info=True)


def _checked(item: Any) -> StreamItem:
    match item:
        case TextPart(text=text) | ThinkingPart(text=text):
            if not isinstance(text, str):
                raise _wrong(f"a {type(item).__name__} holds {_kind(text)} in place of text")
            return item if (valid := printable(text)) is text else type(item)(valid)
        case InPlace(model=model):
            if not isinstance(model, ModelInfo):
                raise _wrong(f"an InPlace holds {_kind(model)} in place of a ModelInfo")
            return item
        case Used(usage=usage, model=model):
            if not isinstance(usage, Usage | None) or not isinstance(model, ModelInfo | None):
                raise _wrong(f"a Used holds {_kind(usage)} and {_kind(model)} in place of a Usage and a ModelInfo")
            return item
        case Done():
            return item
    raise _wrong(f"its stream gave {_kind(item)} in place of a TextPart, a ThinkingPart or a Done")


def _kind(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _wrong(what: str) -> ProviderError:
    return ProviderError("protocol", f"the provider gave what cannot be used: {what}", uncounted=True)
