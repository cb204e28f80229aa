"""JSON Schemas that somebody wrote: whether one is sound, and what of a value does not fit it.

The jsonschema package does both; it is loaded with the first schema. Nothing is converted, no default is filled in, a
`format` is a note, and a `$ref` leads nowhere outside of its schema, so that nothing is ever fetched.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from xun.errors import ConfigurationError, WrongTypeError
from xun.toolbox.json_errors import explained
from xun.toolbox.patterns import repeats_within, searching


class JsonSchema:
    """A schema, in a copy that its owner cannot change any more (`schema`; nobody else may either).

    The version of JSON Schema is that of its `$schema`, draft 4 or later, else 2020-12. Raises `ConfigurationError`,
    naming the place, for one that breaks the rules of that version, is no JSON, or has a `$ref` to what is not in it.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        from referencing import Registry

        if not isinstance(schema, Mapping):
            raise WrongTypeError(f"a JSON Schema must be a dict, not a value of type {type(schema).__name__}")
        try:
            self.schema: dict[str, Any] = _copied(schema, ())
            kind = _kind_of(self.schema)
            sound = kind(kind.META_SCHEMA, format_checker=kind.FORMAT_CHECKER)
            if errors := list(sound.iter_errors(self.schema)):
                raise ConfigurationError(f"the JSON Schema is wrong: {explained(errors)}")
            _check_references(self.schema)
            _check_patterns(self.schema, ())
        except RecursionError:
            raise ConfigurationError("the JSON Schema is wrong: it nests too deeply") from None
        self._validator = extended(kind)(self.schema, registry=Registry())

    def check(self, value: Any) -> str | None:
        """None where `value`, as `json.loads` gives it, fits; else one line that names the fields at fault."""
        try:
            errors = list(self._validator.iter_errors(value))
        except RecursionError:
            return "the whole could not be checked: it nests too deeply, or its schema leads back to itself"
        return explained(errors) if errors else None


def _copied(value: Any, place: tuple[str, ...]) -> Any:
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ConfigurationError(
                    f"the JSON Schema is wrong: {_shown(place)} has a key that is no text, {key!r}"
                )
        return {key: _copied(inner, (*place, key)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(inner, (*place, str(index))) for index, inner in enumerate(value)]
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ConfigurationError(f"the JSON Schema is wrong: {_shown(place)} is no JSON value, {value!r}")


def _shown(place: tuple[str, ...]) -> str:
    return repr(".".join(place)) if place else "the whole"


def _kind_of(schema: dict[str, Any]) -> Any:
    """The validator's class for the version of JSON Schema that `schema` is written in."""
    from jsonschema.validators import Draft3Validator, Draft202012Validator, validator_for

    version = schema.get("$schema")
    if version is None:
        return Draft202012Validator
    kind = validator_for(schema, default=Draft3Validator) if isinstance(version, str) else Draft3Validator
    if kind is Draft3Validator:  # unknown, or of a time when `required` meant something else
        raise ConfigurationError(f"the JSON Schema is wrong: its $schema is no version that is known, {version!r}")
    return kind


@lru_cache(maxsize=8)
def extended(kind: Any) -> Any:
    """`kind`, the validator's class for a version, with a search that ends whatever the text, and exact multiples."""
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if validator.is_type(instance, "string") and not searching(wanted)(instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    def multiple(validator: Any, wanted: float, instance: Any, schema: Any) -> Iterator[ValidationError]:
        # As written: to a float 0.3 is no multiple of 0.1.
        if validator.is_type(instance, "number") and _exact(instance) % _exact(wanted):
            yield ValidationError(f"{instance!r} is not a multiple of {wanted!r}")

    return extend(kind, {"pattern": pattern, "multipleOf": multiple})


def _exact(number: float) -> Fraction:
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _check_patterns(part: Any, place: tuple[str, ...]) -> None:
    """Refuse what a model's text could make search for ever; `place` says where `part` is."""
    if isinstance(part, list):
        for index, inner in enumerate(part):
            _check_patterns(inner, (*place, str(index)))
    elif isinstance(part, dict):
        names = part.get("patternProperties")
        for name in names if isinstance(names, dict) else ():
            if repeats_within(name):
                raise ConfigurationError(f"the JSON Schema is wrong: {_shown(place)}: {name!r} may take for ever")
        if isinstance(wanted := part.get("pattern"), str):
            try:
                searching(wanted)
            except ValueError as error:
                raise ConfigurationError(f"the JSON Schema is wrong: {_shown(place)}: its pattern: {error}") from None
        for key, inner in part.items():
            _check_patterns(inner, (*place, key))


def _check_references(schema: dict[str, Any]) -> None:
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT202012

    whole = Resource.from_contents(schema, default_specification=DRAFT202012)
    _check_resource(whole, Registry().resolver_with_root(whole))


def _check_resource(resource: Any, resolver: Any) -> None:
    from referencing.exceptions import Unresolvable

    if isinstance(resource.contents, dict):
        for keyword in ("$ref", "$dynamicRef"):
            reference = resource.contents.get(keyword)
            try:
                if isinstance(reference, str):
                    resolver.lookup(reference)
            except Unresolvable:
                raise ConfigurationError(
                    f"the JSON Schema is wrong: the {keyword} {reference!r} leads to nothing in it"
                ) from None
    for inner in resource.subresources():
        _check_resource(inner, resolver.in_subresource(inner))
