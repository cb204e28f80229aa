# ruff: noqa: UP007, UP045 - a tool may spell a union either way, so both are tried
"""The schema that a model is given."""

import datetime as dt
import enum
import json
import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, Union

import jsonschema
import pytest
from pydantic import BaseModel, Field

from xun.toolbox import model, schema
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.toolbox.signature import EMPTY, Parameter
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox

MARKER = object()


def list_dir(path: str, details: bool = False) -> dict:
    """List the contents of a directory.
    Returns names of files and directories; with details also sizes."""
    return {"path": path, "details": details}


@pytest.mark.spec("X-SCH-01", "X-SCH-02", "X-SCH-03", "X-SCH-06", "X-SCH-10")
def test_an_ordinary_function_is_described_by_its_signature_and_docstring():
    [spec] = ToolBox().register(list_dir).list_tools_json()
    assert spec == {
        "name": "list_dir",
        "description": "List the contents of a directory.\n"
        "Returns names of files and directories; with details also sizes.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "details": {"type": "boolean", "default": False}},
            "required": ["path"],
            "additionalProperties": False,
        },
    }


@pytest.mark.spec("X-SCH-03")
def test_the_whole_docstring_is_the_description():
    def move(src: str) -> None:
        """Move a file.

        Args:
            src: where it is.

        Returns:
            nothing.
        """

    assert Tool(move).description == "Move a file.\n\nArgs:\n    src: where it is.\n\nReturns:\n    nothing."
    assert "description" not in Tool(move).parameters["properties"]["src"]


def test_a_function_without_a_docstring_has_an_empty_description():
    def bare(a: int) -> None: ...

    assert Tool(bare).description == ""


@pytest.mark.spec("X-SCH-05")
def test_a_parameter_without_a_hint_takes_the_type_of_its_default_or_anything():
    def guess(anything, nothing=None, count=3, ratio=0.5, names=["a"]):  # noqa: B006 - the default is the point
        return anything, nothing, count, ratio, names

    assert Tool(guess).parameters["properties"] == {
        "anything": {},
        "nothing": {"default": None},
        "count": {"type": "integer", "default": 3},
        "ratio": {"type": "number", "default": 0.5},
        "names": {"type": "array", "items": {}, "default": ["a"]},
    }
    assert Tool(guess).parameters["required"] == ["anything"]
    assert Tool(guess).validate({"anything": 1, "count": "3"}).is_err()


@pytest.mark.spec("X-SCH-07")
def test_an_optional_parameter_is_nullable_and_need_not_be_given():
    def page(size: Optional[int] = None) -> None: ...

    tool = Tool(page)
    assert tool.parameters["properties"]["size"] == {
        "anyOf": [{"type": "integer"}, {"type": "null"}],
        "default": None,
    }
    assert "required" not in tool.parameters
    assert tool.validate({}).unwrap() == {}
    assert tool.validate({"size": None}).unwrap() == {"size": None}


@pytest.mark.spec("H-SCH-06")
def test_a_nullable_parameter_without_a_default_must_be_given():
    def page(size: int | None) -> None: ...

    assert Tool(page).parameters["required"] == ["size"]


@pytest.mark.spec("X-SCH-08")
def test_a_literal_is_an_enum_even_with_one_value():
    def sort(order: Literal["up", "down"], only: Literal["x"] = "x", mixed: Literal["a", 1] = 1) -> None: ...

    assert Tool(sort).parameters["properties"] == {
        "order": {"enum": ["up", "down"], "type": "string"},
        "only": {"enum": ["x"], "type": "string", "default": "x"},
        "mixed": {"enum": ["a", 1], "default": 1},
    }


@pytest.mark.spec("X-SCH-09", "X-CTX-01")
def test_self_cls_and_the_context_are_not_the_models_to_fill():
    class Shop:
        def sell(self, item: str, ctx: ToolCallContext) -> str:
            return item

        @classmethod
        def audit(cls, year: int, context: "ToolCallContext[dict] | None" = None) -> int:
            return year

    for function, names in [(Shop().sell, ["item"]), (partial(Shop.sell, Shop()), ["item"]), (Shop.audit, ["year"])]:
        assert list(Tool(function).parameters["properties"]) == names


def test_a_parameter_may_have_any_name_that_python_allows():
    def odd(schema: str, json: int, model_config: str, copy: bool, _private: int = 1, p0: str = "") -> None: ...

    given = {"schema": "s", "json": 1, "model_config": "m", "copy": True, "_private": 2, "p0": "p"}
    assert list(Tool(odd).parameters["properties"]) == list(given)
    assert Tool(odd).validate(given).unwrap() == given


def test_a_default_that_json_lacks_is_not_shown():
    def wait(marker: Any = MARKER, ratio: Path | float = math.nan, day: dt.date = dt.date(2024, 2, 29)) -> None: ...

    assert Tool(wait).parameters["properties"] == {
        "marker": {},
        "ratio": {"anyOf": [{"type": "string", "format": "path"}, {"type": "number"}]},
        "day": {"type": "string", "format": "date", "default": "2024-02-29"},
    }


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    title: str
    street: str = Field(title="The street", description="With the number.")


@dataclass
class Point:
    x: int
    y: int = 0


