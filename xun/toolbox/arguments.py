"""From what a model sent to a JSON object, and the one repair there is: a list written as text.

Nothing else is repaired. Text that was cut off or garbled never runs a tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from types import NoneType
from typing import Any, Literal, NoReturn, get_args, get_origin

from xun.result import Err, Ok, Result
from xun.strict_json import TOO_DEEP, too_deep, unrepeated
from xun.toolbox.signature import bare, members
from xun.toolbox.wording import clip, one_line

Unlist = Callable[[str], Any]

_NO_JSON = (TypeError, ValueError, RecursionError)
# Kinds of value that JSON never writes as text. For any other hint, text may be the value itself.
_NOT_TEXT = (int, float, bool, NoneType, list, tuple, dict)
_JSON_KINDS: dict[type, str] = {
    str: "a string", int: "a number", float: "a number", bool: "a boolean", NoneType: "null",
    list: "an array", tuple: "an array", dict: "an object",
}  # fmt: skip


def json_kind(value: Any) -> str:
    """What JSON calls the kind of `value`; the type's name for one that JSON lacks."""
    return _JSON_KINDS.get(type(value), f"a {type(value).__name__}")


def parse_object(arguments: Any) -> Result[dict[str, Any]]:
    """`arguments`, given as JSON text or as a dict, as a dict with text keys; else one line on what is wrong.

    Text must be one complete JSON object. NaN and infinities are no JSON, and a key must not be given twice.
    """
    if isinstance(arguments, str):
        try:
            arguments = _loads(arguments)
        except json.JSONDecodeError as error:
            return Err(f"The arguments are not valid JSON: {error}. Send the whole JSON object again.")
        except (ValueError, RecursionError) as error:
            return Err(f"The arguments are not valid JSON: {error}.")
    if not isinstance(arguments, Mapping):
        return Err(f"The arguments must be a JSON object, not {json_kind(arguments)}.")
    if any(not isinstance(key, str) for key in arguments):
        return Err("The arguments must be a JSON object, whose keys are text.")
    if too_deep(dict(arguments)):
        return Err(f"The arguments are {TOO_DEEP}.")
    return Ok(dict(arguments))


def as_json(arguments: Mapping[str, Any]) -> Result[bytes]:
    """`arguments` as JSON; else one line naming the one that JSON cannot hold, NaN and lone surrogates too."""
    try:
        return Ok(_dumps(arguments))
    except _NO_JSON as error:
        return Err(f"Invalid arguments: {_culprit(arguments)} is no JSON value: {one_line(str(error))}.")


def _dumps(arguments: Mapping[str, Any]) -> bytes:
    return json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()


def _culprit(arguments: Mapping[str, Any]) -> str:
    for name, value in arguments.items():
        try:
            _dumps({name: value})
        except _NO_JSON:
            return clip(repr(name))
    return "the whole"


def _loads(text: str) -> Any:
    """Strict JSON. Raises `ValueError` or, for deep nesting, `RecursionError`."""
    return json.loads(text, parse_constant=_no_constant, object_pairs_hook=unrepeated)


def _loads_or_text(text: str) -> Any:
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def unlist_for(hint: Any) -> Unlist | None:
    """How to read text given for a parameter of this `hint`, or None where text is taken as it is.

    Only lists and tuples, and unions of them with kinds that are never text: an `Optional[list[str]]`
    qualifies, a `list[str] | str` does not. The reader returns its text unchanged where it is no list, for
    validation to refuse.
    """
    kinds = members(hint)
    lists = [kind for kind in kinds if _is_list(kind)]
    others = [kind for kind in kinds if not _is_list(kind)]
    if not lists or any(_takes_text(kind) for kind in others):
        return None
    separated = lists[0] if all(kind is NoneType for kind in others) else None

    def unlist(text: str) -> Any:
        if text.strip() == "null":
            return None  # validation refuses it where null is not allowed
        if text.lstrip().startswith("["):
            return _loads_or_text(text)
        return text if separated is None else _separated(text, separated)

    return unlist


def _separated(text: str, kind: Any) -> Any:
    """The items between commas, each of them read as JSON where the hint for items takes no text."""
    items = [item.strip() for item in text.split(",")]
    if not all(items):
        return text
    return [_item(item, _item_hint(kind, index)) for index, item in enumerate(items)]


def _item(text: str, hint: Any) -> Any:
    if any(_takes_text(kind) for kind in members(hint)):
        return text
    return _loads_or_text(text)


def _item_hint(kind: Any, index: int) -> Any:
    args = get_args(kind)
    if not args:
        return Any
    if get_origin(kind) is list or args[-1] is Ellipsis:
        return args[0]
    return args[index] if index < len(args) else Any


def _is_list(kind: Any) -> bool:
    return kind in (list, tuple) or get_origin(kind) in (list, tuple)


def _takes_text(kind: Any) -> bool:
    kind = bare(kind)
    if get_origin(kind) is Literal:
        return any(isinstance(value, str) for value in get_args(kind))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return any(isinstance(member.value, str) for member in kind)
    return (get_origin(kind) or kind) not in _NOT_TEXT
