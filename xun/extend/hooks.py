"""Hooks: functions that are told what an agent does. They observe; one that raises before a call denies that call."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

from xun.errors import ConfigurationError, WrongTypeError, text_of
from xun.extend.payloads import BOUNDED, GUARDING, HOOK_PAYLOADS, HOOKS, HookName
from xun.given import clipped, runs
from xun.messages import Message, ToolCall, call_of_its_own, of_its_own
from xun.result import Err, Ok, Result
from xun.worker import is_cancelled, run_in_task, run_in_thread

MOST = 3.0
"""Seconds that a hook of `BOUNDED` may take: neither a run nor an agent ends later than that for one."""
_LETS_GO = 1.0
_log = logging.getLogger("xun.hooks")


@dataclass(frozen=True, slots=True)
class HookContext:
    """What a hook is given: its `name`, the `agent`, and the `data` that `HOOK_PAYLOADS` describes."""

    name: HookName
    agent: Any
    data: dict[str, Any]


Hook = Callable[[HookContext], object]


class HookDenied(Exception):
    """A hook that guards has raised. `str()` is why."""


class Registration:
    """A hook that is in force until `close`."""

    def __init__(self, hooks: Hooks, name: HookName, function: Hook, *, once: bool) -> None:
        self.name = name
        self.function = function
        self.once = once
        self.told = False  # of a failure
        self._hooks = hooks

    def close(self) -> None:
        """Take the hook out. Does nothing the second time."""
        self._hooks.remove(self)

    def described(self) -> str:
        """The hook for people."""
        return getattr(self.function, "__qualname__", type(self.function).__name__)


class Hooks:
    """The hooks of an agent, by name, in the order in which they were added.

    A hook is a function of a `HookContext`; a synchronous one runs in a worker thread, an asynchronous one in a task of
    its own, and the agent waits for it: of those in `BOUNDED`, which come when no time limit of a run holds any more,
    for `MOST` seconds. What it changes in `data` changes nothing else. Names are those of
    `HOOK_PAYLOADS`.
    """

    def __init__(self) -> None:
        self._of: dict[HookName, list[Registration]] = {}

    def on(self, name: HookName, function: Hook, *, once: bool = False) -> Registration:
        """Call `function` whenever `name` happens, or, with `once`, the next time alone.

        A one-shot added while its own hook fires waits for the next. Raises `ConfigurationError` for an unknown name,
        for what is no function, and for one with `yield` in it, of which a call runs nothing.
        """
        if name not in HOOK_PAYLOADS:
            raise ConfigurationError(f"no hook is called {name!r}; known: {', '.join(HOOKS)}")
        if not callable(function):
            raise WrongTypeError(f"a hook must be a function, not {clipped(function)}")
        runs("a hook", function)
        registration = Registration(self, name, function, once=once)
        self._of.setdefault(name, []).append(registration)
        return registration

    def before_tool(self, function: Hook) -> Registration:
        """`on("before_tool_call", …)`: it denies the call by raising, and lets it pass by returning None alone."""
        return self.on("before_tool_call", function)

    def after_tool(self, function: Hook) -> Registration:
        """`on("after_tool_call", …)`."""
        return self.on("after_tool_call", function)

    def on_error(self, function: Hook) -> Registration:
        """`on("error", …)`: a turn has failed."""
        return self.on("error", function)

    def remove(self, registration: Registration) -> None:
        """What `registration.close()` does."""
        of = self._of.get(registration.name, [])
        if registration in of:
            of.remove(registration)

    def wants(self, name: HookName) -> bool:
        """Whether anything is registered for `name`, so that it is worth making its payload."""
        return bool(self._of.get(name))

    async def fire(self, name: HookName, agent: Any, **data: Any) -> None:
        """Call the hooks of `name`, one after another, and wait for each.

        Raises `HookDenied` for the first that fails where those of `name` guard. Any other failure is logged, told as a
        notice once for each hook, and changes nothing. Cancellation and `KeyboardInterrupt` pass.
        """
        for registration in tuple(self._of.get(name, ())):
            if registration.once:
                self.remove(registration)
            try:
                async with asyncio.timeout(MOST if name in BOUNDED else None) as bound:
                    _check(name, await _call(registration.function, HookContext(name, agent, _own(data))))
            except KeyboardInterrupt:
                raise
            except asyncio.CancelledError:
                if is_cancelled():
                    raise
                self._failed(registration, agent, RuntimeError("it cancelled itself"))
            except BaseException as error:  # noqa: BLE001 - whatever is wrong with it, it is told
                if isinstance(error, TimeoutError) and bound.expired():
                    error = TimeoutError(f"it took longer than {MOST:g} s, so nobody waits for it any more")
                self._failed(registration, agent, error)

    def _failed(self, registration: Registration, agent: Any, error: BaseException) -> None:
        why = f"the {registration.name} hook {registration.described()} failed: {' '.join(text_of(error).split())}"
        _log.info(why, exc_info=error)
        if registration.name in GUARDING:
            raise HookDenied(why) from error
        if not registration.told:
            registration.told = True
            agent.notice(why, "warning")


def _own(data: dict[str, Any]) -> dict[str, Any]:
    """`data` for one hook: hooks watch, so what one changes in it changes neither the call nor what others are told."""
    return {name: _copied(value) for name, value in data.items()}


def _copied(value: Any) -> Any:
    match value:
        case ToolCall():
            return call_of_its_own(value)
        case Message():
            return of_its_own(value)
        case dict():
            return deepcopy(value)
        case Ok() | Err() if type(value) in (Ok, Err):  # a run's is its own already, and may hold a long history
            return _result(value)
    return value


def _result(result: Result[Any]) -> Result[Any]:
    """What a tool, or a run, gave. A value that cannot be copied is told as the text that the model reads of it."""
    try:
        return deepcopy(result)
    except Exception:  # noqa: BLE001 - a value of others: a lock, an open file
        return Ok(result.value_str) if isinstance(result, Ok) else result


def _check(name: HookName, given: object) -> None:
    """A guard that returns something may mean no by it, such as False or an `Err`: nothing but None lets pass."""
    if name in GUARDING and given is not None:
        raise TypeError(f"it returned {clipped(given)}: raise to deny, return None to let pass")


async def _call(function: Hook, context: HookContext) -> object:
    if inspect.iscoroutinefunction(function):
        return await run_in_task(partial(function, context), grace=_LETS_GO)
    given = await run_in_thread(partial(function, context), f"hook-{context.name}")
    return await run_in_task(lambda: given, grace=_LETS_GO) if inspect.isawaitable(given) else given
