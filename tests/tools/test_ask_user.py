"""`ask_user`: a question to whoever uses the application."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.agent.support import agent_of, call
from xun import ConfigurationError, ToolBox
from xun.tools.ask_user import ask_user_tool

pytestmark = pytest.mark.anyio


async def ask_through(answer: str | None, **arguments: Any) -> tuple[list[Any], str]:
    asked: list[Any] = []

    async def ask(question: str, choices: Sequence[str]) -> str | None:
        asked.append((question, tuple(choices)))
        return answer

    box = ToolBox().register(ask_user_tool(ask))
    agent, provider, _ = agent_of([call("ask_user", **arguments), {"text": "ok"}], toolbox=box)
    async with agent:
        await agent.run("go")
    return asked, provider.requests[1].messages[-1].results[0].content


@pytest.mark.spec("H-ASK-01", "H-ASK-02")
async def test_the_applications_own_coroutine_asks() -> None:
    assert await ask_through("blue", question="Which?", choices=["red", "blue"]) == (
        [("Which?", ("red", "blue"))],
        "blue",
    )
    assert await ask_through("anything", question="Why?") == ([("Why?", ())], "anything")


@pytest.mark.spec("H-ASK-03", "C33")
async def test_no_answer_is_told_as_a_way_on() -> None:
    _, read = await ask_through(None, question="Which?")
    assert "most likely reading" in read and "start of your reply" in read


@pytest.mark.spec("H-ASK-04")
def test_its_metadata_and_the_options_that_change_it() -> None:
    async def ask(question: str, choices: Sequence[str]) -> str | None:
        return None

    box = ToolBox().register(ask_user_tool(ask))
    tool = box.get("ask_user")
    assert tool is not None
    assert (tool.permission, tool.concurrent, tool.attr.replay, tool.timeout) == (None, False, "safe", 3600.0)
    box.register(ask_user_tool(ask), permission="ask", timeout=5, replace=True)
    tool = box.get("ask_user")
    assert tool is not None and (tool.permission, tool.timeout) == ("ask", 5)
    with pytest.raises(ConfigurationError, match="Conflict tool name"):
        box.register(ask_user_tool(ask))


@pytest.mark.spec("H-ASK-05")
def test_it_is_in_no_group() -> None:
    assert "ask_user" not in ToolBox().with_defaults()


def test_what_cannot_be_called_cannot_ask() -> None:
    with pytest.raises(ConfigurationError, match="ask must be a coroutine function"):
        ask_user_tool("ask")  # ty: ignore[invalid-argument-type] - that is what is tried
