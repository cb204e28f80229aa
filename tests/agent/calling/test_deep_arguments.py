"""Arguments that are nested so deeply that what is told and stored of them could not be read again never run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Message, Middleware, ToolCall, ToolEnded
from xun.messages import ToolResult
from xun.sessions.record import decode, encode
from xun.strict_json import DEEPEST, too_deep

pytestmark = pytest.mark.anyio

REFUSED = f"nested too deeply: {DEEPEST} levels are the most"


def nested(levels: int) -> dict[str, Any]:
    """Objects and lists in turn, `levels` of them, the first of which is the arguments themselves."""
    value: Any = "x"
    for level in range(levels - 1, 0, -1):
        value = [value] if level % 2 else {"a": value}
    return {"raw": value}


def keep(raw: Any) -> str:
    """Keep it."""
    return "kept"


def results_of(agent: Any) -> list[ToolResult]:
    return [item for message in agent.messages for item in message.results]


async def test_what_is_taken_can_be_stored_and_read_again() -> None:
    agent, _, heard = agent_of([call("keep", **nested(DEEPEST)), {"text": "done"}], keep)
    async with agent:
        await agent.run("go")
    assert [event.outcome for event in heard.of(ToolEnded)] == ["ok"]
    assert [decode(encode(event)) for event in heard] == list(heard)
    assert [Message.model_validate_json(message.model_dump_json()) for message in agent.messages] == agent.messages


@pytest.mark.parametrize("levels", [DEEPEST + 1, 199, 300, 2_000])
async def test_what_is_deeper_is_refused_before_it_runs_and_all_of_it_can_be_read_again(levels: int) -> None:
    text = '{"raw":' * levels + "1" + "}" * levels
    agent, _, heard = agent_of([{"calls": [{"tool": "keep", "arguments": text}]}, {"text": "done"}], keep)
    async with agent:
        assert (await agent.run("go")).ok
    [result] = results_of(agent)
    assert result.is_error
    assert result.content.startswith(f"the arguments are {REFUSED}")
    assert [decode(encode(event)) for event in heard] == list(heard)
    check_guarantees(heard, agent)


async def test_middleware_makes_no_call_deeper() -> None:
    class Wraps(Middleware):
        async def before_tool_execution(self, call: ToolCall) -> ToolCall:
            return call.model_copy(update={"arguments": nested(DEEPEST + 1)})

    agent, _, heard = agent_of([call("keep", raw=1), {"text": "done"}], keep, middleware=[Wraps()])
    async with agent:
        await agent.run("go")
    assert REFUSED in results_of(agent)[0].content
    assert [event.outcome for event in heard.of(ToolEnded)] == ["denied"]


async def test_middleware_that_looks_at_replies_makes_none_deeper() -> None:
    class Wraps(Middleware):
        async def after_model_response(self, message: Message) -> Message:
            blocks = (
                block.model_copy(update={"arguments": nested(300)}) if isinstance(block, ToolCall) else block
                for block in message.blocks
            )
            return message.model_copy(update={"blocks": tuple(blocks)})

    agent, _, heard = agent_of([call("keep", raw=1), {"text": "done"}], keep, middleware=[Wraps()])
    async with agent:
        await agent.run("go")
    assert REFUSED in results_of(agent)[0].content
    assert [decode(encode(event)) for event in heard] == list(heard)


@pytest.mark.parametrize("given", [nested(DEEPEST + 1), json.dumps(nested(DEEPEST + 1))], ids=["values", "text"])
async def test_code_makes_no_deeper_call_either(given: Any) -> None:
    agent, _, _ = agent_of([], keep)
    async with agent:
        answer = await agent.toolbox.acall_tool(agent, "keep", given)
    assert answer.unwrap_err().error == f"The arguments are {REFUSED}."


def test_values_that_stand_in_many_places_are_counted_once_and_those_in_themselves_are_too_deep() -> None:
    wide: list[Any] = []
    for _ in range(DEEPEST - 1):
        wide = [wide, wide]
    assert not too_deep(wide)
    assert too_deep([wide])
    endless: list[Any] = []
    endless.append(endless)
    assert too_deep(endless)
