"""What callers hand in, checked where it comes in: a wrong kind of value is refused by name, not met later on."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import contextmanager
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from typing import Any

from xun.errors import ConfigurationError, WrongTypeError

_SHOWN = 80


def clipped(given: Any) -> str:
    """The repr of `given` in one line, its end left out where it is long: it may hold a file or a conversation."""
    try:
        shown = " ".join(repr(given).split())
    except Exception:  # noqa: BLE001 - a repr of others may raise anything
        return f"a value of type {type(given).__name__}"
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def texts(what: str, given: Iterable[str]) -> tuple[str, ...]:
    """`given` as a tuple. Raises `TypeError` for anything but texts, and for one alone, which has letters for items."""
    items = several(what, given, "texts")
    for item in items:
        if not isinstance(item, str):
            raise WrongTypeError(f"{what} must be a list of texts, and {clipped(item)} in it is none")
    return items


def several(what: str, given: Any, kind: str) -> tuple[Any, ...]:
    """`given` as a tuple of `kind`. Raises `TypeError` for a text, and for what cannot be gone through."""
    if isinstance(given, str | bytes):
        alone = clipped(given)
        how = f": write [{alone}]" if not alone.endswith("…") else ""
        raise WrongTypeError(f"{what} must be a list of {kind}, not one text{how}")
    if not isinstance(given, Iterable):
        raise WrongTypeError(f"{what} must be a list of {kind}, not {clipped(given)}")
    return tuple(given)


def text(what: str, given: Any) -> str:
    """`given`, which must be text. Raises `TypeError`."""
    if not isinstance(given, str):
        raise WrongTypeError(f"{what} must be text, not {clipped(given)}")
    return given


def function(what: str, given: Any) -> None:
    """Raises `TypeError` unless `given` can be called or is None."""
    if given is not None and not callable(given):
        raise WrongTypeError(f"{what} must be a function, not {clipped(given)}")


def listener(what: str, given: Any) -> None:
    """Raises `TypeError` unless `given` is a plain function or None: one that waits would never be waited for."""
    function(what, given)
    if is_async(given):
        raise WrongTypeError(f"{what} is called and not awaited: it must be a function without async")
    runs(what, given)


def runs(what: str, given: Any) -> None:
    """Raises `TypeError` where calling `given` would run nothing of it: a generator, which nobody goes through."""
    if _is(given, isgeneratorfunction, isasyncgenfunction):
        raise WrongTypeError(f"{what} must be a function that runs when it is called: one with yield in it does not")


def is_async(given: Any) -> bool:
    """Whether calling `given` gives what has to be awaited."""
    return _is(given, iscoroutinefunction)


def _is(given: Any, *kinds: Callable[[Any], bool]) -> bool:
    """Whether the function that calling `given` calls is of one of `kinds`."""
    called = getattr(type(given), "__call__", None)  # noqa: B004 - which function that is, not whether it is there
    inner = getattr(given, "func", None)  # a `functools.partial`
    return any(kind(given) or kind(called) for kind in kinds) or (inner is not None and _is(inner, *kinds))


def instance(what: str, given: Any, kind: type | tuple[type, ...], described: str) -> None:
    """Raises `TypeError` unless `given` is a `kind` or None."""
    if given is not None and not isinstance(given, kind):
        raise WrongTypeError(f"{what} must be {described}, not {clipped(given)}")


def number(what: str, given: Any) -> None:
    """Raises unless `given` is None or a number from 0 on: `TypeError` for what is none, else `ValueError`."""
    if given is None:
        return
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise WrongTypeError(f"{what} must be a number, not {clipped(given)}")
    if not (math.isfinite(given) and given >= 0):
        raise ConfigurationError(f"{what} must be a number from 0 on, not {clipped(given)}")


def seconds(what: str, given: Any) -> None:
    """Raises `ConfigurationError` unless `given` is None or a positive number that ends."""
    if given is None:
        return
    if isinstance(given, bool) or not isinstance(given, int | float) or not (math.isfinite(given) and given > 0):
        raise ConfigurationError(f"{what} must be a positive number of seconds, not {clipped(given)}")


def one_of(what: str, given: Any, known: Collection[str]) -> None:
    """Raises `ValueError` unless `given` is None or in `known`."""
    if given is not None and given not in known:
        raise ConfigurationError(f"{what} must be one of {', '.join(known)}, not {clipped(given)}")


@contextmanager
def one_line(what: str) -> Generator[None]:
    """A value of pydantic's own errors is told in one line. Raises `ConfigurationError`."""
    try:
        yield
    except ValueError as error:
        if isinstance(error, ConfigurationError) or not hasattr(error, "errors"):
            raise
        wrong = error.errors(include_url=False)  # ty: ignore[not-callable]
        said = "; ".join(f"{'.'.join(map(str, one['loc'])) or what}: {one['msg']}" for one in wrong)
        raise ConfigurationError(f"{what} cannot be made: {' '.join(said.split())}") from None
