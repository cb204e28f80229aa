"""The pydantic model of a tool's parameters, and the refusal of hints that no JSON value can satisfy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DataclassSchema, TypedDictSchema

from xun.toolbox.signature import Parameter
from xun.toolbox.unfit import never_fits


class _Generator(GenerateJsonSchema):
    """Says nothing about defaults that JSON lacks: they are simply not shown to the model."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - the parent's attribute


class Closed(GenerateJsonSchema):
    """Says of a TypedDict and of a plain dataclass that they take no other keys: pydantic alone leaves these out."""

    def typed_dict_schema(self, schema: TypedDictSchema) -> JsonSchemaValue:
        return _closed(super().typed_dict_schema(schema), schema)

    def dataclass_schema(self, schema: DataclassSchema) -> JsonSchemaValue:
        return _closed(super().dataclass_schema(schema), schema)


def _closed(found: JsonSchemaValue, schema: Any) -> JsonSchemaValue:
    said = "extra_fields_behavior" in schema.get("config", {}) or hasattr(schema.get("cls"), "__pydantic_config__")
    return found if said or "$ref" in found else {"additionalProperties": False} | found


def field_name(index: int) -> str:
    """The model's name for the parameter at `index`."""
    return f"p{index}"


def build(parameters: Sequence[Parameter]) -> type[BaseModel]:
    """A model that takes exactly `parameters`.

    Its fields are numbered and carry the real names as aliases, so no name can clash with one of `BaseModel`.
    """
    from pydantic import create_model  # costs more than the rest of this module

    fields: dict[str, Any] = {}
    for index, parameter in enumerate(parameters):
        info = Field(alias=parameter.name) if parameter.required else Field(parameter.default, alias=parameter.name)
        fields[field_name(index)] = (parameter.hint, info)
    return create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields)


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """pydantic's own JSON Schema of `model`. Raises what pydantic raises for a type that has none."""
    return model.model_json_schema(schema_generator=_Generator)


def build_checked(parameters: Sequence[Parameter]) -> tuple[type[BaseModel], dict[str, Any]]:
    """The model and its JSON Schema. Raises `TypeError`, naming the parameter, for a hint no JSON fits."""
    for parameter in parameters:
        if isinstance(parameter.default, FieldInfo):
            raise TypeError(f"parameter {parameter.name!r} has a Field as its default; put it into Annotated[...]")
        if never_fits(parameter.hint):
            raise TypeError(_refusal(parameter))
    try:
        return _build_with_schema(parameters)
    except Exception as error:
        for parameter in parameters:
            _check_alone(parameter)
        raise TypeError(f"its parameters cannot be described: {_line(error)}") from error


def _build_with_schema(parameters: Sequence[Parameter]) -> tuple[type[BaseModel], dict[str, Any]]:
    model = build(parameters)
    return model, json_schema(model)


def _check_alone(parameter: Parameter) -> None:
    try:
        _build_with_schema([parameter])
    except Exception as error:
        if getattr(error, "code", None) == "typed-dict-version":  # inside a class of the caller's, which is left alone
            raise TypeError(
                f"parameter {parameter.name!r} has a class with a TypedDict as its hint, {_shown(parameter.hint)}; "
                "below Python 3.12 take TypedDict from typing_extensions"
            ) from error
        raise TypeError(f"{_refusal(parameter)}: {_line(error)}") from error


def _refusal(parameter: Parameter) -> str:
    return f"parameter {parameter.name!r} has a hint that no JSON value can satisfy, {_shown(parameter.hint)}"


def _shown(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def _line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]
