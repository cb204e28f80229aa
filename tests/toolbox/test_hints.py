"""Hints that pydantic alone would make uncallable: handled, or refused when the tool is registered."""

import abc
import dataclasses
import enum
import sys
import typing
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, NotRequired, Self

import pytest
import typing_extensions
from pydantic import BaseModel, BeforeValidator, field_validator

from tests.toolbox.test_validation import error_of, tool_for
from xun.errors import ConfigurationError
from xun.toolbox.tool import Tool


class Colour(enum.Enum):
    RED = "red"
    SEVEN = 7
    NONE = None
    PAIR = (1, 2)


class Word(enum.StrEnum):
    YES = "yes"


class Point(typing.TypedDict):
    """Where it is."""

    x: int
    y: NotRequired[int]


class Named(Point, total=False):
    name: Literal[Colour.RED]


class Tree(typing.TypedDict):
    value: int
    children: "list[Tree]"


class Newer(typing_extensions.TypedDict):
    colour: Literal[Colour.SEVEN]


RED = Literal[Colour.RED]


@pytest.mark.spec("H-SCH-07", "W14")
@pytest.mark.parametrize(
    ("hint", "given", "value"),
    [
        (RED, "red", Colour.RED),
        (Literal[Colour.SEVEN, "seven", Word.YES], 7, Colour.SEVEN),
        (Literal[Colour.SEVEN, "seven", Word.YES], "seven", "seven"),
        (Literal[Colour.SEVEN, "seven", Word.YES], "yes", Word.YES),
        (Literal[Colour.NONE], None, Colour.NONE),
        (list[RED] | None, ["red"], [Colour.RED]),
        (dict[str, Annotated[RED, "a note"]], {"a": "red"}, {"a": Colour.RED}),
        (tuple[RED, ...], ["red", "red"], (Colour.RED, Colour.RED)),
    ],
    ids=str,
)
def test_a_literal_of_a_member_takes_its_value_and_gives_the_member(hint: Any, given: Any, value: Any):
    got = tool_for(hint).validate({"value": given}).unwrap()["value"]
    assert got == value
    assert type(got) is type(value)


def test_a_literal_of_a_member_is_described_by_its_value_and_takes_nothing_else():
    tool = tool_for(Literal[Colour.RED, Colour.SEVEN], Colour.RED)
    assert tool.parameters["properties"]["value"] == {"enum": ["red", 7], "default": "red"}
    for wrong in ("RED", "Colour.RED", "7", True, None):
        assert error_of(tool, {"value": wrong}) == "Invalid arguments: 'value' must be 'red' or 7."


@pytest.mark.spec("W14")
@pytest.mark.parametrize(
    ("hint", "given", "value"),
    [
        (Point, {"x": 1}, {"x": 1}),
        (Point, {"x": 1, "y": 2}, {"x": 1, "y": 2}),
        (list[Point], [{"x": 1}], [{"x": 1}]),
        (dict[str, Point | None], {"a": {"x": 1}, "b": None}, {"a": {"x": 1}, "b": None}),
        (Named, {"x": 1, "name": "red"}, {"x": 1, "name": Colour.RED}),
        (Named, {"x": 1}, {"x": 1}),
        (Tree, {"value": 1, "children": [{"value": 2, "children": []}]},
         {"value": 1, "children": [{"value": 2, "children": []}]}),
        (Newer, {"colour": 7}, {"colour": Colour.SEVEN}),
    ],
    ids=str,
)  # fmt: skip
def test_a_typed_dict_of_either_kind_is_a_hint(hint: Any, given: Any, value: Any):
    assert tool_for(hint).validate({"value": given}).unwrap() == {"value": value}


@pytest.mark.parametrize(
    ("hint", "given", "error"),
    [
        (Point, {"x": "1"}, "'value.x' must be a valid integer, not a string."),
        (Point, {"y": 1}, "'value.x' is missing."),
        (list[Named], [{"x": 1, "name": "blue"}], "'value.0.name' must be 'red'."),
        (Tree, {"value": 1, "children": [{"value": 2}]}, "'value.children.0.children' is missing."),
    ],
    ids=str,
)
def test_a_typed_dict_is_checked_field_by_field(hint: Any, given: Any, error: str):
    assert error_of(tool_for(hint), {"value": given}) == f"Invalid arguments: {error}"


def test_a_typed_dict_is_described_once_by_its_own_name():
    def draw(start: Point, end: Point) -> None: ...

    parameters = Tool(draw).parameters
    assert parameters["properties"] == {"start": {"$ref": "#/$defs/Point"}, "end": {"$ref": "#/$defs/Point"}}
    assert parameters["$defs"] == {
        "Point": {
            "description": "Where it is.",
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
            "required": ["x"],
            "additionalProperties": False,
        }
    }


@dataclasses.dataclass
class Holder:
    point: Point


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="pydantic reads it there")
def test_a_typed_dict_inside_of_a_class_is_refused_with_what_to_do():
    with pytest.raises(ConfigurationError) as caught:
        tool_for(Holder)
    assert str(caught.value) == (
        "take cannot be a tool: parameter 'value' has a class with a TypedDict as its hint, Holder; "
        "below Python 3.12 take TypedDict from typing_extensions"
    )


class Abstract(BaseModel, abc.ABC):
    @abc.abstractmethod
    def area(self) -> int: ...


class Holding(BaseModel):
    inner: BaseModel


class Lazily(BaseModel):
    items: list[Iterable[int]]


class Coloured(BaseModel):
    colour: Literal[Colour.RED]


