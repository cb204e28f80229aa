"""An agent that is cut off while a sub-agent's reply is under way: only a part of what that has used is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.agent.support import agent_of, call
from xun import Agent, Limits, RunResult, ScriptedProvider, SubAgent, ToolBox, ToolCallContext
from xun.messages import Usage
from xun.providers.base import Request, StreamItem, TextPart, Used

pytestmark = pytest.mark.anyio

SENT = Usage(input_tokens=100, output_tokens=7)
ASK = {"usage": {"input_tokens": 10, "output_tokens": 1}}
WAYS = {
    "agent_run": call("agent_run", task="a"),
    "agent_run_parallel": call("agent_run_parallel", tasks=["a"]),
    "delegate": call("delegate_r", task="a"),
    "below another": call("agent_run", task="below"),
    "background": call("agent_spawn", task="a"),
    "background below another": call("agent_run", task="background below"),
}


class UnderWay:
    """Says what the request took, as far as `used` tells, begins to answer, and never comes to the end of it."""

    name = "slow"

    def __init__(self, used: Usage | None = SENT) -> None:
        self.begun = asyncio.Event()
        self._used = used

    async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
        if self._used is not None:
            yield Used(self._used)
        yield TextPart("half an answer")
        self.begun.set()
        await asyncio.Event().wait()

    async def aclose(self) -> None: ...


def asking(way: str, slow: UnderWay) -> Agent[Any]:
    """An agent that has one below it ask `slow`."""

    def make(param: Any) -> Agent[Any]:
        if "below" not in param.task:
            return Agent(slow)
        step = {**WAYS["background" if "background" in param.task else "agent_run"], **ASK}
        tools = [step, {**call("hold"), **ASK}] if "background" in param.task else [step]
        return Agent(ScriptedProvider(tools), tools=box())

    async def hold() -> None:
        """Hold."""
        await asyncio.Event().wait()

    def box() -> ToolBox:
        return ToolBox().register(hold).with_subagent_provider(make, background=True)

    steps = [{**WAYS[way], **ASK}, {**call("hold"), **ASK}]
    return agent_of(steps, toolbox=box(), subagents=[SubAgent("r", "Reviews.", model=slow)])[0]


async def left_early(agent: Agent[Any], slow: UnderWay) -> RunResult:
    stream = agent.run_stream("go")
    async with stream:
        await slow.begun.wait()
    return stream.result


async def cut_off(agent: Agent[Any], slow: UnderWay, how: str) -> RunResult:
    if how == "left":
        return await left_early(agent, slow)
    running = asyncio.create_task(agent.run("go"))
    await slow.begun.wait()
    if how == "cancelled":
        agent.cancel()
    return await running


@pytest.mark.spec("H-SUB-12", "H-TEL-02")
@pytest.mark.parametrize("how", ["cancelled", "left"])
@pytest.mark.parametrize("way", WAYS)
async def test_usage_is_said_to_be_incomplete(way: str, how: str) -> None:
    slow = UnderWay()
    async with asking(way, slow) as agent:
        result = await asyncio.wait_for(cut_off(agent, slow, how), 20)
    assert (result.status, result.usage_incomplete) == ("cancelled", True)
    if "background" not in way:  # what those have used may come in after the end
        assert result.usage.input_tokens >= 110
    assert agent.usage.input_tokens >= 110


@pytest.mark.spec("H-SUB-12", "H-TEL-02")
@pytest.mark.parametrize("used", [SENT, None])
@pytest.mark.parametrize("way", WAYS)
async def test_also_where_the_time_is_up(way: str, used: Usage | None) -> None:
    slow = UnderWay(used)
    async with asking(way, slow) as agent:
        agent.limits = Limits(max_time=0.5)
        result = await asyncio.wait_for(cut_off(agent, slow, "late"), 20)
    assert (result.stop_reason, result.usage_incomplete) == ("timeout", True)


async def test_a_turn_that_ends_before_one_in_the_background_says_so() -> None:
    slow = UnderWay()

    async def begun(ctx: ToolCallContext[Any]) -> None:
        """Wait for it."""
        await slow.begun.wait()

    box = ToolBox().register(begun).with_subagent_provider(lambda _: Agent(slow), background=True)
    agent, _, _ = agent_of(
        [{**WAYS["background"], **ASK}, {**call("begun"), **ASK}, {"text": "done", **ASK}], toolbox=box
    )
    async with agent:
        result = await agent.run("go")
    assert (result.status, result.usage_incomplete) == ("completed", True)


async def test_one_whose_sub_agents_have_all_ended_is_complete() -> None:
    child = [{"text": "the answer", **ASK}]
    box = ToolBox().with_subagent_provider(lambda _: Agent(ScriptedProvider(child)), background=True)
    steps = [WAYS["background"] | ASK, call("agent_wait", id="agent-1-1") | ASK, {"text": "done", **ASK}]
    agent, _, _ = agent_of(steps, toolbox=box)
    async with agent:
        result = await agent.run("go")
    assert (result.output, result.usage_incomplete, result.usage.input_tokens) == ("done", False, 40)
