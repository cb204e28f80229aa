"""What a question on the terminal of a one-shot run says."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

from tests.agent.support import agent_of, call
from tests.frontends.tui.question.support import command_ask
from xun.frontends.terminal_ask import TerminalAsk, describe_ask
from xun.toolbox.attr import tool_attr


@pytest.mark.parametrize(
    ("agent", "first"), [("xun", "Run in /work?"), ("xun/reviewer", "For the sub-agent reviewer:")]
)
def test_the_question_of_a_sub_agent_names_it(agent: str, first: str) -> None:
    lines = describe_ask(command_ask().model_copy(update={"agent": agent}))
    assert lines[1] == first and "  npm test" in lines


@tool_attr(permission="ask")
def deploy(env: str) -> str:
    """Deploy."""
    return f"deployed {env}"


async def asked_on(master: int) -> str:
    """What the terminal shows, up to the prompt behind the question."""
    shown = b""
    while not shown.rstrip().endswith(b">"):
        shown += await asyncio.to_thread(os.read, master, 4096)
    return shown.decode()


@pytest.mark.anyio
@pytest.mark.spec("H-PRM-11", "H-PRM-06", "C03")
async def test_the_terminal_is_asked_only_by_an_agent_that_was_given_it(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = os.openpty()
    steps: list[Any] = [call("deploy", env="staging"), {"text": "ok"}]
    given, _, _ = agent_of(steps, deploy, on_ask=TerminalAsk(os.ttyname(slave)))
    async with given:
        run = asyncio.create_task(given.run("go"))
        assert "deploy" in await asked_on(master)
        os.write(master, b"y\n")
        await run
    assert given.messages[2].results[0].content == "deployed staging"
    os.write(master, b"y\n")
    with os.fdopen(slave) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        alone, _, _ = agent_of(steps, deploy)
        async with alone:
            await alone.run("go")
        assert alone.messages[2].results[0].content.startswith("Permission denied")
        assert stdin.readline() == "y\n"  # typed, and read by nobody
    os.close(master)
