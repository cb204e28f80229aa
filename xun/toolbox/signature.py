"""What a function takes, read from its signature: parameters that a model fills, and those injected."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections import abc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from xun.toolbox.context import ToolCallContext
from xun.toolbox.hints import Twins, adapted

EMPTY = inspect.Parameter.empty
_REFUSED = {
    inspect.Parameter.POSITIONAL_ONLY: "is positional-only, and a model passes arguments by name",
    inspect.Parameter.VAR_POSITIONAL: "takes any number of values, which cannot be described to a model",
    inspect.Parameter.VAR_KEYWORD: "takes any names, which cannot be described to a model",
}


_ITERATORS = (abc.Iterator, abc.Generator, abc.AsyncIterator, abc.AsyncGenerator)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that a model fills. `default` is `EMPTY` where there is none."""

    name: str
    hint: Any
    default: Any = EMPTY

    @property
    def required(self) -> bool:
        return self.default is EMPTY


@dataclass(frozen=True, slots=True)
class Signature:
    """`context` names the parameters that receive the `ToolCallContext`."""

    parameters: tuple[Parameter, ...]
    context: tuple[str, ...]
    is_async: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a function takes by name, where a schema says what it is given.

    `required` are those of `names` without a default; an `open` one takes every other name too.
    """

    names: tuple[str, ...]
    required: tuple[str, ...]
    open: bool
    context: tuple[str, ...]
    is_async: bool

    def takes(self, name: str) -> bool:
        return name not in self.context and (self.open or name in self.names)


def read_signature(function: Callable[..., Any]) -> Signature:
    """The signature of `function` as a tool's.

    Every `ToolCallContext` parameter is left out of `parameters`. Raises `TypeError`, naming the parameter, for one
    that cannot be offered to a model: `self` or `cls` in first place too, which only a bound method fills.
    """
    target, found = _inspected(function)
    parameters: list[Parameter] = []
    context: list[str] = []
    twins: Twins = {}
    for item in found:
        if item.kind in _REFUSED:
            raise TypeError(f"parameter {item.name!r} {_REFUSED[item.kind]}")
        hint = _hint(target, item, twins)
        if is_context(hint):
            context.append(item.name)
        else:
            parameters.append(_parameter(item, hint))
    return Signature(tuple(parameters), tuple(context), inspect.iscoroutinefunction(target))


def read_accepted(function: Callable[..., Any]) -> Accepted:
    """What `function` takes by name; hints only tell the parameters for the `ToolCallContext`.

    Raises `TypeError`, naming the parameter, for one that is needed and cannot be given by name.
    """
    target, found = _inspected(function)
    for item in found:
        if item.kind is inspect.Parameter.POSITIONAL_ONLY and item.default is EMPTY:
            raise TypeError(f"parameter {item.name!r} {_REFUSED[item.kind]}")
    by_name = [item for item in found if item.kind not in _REFUSED]
    context = tuple(item.name for item in by_name if _is_injected(target, item))
    given = [item for item in by_name if item.name not in context]
    return Accepted(
        names=tuple(item.name for item in given),
        required=tuple(item.name for item in given if item.default is EMPTY),
        open=any(item.kind is inspect.Parameter.VAR_KEYWORD for item in found),
        context=context,
        is_async=inspect.iscoroutinefunction(target),
    )


def _is_injected(target: Any, item: inspect.Parameter) -> bool:
    try:
        return is_context(_hint(target, item, {}))
    except TypeError:
        return False


def _inspected(function: Callable[..., Any]) -> tuple[Any, list[inspect.Parameter]]:
    """The function behind `function`, and all parameters. Raises `TypeError` for what is no plain function."""
    if isinstance(function, type):
        raise TypeError("it is a class; register a function or a method")
    target = code_of(function)
    if _is_generator(target) or _gives_iterator(target):
        raise TypeError("it yields values; a tool returns one")
    if getattr(target, "__globals__", None) is vars(contextlib) and _is_generator(inspect.unwrap(target)):
        raise TypeError("it makes a context manager; a tool returns a value")
    try:
        found = list(inspect.signature(function).parameters.values())
    except ValueError:
        raise TypeError("it has no signature to read; wrap it in a function that has one") from None
    if found and found[0].name in ("self", "cls"):
        raise TypeError(f"{found[0].name!r} can never be passed to it; register the method of an object or class")
    return target, found


def _is_generator(function: Any) -> bool:
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def _gives_iterator(target: Any) -> bool:
    """Whether it says so itself. What a decorator makes of an iterator may be another thing than the hint says."""
    told = getattr(target, "__annotations__", {}).get("return")
    if told is None or hasattr(target, "__wrapped__"):
        return False
    try:
        scope = SimpleNamespace(__annotations__={"return": told})
        hint = get_type_hints(scope, getattr(target, "__globals__", {}))["return"]
    except Exception:  # noqa: BLE001 - it is not needed for anything else, so it need not be resolved
        return False
    return (get_origin(hint) or hint) in _ITERATORS


def code_of(function: Callable[..., Any]) -> Any:
    """The function behind partials and objects that are called, where name, docstring and hints live."""
    while isinstance(function, functools.partial):
        function = function.func
    return function if inspect.isroutine(function) else type(function).__call__


def name_of(function: Callable[..., Any]) -> str:
    """The name of `function`: of the function inside a partial, of the class for any other object."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__name__", type(function).__name__)


def doc_of(function: Callable[..., Any]) -> str | None:
    """The docstring of the function behind `function`."""
    return code_of(function).__doc__


def members(hint: Any) -> tuple[Any, ...]:
    """The members of a union, or `hint` alone; `Annotated` is looked through."""
    hint = bare(hint)
    if get_origin(hint) in (Union, UnionType):
        return tuple(inner for arg in get_args(hint) for inner in members(arg))
    return (NoneType if hint is None else hint,)


def bare(hint: Any) -> Any:
    """`hint` without `Annotated`."""
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return hint


def is_context(hint: Any) -> bool:
    """Whether `hint` is `ToolCallContext`, `ToolCallContext[T]`, or a union with one."""
    for member in members(hint):
        kind = get_origin(member) or member
        if isinstance(kind, type) and issubclass(kind, ToolCallContext):
            return True
    return False


def _parameter(item: inspect.Parameter, hint: Any) -> Parameter:
    if hint is not EMPTY:
        return Parameter(item.name, hint, item.default)
    guess = Any if item.default is None or item.default is EMPTY else adapted(type(item.default), {})
    return Parameter(item.name, guess, item.default)


def _hint(target: Any, item: inspect.Parameter, twins: Twins) -> Any:
    if item.annotation is EMPTY:
        return EMPTY
    inner = inspect.unwrap(target)
    scope = SimpleNamespace(
        __annotations__={item.name: item.annotation}, __type_params__=getattr(inner, "__type_params__", ())
    )
    try:
        hints = get_type_hints(scope, getattr(inner, "__globals__", {}), dict(_closure(inner)), include_extras=True)
        return adapted(hints[item.name], twins)
    except Exception as error:
        raise TypeError(f"parameter {item.name!r} has a hint that cannot be resolved: {error}") from error


def _closure(function: Any) -> Iterator[tuple[str, Any]]:
    """Names of the enclosing function that `function` uses, so that hints may use them too."""
    cells = getattr(function, "__closure__", None) or ()
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, cells, strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # an empty cell: not assigned yet
            continue
