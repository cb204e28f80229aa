"""Serial tools of a tree of agents pass one at a time; those of an agent that one of them waits for pass within it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Agent, ScriptedProvider, ToolBox, ToolCallContext, ToolEnded, tool_attr
from xun.agent.subagents.tree import Turnstile, work_apart

pytestmark = pytest.mark.anyio

DONE = {"text": "done"}


class Place:
    """Where one may be at a time."""

    def __init__(self) -> None:
        self.here = self.most = self.times = 0

    async def visit(self) -> None:
        self.here, self.times = self.here + 1, self.times + 1
        self.most = max(self.most, self.here)
        for _ in range(5):
            await asyncio.sleep(0)
        self.here -= 1


@tool_attr(concurrent=False)
async def visit(ctx: ToolCallContext[Place]) -> str:
    """Visit the place."""
    await ctx.value.visit()
    return "visited"


@tool_attr(concurrent=False, timeout=20)
def hands_on(ctx: ToolCallContext[Any], name: str, given: dict[str, Any]) -> str:
    """Have a tool called."""
    return ctx.agent.toolbox.call_tool(ctx.agent, name, given, ctx.value).unwrap()


@tool_attr(concurrent=False, timeout=20)
async def hands_on_async(ctx: ToolCallContext[Any], name: str, given: dict[str, Any]) -> str:
    """Have a tool called."""
    return str((await ctx.agent.toolbox.acall_tool(ctx.agent, name, given, ctx.value)).unwrap())


def visitor(_: Any = None) -> Agent[Any]:
    return Agent(ScriptedProvider([call("visit"), DONE]), tools=[visit])


@pytest.mark.parametrize("by", ["hands_on", "hands_on_async"])
async def test_a_serial_tool_may_wait_for_an_agent_that_calls_a_serial_tool(by: str) -> None:
    box = ToolBox().register(hands_on, hands_on_async, visit).with_subagent_provider(visitor)
    agent, _, heard = agent_of([call(by, name="agent_run", given={"task": "t"}), DONE], toolbox=box)
    place = Place()
    async with agent:
        await agent.run("go", context=place)
    assert [(event.name, event.outcome) for event in heard.of(ToolEnded)] == [("visit", "ok"), (by, "ok")]
    assert place.times == 1
    check_guarantees(heard, agent)


async def test_agents_that_one_serial_tool_waits_for_take_turns_among_themselves() -> None:
    tasks = {"tasks": ["1", "2", "3"]}
    box = ToolBox().register(hands_on_async).with_subagent_provider(visitor)
    steps = [call("hands_on_async", name="agent_run_parallel", given=tasks), DONE]
    agent, _, heard = agent_of(steps, toolbox=box)
    place = Place()
    async with agent:
        await agent.run("go", context=place)
    assert [event.outcome for event in heard.of(ToolEnded)] == ["ok"] * 4
    assert (place.times, place.most) == (3, 1)


async def test_who_does_not_work_for_the_one_that_has_the_turn_waits_for_it() -> None:
    turnstile, place = Turnstile(), Place()

    async def one(apart: bool) -> None:
        if apart:
            work_apart()
        async with turnstile.turn():
            await place.visit()

    async with turnstile.turn():
        place.here = 1
        others = [asyncio.create_task(one(apart=True)) for _ in range(3)]
        await asyncio.sleep(0)
        await place.visit()
        assert place.times == 1  # none of them yet
        place.here = place.most = 0
    await asyncio.gather(*others)
    assert (place.times, place.most) == (4, 1)


async def test_a_turn_that_is_over_lets_nobody_in_that_it_had_started() -> None:
    turnstile, place = Turnstile(), Place()
    go = asyncio.Event()

    async def late() -> None:
        await go.wait()
        async with turnstile.turn():
            await place.visit()

    async with turnstile.turn():
        begun = [asyncio.create_task(late()) for _ in range(2)]
        await asyncio.sleep(0)
    async with turnstile.turn():
        go.set()
        await place.visit()
        assert place.times == 1
    await asyncio.gather(*begun)
    assert (place.times, place.most) == (3, 1)


async def test_one_that_waits_within_a_turn_that_ends_waits_for_the_next_turn_then() -> None:
    turnstile = Turnstile()
    seen: list[str] = []
    inside, leave = asyncio.Event(), asyncio.Event()

    async def first() -> None:
        async with turnstile.turn():
            inside.set()
            await leave.wait()

    async def second() -> None:
        async with turnstile.turn():
            seen.append("second")

    async with turnstile.turn():
        tasks = [asyncio.create_task(first())]
        await inside.wait()
        tasks.append(asyncio.create_task(second()))
        await asyncio.sleep(0)
    work_apart()
    async with turnstile.turn():
        leave.set()
        await tasks[0]
        for _ in range(5):
            await asyncio.sleep(0)
        assert seen == []
    await tasks[1]
    assert seen == ["second"]
