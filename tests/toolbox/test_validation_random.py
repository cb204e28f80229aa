# ruff: noqa: UP007, UP045 - a tool may spell a union either way, so both are tried
"""Whatever a model sends, a function never receives a value outside its hints."""

import json
import types
from typing import Any, Literal, Optional, Union, get_args, get_origin

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import fuzzed
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox

SCALARS = st.sampled_from([str, int, float, bool, type(None), Any])
LITERALS = st.sampled_from([Literal["a", "b"], Literal["null"], Literal[1, 2]])
HINTS = st.recursive(
    SCALARS | LITERALS,
    lambda inner: st.one_of(
        inner.map(lambda hint: list[hint]),
        inner.map(lambda hint: tuple[hint, ...]),
        inner.map(lambda hint: dict[str, hint]),
        inner.map(lambda hint: Optional[hint]),
        st.tuples(inner, inner).map(lambda pair: Union[pair]),
        st.tuples(inner, inner).map(lambda pair: tuple.__class_getitem__(pair)),
    ),
    max_leaves=4,
)
TEXT = st.text(max_size=6) | st.sampled_from(
    ["1", "a, b", "1, 2", "null", "true", "[]", '["a"]', "[1]", "[[1]]", "{}", "1.5", ",", " ", "NaN"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def fits(value: Any, hint: Any) -> bool:
    """Whether `value` is of `hint`, judged without pydantic."""
    if hint is Any:
        return True
    if hint in (str, int, float, bool, type(None)):
        return type(value) is hint
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return any(type(value) is type(known) and value == known for known in args)
    if origin in (Union, types.UnionType):
        return any(fits(value, arg) for arg in args)
    if origin is dict:
        return type(value) is dict and all(type(key) is str and fits(item, args[1]) for key, item in value.items())
    if type(value) is not origin:
        return False
    if origin is tuple and args[-1] is not ...:
        return len(value) == len(args) and all(map(fits, value, args))
    return all(fits(item, args[0]) for item in value)


def is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


@pytest.mark.spec("X-VAL-01", "H-VAL-02")
@settings(max_examples=fuzzed(300), deadline=None)
@given(HINTS, HINTS, st.data())
def test_a_function_never_receives_a_value_outside_its_hints(first: Any, second: Any, data: st.DataObject):
    received: list[dict[str, Any]] = []

    def take(first: Any, second: Any = None) -> None:
        received.append({"first": first, "second": second})

    take.__annotations__ |= {"first": first, "second": second}
    box = ToolBox().register(take)
    for _ in range(5):
        values = data.draw(st.fixed_dictionaries({"first": VALUES}, optional={"second": VALUES, "other": VALUES}))
        sent = data.draw(st.sampled_from([values, json.dumps(values)]))
        received.clear()
        result = box.call_tool(None, "take", sent)
        if result.is_err():
            assert received == []
            assert "\n" not in result.unwrap_err().error
            continue
        [call] = received
        assert fits(call["first"], first)
        assert fits(call["second"], second) if "second" in values else call["second"] is None
        assert "other" not in values


@settings(max_examples=fuzzed(300), deadline=None)
@given(HINTS, VALUES)
@example(Union[tuple[str, ...], Any], [])
@example(dict[str, Union[Any, Literal[1, 2]]], {"": True})
def test_a_value_that_fits_and_is_json_is_passed_on_as_it_is(hint: Any, value: Any):
    def take(value: Any) -> None: ...

    take.__annotations__["value"] = hint
    checked = Tool(take).validate({"value": value})
    if fits(value, hint) and is_json(value):
        passed = checked.unwrap()["value"]
        # An array is how JSON spells a tuple: where the hint names tuples, it may come as one although Any takes it too.
        assert json.dumps(passed) == json.dumps(value)
        assert fits(passed, hint)


@settings(max_examples=fuzzed(500), deadline=None)
@given(st.text(max_size=40) | st.builds(lambda value, cut: json.dumps(value)[:cut], VALUES, st.integers(0, 60)))
def test_checking_any_text_ends_in_a_result(text: str):
    def take(items: list[int], name: str | None = None) -> None: ...

    result = Tool(take).validate(text)
    if result.is_ok():
        assert set(json.loads(text)) <= {"items", "name"}
    else:
        assert "\n" not in result.unwrap_err().error
