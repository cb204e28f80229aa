"""A function that a model may call: what it is called, what it takes, how its calls are checked and run."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from xun.errors import ConfigurationError, WrongTypeError
from xun.policy.action import Action, Fetch, Read, Run, UseTool, Write
from xun.result import Result
from xun.toolbox import schema
from xun.toolbox.attr import Actions, DocStyle, ModelCapabilityType, Permission, ToolAttr, attr_of
from xun.toolbox.context import ToolCallContext
from xun.toolbox.docstring import read_docstring
from xun.toolbox.model import build_checked
from xun.toolbox.names import is_valid
from xun.toolbox.safe import error_of, except_safe, except_safe_await
from xun.toolbox.signature import doc_of, name_of, read_signature
from xun.toolbox.validation import Validator
from xun.worker import run_in_task, run_in_thread

DEFAULT_TIMEOUT = 25.0
_ACTIONS = (Run, Read, Write, Fetch, UseTool)


class Tool:
    """A function as a tool.

    `attr` replaces what `tool_attr` attached to `function`; `docstyle` holds where neither says. Raises
    `ConfigurationError`, naming the parameter, for a signature that cannot be offered to a model, and for a name that
    not every wire accepts.

    `parameters` is a JSON Schema; nobody may change it. `timeout` is in seconds.
    """

    def __init__(
        self, function: Callable[..., Any], *, attr: ToolAttr | None = None, docstyle: DocStyle = "verbatim"
    ) -> None:
        if not callable(function):
            raise WrongTypeError(f"a tool must be a function, not a value of type {type(function).__name__}")
        self.function = function
        self.attr = attr_of(function) if attr is None else attr
        self.name: str = name_of(function) if self.attr.name is None else self.attr.name
        if not is_valid(self.name):
            raise ConfigurationError(
                f"{self.name!r} is not a valid tool name: use 1 to 64 of a-z, A-Z, 0-9, '_' and '-', "
                "set by tool_attr(name=...)"
            )
        try:
            signature = read_signature(function)
            parameters = schema.simple(signature.parameters)
            model = None
            if parameters is None:
                model, derived = build_checked(signature.parameters)
                parameters = schema.clean(derived)
        except TypeError as error:
            raise WrongTypeError(f"{self.name} cannot be a tool: {error}") from error
        described = read_docstring(doc_of(function), self.attr.docstyle or docstyle)
        self.description: str = described.text
        self.parameters: dict[str, Any] = schema.describe(parameters, described.parameters)
        self.is_async: bool = signature.is_async
        self._context = signature.context
        self._validator = Validator(signature.parameters, model)
        self._spec = {"name": self.name, "description": self.description, "parameters": self.parameters}

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    @property
    def required_capabilities(self) -> tuple[ModelCapabilityType, ...]:
        return self.attr.required_capabilities

    @property
    def override(self) -> bool:
        return self.attr.override

    @property
    def permission(self) -> Permission | None:
        return self.attr.permission

    @property
    def concurrent(self) -> bool:
        return self.attr.concurrent

    @property
    def timeout(self) -> float:
        """Seconds a call may take: its own limit (`attr.timeout`), or `DEFAULT_TIMEOUT`."""
        return DEFAULT_TIMEOUT if self.attr.timeout is None else self.attr.timeout

    @property
    def actions(self) -> Actions | None:
        return self.attr.actions

    @property
    def bounded(self) -> bool:
        return self.attr.bounded

    def spec(self) -> dict[str, Any]:
        """What a model is told, for any provider: always the same object, which nobody may change."""
        return self._spec

    def validate(self, arguments: Any) -> Result[dict[str, Any]]:
        """Check `arguments`, a dict or JSON text. Runs nothing of the tool.

        Ok holds those given, as values of the annotated types; Err one line naming the field at fault.
        """
        return self._validator.check(arguments)

    def actions_for(self, arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> tuple[Action, ...]:
        """What a call with these validated `arguments` would do; nothing where the tool does not say.

        Raises whatever the tool's `actions` raises, and `TypeError` where it gives anything but actions.
        """
        if self.attr.actions is None:
            return ()
        told = self.attr.actions(arguments, ctx)
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
