"""Hints put into others that pydantic reads as JSON gives their values."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints

from typing_extensions import TypedDict, is_typeddict  # below Python 3.12, pydantic reads no other TypedDict

JSON_SCALARS = (str, int, float, bool, NoneType)

Twins = dict[Any, Any]
"""What became of each TypedDict, so that each is put into another once."""


def adapted(hint: Any, twins: Twins, *, key: bool = False) -> Any:
    """`hint` with the values for a `Literal`'s members of an Enum, with Enums and Literals that tell true from 1, and
    with TypedDicts that this pydantic reads.

    With `key` it is what the keys of an object are to be, which JSON has as text only. Raises what a TypedDict with
    hints that cannot be resolved raises.
    """
    if is_typeddict(hint):
        return _typed_dict(hint, twins)
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _literal(hint, args, key)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint if key else _enum(hint)
    if origin is Annotated:
        bare = adapted(args[0], twins, key=key)
        return hint if bare is args[0] else Annotated[bare, *hint.__metadata__]
    keyed = isinstance(origin, type) and issubclass(origin, Mapping)
    inner = tuple(adapted(arg, twins, key=key or (keyed and place == 0)) for place, arg in enumerate(args))
    if all(new is old for new, old in zip(inner, args, strict=True)):
        return hint
    return Union[inner] if origin in (Union, UnionType) else origin[inner]  # noqa: UP007 - of a tuple


def _literal(hint: Any, members: Sequence[Any], key: bool) -> Any:
    """pydantic never finds a member of an Enum by what JSON has for it: so it gets that, and makes the member of it.

    Nor does it tell true from 1, or 1.0, in these: that is told here.
    """
    written = tuple(member.value if isinstance(member, Enum) else member for member in members)
    enums = any(isinstance(member, Enum) for member in members)
    numbers = not key and any(isinstance(value, int) for value in written)
    if not (enums or numbers) or not all(isinstance(value, JSON_SCALARS) for value in written):
        return hint
    from pydantic import AfterValidator, BeforeValidator  # few hints need them

    meant: dict[tuple[type, Any], Any] = {}
    for value, member in zip(written, members, strict=True):
        meant.setdefault((type(value), value), member)
    values: Any = Literal.__getitem__(written)
    found: Any = Annotated[values, AfterValidator(lambda value: meant[type(value), value])] if enums else hint
    return Annotated[found, BeforeValidator(partial(_told, tuple(meant)))] if numbers else found


def _enum(kind: type[Enum]) -> Any:
    """`kind`, which pydantic alone takes true for 1 in, unless it says itself how it is read."""
    known = tuple((type(member.value), member.value) for member in kind if isinstance(member.value, int | float))
    if not known or hasattr(kind, "__get_pydantic_core_schema__"):
        return kind
    from pydantic import BeforeValidator

    return Annotated[kind, BeforeValidator(partial(_told, known))]


def _told(known: tuple[tuple[type, Any], ...], value: Any) -> Any:
    """`value`, unless it is a number, or true or false, that only equals one of the `known`.

    A whole number is one of the real ones too, as it is in JSON.
    """
    if not isinstance(value, int | float):
        return value
    equal = [kind for kind, one in known if one == value]
    if equal and type(value) not in equal and not (type(value) is int and float in equal):
        from pydantic_core import PydanticKnownError

        *others, last = [repr(one) for _, one in known]
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}" if others else last})
    return value


def _typed_dict(kind: Any, twins: Twins) -> Any:
    """`kind`, or a TypedDict of the same fields where pydantic does not read `kind` or not all of its fields."""
    if kind in twins:
        return twins[kind]
    if getattr(kind, "__parameters__", ()):
        return kind
    twin: Any = TypedDict(kind.__name__, {})
    twins[kind] = twin  # before its fields, which may be of this very kind
    hints = get_type_hints(kind, include_extras=True)
    fields = {name: adapted(hint, twins) for name, hint in hints.items()}
    if _is_read(kind) and all(fields[name] is hint for name, hint in hints.items()):
        twins[kind] = kind
        return kind
    optional = [name for name, hint in fields.items() if not _says_whether(hint) and name in kind.__optional_keys__]
    twin.__annotations__ = fields | {name: NotRequired[fields[name]] for name in optional}
    twin.__required_keys__, twin.__optional_keys__ = frozenset(fields), frozenset()
    for name in ("__module__", "__qualname__", "__doc__", "__pydantic_config__"):
        if hasattr(kind, name):
            setattr(twin, name, getattr(kind, name))
    return twin


def _says_whether(hint: Any) -> bool:
    return get_origin(hint) in (Required, NotRequired)


def _is_read(kind: Any) -> bool:
    return sys.version_info >= (3, 12) or type(kind).__module__ != "typing"
