"""Answers that must be JSON and fit a schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, NamedTuple, Never, TypedDict

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, with_config

from tests.agent.support import agent_of, call, check_guarantees
from xun import Agent, ConfigurationError, Message, ScriptedProvider, Text, TurnEnded

pytestmark = pytest.mark.anyio


def said_last(message: Message) -> str:
    last = message.blocks[-1]
    assert isinstance(last, Text)
    return last.text


class Verdict(BaseModel):
    passed: bool
    on: date | None = None


class Flight(TypedDict):
    gate: int


@dataclass
class Point:
    x: int
    y: int


SCHEMA = {"type": "object", "properties": {"passed": {"type": "boolean"}}, "required": ["passed"]}


@pytest.mark.spec("P-LOP-03", "P-OUT-01", "P-OUT-02", "C30")
@pytest.mark.parametrize(
    ("schema", "answer", "data"),
    [
        (Verdict, '{"passed": true, "on": "2026-11-30"}', Verdict(passed=True, on=date(2026, 11, 30))),
        (SCHEMA, '{"passed": false}', {"passed": False}),
        (SCHEMA, '```json\n{"passed": false}\n```', {"passed": False}),
        (SCHEMA, '```json\r\n{"passed": false}\r\n```\r\n', {"passed": False}),
        (Point, '{"x": 1, "y": 2}', Point(1, 2)),
        (list[int], "[1, 2]", [1, 2]),
        (Flight, '{"gate": 3}', {"gate": 3}),
        (list[Flight], '[{"gate": 3}]', [{"gate": 3}]),
    ],
)
async def test_an_answer_that_fits_is_parsed(schema: Any, answer: str, data: Any) -> None:
    agent, provider, heard = agent_of([{"text": answer}])
    async with agent:
        result = await agent.run("Did it pass?", output_schema=schema)
    assert (result.status, result.output, result.data) == ("completed", answer, data)
    assert result.raise_for_status().data == data
    json.dumps(result.to_dict())
    asked = provider.requests[0].messages[-1]
    assert asked.text == "Did it pass?", "what the person said stays what they said"
    assert "JSON Schema" in said_last(asked)
    check_guarantees(heard, agent)


@with_config(ConfigDict(extra="ignore"))
class Loose(TypedDict):
    gate: int


@pytest.mark.parametrize(
    ("schema", "wrong", "right"),
    [
        (Flight, {"gate": 1, "seat": 2}, {"gate": 1}),
        (list[Flight], [{"gate": 1, "seat": 2}], [{"gate": 1}]),
        (Point, {"x": 1, "y": 2, "seat": 3}, {"x": 1, "y": 2}),
        (dict[str, Point], {"a": {"x": 1, "y": 2, "seat": 3}}, {"a": {"x": 1, "y": 2}}),
    ],
)
async def test_a_key_that_a_type_does_not_have_is_told_as_for_the_arguments_of_a_tool(
    schema: Any, wrong: Any, right: Any
) -> None:
    agent, provider, _ = agent_of([{"text": json.dumps(wrong)}, {"text": json.dumps(right)}])
    async with agent:
        result = await agent.run("go", output_schema=schema)
    assert result.ok and "seat' is unknown" in said_last(provider.requests[1].messages[-1])
    assert '"additionalProperties":false' in said_last(provider.requests[0].messages[-1])


async def test_a_type_that_says_that_it_takes_other_keys_takes_them() -> None:
    agent, _, _ = agent_of([{"text": '{"gate": 1, "seat": 2}'}])
    async with agent:
        assert (await agent.run("go", output_schema=Loose)).data == {"gate": 1}


@pytest.mark.parametrize(
    "error", [KeyError("k"), TypeError("t"), AttributeError("a"), RuntimeError("r"), StopIteration(), RecursionError()]
)
async def test_a_validator_that_fails_is_an_answer_to_be_put_right(error: Exception) -> None:
    def fail(value: int) -> int:
        if value == 1:
            raise error
        return value

    agent, provider, heard = agent_of([{"text": "1"}, {"text": "2"}] + [{"text": "1"}] * 3)
    async with agent:
        assert (await agent.run("go", output_schema=Annotated[int, AfterValidator(fail)])).data == 2
        failed = await agent.run("go", output_schema=Annotated[int, AfterValidator(fail)])
    told = said_last(provider.requests[1].messages[-1])
    assert f"output_schema could not check it: {type(error).__name__}" in told and "\n" not in told
    assert failed.stop_reason == "invalid_output" and failed.error is not None
    assert "output_schema" in failed.error.message
    check_guarantees(heard, agent)


class Pair(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(
    ("schema", "answer", "why"),
    [
        (Pair, '{"x": 1, "y": 2}', "must be an array, not an object"),
        (set[int], "[1, 1]", "must not have an item twice"),
    ],
)
async def test_what_a_type_takes_and_its_schema_does_not_is_told(schema: Any, answer: str, why: str) -> None:
    agent, provider, _ = agent_of([{"text": answer}, {"text": "[1, 2]"}])
    async with agent:
        result = await agent.run("go", output_schema=schema)
    assert result.ok and list(result.data) == [1, 2] and isinstance(result.data, Pair if schema is Pair else set)
    assert why in said_last(provider.requests[1].messages[-1])


async def test_tools_come_first_and_only_the_answer_is_checked() -> None:
    def look() -> str:
        """Look."""
        return "passed"

    agent, _, _ = agent_of([{"text": "Let me look.", **call("look")}, {"text": '{"passed": true}'}], look)
    async with agent:
        assert (await agent.run("go", output_schema=Verdict)).data == Verdict(passed=True)


WRONG = [
    ("It passed.", "it is not JSON"),
    ('{"passed": true', "it is not JSON"),
    ('Sure: {"passed": true}', "it is not JSON"),
    ('{"passed": true, "passed": false}', "a key twice"),
    ('{"passed": NaN}', "NaN"),
    ('{"passed": "maybe"}', "passed"),
    ('{"passed": "true"}', "passed"),
    ('{"passed": 1}', "passed"),
    ('{"passed": true, "more": 1e400}', "out of range"),
    ('{"passed": true, "more": ' + "1" * 5000 + "}", "a number of 5000 digits"),
    ("[]", ""),
]


@pytest.mark.parametrize("schema", [Verdict, SCHEMA])
@pytest.mark.parametrize(("answer", "why"), WRONG)
async def test_what_does_not_fit_is_told_and_may_be_put_right(schema: Any, answer: str, why: str) -> None:
    agent, provider, heard = agent_of([{"text": answer}, {"text": '{"passed": true}'}])
    async with agent:
        result = await agent.run("go", output_schema=schema)
    assert result.ok and result.steps == 2
    told = provider.requests[1].messages[-1]
    assert told.role == "user" and why in said_last(told)
    check_guarantees(heard, agent)


@pytest.mark.spec("P-OUT-03", "P-LIM-01")
@pytest.mark.parametrize("corrections", [0, 2])
async def test_after_the_last_correction_the_run_has_failed(corrections: int) -> None:
    agent, provider, heard = agent_of([{"text": "no"}] * 5, output_corrections=corrections)
    async with agent:
        result = await agent.run("go", output_schema=SCHEMA)
    assert (result.status, result.stop_reason, result.data) == ("failed", "invalid_output", None)
    assert result.output == "no" and len(provider.requests) == 1 + corrections
    assert result.error is not None and result.error.message.startswith("the answer does not fit the schema: ")
    check_guarantees(heard, agent)


async def test_each_run_has_its_own_schema() -> None:
    agent, provider, _ = agent_of([{"text": '{"passed": true}'}, {"text": "free"}])
    async with agent:
        await agent.run("one", output_schema=Verdict)
        assert (await agent.run("two")).output == "free"
    assert provider.requests[1].messages[-1].blocks == (Text(text="two"),)


async def test_streams_and_synchronous_runs_take_a_schema_too() -> None:
    agent, _, _ = agent_of([{"text": '{"passed": true}'}])
    async with agent, agent.run_stream("go", output_schema=Verdict) as stream:
        async for event in stream:
            last = event
    assert isinstance(last, TurnEnded) and stream.result.data == Verdict(passed=True)


def test_the_synchronous_way() -> None:
    with Agent(ScriptedProvider([{"text": '{"passed": true}'}])) as agent:
        assert agent.instruct("go").execute(output_schema=Verdict).data == Verdict(passed=True)


class Unbuilt:
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        raise KeyError("no such thing")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"}, {"$ref": "https://example.com/x"}, object(), 3, '{"type": "object"}', "Verdict", b"x", False,
        [{"type": "object"}], Verdict(passed=True), Callable[[int], int], Never, Unbuilt, ScriptedProvider, ...,
    ],
)  # fmt: skip
async def test_what_is_no_schema_is_refused_before_anything_is_sent(schema: Any) -> None:
    agent, provider, heard = agent_of([{"text": "x"}])
    async with agent:
        with pytest.raises(ConfigurationError, match=r"output_schema must be a|the JSON Schema is wrong") as caught:
            await agent.run("go", output_schema=schema)
    said = str(caught.value)
    assert "\n" not in said and "https://errors" not in said and "Set `" not in said and len(said) < 300
    assert provider.requests == [] and list(heard) == [] and agent.messages == []
