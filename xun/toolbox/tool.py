"""A function that a model may call: what it is called, what it takes, how its calls are checked and run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Unpack, cast, overload

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped, text
from xun.policy.action import Action, Fetch, Read, Run, UseTool, Write
from xun.result import Result
from xun.toolbox.attr import (
    Actions,
    DocStyle,
    ModelCapabilityType,
    PermissionWord,
    RegisterOptions,
    RetryIfResult,
    ToolAttr,
    attr_of,
    changed,
)
from xun.toolbox.context import ToolCallContext
from xun.toolbox.definition import derived, explicit
from xun.toolbox.names import check_name
from xun.toolbox.replay import DEFAULT_TIMEOUT, ReplayWord, ToolRetry
from xun.toolbox.safe import error_of, except_safe, except_safe_await
from xun.toolbox.signature import name_of
from xun.worker import run_in_task, run_in_thread

_ACTIONS = (Run, Read, Write, Fetch, UseTool)


class Tool:
    """A function as a tool, derived from its signature and docstring; or with a name, a description and a JSON Schema.

    `attr` replaces what `tool_attr` attached to `function`; `docstyle` holds where neither says. By a schema, the
    arguments are checked against it and passed by name as JSON has them: nothing is converted, no `default` filled in.
    The schema is copied.

    Raises `ConfigurationError`, naming the parameter, for a signature that cannot be offered to a model; naming the
    place, for a wrong schema or one that the function cannot be called by; and for a name that not every wire accepts.

    `parameters` is a JSON Schema; nobody may change it. `timeout` is in seconds.
    """

    @overload
    def __init__(
        self, function: Callable[..., Any], /, *, attr: ToolAttr | None = None, docstyle: DocStyle = "verbatim"
    ) -> None: ...
    @overload
    def __init__(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        /,
        *,
        function: Callable[..., Any],
        attr: ToolAttr | None = None,
    ) -> None: ...
    def __init__(
        self,
        source: Any,
        description: Any = None,
        parameters: Any = None,
        /,
        *,
        function: Any = None,
        attr: ToolAttr | None = None,
        docstyle: DocStyle = "verbatim",
    ) -> None:
        if isinstance(source, str) and description is None and function is None:
            raise WrongTypeError(
                f"a tool must be a function, not the text {clipped(source)}: "
                "ToolBox.with_defaults and load_builtin add built-in tools by name"
            )
        self._is_explicit = isinstance(source, str)
        self.function: Callable[..., Any] = function if self._is_explicit else source
        if not callable(self.function):
            raise WrongTypeError(f"a tool must be a function, not a value of type {type(self.function).__name__}")
        self.attr = attr_of(self.function) if attr is None else attr
        if self._is_explicit:
            self.attr = replace(self.attr, name=source, description=text("description", description))
        self.name: str = name_of(self.function) if self.attr.name is None else self.attr.name
        check_name(self.name)
        self._docstyle: DocStyle = docstyle
        self._define(parameters)

    def _define(self, schema: Any) -> None:
        try:
            if self._is_explicit:
                made = explicit(self.function, schema)
            else:
                made = derived(self.function, self.attr.docstyle or self._docstyle)
        except TypeError as error:
            raise WrongTypeError(f"{self.name} cannot be a tool: {error}") from error
        except ConfigurationError as error:
            raise ConfigurationError(f"{self.name} cannot be a tool: {error}") from error
        self.description: str = made.description if self.attr.description is None else self.attr.description
        self.parameters: dict[str, Any] = made.parameters
        self.is_async: bool = made.is_async
        self._context = made.context
        self._check = made.check
        self._spec = {"name": self.name, "description": self.description, "parameters": self.parameters}

    def with_options(self, **options: Unpack[RegisterOptions]) -> Tool:
        """A tool of its own with the same function: `options` replace single fields, everything else is copied.

        Raises `ConfigurationError` for an unknown option or a wrong value.
        """
        attr = changed(self.attr, options)
        if not self._is_explicit:
            return Tool(self.function, attr=attr, docstyle=self._docstyle)
        name = self.name if attr.name is None else attr.name
        description = self.description if attr.description is None else attr.description
        return Tool(name, description, self.parameters, function=self.function, attr=attr)

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    @property
    def required_capabilities(self) -> tuple[ModelCapabilityType, ...]:
        """What a model must be able to do to be offered it."""
        return self.attr.required_capabilities

    @property
    def override(self) -> bool:
        """Whether it wins a clash of names silently."""
        return self.attr.override

    @property
    def permission(self) -> PermissionWord | None:
        """Whether its calls are allowed, asked about or denied; None where nobody has said."""
        return cast("PermissionWord | None", self.attr.permission)

    @property
    def concurrent(self) -> bool:
        """Whether its calls may run beside others of the same step."""
        return self.attr.concurrent

    @property
    def timeout(self) -> float:
        """Seconds a call may take: its own limit (`attr.timeout`), or 25 where no `ToolPolicy` says another."""
        return DEFAULT_TIMEOUT if self.attr.timeout is None else self.attr.timeout

    @property
    def actions(self) -> Actions | None:
        """The function that tells what a call would do; `actions_for` asks it."""
        return self.attr.actions

    @property
    def waits(self) -> bool:
        """Whether its calls wait for others, a person or an agent."""
        return self.attr.waits

    @property
    def bounded(self) -> bool:
        """Whether it keeps its results short itself."""
        return self.attr.bounded

    @property
    def replay(self) -> ReplayWord:
        """What a second, equal call would do: "safe", "idempotent" or "manual"."""
        return cast("ReplayWord", self.attr.replay)

    @property
    def retry(self) -> ToolRetry | None:
        """How its calls are made again; None where the `ToolPolicy` says it."""
        return self.attr.retry

    @property
    def retry_if_result(self) -> RetryIfResult | None:
        """Tells of the value of a call that went well whether it failed for a passing reason."""
        return self.attr.retry_if_result

    def spec(self) -> dict[str, Any]:
        """What a model is told, for any provider: always the same object, which nobody may change."""
        return self._spec

    def validate(self, arguments: Any) -> Result[dict[str, Any]]:
        """Check `arguments`, a dict or JSON text. Runs nothing of the tool.

        Ok holds those given, as values of the annotated types; Err one line naming the field at fault.
        """
        return self._check(arguments)

    def actions_for(self, arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> tuple[Action, ...]:
        """What a call with these validated `arguments` would do; nothing where the tool does not say.

        Raises whatever the tool's `actions` raises, and `TypeError` where it gives anything but actions.
        """
        if self.attr.actions is None:
            return ()
        told = self.attr.actions(arguments, ctx)
        if inspect.iscoroutine(told):
            told.close()  # nobody awaits it
        if isinstance(told, str | bytes | Mapping) or not isinstance(told, (*_ACTIONS, Iterable)):
            raise TypeError(f"the actions of {self.name} must be a list of actions, not a {type(told).__name__}")
        actions = (told,) if isinstance(told, _ACTIONS) else tuple(told)
        for action in actions:
            if not isinstance(action, _ACTIONS):
                raise TypeError(f"the actions of {self.name} hold a value of type {type(action).__name__}")
        return actions

    async def invoke(self, arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> Result[Any]:
        """Run the tool with validated `arguments`. Permission and time limit are the caller's part.

        An exception is an `Err`; only cancellation and `KeyboardInterrupt` pass. A synchronous function runs
        in a thread, and cancelling stops waiting for it, not the function; an asynchronous one in a task of its own.
        """
        call = partial(self.function, **arguments, **dict.fromkeys(self._context, ctx))
        if self.is_async:
            return await run_in_task(partial(except_safe_await, call))
        try:
            result = await run_in_thread(partial(except_safe, call), f"tool-{self.name}")
        except RuntimeError as error:
            return error_of(error)
        if result.is_ok() and inspect.isawaitable(waiting := result.unwrap()):
            return await run_in_task(partial(except_safe_await, lambda: waiting))
        return result
