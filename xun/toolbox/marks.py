"""What a function carries about with it for registration to find: on a copy, so that other uses of it know nothing."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import FunctionType
from typing import Any, TypeVar

from xun.errors import ConfigurationError, WrongTypeError
from xun.toolbox.signature import code_of

F = TypeVar("F")

_SAID = "__xun_tool__"
_DECORATED = "__xun_decorated__"


def check_markable(given: Any) -> None:
    """Raises `ConfigurationError` for what is no function, nor called like one, or may not be marked any more."""
    if isinstance(given, type):
        raise WrongTypeError(f"tool_attr is for functions and methods, not for a class such as {given.__name__}")
    if not (callable(given) or isinstance(given, classmethod)):
        raise WrongTypeError(_no_function(given))
    if any(getattr(holder, _DECORATED, False) for holder in (given, getattr(given, "__func__", None))):
        raise ConfigurationError(
            f"{_named(given)} is in a toolbox already, so tool_attr comes too late: write it below the decorator that "
            "registers, or give that the options"
        )


def marked(given: F, mark: object) -> F:
    """`given` with `mark`: a copy where it is a function or a `functools.partial`, whose other uses know nothing of it.

    Any other object that is called is marked itself. Raises `ConfigurationError` for one that is marked already, and
    not the same way, and for one that cannot be.
    """
    if isinstance(given, staticmethod | classmethod):
        return type(given)(marked(given.__func__, mark))
    twin = _twin(given)
    if twin is given and getattr(given, _SAID, mark) != mark:
        raise ConfigurationError(
            f"{_named(given)} is marked already and no plain function, so not marked again: say all of it in one "
            "tool_attr, or where it is registered"
        )
    try:
        setattr(twin, _SAID, mark)
    except AttributeError:
        raise WrongTypeError(f"cannot attach metadata to {_named(given)}; decorate the function itself") from None
    return twin


def mark_of(function: Any) -> object | None:
    """The mark of `function`, or else of the nearest function behind it."""
    return next((mark for holder in _holders(function) if (mark := getattr(holder, _SAID, None)) is not None), None)


def decorated(function: Any) -> None:
    """`function` has been registered by a decorator, so that nothing which is said of it later would be found."""
    try:
        setattr(function, _DECORATED, True)
    except AttributeError:
        return  # such as a bound method: nothing can be said of it later


def _holders(function: Any) -> Iterator[Any]:
    yield function
    while isinstance(function, functools.partial | staticmethod | classmethod):
        function = function.func if isinstance(function, functools.partial) else function.__func__
        yield function
    yield code_of(function)


def _twin(given: Any) -> Any:
    """The same function, or partial, once more; of anything else that very object."""
    if type(given) is functools.partial:
        partial: Any = functools.partial(given.func, *given.args, **given.keywords)
        partial.__dict__.update(given.__dict__)
        return partial
    if not isinstance(given, FunctionType):
        return given
    twin = FunctionType(given.__code__, given.__globals__, given.__name__, given.__defaults__, given.__closure__)
    twin.__kwdefaults__ = given.__kwdefaults__
    return functools.update_wrapper(twin, given)


def _no_function(given: Any) -> str:
    from xun.toolbox.tool import Tool

    if isinstance(given, Tool):
        return f"{given!r} is a tool already: tool_attr is for its function; write tool.with_options(permission=...)"
    return f"tool_attr is for functions, not for a value of type {type(given).__name__}"


def _named(given: Any) -> str:
    return getattr(given, "__qualname__", None) or f"an object of type {type(given).__name__}"
