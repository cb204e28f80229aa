# ruff: noqa: UP045 - a tool may spell a union either way, so both are tried
"""Arguments are checked before anything runs, and a mistake is one line that names the field."""

import datetime as dt
import enum
import json
import uuid
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Optional

import pytest
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypedDict

from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox


def tool_for(hint: Any, default: Any = ...) -> Tool:
    """A tool of one parameter, `value`."""

    def take(value: Any) -> None: ...

    take.__annotations__["value"] = hint
    if default is not ...:
        take.__defaults__ = (default,)
    return Tool(take)


def error_of(tool: Tool, arguments: Any) -> str:
    return tool.validate(arguments).unwrap_err().error


class Colour(enum.Enum):
    RED = "red"
    SEVEN = 7


class Line(BaseModel):
    text: str
    number: int = 1


@dataclass
class Point:
    x: int
    y: "set[int]"


class Size(NamedTuple):
    width: int
    unit: str


class Options(TypedDict):
    deep: bool


UUID = "6e7e1a2e-0d6f-4b67-9a39-2f6d1a9f3c10"


@pytest.mark.spec("X-VAL-01", "W14")
@pytest.mark.parametrize(
    ("hint", "given", "value"),
    [
        (int, 3, 3), (float, 3, 3.0), (str, "", ""), (bool, True, True), (Any, {"a": [1]}, {"a": [1]}),
        (Literal["a", "b"], "b", "b"), (Colour, "red", Colour.RED), (Colour, 7, Colour.SEVEN),
        (dt.date, "2024-02-29", dt.date(2024, 2, 29)), (uuid.UUID, UUID, uuid.UUID(UUID)),
        (Path, "a/b", Path("a/b")), (set[int], [1, 2, 2], {1, 2}), (tuple[int, str], [1, "a"], (1, "a")),
        (Decimal, "1.10", Decimal("1.10")), (bytes, "é", "é".encode()), (dict[int, str], {"1": "a"}, {1: "a"}),
        (Line, {"text": "t"}, Line(text="t")), (Point, {"x": 1, "y": [2]}, Point(1, {2})),
        (Size, [3, "cm"], Size(3, "cm")), (Options, {"deep": True}, Options(deep=True)),
        (Annotated[int, Field(ge=2)], 2, 2), (list[Line], [{"text": "t", "number": 2}], [Line(text="t", number=2)]),
    ],
    ids=str,
)  # fmt: skip
def test_json_becomes_the_annotated_type(hint: Any, given: Any, value: Any):
    got = tool_for(hint).validate({"value": given}).unwrap()["value"]
    assert got == value
    assert type(got) is type(value)


@pytest.mark.spec("X-VAL-01")
@pytest.mark.parametrize(
    ("hint", "given"),
    [
        (int, "3"), (int, 3.0), (int, True), (int, None), (float, "3"), (float, True), (str, 3), (str, None),
        (bool, 1), (bool, "true"), (Literal["a"], "A"), (Literal[1], "1"), (Colour, "RED"), (Colour, "7"),
        (dt.date, 3), (dt.date, "29.2.2024"), (uuid.UUID, "x"), (Path, 3), (set[int], ["1"]),
        (list[int], [1, "2"]), (dict[str, int], {"a": "1"}), (tuple[int, str], [1]), (Optional[int], "null"),
        (Line, {"text": 1}), (Line, "text"), (Point, {"x": 1}), (Size, [3]), (Options, {}), (int | None, ""),
        (Annotated[int, Field(ge=2)], 1),
    ],
    ids=str,
)  # fmt: skip
def test_nothing_is_converted(hint: Any, given: Any):
    text = error_of(tool_for(hint), {"value": given})
    assert text.startswith("Invalid arguments: 'value")
    assert "\n" not in text
    assert "http" not in text


@pytest.mark.spec("X-SCH-04")
def test_an_argument_that_is_not_declared_is_refused():
    assert error_of(tool_for(int), {"value": 1, "valeu": 2}) == (
        "Invalid arguments: 'valeu' is unknown; the parameters are: value."
    )


@pytest.mark.spec("H-VAL-01", "P-VAL-01", "W15", "W32", "C02")
@pytest.mark.parametrize(
    ("hint", "given", "error"),
    [
        (int, {"value": "3"}, "'value' must be a valid integer, not a string."),
        (int, {}, "'value' is missing."),
        (Literal["a", "b"], {"value": "c"}, "'value' must be 'a' or 'b'."),
        (list[Line], {"value": [{"text": "a"}, {"text": 2}]}, "'value.1.text' must be a valid string, not a number."),
        (int | str, {"value": []}, "'value' must be a valid integer or must be a valid string."),
        (int | str, {}, "'value' is missing."),
        (Line, {"value": {}}, "'value.text' is missing."),
        (Line | None, {"value": 3}, "'value' must be an object, not a number."),
        (Annotated[str, Field(min_length=2)], {"value": "b"},
         "'value' is refused: String should have at least 2 characters."),
        (float, {"value": float("nan")}, "'value' is no JSON value: Out of range float values are not JSON compliant"),
        (float, '{"value": 1e999}', "'value' is no JSON value: Out of range float values are not JSON compliant"),
        (Any, {"value": Path("x")}, "'value' is no JSON value: Object of type PosixPath is not JSON serializable."),
    ],
    ids=str,
)  # fmt: skip
def test_an_error_is_one_line_that_names_the_field(hint: Any, given: Any, error: str):
    assert error_of(tool_for(hint), given).startswith(f"Invalid arguments: {error}")


