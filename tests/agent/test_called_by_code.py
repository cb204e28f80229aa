"""Calls of tools that code makes, not the model."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.support import agent_of, call
from xun import ConfigurationError, Result, ToolBox, ToolCallContext

pytestmark = pytest.mark.anyio


def inner(x: int = 1) -> str:
    """Say it."""
    return f"said {x}"


async def test_a_tool_calls_another_of_the_agents_own() -> None:
    def outer(ctx: ToolCallContext[Any]) -> str:
        """Call it."""
        told = ctx.agent.toolbox.call_tool(ctx.agent, "inner", {"x": 2})
        return f"{told.unwrap()}, {ctx.agent.call_tool(ctx.agent.toolbox, 'inner').unwrap()}"

    agent, _, _ = agent_of([call("outer"), {"text": "done"}], inner, outer)
    async with agent:
        result = await agent.run("go")
    assert [one.content for message in result.messages for one in message.results] == ["said 2, said 1"]


@pytest.mark.parametrize("given", [("inner", {"x": 2}), ("inner", {"x": 2}, "context"), (None, "inner")])
async def test_without_its_toolbox_it_is_refused_in_one_line(given: Any) -> None:
    agent, _, _ = agent_of([], inner)
    async with agent:
        with pytest.raises(ConfigurationError, match=r"the toolbox to call from must be a ToolBox, not .*agent's own$"):
            await agent.acall_tool(*given)


async def test_no_arguments_are_not_the_argument_none() -> None:
    box = ToolBox().register(inner)
    agent, _, _ = agent_of([])
    async with agent:
        assert await agent.acall_tool(box, "inner") == Result.Ok("said 1")
        assert (await agent.acall_tool(box, "inner", None)).is_err()