@dataclasses.dataclass
class Pair:
    left: "Pair | None"
    right: Abstract


class Entry(NamedTuple):
    kind: type[int]


@dataclasses.dataclass
class Node:
    value: int
    following: "Node | None" = None


class Folder(BaseModel):
    folders: "list[Folder]" = []


class Empty(enum.Enum):
    pass


class Shapes(enum.Enum):
    PAIR = (1, 2)


@pytest.mark.spec("H-SCH-07", "W14")
@pytest.mark.parametrize(
    "hint",
    [
        BaseModel, list[BaseModel], Abstract, Holding, Lazily, Coloured, Pair, Entry, enum.Enum, Empty, Shapes, Self,
        Literal[b"x"], Literal[Colour.PAIR], dict[str, Literal[b"x"]], BaseModel | None, ClassVar[int], ClassVar,
        dict[tuple[int, int], int], dict[None, int], Mapping[frozenset[int] | None, int], list[dict[Node, int]],
        dict[Annotated[list[int], "a note"], int], dict[Literal[1], int], OrderedDict[Folder, str],
    ],
    ids=str,
)  # fmt: skip
def test_a_hint_that_would_fail_at_each_call_is_refused_at_registration(hint: Any):
    with pytest.raises(ConfigurationError, match="parameter 'value' has a hint that no JSON value can satisfy, "):
        tool_for(hint)


@pytest.mark.parametrize(
    ("hint", "given", "value"),
    [
        (Node, {"value": 1, "following": {"value": 2}}, Node(1, Node(2))),
        (list[Folder], [{"folders": [{}]}], [Folder(folders=[Folder()])]),
    ],
    ids=str,
)
def test_a_class_that_holds_itself_is_a_hint(hint: Any, given: Any, value: Any):
    assert tool_for(hint).validate({"value": given}).unwrap() == {"value": value}


class Made(BaseModel):
    inner: BaseModel

    @field_validator("inner", mode="before")
    @classmethod
    def make(cls, value: Any) -> Any:
        return Coloured.model_construct(colour=value)


def test_a_hint_with_a_validator_of_its_own_is_left_to_that():
    made = Annotated[BaseModel, BeforeValidator(lambda value: Coloured.model_construct(colour=value))]
    for hint, given in [(made, "red"), (Made, {"inner": "red"})]:
        assert tool_for(hint).validate({"value": given}).is_ok()


@pytest.mark.parametrize(
    ("hint", "value"),
    [(Literal[1, 2], True), (Literal[1, 2], 1.0), (Literal[True, "x"], 1), (list[Literal[0]], [False])],
)
def test_a_literal_takes_nothing_that_only_equals_a_member(hint: Any, value: Any) -> None:
    def take(value: Any) -> None: ...

    take.__annotations__["value"] = hint
    assert "must be" in Tool(take).validate({"value": value}).unwrap_err().error
    assert (
        Tool(take)
        .validate({"value": 2 if hint == Literal[1, 2] else True if hint == Literal[True, "x"] else [0]})
        .is_ok()
    )


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Switch(enum.Enum):
    ON = True
    OFF = "off"


class Share(enum.Enum):
    HALF = 0.5
    ALL = 1.0


class Bits(enum.Flag):
    READ = 1
    WRITE = 2


class Lenient(enum.Enum):
    ONE = 1

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.ONE if value in ("one", 7) else None


@pytest.mark.spec("H-SCH-07")
@pytest.mark.parametrize(
    ("hint", "wrong"),
    [
        (Level, True), (Level, 1.0), (Switch, 1), (Switch, 1.0), (Share, True), (Bits, True), (Lenient, True),
        (list[Level], [True]), (dict[str, Level], {"a": True}), (Level | str, True), (Level | None, 1.0),
        (Annotated[Level, "a note"], True), (tuple[str, Level], ["a", True]),
    ],
)  # fmt: skip
def test_an_enum_takes_nothing_that_only_equals_a_value(hint: Any, wrong: Any) -> None:
    assert " must be " in error_of(tool_for(hint), {"value": wrong})


@pytest.mark.parametrize(
    ("hint", "given", "value"),
    [
        (Level, 2, Level.HIGH), (Switch, True, Switch.ON), (Switch, "off", Switch.OFF), (Share, 0.5, Share.HALF),
        (Share, 1, Share.ALL), (Share, 1.0, Share.ALL), (Bits, 3, Bits.READ | Bits.WRITE), (Lenient, "one", Lenient.ONE),
        (Lenient, 7, Lenient.ONE), (Level | str, "x", "x"), (dict[Level, int], {"1": 5}, {Level.LOW: 5}),
        (dict[Literal["a", 1], Level], {"a": 1}, {"a": Level.LOW}), (dict[int | tuple[int], str], {"1": "a"}, {1: "a"}),
        (dict[RED, int], {"red": 1}, {Colour.RED: 1}),
    ],
)  # fmt: skip
def test_an_enum_and_the_keys_of_a_dict_take_what_json_has_for_them(hint: Any, given: Any, value: Any) -> None:
    assert tool_for(hint).validate({"value": given}).unwrap() == {"value": value}


def test_a_parameter_without_a_hint_is_of_the_enum_of_its_default() -> None:
    def take(value=Level.LOW): ...

    assert " must be 1 or 2" in error_of(Tool(take), {"value": True})
    assert Tool(take).validate({"value": 2}).unwrap() == {"value": Level.HIGH}


def test_an_enum_is_described_as_pydantic_describes_it() -> None:
    assert tool_for(Level).parameters["$defs"] == {"Level": {"type": "integer", "enum": [1, 2]}}