def test_several_errors_are_still_one_short_line():
    def many(a: int, b: int, c: int, d: int, e: int) -> None: ...

    assert error_of(Tool(many), {"a": "x", "b": 1}) == (
        "Invalid arguments: 'a' must be a valid integer, not a string; 'c' is missing; 'd' is missing; and 1 more."
    )


def test_a_key_that_the_model_made_up_is_shown_on_the_one_line():
    assert error_of(tool_for(dict[str, int]), {"value": {"a\nb": None}}) == (
        r"Invalid arguments: 'value.a\nb' must be a valid integer, not null."
    )


def test_a_huge_unknown_name_does_not_make_a_huge_error():
    assert len(error_of(tool_for(int), {"value": 1, "x" * 100_000: 2})) < 400


def test_a_tool_without_parameters_takes_an_empty_object_alone():
    def ping() -> str:
        return "pong"

    assert Tool(ping).validate({}).unwrap() == {}
    assert Tool(ping).validate("{}").unwrap() == {}
    assert error_of(Tool(ping), {"a": 1}) == "Invalid arguments: 'a' is unknown; the parameters are: none."


@pytest.mark.spec("H-MAL-05", "H-MAL-06")
@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ('{"value": "half', "The arguments are not valid JSON: Unterminated string"),
        ('{"value": 1', "The arguments are not valid JSON: Expecting ',' delimiter"),
        ("", "The arguments are not valid JSON: Expecting value"),
        ("{'value': 1}", "The arguments are not valid JSON: Expecting property name"),
        ('{"value": 1,}', "The arguments are not valid JSON: "),
        ('{"value": 1} {"value": 2}', "The arguments are not valid JSON: Extra data"),
        ('{"value": 1, "value": 2}', "The arguments are not valid JSON: the key 'value' is given twice"),
        ('{"value": NaN}', "The arguments are not valid JSON: NaN is no JSON number"),
        ('{"value": -Infinity}', "The arguments are not valid JSON: -Infinity is no JSON number"),
        ("[" * 100_000, "The arguments are not valid JSON: "),
        ('[{"value": 1}]', "The arguments must be a JSON object, not an array."),
        ('"value"', "The arguments must be a JSON object, not a string."),
        ("null", "The arguments must be a JSON object, not null."),
        ([], "The arguments must be a JSON object, not an array."),
        (None, "The arguments must be a JSON object, not null."),
        ({1: 2}, "The arguments must be a JSON object, whose keys are text."),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_damaged_arguments_never_run_a_tool(sent: Any, error: str):
    ran: list[int] = []

    def take(value: int = 0) -> None:
        ran.append(value)

    result = ToolBox().register(take).call_tool(None, "take", sent)
    assert result.unwrap_err().error.startswith(error)
    assert "\n" not in result.unwrap_err().error
    assert ran == []


def test_a_key_given_twice_is_found_at_any_depth():
    assert "the key 'a' is given twice" in error_of(tool_for(Any), '{"value": [{"a": 1, "a": 2}]}')


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_text_that_no_wire_can_carry_is_refused(text: str):
    assert error_of(tool_for(str), {"value": text}).startswith("Invalid arguments: 'value' is no JSON value")
    assert error_of(tool_for(str), json.dumps({"value": text})).startswith("Invalid arguments: 'value'")
    assert tool_for(Any).validate({text: 1}).is_err()


def test_values_nested_too_deeply_are_an_error_and_no_crash():
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert tool_for(Any).validate({"value": deep}).is_err()
    assert tool_for(Any).validate('{"value": ' + "[" * 900 + "]" * 900 + "}").is_err()


def _angry(value: int) -> int:
    raise KeyError("a\nvalidator")


def test_a_validator_that_raises_anything_is_an_error_of_one_line():
    text = error_of(tool_for(Annotated[int, AfterValidator(_angry)]), {"value": 1})
    assert text == "The arguments could not be checked: 'a\\nvalidator'."


def test_only_what_was_given_is_passed_on_so_defaults_stay_the_functions_own():
    marker: list[int] = []

    def keep(items: list[int] = marker, factor: int = 2) -> bool:
        return items is marker

    assert Tool(keep).validate({"factor": 3}).unwrap() == {"factor": 3}
    assert ToolBox().register(keep).call_tool(None, "keep", {}).unwrap() is True


