"""What a tool is to a model and to a call: derived from its function, or by a schema that somebody wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from xun.result import Err, Ok, Result
from xun.toolbox import schema
from xun.toolbox.arguments import as_json, parse_object
from xun.toolbox.docstring import DocStyle, read_docstring
from xun.toolbox.json_schema import JsonSchema
from xun.toolbox.model import build_checked
from xun.toolbox.signature import Accepted, doc_of, read_accepted, read_signature
from xun.toolbox.validation import Validator
from xun.toolbox.wording import clip

# With one of these at the top, another part of the schema may require what `required` does not name.
_ELSEWHERE = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentRequired", "dependentSchemas", "dependencies")
)

Check = Callable[[Any], Result[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Definition:
    """`description` is what the function says of itself; `check` takes a dict or JSON text.

    `context` names the parameters that receive the `ToolCallContext`.
    """

    description: str
    parameters: dict[str, Any]
    check: Check
    context: tuple[str, ...]
    is_async: bool


def derived(function: Callable[..., Any], docstyle: DocStyle) -> Definition:
    """From the signature and the docstring. Raises `TypeError`, naming the parameter, for what cannot be offered."""
    signature = read_signature(function)
    parameters = schema.simple(signature.parameters)
    model = None
    if parameters is None:
        model, found = build_checked(signature.parameters)
        parameters = schema.clean(found)
    described = read_docstring(doc_of(function), docstyle)
    return Definition(
        description=described.text,
        parameters=schema.describe(parameters, described.parameters),
        check=Validator(signature.parameters, model).check,
        context=signature.context,
        is_async=signature.is_async,
    )


def explicit(function: Callable[..., Any], parameters: Mapping[str, Any]) -> Definition:
    """By `parameters`, a JSON Schema. Raises `TypeError` or `ConfigurationError`, naming the place, where it is wrong.

    So is one that `function` could not be called by: with a property that it does not take, or without one it needs.
    """
    checked = JsonSchema(parameters)
    accepted = read_accepted(function)
    _check_callable(checked.schema, accepted)
    check = _Written(checked, accepted).check
    return Definition("", checked.schema, check, accepted.context, accepted.is_async)


def _check_callable(parameters: dict[str, Any], accepted: Accepted) -> None:
    if parameters.get("type") != "object":
        raise TypeError("its JSON Schema must have the type 'object', since arguments are given by name")
    for name in parameters.get("properties", ()):
        if not accepted.takes(name):
            raise TypeError(f"its JSON Schema has the property {name!r}, which its function does not take")
    if _ELSEWHERE.isdisjoint(parameters):
        for name in accepted.required:
            if name not in parameters.get("required", ()):
                raise TypeError(f"parameter {name!r} has no default, and the JSON Schema does not require it")


@dataclass(frozen=True, slots=True)
class _Written:
    """The check of a call's arguments by a schema that somebody wrote. Nothing is converted or filled in."""

    schema: JsonSchema
    accepted: Accepted

    def check(self, arguments: Any) -> Result[dict[str, Any]]:
        """The arguments given, as they are after JSON; or one line naming the field at fault."""
        parsed = parse_object(arguments)
        if parsed.is_err():
            return parsed
        text = as_json(parsed.unwrap())
        if text.is_err():
            return Err(text.unwrap_err())
        values = json.loads(text.unwrap())
        problem = self.schema.check(values) or self._not_taken(values)
        return Ok(values) if problem is None else Err(f"Invalid arguments: {problem}.")

    def _not_taken(self, values: Mapping[str, Any]) -> str | None:
        for name in values:
            if not self.accepted.takes(name):
                known = ", ".join(self.accepted.names)
                return f"{clip(repr(name))} is unknown; the parameters are: {known or 'none'}"
        return None
