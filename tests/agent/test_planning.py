"""Todos: the tools, and the line of the system prompt that asks to use them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.support import agent_of, call
from xun.agent.planning import LINE
from xun.events import PlanUpdated

pytestmark = pytest.mark.anyio

TODOS = [{"content": "one", "status": "in_progress"}]


def write_todos(todos: list[str]) -> str:
    """Mine."""
    return "kept"


async def request_of(*tools: Any, **how: Any) -> Any:
    agent, provider, _ = agent_of([{"text": "ok"}], *tools, system="Be brief.", **how)
    async with agent:
        await agent.run("go")
    return provider.requests[0]


@pytest.mark.spec("H-PLN-04", "C25", "C36")
@pytest.mark.parametrize("tools", [["planning"], ["write_todos"], ["fs", "planning"]])
async def test_one_line_asks_for_a_plan_where_there_are_todos(tools: list[str]) -> None:
    request = await request_of(*tools)
    assert request.system == f"Be brief.\n\n{LINE}"
    assert "\n" not in LINE


@pytest.mark.spec("H-PLN-05")
async def test_a_todo_tool_of_somebody_else_is_used_as_it_is() -> None:
    request = await request_of(write_todos)
    assert request.system == "Be brief."


@pytest.mark.spec("C36")
@pytest.mark.parametrize(
    ("planning", "tools", "offered"),
    [
        (None, ["search"], False),
        (True, ["search"], True),
        (True, ["planning"], True),
        (False, ["search", "planning"], False),
    ],
)
async def test_planning_is_turned_on_and_off(planning: bool | None, tools: list[str], offered: bool) -> None:
    request = await request_of(*tools, planning=planning)
    names = {tool["name"] for tool in request.tools}
    assert {"write_todos", "read_todos"} <= names if offered else not {"write_todos", "read_todos"} & names
    assert (LINE in request.system) is offered


async def test_the_prompt_is_the_same_object_at_each_step() -> None:
    agent, provider, _ = agent_of([call("write_todos", todos=TODOS), {"text": "ok"}], "planning")
    async with agent:
        await agent.run("go")
    first, second = provider.requests
    assert first.system is second.system


@pytest.mark.spec("H-PLN-07")
async def test_a_new_list_is_told() -> None:
    agent, _, heard = agent_of([call("write_todos", todos=TODOS), {"text": "ok"}], "planning")
    async with agent:
        await agent.run("go")
    assert [event.todos for event in heard.of(PlanUpdated)] == [tuple(TODOS)]