def test_a_default_that_only_the_hint_gives_is_passed_on():
    def take(value: Annotated[int, Field(default=3)]) -> int:
        return value

    assert ToolBox().register(take).call_tool(None, "take", {}).unwrap() == 3


def test_checking_changes_nothing_of_what_was_given():
    given = {"value": "a, b"}
    assert tool_for(list[str]).validate(given).unwrap() == {"value": ["a", "b"]}
    assert given == {"value": "a, b"}


@pytest.mark.spec("X-VAL-02", "X-VAL-03", "X-VAL-04", "X-VAL-05")
@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (list[str], '["a", "b"]', ["a", "b"]), (list[str], " [] ", []), (list, '["a", 1]', ["a", 1]),
        (tuple[str, ...], '["a"]', ("a",)), (tuple, "a, b", ("a", "b")), (list, "a, b", ["a", "b"]),
        (list[str], "a, b", ["a", "b"]), (list[str], "one", ["one"]), (list[str], "1, 2", ["1", "2"]),
        (list[int], "1, 2", [1, 2]), (list[int], "[1, 2]", [1, 2]), (list[float], "1, 2.5", [1.0, 2.5]),
        (list[bool], "true,false", [True, False]), (list[int | None], "1, null", [1, None]),
        (list[int | str], "1, a", ["1", "a"]), (tuple[int, str], "1, 2", (1, "2")),
        (list[Path], "a, b/c", [Path("a"), Path("b/c")]), (list[Literal["a", "b"]], "b, a", ["b", "a"]),
        (list[Literal[1, 2]], "2, 1", [2, 1]), (list[Colour], "red", [Colour.RED]),
        (Optional[list[str]], '["a"]', ["a"]), (Optional[list[str]], "a, b", ["a", "b"]),
        (Optional[list[str]], "null", None), (Optional[list[int]], "1,2", [1, 2]), (Optional[list], " null ", None),
        (Annotated[list[str], Field(min_length=1)], "a", ["a"]), (list[str] | tuple[str, ...], "a", ["a"]),
        (list[int] | int, "[1]", [1]), (list[dict[str, int]], '[{"a": 1}]', [{"a": 1}]),
        (list[str] | str, "a, b", "a, b"), (list[str] | str, '["a"]', '["a"]'), (str, "a, b", "a, b"),
        (str | list[str] | None, "null", "null"), (Any, '["a"]', '["a"]'), (list[Path] | Path, "a, b", Path("a, b")),
        (list[str] | Literal["all"], "all", "all"),
    ],
    ids=str,
)  # fmt: skip
def test_a_list_written_as_text_is_read_and_other_text_is_left_alone(hint: Any, text: str, value: Any):
    got = tool_for(hint).validate({"value": text}).unwrap()["value"]
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (list[str], ""), (list[str], "a,,b"), (list[str], "a,"), (list[str], "[a, b]"), (list[str], '["a"'),
        (list[str], "[1]"), (list[str], "null"), (list[int], "1, x"), (list[int], "1.5"), (list[int] | int, "5"),
        (tuple[int, str], "1"), (list[int], "NaN"), (list[str], '["a"], "extra": 1'), (set[str], "a, b"),
        (dict[str, int], '{"a": 1}'), (list[list[int]], "1, 2"), (list[dict[str, int]], '{"a": 1, "b": 2}'),
        (list[str], '[{"a": 1, "a": 2}]'),
    ],
    ids=str,
)  # fmt: skip
def test_text_that_is_no_list_of_the_hint_is_refused(hint: Any, text: str):
    assert error_of(tool_for(hint), {"value": text}).startswith("Invalid arguments: 'value")


@pytest.mark.spec("H-VAL-02", "P-VAL-01", "P-LOP-05")
def test_arguments_are_checked_before_permission_and_before_the_actions_are_told():
    from xun.toolbox.attr import tool_attr

    told: list[Any] = []

    def tell(arguments: dict[str, Any], ctx: Any) -> Any:
        told.append(arguments)

    @tool_attr(permission="deny", actions=tell)
    def erase(path: str) -> None:
        told.append(path)

    result = ToolBox().register(erase).call_tool(None, "erase", {"path": 3})
    assert result.unwrap_err().error == "Invalid arguments: 'path' must be a valid string, not a number."
    assert told == []


def test_a_deprecated_parameter_warns_nobody():
    def old(
        value: Annotated[int, Field(deprecated=True)], other: Annotated[int, Field(deprecated="Use value.")] = 1
    ): ...

    tool = Tool(old)
    assert tool.parameters["properties"]["value"]["deprecated"] is True
    assert tool.validate({"value": 1, "other": 2}).unwrap() == {"value": 1, "other": 2}  # warnings are errors here
