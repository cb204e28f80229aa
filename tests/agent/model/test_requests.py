"""What a provider or middleware does to a request changes the conversation, its tools and later requests in nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Agent, Message, Middleware, Text, ToolCall
from xun.providers.base import Done, Request, StreamItem
from xun.toolbox.tool import Tool

pytestmark = pytest.mark.anyio


def look(at: str) -> str:
    """Look."""
    return f"seen {at}"


class Meddles:
    """A provider of one's own that keeps its requests and does something to each."""

    name = "own"

    def __init__(self, meddle: Callable[[Any], object]) -> None:
        self.meddle = meddle
        self.requests: list[Request] = []
        self.failures: list[Exception] = []

    async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
        self.requests.append(request)
        try:
            self.meddle(request)
        except (AttributeError, TypeError) as error:
            self.failures.append(error)
        calls = [ToolCall(id="1", name="look", arguments={"at": "x"})] if len(self.requests) == 1 else []
        yield Done(Message(role="assistant", blocks=(Text(text="well"), *calls)))

    async def aclose(self) -> None:
        pass


MEDDLING: dict[str, Callable[[Any], object]] = {
    "nothing": lambda request: None,
    "insert": lambda request: request.messages.insert(0, Message.user("system")),
    "append": lambda request: request.messages.append(Message.user("more")),
    "trim": lambda request: request.messages.__delitem__(slice(None, -1)),
    "clear": lambda request: (request.messages.clear(), request.tools.clear()),
}


@pytest.mark.parametrize("what", MEDDLING)
async def test_a_provider_that_changes_the_messages_of_a_request_is_told_and_changes_no_conversation(what: str) -> None:
    provider = Meddles(MEDDLING[what])
    async with Agent(provider, tools=[look]) as agent:
        await agent.run("go")
        assert [message.role for message in agent.messages] == ["user", "assistant", "tool", "assistant"]
    assert [len(request.messages) for request in provider.requests] == [1, 3]
    assert len(provider.failures) == (0 if what == "nothing" else 2)


async def test_a_provider_that_strips_a_schema_changes_no_tool() -> None:
    tool = Tool(look)
    provider = Meddles(lambda request: request.tools[0]["parameters"].pop("properties", None))
    async with Agent(provider, tools=[tool]) as agent:
        assert (await agent.run("go")).ok
    assert tool.parameters["properties"] == tool.spec()["parameters"]["properties"] == {"at": {"type": "string"}}


async def test_middleware_sends_other_messages_for_once() -> None:
    class First(Middleware):
        async def before_model_request(self, request: Any) -> Any:
            return replace(request, messages=(Message.user("first"), *request.messages))

    agent, provider, heard = agent_of([call("look", at="x"), {"text": "done"}], look, middleware=[First()])
    async with agent:
        await agent.run("go")
    assert [[message.text for message in request.messages][:2] for request in provider.requests] == [
        ["first", "go"], ["first", "go"]
    ]  # fmt: skip
    assert [message.text for message in agent.messages] == ["go", "", "", "done"]
    check_guarantees(heard, agent)


async def test_middleware_that_changes_the_messages_in_place_fails_and_changes_no_conversation() -> None:
    class Trims(Middleware):
        async def before_model_request(self, request: Any) -> Any:
            del request.messages[:-1]
            return request

    agent, _, heard = agent_of([{"text": "done"}], middleware=[Trims()])
    async with agent:
        result = await agent.run("go")
    assert result.error is not None
    assert result.error.kind == "middleware"
    assert [message.text for message in agent.messages] == ["go"]
    check_guarantees(heard, agent)
