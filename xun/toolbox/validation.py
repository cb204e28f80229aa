"""The check of one call's arguments: strict, by pydantic, with a one-line error that a model can act on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import NoneType
from typing import Any

from pydantic import BaseModel, ValidationError

from xun.result import Err, Ok, Result
from xun.toolbox.arguments import Unlist, as_json, json_kind, parse_object, unlist_for
from xun.toolbox.model import build, field_name
from xun.toolbox.signature import Parameter, members
from xun.toolbox.wording import clip, joined, one_line


class Validator:
    """Checks arguments against `parameters`. The model is built at the first call unless one is given."""

    def __init__(self, parameters: Sequence[Parameter], model: type[BaseModel] | None = None) -> None:
        self._parameters = tuple(parameters)
        if model is not None:
            self.model = model

    @cached_property
    def model(self) -> type[BaseModel]:
        return build(self._parameters)

    @cached_property
    def _unlist(self) -> Mapping[str, Unlist]:
        found = ((parameter.name, unlist_for(parameter.hint)) for parameter in self._parameters)
        return {name: unlist for name, unlist in found if unlist is not None}

    def check(self, arguments: Any) -> Result[dict[str, Any]]:
        """The arguments given, as values of the annotated types; or one line naming the field at fault.

        They are checked as the JSON they came as, so a date, an Enum or a set is made from its JSON form and
        nothing else is converted.
        """
        parsed = parse_object(arguments)
        if parsed.is_err():
            return parsed
        values = parsed.unwrap()
        for name, unlist in self._unlist.items():
            if isinstance(values.get(name), str):
                values[name] = unlist(values[name])
        text = as_json(values)
        return self._validate(text.unwrap()) if text.is_ok() else Err(text.unwrap_err())

    def _validate(self, text: bytes) -> Result[dict[str, Any]]:
        try:
            found = self.model.model_validate_json(text, strict=True)
        except ValidationError as error:
            return Err(self._explain(error))
        except Exception as error:  # noqa: BLE001 - a hint's own validator may raise anything
            return Err(f"The arguments could not be checked: {one_line(str(error) or type(error).__name__)}.")
        given, values = found.model_fields_set, vars(found)  # of a deprecated field, the attribute warns
        fields = ((field_name(index), parameter) for index, parameter in enumerate(self._parameters))
        return Ok({item.name: values[field] for field, item in fields if field in given or item.required})

    def _explain(self, error: ValidationError) -> str:
        groups: dict[Any, list[Any]] = {}
        for item in error.errors(include_url=False):
            groups.setdefault(item["loc"][0] if item["loc"] else "", []).append(item)
        lines = [self._complaint(name, group) for name, group in groups.items()]
        return f"Invalid arguments: {joined(lines)}."

    def _complaint(self, name: Any, errors: Sequence[Any]) -> str:
        first = errors[0]
        if not first["loc"]:
            return one_line(first["msg"])
        if len(first["loc"]) == 1 and first["type"] == "extra_forbidden":
            known = ", ".join(parameter.name for parameter in self._parameters)
            return f"{clip(repr(name))} is unknown; the parameters are: {known or 'none'}"
        if self._is_union(name) and first["type"] != "missing":
            return f"'{name}' " + " or ".join(dict.fromkeys(_demand(item) for item in errors))
        got = f", not {json_kind(first['input'])}" if first["type"].endswith("_type") else ""
        path = ".".join(str(part) for part in first["loc"])  # keys of a dict are in it, as the model wrote them
        return f"{clip(repr(path))} {_demand(first)}{got}"

    def _is_union(self, name: Any) -> bool:
        hint = next((parameter.hint for parameter in self._parameters if parameter.name == name), None)
        return sum(kind is not NoneType for kind in members(hint)) > 1


def _demand(error: Any) -> str:
    """What was wanted, in words that follow the field's name."""
    if error["type"] == "missing":
        return "is missing"
    message = one_line(error["msg"])
    wanted = message.removeprefix("Input should ")
    return f"is refused: {message}" if wanted == message else f"must {wanted}"
