from __future__ import annotations

import re

import pytest

from xun.messages import ModelStop
from xun.providers.calls import CUT_OFF, DraftCall, finish_calls, parse_arguments


@pytest.mark.bug("api-no-argument-tool-call")
@pytest.mark.parametrize("text", ["", " \n", "{}"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    assert parse_arguments(text) == {}


@pytest.mark.spec("H-MAL-05")
@pytest.mark.bug("api-no-argument-tool-call")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "must be a JSON object, not an array"),
        ("null", "must be a JSON object, not null"),
        ('"x"', "must be a JSON object, not a string"),
        ("true", "must be a JSON object, not a boolean"),
        ("3", "must be a JSON object, not a number"),
        ('{"a": 1} x', "not valid JSON"),
        ("{'a': 1}", "not valid JSON"),
        ('{"a": NaN}', "NaN, which JSON does not have"),
        ('{"a": ' + "1" * 5000 + "}", "the arguments hold a number of 5000 digits, which is out of range"),
        ('{"a": -Infinity}', "-Infinity, which JSON does not have"),
        ('{"a": 1e999}', "1e999, which is out of range"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_object_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        parse_arguments(text)


@pytest.mark.spec("H-MAL-06")
def test_every_beginning_of_an_object_counts_as_cut_off() -> None:
    text = '{"path": "b\\u00e9\\n.py", "deep": [1.5, -2, true, null, {"x": false}]}'
    for end in range(1, len(text)):
        with pytest.raises(ValueError, match="cut off by the output limit"):
            parse_arguments(text[:end])
    assert parse_arguments(text)["path"] == "bé\n.py"


def finished(*drafts: DraftCall, stop: ModelStop = "tool_use", last_is_open: bool = True) -> list[str | None]:
    return [call.problem for call in finish_calls(drafts, stop, last_is_open=last_is_open)]


@pytest.mark.spec("W08")
def test_the_last_call_before_the_output_limit_is_suspect_even_if_it_parses() -> None:
    drafts = DraftCall("a", "write_file", '{"path": "a"}'), DraftCall("b", "write_file", '{"path": "b"}')
    assert finished(*drafts, stop="max_tokens") == [None, CUT_OFF]
    assert finished(*drafts, stop="max_tokens", last_is_open=False) == [None, None]
    assert finished(*drafts) == [None, None]


def test_a_refused_call_keeps_what_arrived() -> None:
    (call,) = finish_calls([DraftCall("a", "bash", '{"command": "rm')], "tool_use", last_is_open=True)
    assert (call.problem, call.arguments, call.raw) == (CUT_OFF, {}, '{"command": "rm')


@pytest.mark.spec("P-MAL-01", "P-MAL-02")
def test_ids_that_are_missing_or_taken_are_replaced_and_the_call_refused() -> None:
    drafts = [DraftCall("a", "ls"), DraftCall("a", "ls"), DraftCall("", "ls"), DraftCall("", "ls")]
    calls = finish_calls([*drafts, DraftCall("b", "ls")], "tool_use", last_is_open=True)
    assert [call.problem for call in calls] == [
        "several calls came with the id 'a', so none of them was run; send it again",
        "several calls came with the id 'a', so none of them was run; send it again",
        "the call came without an id, so it was not run; send it again",
        "the call came without an id, so it was not run; send it again",
        None,
    ]
    assert (calls[0].id, calls[4].id) == ("a", "b")
    assert len({call.id for call in calls}) == 5


def test_a_call_without_a_name_is_refused() -> None:
    (call,) = finish_calls([DraftCall("a", "", "{}")], "tool_use", last_is_open=True)
    assert call.problem is not None
    assert "names no tool" in call.problem


@pytest.mark.spec("H-MAL-05")
def test_a_call_that_says_it_is_not_whole_is_refused_even_if_it_parses() -> None:
    [call] = finish_calls([DraftCall("1", "pay", '{"amount": 1}', partial=True)], "tool_use", last_is_open=False)
    assert call.problem is not None and "did not come to its end" in call.problem and call.arguments == {}
