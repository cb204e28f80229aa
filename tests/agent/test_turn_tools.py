"""The tools of a turn are those that there were when it began."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Hooks, ToolBox, ToolCallContext

pytestmark = pytest.mark.anyio

DONE = {"text": "done"}


def late() -> str:
    """Act."""
    return "acted"


def offered(provider: Any) -> list[list[str]]:
    return [[tool["name"] for tool in request.tools] for request in provider.requests]


@pytest.mark.spec("P-SCH-03", "H-LOP-11")
async def test_a_tool_registered_by_a_running_tool_is_there_from_the_next_turn_on() -> None:
    def add(ctx: ToolCallContext[Any]) -> list[str]:
        """Add a tool."""
        ctx.agent.toolbox.register(late)
        return [tool.name for tool in ctx.agent.toolbox.list_tools()]

    agent, provider, heard = agent_of([call("add"), call("late"), DONE, call("late"), DONE], add)
    async with agent:
        await agent.run("go")
        added, refused = [result.content for message in agent.messages for result in message.results]
        await agent.run("go on")
        check_guarantees(heard, agent)
        assert agent.messages[-2].results[0].content == "acted"
    assert added == '["add", "late"]' and "late" in refused and "acted" not in refused
    assert offered(provider) == [["add"]] * 3 + [["add", "late"]] * 2


@pytest.mark.spec("P-SCH-03")
async def test_a_tool_disabled_by_a_running_tool_is_gone_from_the_next_turn_on() -> None:
    def take_away(ctx: ToolCallContext[Any]) -> str:
        """Take the tool away."""
        ctx.agent.toolbox.disable("late")
        return "taken"

    agent, provider, _ = agent_of([call("take_away"), call("late"), DONE, DONE], take_away, late)
    async with agent:
        await agent.run("go")
        assert agent.messages[-2].results[0].content == "acted"
        await agent.run("go on")
        assert [tool.name for tool in agent.tools_in_force()] == ["take_away"]
    assert offered(provider) == [["take_away", "late"]] * 3 + [["take_away"]]


async def test_a_tool_replaced_meanwhile_is_the_old_one_until_the_turn_ends() -> None:
    box = ToolBox()

    def exchange() -> str:
        """Put another in its place."""
        box.register(lambda: "another", name="late", description="Act otherwise.", replace=True)
        return "exchanged"

    box.register(exchange, late)
    agent, provider, _ = agent_of([call("exchange"), call("late"), DONE, call("late"), DONE], toolbox=box)
    async with agent:
        await agent.run("go")
        assert agent.messages[-2].results[0].content == "acted"
        await agent.run("go on")
        assert agent.messages[-2].results[0].content == "another"
    told = [request.tools[1]["description"] for request in provider.requests]
    assert told == ["Act."] * 3 + ["Act otherwise."] * 2


async def test_code_calls_what_there_is_when_it_calls() -> None:
    async def add(ctx: ToolCallContext[Any]) -> str:
        """Add a tool and call it."""
        ctx.agent.toolbox.register(late)
        return (await ctx.agent.acall_tool(ctx.agent.toolbox, "late", {})).unwrap()

    agent, _, _ = agent_of([call("add"), DONE], add)
    async with agent:
        await agent.run("go")
        assert agent.messages[-2].results[0].content == "acted"


async def test_a_hook_at_the_end_of_a_turn_sets_the_tools_of_the_next() -> None:
    hooks = Hooks()
    agent, provider, _ = agent_of([DONE, DONE], hooks=hooks)
    hooks.on("run_end", lambda hook: hook.agent.toolbox.register(late, replace=True))
    async with agent:
        await agent.run("go")
        await agent.run("go on")
    assert offered(provider) == [[], ["late"]]