@pytest.mark.spec("X-SCH-04")
def test_richer_hints_are_described_too_and_titles_are_left_out():
    def deliver(
        to: Address, at: Point, colour: Colour, day: dt.date, tags: set[str], size: Annotated[int, Field(ge=1)]
    ) -> None: ...

    parameters = Tool(deliver).parameters
    assert parameters["properties"] == {
        "to": {"$ref": "#/$defs/Address"},
        "at": {"$ref": "#/$defs/Point"},
        "colour": {"$ref": "#/$defs/Colour"},
        "day": {"format": "date", "type": "string"},
        "tags": {"items": {"type": "string"}, "type": "array", "uniqueItems": True},
        "size": {"minimum": 1, "type": "integer"},
    }
    assert parameters["$defs"]["Address"] == {
        "properties": {
            "title": {"type": "string"},
            "street": {"description": "With the number.", "type": "string"},
        },
        "required": ["title", "street"],
        "type": "object",
    }
    assert parameters["additionalProperties"] is False
    assert list(parameters)[:4] == ["type", "properties", "required", "additionalProperties"]


class Title(BaseModel):
    kind: Literal["title"]


class Page(BaseModel):
    kind: Literal["page"]


def test_the_tags_of_a_union_are_kept_whatever_they_are_called():
    def put(part: Annotated[Title | Page, Field(discriminator="kind")]) -> None: ...

    assert Tool(put).parameters["properties"]["part"]["discriminator"] == {
        "propertyName": "kind",
        "mapping": {"title": "#/$defs/Title", "page": "#/$defs/Page"},
    }
    assert Tool(put).validate({"part": {"kind": "page"}}).unwrap() == {"part": Page(kind="page")}
    error = Tool(put).validate({"part": {"kind": "x"}}).unwrap_err().error
    assert error.startswith("Invalid arguments: 'part' is refused: Input tag 'x' found using 'kind'")


HINTS: list[Any] = [
    str, int, float, bool, None, Any, list, dict, list[str], list[list[int]], list[Any], dict[str, int],
    dict[str, Any], dict[str, list[bool]], Optional[str], Optional[list[int]], int | str, Union[str, int, None],
    None | float, list[int] | int, list | list[Any], Union[Any, int], Literal["a"], Literal["a", "b"], Literal[1, 2],
    Optional[Literal["a", "b"]], Literal["a"] | int, dict[str, int] | list[str] | None, list[str | None],
]  # fmt: skip
DEFAULTS: list[Any] = [EMPTY, None, 1, 2.5, "text", True, [], ["a", 1, None], math.inf, math.nan]


@pytest.mark.spec("H-SCH-05")
@pytest.mark.parametrize("hint", HINTS, ids=str)
@pytest.mark.parametrize("default", DEFAULTS, ids=repr)
def test_the_direct_schema_is_the_one_that_pydantic_derives(hint: Any, default: Any):
    parameters = [Parameter("first", str), Parameter("title", hint, default)]
    direct = schema.simple(parameters)
    assert direct is not None
    assert direct == schema.clean(model.json_schema(model.build(parameters)))
    jsonschema.Draft202012Validator.check_schema(direct)


@pytest.mark.parametrize("hint", [Path, Colour, tuple[int, str], Annotated[int, Field(ge=1)], set[int], dict[int, str],
                                  Literal["a", 1], Literal[True], Annotated[int, Field(ge=1)] | None])  # fmt: skip
def test_a_hint_that_says_more_is_left_to_pydantic(hint: Any):
    assert schema.simple([Parameter("value", hint)]) is None


def test_plain_tools_are_described_without_building_a_model(monkeypatch: pytest.MonkeyPatch):
    def refuse(*args: object) -> None:
        raise AssertionError("a model was built")

    monkeypatch.setattr("xun.toolbox.validation.build", refuse)
    monkeypatch.setattr("xun.toolbox.definition.build_checked", refuse)

    def search(pattern: str, paths: list[str] | None = None, limit: int = 100) -> None: ...

    assert ToolBox().register(search, list_dir).list_tools_json()[0]["name"] == "search"


@pytest.mark.spec("H-SCH-03", "H-SCH-04")
def test_sections_move_the_arguments_out_of_the_description():
    @tool_attr(docstyle="sections")
    def copy(src: str, dst: str, mode: Literal["fast", "safe"] = "safe") -> None:
        """Copy a file.

        Links are followed.

        Args:
            src (str): what to copy,
                an absolute path: or not.
            dst: where to.

        Returns:
            nothing.
        """

    tool = Tool(copy)
    assert tool.description == "Copy a file.\n\nLinks are followed."
    assert tool.parameters["properties"] == {
        "src": {"description": "what to copy, an absolute path: or not.", "type": "string"},
        "dst": {"description": "where to.", "type": "string"},
        "mode": {"type": "string", "enum": ["fast", "safe"], "default": "safe"},
    }


def test_a_toolbox_says_how_docstrings_are_read_and_a_function_may_say_otherwise():
    def plain(a: int) -> None:
        """Plain.

        Args:
            a: the number.
        """

    @tool_attr(name="whole", docstyle="verbatim")
    def whole(a: int) -> None:
        """Whole.

        Args:
            a: the number.
        """

    sections, verbatim = ToolBox(docstyle="sections").register(plain, whole).list_tools()
    assert (sections.description, "Args:" in verbatim.description) == ("Plain.", True)


def test_a_spec_is_made_once_and_is_the_same_bytes_each_time():
    tools = ToolBox().register(list_dir)
    assert tools.list_tools_json()[0] is tools.list_tools_json()[0]
    again = ToolBox().register(list_dir)
    assert json.dumps(tools.list_tools_json()) == json.dumps(again.list_tools_json())


def test_what_a_tool_says_of_itself_does_not_change_with_what_its_function_changes():
    examples = [[1]]

    def take(plain: list[int] = [], deep: Annotated[dict[str, Any], Field(examples=examples)] = {"a": [1]}): ...  # noqa: B006

    def simple(plain: list[int] = [1]): ...  # noqa: B006

    for function in (take, simple):
        tool = Tool(function)
        before = json.dumps(tool.parameters)
        for default in function.__defaults__ or ():
            default.clear()
        examples.clear()
        assert json.dumps(tool.parameters) == before
