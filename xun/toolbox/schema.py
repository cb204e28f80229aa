"""The JSON Schema of a tool's parameters.

Most tools take plain values. Their schema is written directly, equal to what pydantic derives and many times
quicker. For everything else pydantic derives it, from the model that will check the calls.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from xun.toolbox.signature import Parameter

Schema = dict[str, Any]

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_LITERALS: dict[Any, str] = {str: "string", int: "integer"}
_FIRST = ("type", "properties", "required", "additionalProperties")
_MAPS_OF_SCHEMAS = ("properties", "patternProperties", "$defs")
_VALUES = ("default", "enum", "examples", "discriminator")


def simple(parameters: Sequence[Parameter]) -> Schema | None:
    """The schema of an object with `parameters`; None where a hint or default is not plain."""
    properties: dict[str, Schema] = {}
    for parameter in parameters:
        schema = _hint(parameter.hint)
        if schema is None or not (parameter.required or _plain(parameter.default)):
            return None
        if not parameter.required and _has_json(parameter.default):
            schema["default"] = deepcopy(parameter.default)  # the function may change its own
        properties[parameter.name] = schema
    required = [parameter.name for parameter in parameters if parameter.required]
    needed = {"required": required} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def describe(schema: Schema, descriptions: Mapping[str, str]) -> Schema:
    """`schema` with `descriptions` of its parameters where it has none, its keywords in a fixed order."""
    described = dict(schema)
    described["properties"] = {
        name: {"description": descriptions[name], **inner} if name in descriptions else inner
        for name, inner in schema["properties"].items()
    }
    first = {keyword: described[keyword] for keyword in _FIRST if keyword in described}
    return first | described


def clean(schema: Schema) -> Schema:
    """pydantic's `schema` without titles and defaults that JSON lacks, each `const` an `enum` of one."""
    cleaned: Schema = {}
    for key, value in schema.items():
        if key == "title" or (key == "default" and not _has_json(value)):
            continue
        if key == "const":
            cleaned["enum"] = [value]
        elif key in _MAPS_OF_SCHEMAS:
            cleaned[key] = {name: _inner(inner) for name, inner in value.items()}
        else:
            cleaned[key] = deepcopy(value) if key in _VALUES else _inner(value)
    return cleaned


def _inner(value: Any) -> Any:
    if isinstance(value, dict):
        return clean(value)
    return [_inner(item) for item in value] if isinstance(value, list) else value


def _hint(hint: Any) -> Schema | None:
    """The schema of a plain hint, None for any other."""
    if isinstance(hint, type) and hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if hint is None or hint is Any:
        return {} if hint is Any else {"type": "null"}
    if hint is list:
        return {"type": "array", "items": {}}
    if hint is dict:
        return {"type": "object", "additionalProperties": True}
    return _composed(hint, get_origin(hint), get_args(hint))


def _composed(hint: Any, origin: Any, args: tuple[Any, ...]) -> Schema | None:
    if origin is Literal:
        return _literal(args)
    if origin is Union or origin is UnionType:
        return _union(args)
    inner = _hint(args[-1]) if args else None
    if inner is None:
        return None
    if origin is list:
        return {"type": "array", "items": inner}
    if origin is dict and args[0] is str:
        return {"type": "object", "additionalProperties": inner or True}
    return None


def _union(kinds: tuple[Any, ...]) -> Schema | None:
    distinct: list[Schema] = []
    for kind in sorted(kinds, key=lambda kind: kind is NoneType):  # pydantic puts null last
        schema = _hint(kind)
        if schema is None:
            return None
        if schema not in distinct:
            distinct.append(schema)
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _literal(values: tuple[Any, ...]) -> Schema | None:
    kinds = {type(value) for value in values}
    kind = _LITERALS.get(kinds.pop()) if len(kinds) == 1 else None
    return None if kind is None else {"type": kind, "enum": list(values)}


def _plain(default: Any) -> bool:
    if type(default) is list:
        return all(type(item) in _SCALARS for item in default)
    return type(default) in _SCALARS


def _has_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
