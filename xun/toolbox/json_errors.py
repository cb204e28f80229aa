"""The complaints of the jsonschema package, in words that name the field and say what was wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xun.toolbox.arguments import json_kind
from xun.toolbox.wording import clip, joined, one_line

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_TYPES = {
    "string": "a string", "integer": "an integer", "number": "a number", "boolean": "a boolean", "null": "null",
    "array": "an array", "object": "an object",
}  # fmt: skip


def explained(errors: Iterable[ValidationError]) -> str:
    """One line about `errors`: what is wrong with each field, the first three of them."""
    complaints: dict[str, str] = {}
    for error in errors:
        for field, complaint in _complaints(error):
            complaints.setdefault(field, complaint)
    return joined([f"{_field(field)} {complaint}" for field, complaint in complaints.items()])


def _field(path: str) -> str:
    return clip(repr(path)) if path else "the whole"


def _complaints(error: ValidationError) -> Iterator[tuple[str, str]]:
    path = [str(part) for part in error.absolute_path]
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        yield from ((".".join([*path, name]), "is missing") for name in missing)
    elif error.validator == "additionalProperties":
        known = clip(", ".join(_part(error, "properties"))) or "none"
        yield from ((".".join([*path, name]), f"is unknown; known are: {known}") for name in _unknown(error))
    elif error.validator in ("anyOf", "oneOf") and error.context:
        yield from _alternatives(error, ".".join(path))
    else:
        got = f", not {json_kind(error.instance)}" if error.validator == "type" else ""
        yield ".".join(path), _demand(error) + got


def _unknown(error: ValidationError) -> Iterator[str]:
    known, patterns = _part(error, "properties"), _part(error, "patternProperties")
    for name in error.instance:
        if name not in known and not any(re.search(pattern, name) for pattern in patterns):
            yield name


def _part(error: ValidationError, keyword: str) -> Mapping[str, Any]:
    return error.schema.get(keyword, {}) if isinstance(error.schema, Mapping) else {}


def _alternatives(error: ValidationError, path: str) -> Iterator[tuple[str, str]]:
    """What is wrong for the alternative that got furthest; what they all want, where each refuses the value itself."""
    deepest = max(error.context, key=lambda inner: len(inner.absolute_path))
    if len(deepest.absolute_path) > len(error.absolute_path):
        yield from _complaints(deepest)
    else:
        yield path, clip(" or ".join(dict.fromkeys(map(_demand, error.context))))


def _demand(error: ValidationError) -> str:
    """What was wanted, in words that follow the field's name."""
    keyword, wanted = error.validator, error.validator_value
    if keyword == "additionalProperties":
        return f"must be without {' and '.join(map(repr, _unknown(error)))}"
    if keyword in _DEMANDS:
        return clip(f"must {_DEMANDS[keyword](wanted)}")
    if keyword == "format":
        return f"must be a valid {wanted}, not {clip(repr(error.instance))}"
    return f"is refused: {one_line(error.message)}"


def _kinds(wanted: Any) -> str:
    return " or ".join(_TYPES.get(kind, str(kind)) for kind in ([wanted] if isinstance(wanted, str) else wanted))


def _value(value: Any) -> str:
    return repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


_DEMANDS: Mapping[str, Callable[[Any], str]] = {
    "type": lambda wanted: f"be {_kinds(wanted)}",
    "required": lambda wanted: f"have {' and '.join(map(repr, wanted))}",
    "const": lambda wanted: f"be {_value(wanted)}",
    "enum": lambda wanted: f"be {' or '.join(map(_value, wanted))}",
    "minLength": lambda wanted: f"have at least {_count(wanted, 'character')}",
    "maxLength": lambda wanted: f"have at most {_count(wanted, 'character')}",
    "minItems": lambda wanted: f"have at least {_count(wanted, 'item')}",
    "maxItems": lambda wanted: f"have at most {_count(wanted, 'item')}",
    "minProperties": lambda wanted: f"have at least {_count(wanted, 'field')}",
    "maxProperties": lambda wanted: f"have at most {_count(wanted, 'field')}",
    "minimum": lambda wanted: f"be at least {wanted}",
    "maximum": lambda wanted: f"be at most {wanted}",
    "exclusiveMinimum": lambda wanted: f"be greater than {wanted}",
    "exclusiveMaximum": lambda wanted: f"be less than {wanted}",
    "multipleOf": lambda wanted: f"be a multiple of {wanted}",
    "pattern": lambda wanted: f"match the pattern {wanted!r}",
    "uniqueItems": lambda _: "not have an item twice",
}
