"""A value or an error, and both as JSON."""

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from xun.result import Err, ErrorInfo, Ok, Result, UnwrapError, XunError, printable, to_jsonable


def test_ok_holds_a_value():
    result = Result.Ok([1])
    assert (result.is_ok(), result.is_err(), result.unwrap(), result.value) == (True, False, [1], [1])
    with pytest.raises(UnwrapError, match=r"no error: the call succeeded with \[1\]"):
        result.unwrap_err()


def test_err_holds_an_error():
    info = ErrorInfo(error="no", details="really")
    result = Result.Err(info)
    assert (result.is_ok(), result.is_err(), result.unwrap_err(), result.value) == (False, True, info, info)
    with pytest.raises(UnwrapError, match=r"^no$"):
        result.unwrap()
    assert issubclass(UnwrapError, XunError)


def test_a_plain_string_is_the_error_line():
    assert Result.Err("no").unwrap_err() == ErrorInfo(error="no", details="")
    assert str(Result.Err("no").unwrap_err()) == "no"


def test_results_compare_by_what_they_hold():
    assert Result.Ok(1) == Ok(1) != Ok(2)
    assert Result.Err("a") == Err(ErrorInfo(error="a")) != Err("b")
    assert Result.Ok("a") != Result.Err("a")
    assert len({Ok(1), Ok(1), Err("a"), Err("a")}) == 2


def test_a_result_can_be_matched():
    def told(result: Result[Any]) -> str:
        match result:
            case Result.Ok(value):
                return f"ok {value}"
            case Result.Err(ErrorInfo(error=text)):
                return f"err {text}"
        return "neither"

    assert [told(Result.Ok(3)), told(Result.Err("no"))] == ["ok 3", "err no"]


def test_the_base_is_neither():
    for ask in (Result.is_ok, Result.is_err, Result.unwrap, Result.unwrap_err):
        with pytest.raises(TypeError, match=r"use Result\.Ok or Result\.Err"):
            ask(Result())


def test_an_error_is_frozen():
    with pytest.raises(ValidationError):
        ErrorInfo(error="a").error = "b"  # ty: ignore[invalid-assignment]


@pytest.mark.parametrize("result", [Ok({"a": 1}), Err(ErrorInfo(error="a", details="b"))], ids=repr)
def test_results_can_be_copied_and_pickled(result: Result[Any]):
    assert copy.deepcopy(result) == result
    assert pickle.loads(pickle.dumps(result)) == result


class Line(BaseModel):
    text: str
    ratio: float = 0.5


class Says:
    def to_json(self) -> dict[str, int]:
        return {"said": 1}


class Holds:
    value_json = ("held",)


class Dumps:
    """Has `model_dump` without being a pydantic model."""

    def model_dump(self, mode: str) -> dict[str, str]:
        return {"mode": mode}


@pytest.mark.spec("X-RES-05")
@pytest.mark.parametrize(
    ("value", "data"),
    [
        (None, None), ("é", "é"), ((1, 2), [1, 2]), ({1: "a"}, {"1": "a"}),
        (Line(text="a"), {"text": "a", "ratio": 0.5}),
        ([Line(text="a")], [{"text": "a", "ratio": 0.5}]), (Says(), {"said": 1}), (Holds(), ["held"]),
        ({"deep": [Says()]}, {"deep": [{"said": 1}]}), (Dumps(), {"mode": "json"}),
        (Ok(3), {"value": 3, "is_ok": True}),
    ],
    ids=lambda value: repr(value).partition(" at 0x")[0],
)  # fmt: skip
def test_a_value_says_itself_as_json(value: Any, data: Any):
    result = Result.Ok(value)
    assert result.value_json == data
    assert result.to_json() == {"value": data, "is_ok": True}
    assert json.loads(json.dumps(result.to_json())) == result.to_json()


@pytest.mark.spec("X-RES-05")
def test_an_error_says_itself_as_json():
    assert Result.Err(ErrorInfo(error="a", details="b")).to_json() == {
        "value": {"error": "a", "details": "b"},
        "is_ok": False,
    }


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.spec("X-RES-05", "P-VAL-02")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (object(), "a value of type object cannot"), ([b"a"], "a value of type bytes cannot"),
        ({"a": {1}}, "a value of type set cannot"), ({(1, 2): 3}, "keys must be str"), (Line, "a value of type"),
        (float("nan"), "a value of type float cannot"), ([float("-inf")], "a value of type list cannot"),
        (Line(text="a", ratio=float("nan")), "a value of type Line cannot"), (LOOP, "a value of type list cannot"),
        (10**5000, "a value of type int cannot"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_json_cannot_hold_is_a_type_error_of_one_line(value: Any, text: str):
    for ask in (to_jsonable, lambda value: Result.Ok(value).value_str, lambda value: Result.Ok(value).to_json()):
        with pytest.raises(TypeError) as caught:
            ask(value)
        assert str(caught.value).startswith(text)
        assert "\n" not in str(caught.value)


def test_values_nested_too_deeply_are_a_type_error():
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(TypeError, match="a value of type list cannot be serialised as JSON"):
        to_jsonable(deep)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Ok("a\nb"), "a\nb"), (Ok({"a": ["é", 1.5, None]}), '{"a": ["é", 1.5, null]}'), (Ok(True), "true"),
        (Ok(None), "null"), (Err("no"), '{"error": "no", "details": ""}'), (Ok("a\udcff"), "a\ufffd"),
        (Ok(["a\udcff"]), '["a\ufffd"]'),
    ],
    ids=lambda value: repr(value).partition(" at 0x")[0],
)  # fmt: skip
def test_a_result_as_text_is_the_string_or_json_on_one_line(result: Result[Any], text: str):
    assert result.value_str == text


@given(st.text(st.characters()))
def test_printable_text_can_always_be_written_as_utf_8_and_good_text_is_kept(text: str):
    shown = printable(text)
    shown.encode()
    assert len(shown) == len(text)
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert shown == text
    assert ErrorInfo(error=text, details=text) == ErrorInfo(error=shown, details=shown)
