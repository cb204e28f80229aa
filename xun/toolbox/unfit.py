"""Hints that no JSON value can satisfy and that pydantic takes all the same, so that each call would fail."""

from __future__ import annotations

import dataclasses
import inspect
from collections import abc
from collections.abc import Iterator, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from typing_extensions import is_typeddict

from xun.toolbox.hints import JSON_SCALARS

# `type` and `Self` have no JSON value, a `ClassVar` is no parameter to pydantic, and the others it checks item by item
# while the tool already runs.
_NEVER = (
    type, Self, ClassVar,
    abc.Iterable, abc.Iterator, abc.Generator, abc.AsyncIterable, abc.AsyncIterator, abc.AsyncGenerator,
)  # fmt: skip
_NO_TEXT = (list, tuple, dict, set, frozenset)


def never_fits(hint: Any) -> bool:
    """Whether no JSON value can satisfy `hint` or a part of it: an item's hint, a field's of a class.

    A part with a validator of its own is left to that, for it may make anything of JSON.
    """
    return _never_fits(hint, set())


def _never_fits(hint: Any, seen: set[type]) -> bool:
    origin, args = get_origin(hint), get_args(hint)
    if hint in _NEVER or origin in _NEVER:
        return True
    if origin is Literal:
        return not all(isinstance(value, JSON_SCALARS) for value in args)
    if origin is Annotated:
        return not any(map(_validates, hint.__metadata__)) and _never_fits(args[0], seen)
    if args and isinstance(origin, type) and issubclass(origin, abc.Mapping) and _never_a_key(args[0]):
        return True
    if isinstance(hint, type) and not args:
        return _class_never_fits(hint, seen)
    return any(_never_fits(arg, seen) for arg in args)


def _never_a_key(hint: Any) -> bool:
    """Whether no text, which all keys of JSON are, satisfies `hint`."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return not any(map(_validates, hint.__metadata__)) and _never_a_key(args[0])
    if origin in (Union, UnionType):
        return all(map(_never_a_key, args))
    if origin is Literal:
        return not any(isinstance(value, str) for value in args)
    kind = origin or hint
    return kind in (None, NoneType) or (isinstance(kind, type) and (issubclass(kind, _NO_TEXT) or _is_record(kind)))


def _class_never_fits(kind: type, seen: set[type]) -> bool:
    if kind in seen:
        return False
    seen.add(kind)
    if issubclass(kind, Enum):
        return not any(isinstance(member.value, JSON_SCALARS) for member in kind)
    if kind is BaseModel or (_is_record(kind) and inspect.isabstract(kind)):
        return True
    return any(_never_fits(hint, seen) for hint in _fields(kind))


def _fields(kind: Any) -> Iterator[Any]:
    """The hints of what a value of `kind` holds by name."""
    decorators = getattr(kind, "__pydantic_decorators__", None)
    if decorators is not None and (decorators.field_validators or decorators.model_validators):
        return
    if issubclass(kind, BaseModel):
        for field in kind.model_fields.values():
            if not any(map(_validates, field.metadata)):
                yield field.annotation
    elif _is_record(kind) or is_typeddict(kind) or hasattr(kind, "_fields"):
        yield from _hints_of(kind)


def _hints_of(kind: Any) -> Sequence[Any]:
    try:
        hints = get_type_hints(kind, include_extras=True)
    except Exception:  # noqa: BLE001 - pydantic tells what cannot be resolved
        return ()
    if dataclasses.is_dataclass(kind):
        return [hints[field.name] for field in dataclasses.fields(kind) if field.init and field.name in hints]
    return tuple(hints.values())


def _is_record(kind: type) -> bool:
    return issubclass(kind, BaseModel) or dataclasses.is_dataclass(kind)


def _validates(metadata: Any) -> bool:
    return hasattr(metadata, "__get_pydantic_core_schema__")
