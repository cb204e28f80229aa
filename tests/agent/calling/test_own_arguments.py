"""Who is given the arguments of a call has them to itself: each attempt of the tool, its `actions`, each hook."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, PlainValidator, WithJsonSchema

from tests.agent.support import agent_of, call
from xun import Result, ToolBox, ToolEnded, ToolRetry, TransientToolError, tool_attr
from xun.policy.action import Action, Read
from xun.toolbox.tool import Tool

pytestmark = pytest.mark.anyio

AT_ONCE = ToolRetry(attempts=3, backoff=0.0)
DONE = {"text": "done"}


class Order(BaseModel):
    ids: list[int]


@dataclass
class Basket:
    ids: list[int]


def works_off(sent: list[int], ids: list[int]) -> str:
    """Send what is left in `ids`, failing once, at the second."""
    while ids:
        if ids.pop(0) == 2 and 0 not in sent:
            sent.append(0)
            raise TransientToolError("503")
        sent.append(len(ids))
    return f"sent {sent}"


def tool_taking(kind: type, sent: list[int]) -> Any:
    def plain(ids: list[int]) -> str:
        """Send."""
        return works_off(sent, ids)

    def model(ids: Order) -> str:
        """Send."""
        return works_off(sent, ids.ids)

    def basket(ids: Basket) -> str:
        """Send."""
        return works_off(sent, ids.ids)

    made: dict[type, Any] = {list: plain, Order: model, Basket: basket}
    return tool_attr(name="send", replay="idempotent", retry=AT_ONCE)(made[kind])


@pytest.mark.parametrize(
    ("kind", "given"), [(list, [1, 2, 3]), (Order, {"ids": [1, 2, 3]}), (Basket, {"ids": [1, 2, 3]})]
)
async def test_a_second_attempt_gets_what_the_first_one_got(kind: type, given: Any) -> None:
    sent: list[int] = []
    agent, _, heard = agent_of([call("send", ids=given), DONE], tool_taking(kind, sent))
    async with agent:
        await agent.run("go")
    assert [event.outcome for event in heard.of(ToolEnded)] == ["ok"]
    assert sent == [2, 0, 2, 1, 0]


async def test_a_second_attempt_of_a_tool_with_a_schema_gets_what_the_first_one_got() -> None:
    sent: list[int] = []
    schema = {"type": "object", "properties": {"ids": {"type": "array"}}, "required": ["ids"]}
    tool = Tool("send", "Send.", schema, function=lambda ids: works_off(sent, ids))
    tool = tool.with_options(replay="idempotent", retry=AT_ONCE)
    agent, _, _ = agent_of([call("send", ids=[1, 2, 3]), DONE], toolbox=ToolBox().register(tool))
    async with agent:
        await agent.run("go")
    assert sent == [2, 0, 2, 1, 0]


class Held:
    """A value that cannot be copied."""

    def __init__(self, ids: list[int]) -> None:
        self.ids, self.lock = list(ids), threading.Lock()


async def test_an_argument_that_cannot_be_copied_is_made_again() -> None:
    sent: list[int] = []

    @tool_attr(replay="idempotent", retry=AT_ONCE)
    def send(ids: Annotated[Held, PlainValidator(Held), WithJsonSchema({"type": "array"})]) -> str:
        """Send."""
        return works_off(sent, ids.ids)

    agent, _, _ = agent_of([call("send", ids=[1, 2, 3]), DONE], send)
    async with agent:
        await agent.run("go")
    assert sent == [2, 0, 2, 1, 0]


async def test_a_call_that_code_makes_keeps_its_arguments_between_attempts() -> None:
    sent: list[int] = []
    agent, _, _ = agent_of([], tool_taking(list, sent))
    given = {"ids": [1, 2, 3]}
    async with agent:
        assert (await agent.toolbox.acall_tool(agent, "send", given)).is_ok()
    assert sent == [2, 0, 2, 1, 0]
    assert given == {"ids": [1, 2, 3]}


async def test_actions_that_change_their_arguments_change_nothing_of_the_call(tmp_path: Path) -> None:
    ran: list[Any] = []

    def consumes(arguments: dict[str, Any], ctx: Any) -> list[Action]:
        arguments["tags"].clear()
        return [Read(path=arguments.pop("path"))]

    @tool_attr(actions=consumes)
    def act(tags: list[str], path: str = "/default") -> str:
        """Act."""
        ran.append((path, tags))
        return "ran"

    path = str(tmp_path / "b")
    agent, _, _ = agent_of([call("act", path=path, tags=["x"]), DONE], act, workspace=tmp_path)
    async with agent:
        await agent.run("go")
    assert ran == [(path, ["x"])]


async def test_what_looks_at_a_result_changes_nothing_of_it() -> None:
    def busy(value: Any) -> bool:
        return bool(value.pop("busy", False))

    @tool_attr(replay="safe", retry=AT_ONCE, retry_if_result=busy)
    def look() -> dict[str, Any]:
        """Look."""
        return {"busy": False, "found": 1}

    agent, _, _ = agent_of([], look)
    async with agent:
        assert await agent.toolbox.acall_tool(agent, "look", {}) == Result.Ok({"busy": False, "found": 1})
