"""JSON as models send it, taken strictly: what JSON does not have, or has twice, is refused and never guessed at."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

DEEPEST = 100
"""Levels of objects and arrays in each other that are taken. Pydantic reads and writes no more than some 200 of them,
those around a value counted: what is told and stored must be readable again."""
TOO_DEEP = f"nested too deeply: {DEEPEST} levels are the most"
_MOST_DIGITS = 4_000  # Python refuses to write or read some 300 more


def loads(text: str, what: str, object_of: Callable[[list[tuple[str, Any]]], Any]) -> Any:
    """The value of `text`. Raises `json.JSONDecodeError` for what is no JSON, `RecursionError` where it is nested in
    more than `DEEPEST` levels, and `ValueError` for numbers that nothing can hold or JSON lacks: `what` names the text,
    such as "the arguments hold".
    """
    value = json.loads(
        text,
        parse_constant=partial(_no_constant, what),
        parse_float=partial(_finite, what),
        parse_int=partial(_whole_number, what),
        object_pairs_hook=object_of,
    )
    if too_deep(value):
        raise RecursionError(TOO_DEEP)
    return value


def too_deep(value: Any) -> bool:
    """Whether objects and arrays lie in more than `DEEPEST` levels in each other, as they do where one holds itself."""
    level = _nested([value])
    for _ in range(DEEPEST):
        if not level:
            return False
        # Each once: what stands in several places of every level would be met more often than could be counted.
        parts = {id(part): part for part in level}.values()
        level = _nested(item for part in parts for item in (part.values() if isinstance(part, dict) else part))
    return bool(level)


def _nested(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, dict | list | tuple)]


def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of `pairs`. Raises `ValueError` for a key that is given twice: of two values neither counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is given twice")
    return found


def _no_constant(what: str, name: str) -> float:
    raise ValueError(f"{what} {name}, which JSON does not have")


def _finite(what: str, text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{what} the number {text[:40]}, which is out of range")
    return value


def _whole_number(what: str, text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"{what} a number of {len(text)} digits, which is out of range")
    return int(text)
