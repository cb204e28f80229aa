"""What code of others may do to the turn that it serves: interrupt it, and nothing more."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from tests.agent.support import agent_of, call, calls, check_guarantees
from xun import Agent, Answer, Ask, ScriptedProvider, ToolCallContext, tool_attr


class Unspeakable(Exception):
    """Cannot be shown, and takes it badly."""

    def __str__(self) -> str:
        raise SystemExit(9)

    __repr__ = __str__


_START = """
import asyncio
import sys
from xun import Agent, Answer, ScriptedProvider, ToolCallContext, tool_attr

def sync_tool() -> str:
    raise KeyboardInterrupt

async def async_tool() -> str:
    raise KeyboardInterrupt

async def slow() -> str:
    await asyncio.sleep(300)

def asks(ctx: ToolCallContext) -> str:
    return str(ctx.agent.get_confirm("Go on?"))

async def asks_later(ctx: ToolCallContext) -> str:
    return str(await ctx.agent.confirm("Go on?"))

@tool_attr(permission="ask")
def guarded() -> str:
    return "x"

def sync_ask(ask):
    raise KeyboardInterrupt

async def async_ask(ask):
    raise KeyboardInterrupt

TOOLS = [sync_tool, async_tool, slow, asks, asks_later, guarded]

def agent_of(names, on_ask):
    step = {"calls": [{"tool": name, "arguments": {}} for name in names]}
    return Agent(ScriptedProvider([step, {"text": "never"}]), tools=TOOLS, on_ask=on_ask)

async def on_own_loop(agent):
    async with agent:
        return await agent.run("go")

def on_shared_loop(agent):
    with agent:
        return agent.instruct("go").execute()

for names, on_ask in CASES:
    for run in (on_shared_loop, lambda agent: asyncio.run(on_own_loop(agent))):
        result = run(agent_of(names, on_ask))
        print(result.status, result.error.message, sep=": ")
"""


@pytest.mark.parametrize(
    "case",
    [
        '(["sync_tool"], None)',
        '(["async_tool"], None)',
        '(["slow", "sync_tool", "slow"], None)',
        '(["slow", "async_tool", "slow"], None)',
        '(["guarded"], sync_ask)',
        '(["slow", "guarded"], async_ask)',
        '(["asks"], sync_ask)',
        '(["asks_later"], async_ask)',
    ],
)
def test_a_keyboard_interrupt_of_a_tool_or_a_callback_ends_the_turn_the_same_way_everywhere(case: str) -> None:
    script = _START.replace("CASES", f"[{case}]")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["cancelled: the run was interrupted"] * 2


@pytest.mark.anyio
async def test_a_tool_that_cancels_its_task_has_cancelled_itself_alone() -> None:
    async def cancels() -> str:
        """Cancels the task it runs in."""
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(60)
        return "never"

    async def steady(number: int) -> str:
        """Goes on."""
        await asyncio.sleep(0)
        return str(number)

    batch = calls(("steady", {"number": 1}), ("cancels", {}), ("steady", {"number": 2}))
    agent, _, heard = agent_of([call("cancels"), batch, {"text": "done"}], cancels, steady)
    async with agent:
        result = await agent.run("go")
    assert (result.status, result.output) == ("completed", "done")
    alone, together = ([one.content for one in message.results] for message in agent.messages if message.results)
    assert alone == ["the tool cancelled itself"]
    assert together == ["1", "the tool cancelled itself", "2"]
    check_guarantees(heard, agent)


@pytest.mark.anyio
async def test_a_run_that_nobody_has_cancelled_is_not_said_to_be() -> None:
    class Odd(ScriptedProvider):
        def is_transient(self, error: Exception) -> bool:
            raise asyncio.CancelledError

    async with Agent(Odd([{"error": "gone"}])) as agent:
        result = await agent.run("go")
    assert result.error is not None
    assert (result.status, result.error.kind) == ("failed", "internal")
    assert result.error.message == "something that the run called cancelled itself"


@pytest.mark.anyio
async def test_whoever_is_asked_cancels_the_question_alone() -> None:
    @tool_attr(permission="ask")
    def guarded() -> str:
        """Needs a yes."""
        return "done"

    async def on_ask(_ask: Ask) -> Answer:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(60)
        return Answer.once()

    agent, _, heard = agent_of([call("guarded"), {"text": "ok"}], guarded, on_ask=on_ask)
    async with agent:
        result = await agent.run("go")
    assert (result.status, [denial.by for denial in result.denials]) == ("completed", ["nobody"])
    check_guarantees(heard, agent)


def _run(agent: Agent[Any], how: str) -> Any:
    async def own() -> Any:
        async with agent:
            return await agent.run("go")

    if how == "own":
        return asyncio.run(own())
    with agent:
        return agent.instruct("go").execute()


@pytest.mark.parametrize("event", ["turn_started", "tool_ended", "turn_ended"])
@pytest.mark.parametrize("how", ["own", "shared"])
def test_a_listener_that_raises_anything_at_any_time_is_heard_no_more(how: str, event: str) -> None:
    def steady() -> str:
        """Goes on."""
        return "on"

    for fault in (KeyboardInterrupt(), SystemExit(3), asyncio.CancelledError(), Unspeakable()):
        told: list[str] = []

        def listen(heard: Any, fault: BaseException = fault, told: list[str] = told) -> None:
            told.append(heard.type)
            if heard.type == event:
                raise fault

        agent, _, heard = agent_of([call("steady"), {"text": "done"}], steady)
        agent.bus.listen(listen)
        assert _run(agent, how).output == "done"
        assert told.count(event) == 1
        assert told[-1] == event
        check_guarantees(heard, agent)


@pytest.mark.parametrize("how", ["own", "shared"])
def test_an_exception_that_cannot_be_shown_is_told_by_its_class(how: str) -> None:
    def sync_tool() -> str:
        """Fails."""
        raise Unspeakable

    async def async_tool() -> str:
        """Fails."""
        raise Unspeakable

    async def asks(ctx: ToolCallContext[None]) -> str:
        """Asks somebody who fails."""
        return str((await ctx.agent.confirm("Well?")).choice)

    def on_ask(_ask: Ask) -> Answer:
        raise Unspeakable

    steps = [calls(("sync_tool", {}), ("async_tool", {}), ("asks", {})), {"text": "ok"}]
    agent, _, heard = agent_of(steps, sync_tool, async_tool, asks, on_ask=on_ask)
    assert _run(agent, how).output == "ok"
    assert [one.content for one in agent.messages[2].results] == ["Unspeakable", "Unspeakable", "False"]
    assert [event.answer.text or event.answer.reason for event in heard if event.type == "answered"] == [
        "asking failed: Unspeakable"
    ]
