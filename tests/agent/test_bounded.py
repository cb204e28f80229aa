"""Nothing of others holds up an agent: what waits for a person is not counted, and what does not let go is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Agent, Answer, Limits, ScriptedProvider, SubAgent, ToolBox, ToolCallContext, tool_attr
from xun import worker as worker_module
from xun.agent.subagents.tools import AgentGetterParam
from xun.bounds import Bound, standing_still
from xun.events import ToolEnded
from xun.providers import items as items_module
from xun.providers.base import Request, TextPart

pytestmark = pytest.mark.anyio


@pytest.mark.spec("C01")
async def test_the_time_that_a_person_takes_is_none_of_the_tool() -> None:
    async def slow(ask: Any) -> Answer:
        await asyncio.sleep(0.4)
        return Answer.once()

    @tool_attr(timeout=0.3)
    def deploy(ctx: ToolCallContext[None]) -> str:
        """Deploy."""
        return "yes" if ctx.agent.get_confirm("Sure?").choice else "no"

    agent, _, heard = agent_of([call("deploy"), {"text": "done"}], deploy, on_ask=slow)
    async with agent:
        await agent.run("go")
    [ended] = heard.of(ToolEnded)
    assert (ended.outcome, ended.result.content) == ("ok", "yes") and ended.seconds < 0.3


@pytest.mark.spec("C01")
async def test_a_question_of_a_sub_agent_is_no_time_of_the_delegation() -> None:
    async def slow(ask: Any) -> Answer:
        await asyncio.sleep(0.6)
        return Answer.once()

    @tool_attr(permission="ask")
    def careful() -> str:
        """Careful."""
        return "careful"

    child = ScriptedProvider([call("careful"), {"text": "reviewed"}])
    helper = SubAgent("helper", "Helps.", model=child, tools=[careful], timeout=0.5)
    agent, _, _ = agent_of([call("delegate_helper", task="x"), {"text": "done"}], on_ask=slow, subagents=[helper])
    async with agent:
        await agent.run("go")
    assert agent.messages[2].results[0].content == "reviewed"


async def test_a_bound_goes_on_after_it_stood_still() -> None:
    with pytest.raises(TimeoutError):
        async with Bound(0.05):
            with standing_still(), standing_still():
                await asyncio.sleep(0.1)
            await asyncio.sleep(3600)


async def test_what_swallows_its_cancellation_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "GRACE", 0.05)
    free = asyncio.Event()

    @tool_attr(timeout=0.05)
    async def stubborn() -> str:
        """Stubborn."""
        while not free.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await free.wait()
        return "late"

    agent, _, heard = agent_of([call("stubborn"), call("stubborn"), {"text": "done"}], stubborn)
    async with agent:
        await asyncio.wait_for(agent.run("go"), 20)
    free.set()
    assert [event.outcome for event in heard.of(ToolEnded)] == ["timeout", "timeout"]
    check_guarantees(heard, agent)


async def test_a_stream_that_does_not_let_go_keeps_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items_module, "_LETS_GO", 0.05)
    free = asyncio.Event()

    class Stubborn:
        name = "stubborn"

        async def stream(self, request: Request) -> AsyncIterator[Any]:
            try:
                yield TextPart("begun")
                await free.wait()
            finally:
                await free.wait()

        async def aclose(self) -> None:
            await free.wait()

    async with Agent(Stubborn(), limits=Limits(max_time=0.1)) as agent:
        result = await asyncio.wait_for(agent.run("go"), 20)
        assert (result.stop_reason, result.output) == ("timeout", "begun")
    free.set()
    await asyncio.sleep(0)


async def test_ctrl_c_in_a_tool_of_a_sub_agent_cancels_the_whole_run() -> None:
    def leaves() -> str:
        """Leave."""
        raise KeyboardInterrupt

    def getter(param: AgentGetterParam) -> Agent[Any]:
        return Agent(ScriptedProvider([call("leaves"), {"text": "never"}]), tools=[leaves])

    box = ToolBox().with_subagent_provider(getter)
    agent, provider, heard = agent_of([call("agent_run", task="x"), {"text": "never"}], toolbox=box)
    async with agent:
        result = await agent.run("go")
    assert result.status == "cancelled" and result.error is not None
    assert result.error.message == "the run was interrupted" and len(provider.requests) == 1
    check_guarantees(heard, agent)


async def test_a_getter_runs_beside_the_loop() -> None:
    threads: list[int] = []

    def getter(param: AgentGetterParam) -> Agent[Any]:
        threads.append(threading.get_ident())
        return Agent(ScriptedProvider([{"text": "ok"}]))

    box = ToolBox().with_subagent_provider(getter)
    agent, _, _ = agent_of([call("agent_run", task="x"), {"text": "done"}], toolbox=box)
    async with agent:
        await agent.run("go")
    assert threads and threads[0] != threading.get_ident()


@pytest.mark.spec("H-SUB-09")
async def test_no_agent_below_the_deepest_level_delegates() -> None:
    leaf = SubAgent("leaf", "Leaf.", model=ScriptedProvider([{"text": "leaf"}]))
    deep = ScriptedProvider([{"text": "deep"}])

    def getter(param: AgentGetterParam) -> Agent[Any]:
        if param.agent.depth == 0:
            steps = [call("agent_run", task="2"), {"text": "middle"}]
            return Agent(ScriptedProvider(steps), toolbox=ToolBox().with_subagent_provider(getter))
        return Agent(deep, toolbox=ToolBox().with_subagent_provider(getter), subagents=[leaf])

    box = ToolBox().with_subagent_provider(getter)
    agent, _, _ = agent_of([call("agent_run", task="1"), {"text": "done"}], toolbox=box)
    async with agent:
        await agent.run("go")
    assert [len(request.tools) for request in deep.requests] == [0]


async def test_a_toolbox_stays_the_one_that_was_given_with_planning_too() -> None:
    ran: list[int] = []

    def dangerous() -> str:
        """Dangerous."""
        ran.append(1)
        return "ran"

    box = ToolBox().register(dangerous)
    agent, provider, _ = agent_of([call("dangerous"), {"text": "done"}], toolbox=box, planning=True)
    assert agent.toolbox is box
    async with agent:
        box.disable("dangerous")
        await agent.run("go")
    assert not ran
    assert [tool["name"] for tool in provider.requests[0].tools] == ["write_todos", "read_todos"]


@pytest.mark.parametrize("choice", [7, -1])
async def test_a_choice_that_is_not_there_is_no_answer(choice: int) -> None:
    def choose(ctx: ToolCallContext[None]) -> str:
        """Choose."""
        return ctx.agent.get_choice("Which?", ["a", "b"], default="a").choice

    agent, _, _ = agent_of(
        [call("choose"), {"text": "done"}], choose, on_ask=lambda ask: Answer(kind="once", choice=choice)
    )
    async with agent:
        await agent.run("go")
    [answer] = agent.messages[2].results
    assert answer.is_error and f"on_ask picked choice {choice}" in answer.content


def _box() -> ToolBox:
    def f() -> str:
        """F."""
        return "x"

    return ToolBox().register(f)


async def test_telemetry_holds_nothing_that_a_model_wrote() -> None:
    agent, _, _ = agent_of([call("my secret is 42"), call("f"), {"text": "done"}], toolbox=_box())
    async with agent:
        result = await agent.run("go")
    assert {event.tool for event in result.events if event.tool} == {"unknown", "f"}
    assert "secret" not in repr(result.events)


async def test_a_person_s_answer_of_wrong_types_is_no() -> None:
    @tool_attr(permission="ask")
    def careful() -> str:
        """Careful."""
        return "ran"

    wrong = Answer.once().model_copy(update={"kind": 5})
    agent, _, heard = agent_of([call("careful"), {"text": "done"}], careful, on_ask=lambda ask: wrong)
    async with agent:
        await agent.run("go")
    assert agent.messages[2].results[0].content.startswith("Permission denied")
    check_guarantees(heard, agent)
