"""Values of ours that code of others has made or changed: what their types say is checked once, where they come in.

A frozen value is checked when it is made, but `model_copy` and `model_construct` put anything into one.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from xun.errors import WrongTypeError, text_of
from xun.messages import ToolCall
from xun.result import printable
from xun.strict_json import TOO_DEEP, too_deep

M = TypeVar("M", bound=BaseModel)


def whole(kind: type[M], given: Any) -> M:
    """`given`, which must be a `kind`, made anew of what is in it, with valid Unicode.

    Raises `WrongTypeError`, whose one line reads on from "gave", where anything in it is not of the type it should be.
    """
    if not isinstance(given, kind):
        raise WrongTypeError(f"{type(given).__name__}, not {kind.__name__}")
    try:
        made = kind.model_validate(_printable(given.model_dump(warnings=False)), strict=True)
        made.model_dump_json(warnings="error")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "value"
        shown = _shown(first["input"])
        raise WrongTypeError(f"a {kind.__name__} whose {place} is {shown}: {first['msg'].lower()}") from None
    except Exception as error:  # noqa: BLE001 - a value in it that cannot even be looked at
        raise WrongTypeError(
            f"a {kind.__name__} that cannot be used: {' '.join(text_of(error).split())[:200]}"
        ) from None
    return made


def whole_call(given: Any) -> ToolCall:
    """The same for a call, whose arguments are JSON. Raises `WrongTypeError`."""
    if not isinstance(given, ToolCall):
        raise WrongTypeError(f"{type(given).__name__}, not ToolCall")
    try:
        arguments = json_arguments(given.arguments)
    except WrongTypeError as error:
        raise WrongTypeError(f"a call whose {error}") from None
    return whole(ToolCall, given.model_copy(update={"arguments": {}})).model_copy(update={"arguments": arguments})


def json_arguments(given: Any) -> dict[str, Any]:
    """`given`, the arguments of a call, with valid Unicode.

    Raises `WrongTypeError` for what is no JSON object, or one that could not be stored.
    """
    if not (isinstance(given, dict) and all(isinstance(name, str) for name in given)):
        raise WrongTypeError("arguments are no JSON object")
    if too_deep(given):
        raise WrongTypeError(f"arguments are {TOO_DEEP}")
    try:
        written = json.dumps(given, allow_nan=False, ensure_ascii=False)
        return given if (valid := printable(written)) is written else json.loads(valid)
    except (TypeError, ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise WrongTypeError(f"arguments are no JSON ({' '.join(text_of(error).split())})") from None


def _shown(value: Any) -> str:
    try:
        return " ".join(repr(value).split())[:80]
    except Exception:  # noqa: BLE001 - an object of others that cannot be shown
        return f"a {type(value).__name__}"


def _printable(value: Any) -> Any:
    """`value` with text that JSON can carry, however deeply it lies."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {_printable(key): _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_printable(item) for item in value) if type(value) in (list, tuple) else value
    return value
