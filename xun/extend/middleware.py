"""Middleware: code that changes what goes to a model, what comes from it, a call before it runs, and its result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from inspect import unwrap
from typing import Any, TypeVar

from xun.errors import ConfigurationError, WrongTypeError, XunError, text_of
from xun.extend.payloads import HOOKS
from xun.given import clipped, is_async, several
from xun.messages import Message, ToolCall, ToolResult
from xun.whole import whole, whole_call
from xun.worker import is_cancelled, run_in_task

R = TypeVar("R")
T = TypeVar("T")


class MiddlewareError(XunError):
    """A middleware has failed, or gave what cannot be used. `str()` is why."""


class Middleware:
    """Override what is needed; each method gives back what it was given, or what is to take its place.

    Those in a list see a request and a call in its order, a reply and a result in the opposite one. None of them can
    send again or ask a person. One that fails, or gives what cannot be used, never lets the unchanged through: before a
    call it denies the call, after it the result is withheld, and at the model the turn fails.
    """

    async def before_model_request(self, request: Any) -> Any:
        """Change the `Request` before it is sent: `dataclasses.replace` makes another one, for this once."""
        return request

    async def after_model_response(self, message: Message) -> Message:
        """Change a complete reply before it is added to history and its calls run."""
        return message

    async def before_tool_execution(self, call: ToolCall) -> ToolCall:
        """Change a call, under its tool's name, before it is validated and decided. Its id stays.

        One that is given a `problem` is denied.
        """
        return call

    async def after_tool_execution(self, call: ToolCall, result: ToolResult) -> ToolResult:
        """Change what the model reads of a call, its `content`; people, and the session, keep what it gave."""
        return result


STAGES = ("before_model_request", "after_model_response", "before_tool_execution", "after_tool_execution")


class Pipeline:
    """Several of them, in order. Raises `MiddlewareError` wherever one fails, or gives what cannot be used."""

    def __init__(self, parts: Sequence[Middleware] = ()) -> None:
        self.parts: tuple[Middleware, ...] = several("middleware", parts, "Middleware objects")
        for part in self.parts:
            if not isinstance(part, Middleware):
                raise WrongTypeError(
                    f"middleware must be a list of Middleware objects, and {clipped(part)} in it is none"
                )
            _check_stages(part)

    async def request(self, request: R, check: Callable[[Any], R]) -> R:
        """`check` gives a request as it can be sent, or raises `WrongTypeError`, which reads on from "gave"."""
        for part in self.parts:
            request = await self._through(part, "before_model_request", check, request)
        return request

    async def response(self, message: Message, check: Callable[[Any], Message]) -> Message:
        """`check` gives a message as it can be taken for a reply, or raises as that of `request` does."""
        for part in reversed(self.parts):
            message = await self._through(part, "after_model_response", check, message)
        return message

    async def call(self, call: ToolCall, named: Callable[[ToolCall], ToolCall]) -> ToolCall:
        """`named` gives a call under the name of the tool that it means: each of them sees what would run."""
        call = named(call)
        for part in self.parts:
            changed = await self._through(part, "before_tool_execution", whole_call, call)
            who = _named(part, "before_tool_execution")
            if changed.id != call.id:
                raise MiddlewareError(f"{who} gave the call another id")
            if changed.problem is not None:
                raise MiddlewareError(f"{who} says: {_line(changed.problem) or 'not this call'}")
            if not changed.name.strip():
                raise MiddlewareError(f"{who} gave the call no name")
            call = named(changed)
        return call

    async def result(self, call: ToolCall, result: ToolResult) -> ToolResult:
        for part in reversed(self.parts):
            changed = await self._through(part, "after_tool_execution", partial(whole, ToolResult), call, result)
            if (changed.call_id, changed.name) != (result.call_id, result.name):
                raise MiddlewareError(f"{_named(part, 'after_tool_execution')} gave the result of another call")
            if not changed.content.strip():
                raise MiddlewareError(f"{_named(part, 'after_tool_execution')} gave a result without content")
            result = changed
        return result

    async def _through(self, part: Middleware, stage: str, check: Callable[[Any], T], *given: Any) -> T:
        method = getattr(part, stage)
        # The method of the object, not that of its class: a guard may be set on one object alone.
        if getattr(method, "__func__", method) is getattr(Middleware, stage):
            return given[-1]
        try:
            changed = await run_in_task(lambda: method(*given))
        except asyncio.CancelledError as error:
            if is_cancelled():
                raise
            raise MiddlewareError(f"{_named(part, stage)} failed: it cancelled itself") from error
        except (Exception, SystemExit) as error:  # raised on, the latter would end the loop of whoever runs the agent
            raise MiddlewareError(f"{_named(part, stage)} failed: {_line(text_of(error))}") from error
        try:
            return check(changed)
        except WrongTypeError as error:
            raise MiddlewareError(f"{_named(part, stage)} gave {error}") from None


def _check_stages(part: Middleware) -> None:
    """A guard that could not be awaited would fail at each call, and one whose name is not quite that of a stage would
    never be called. Raises `ConfigurationError`.
    """
    for stage in STAGES:
        method = getattr(part, stage)
        if not callable(method) or not (is_async(method) or is_async(unwrap(method))):
            raise WrongTypeError(f"{type(part).__name__}.{stage} is awaited: it must be a function with async")
    for name in dir(part):
        if name.startswith("_") or name in STAGES or not callable(getattr(part, name)):
            continue
        near = get_close_matches(name, STAGES, 1, 0.8)
        if near or name in HOOKS or name.startswith(("before_", "after_")):
            meant = f"did you mean {near[0]}?" if near else f"the stages are {', '.join(STAGES)}"
            raise ConfigurationError(
                f"{type(part).__name__}.{name} is no stage of middleware and would never run; {meant}"
            )


def _named(part: Middleware, stage: str) -> str:
    return f"the middleware {type(part).__name__}.{stage}"


def _line(text: str) -> str:
    return " ".join(text.split())
