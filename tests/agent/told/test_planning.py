"""Todos: the tools, and the line of the system prompt that asks to use them."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from tests.providers.support import WIRES, connect
from tests.wire.server import ModelServer
from tests.wire.streams import Call, Say
from tests.wire.validators import STRICT
from xun import Agent
from xun.agent.told.planning import LINE
from xun.agent.told.todo_note import is_todo_note
from xun.events import PlanUpdated
from xun.messages import Message

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


@pytest.mark.spec("C36", "H-PLN-01")
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


# The list as it stands


def step(*statuses: str) -> dict[str, Any]:
    todos = [{"content": f"step {number}", "status": status} for number, status in enumerate(statuses, 1)]
    return call("write_todos", todos=todos)


def history_of(body: Any) -> Any:
    """The messages of a request, on whichever wire."""
    return next(body[name] for name in ("messages", "input", "contents") if name in body)


def copies(message: Message) -> list[str]:
    """The copies of the list on a message."""
    return [block.text for block in message.blocks if is_todo_note(block)]


@pytest.mark.spec("H-PLN-06")
async def test_the_list_is_on_the_newest_message_of_each_request_and_earlier_copies_stay() -> None:
    script = [
        step("in_progress", "pending"), call("read_todos"), step("completed", "in_progress"), {"text": "Half done."},
        step("completed", "completed"), {"text": "Done."},
    ]  # fmt: skip
    agent, provider, heard = agent_of(script, "planning")
    async with agent:
        assert (await agent.run("Do it.")).ok
        assert (await agent.run("Go on.")).ok
    first = "[The todos as they stand now:\n- [~] step 1\n- [ ] step 2]"
    second = "[The todos as they stand now:\n- [x] step 1\n- [~] step 2]"
    newest = [copies(request.messages[-1]) for request in provider.requests]
    assert newest == [[], [first], [first], [second], [second], []]
    for shorter, longer in pairwise(provider.requests):
        assert list(longer.messages[: len(shorter.messages)]) == list(shorter.messages)
    assert [copies(message) for message in agent.messages if copies(message)] == [[first], [first], [second], [second]]
    check_guarantees(heard, agent)


@pytest.mark.spec("H-PLN-06")
@pytest.mark.parametrize("wire", WIRES)
async def test_each_request_with_a_list_begins_with_the_last_one_to_the_byte(wire: str) -> None:
    def write(*statuses: str) -> Say:
        return Say("", [Call("write_todos", step(*statuses)["calls"][0]["arguments"])])

    script = [write("in_progress", "pending"), write("completed", "in_progress"), Say("Half.")]
    with ModelServer(script, validators=STRICT) as server:
        provider = connect(wire, server.url)
        async with Agent(provider, tools=["planning"]) as agent:
            assert (await agent.run("Do it.")).ok
        await provider.aclose()
    assert server.refusals == []
    marker = re.compile(r', "cache_control": \{[^}]*\}')
    bodies = [marker.sub("", json.dumps(history_of(body))) for body in server.bodies]
    assert all(longer.startswith(shorter.rstrip("]}")) for shorter, longer in pairwise(bodies))
    assert [body.count("as they stand now") for body in bodies] == [0, 1, 2]
    [*_, last] = history_of(server.bodies[1])
    assert "as they stand now" in json.dumps(last)
    assert last.get("role") != "user" or wire in ("anthropic", "gemini")  # some servers take no user after a result


async def test_a_list_of_somebody_elses_tool_is_theirs_to_show() -> None:
    agent, provider, _ = agent_of([call("write_todos", todos=["one"]), {"text": "ok"}], write_todos)
    agent.state["todos"] = TODOS
    async with agent:
        assert (await agent.run("go")).ok
    assert [copies(message) for message in provider.requests[-1].messages] == [[], [], []]


async def test_the_words_that_reach_a_running_turn_have_the_list_once() -> None:
    agent, provider, _ = agent_of([step("pending"), {"text": "ok"}], "planning")
    agent.listen(lambda event: event.type == "tool_started" and agent.steer("And this."))
    async with agent:
        assert (await agent.run("go")).ok
    assert [len(copies(message)) for message in provider.requests[-1].messages] == [0, 0, 1, 0]
