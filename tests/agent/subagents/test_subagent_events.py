"""What is told of sub-agents: their tasks, how far they have come, and their one end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.agent.support import agent_of, call, calls, check_guarantees
from xun import Answer, Ask, ScriptedProvider, SubAgent, ToolBox, tool_attr
from xun.agent.agent import Agent
from xun.agent.subagents.tools import AgentGetterParam
from xun.events import Asked, SubAgentEnded, SubAgentStarted, SubAgentUpdated, ToolStarted, TurnEnded

pytestmark = pytest.mark.anyio


def lookup(word: str) -> str:
    """Look a word up."""
    return f"{word} means something"


def finder(*steps: Any, **how: Any) -> SubAgent:
    return SubAgent("finder", "Finds words.", model=ScriptedProvider(list(steps)), tools=[lookup], **how)


DELEGATE = {"calls": [{"tool": "delegate_finder", "arguments": {"task": "find cats"}, "id": "d1"}]}


async def test_a_task_is_told_from_its_beginning_to_its_end() -> None:
    usage = {"input_tokens": 1000, "output_tokens": 100}
    profile = finder({**call("lookup", word="cats"), "usage": usage}, {"text": "Found.", "usage": usage})
    agent, _, heard = agent_of([DELEGATE, {"text": "done"}], subagents=[profile], name="main")
    async with agent:
        await agent.run("go")
    [started], [ended] = heard.of(SubAgentStarted), heard.of(SubAgentEnded)
    assert (started.name, started.task, started.call_id) == ("finder", "find cats", "d1")
    assert started.parent_id == agent.bus.agent_id != started.agent_id
    assert (ended.status, ended.steps, ended.tool_calls, ended.usage.input_tokens) == ("completed", 2, 1, 2000)
    [inner] = [event for event in heard.of(ToolStarted) if event.parent_id]
    assert inner.agent_id == started.agent_id == ended.agent_id
    assert [event.steps for event in heard.of(SubAgentUpdated)] == [1, 1, 2, 2]
    assert [event.usage.input_tokens for event in heard.of(SubAgentUpdated)] == [0, 1000, 1000, 2000]
    check_guarantees(heard, agent)


async def test_waiting_for_the_person_is_no_time_of_a_sub_agent_nor_of_the_one_above_it() -> None:
    waited = 0.3

    async def person(ask: Ask) -> Answer:
        await asyncio.sleep(waited)
        return Answer.once()

    @tool_attr(permission="ask")
    def send() -> str:
        """Send."""
        return "sent"

    def deep(param: AgentGetterParam) -> Agent[Any]:
        steps = [calls(("send", {}), ("send", {})), {"text": "sent"}]
        return Agent(ScriptedProvider(steps), tools=[send])

    def outer(param: AgentGetterParam) -> Agent[Any]:
        steps = [call("agent_run", task="inner"), {"text": "done"}]
        return Agent(ScriptedProvider(steps), toolbox=ToolBox().with_subagent_provider(deep))

    agent, _, heard = agent_of(
        [call("agent_run", task="outer"), {"text": "done"}],
        toolbox=ToolBox().with_subagent_provider(outer), on_ask=person,
    )  # fmt: skip
    async with agent:
        await agent.run("go")
    [turn], tasks = heard.of(TurnEnded), heard.of(SubAgentEnded)
    assert len(tasks) == 2 and len(heard.of(Asked)) == 2
    assert all(0 <= task.seconds <= turn.seconds - waited for task in tasks)


async def test_one_that_fails_tells_why() -> None:
    agent, _, heard = agent_of(
        [DELEGATE, {"text": "done"}], subagents=[finder({"error": {"kind": "auth", "message": "no key"}})]
    )
    async with agent:
        await agent.run("go")
    [ended] = heard.of(SubAgentEnded)
    assert ended.status == "failed" and ended.error is not None and ended.error.message == "no key"
    assert [event.status for event in heard.of(TurnEnded)] == ["completed"]


def getter(param: AgentGetterParam) -> Agent[Any]:
    return Agent(ScriptedProvider([{"text": f"{param.task}!"}]), tools=[])


async def test_several_side_by_side_are_told_apart() -> None:
    step = call("agent_run_parallel", tasks=["one", "two", "three"], names=["a", "b", "c"])
    agent, _, heard = agent_of([step, {"text": "done"}], toolbox=ToolBox().with_subagent_provider(getter))
    async with agent:
        await agent.run("go")
    started = heard.of(SubAgentStarted)
    assert [(event.name, event.task) for event in started] == [("a", "one"), ("b", "two"), ("c", "three")]
    assert len({event.agent_id for event in started}) == 3
    check_guarantees(heard, agent)


async def test_a_sub_agent_of_a_sub_agent_names_the_one_above() -> None:
    inner = finder({"text": "Deep."})

    def make(param: AgentGetterParam) -> Agent[Any]:
        return Agent(ScriptedProvider([DELEGATE, {"text": "Up."}]), tools=[], subagents=[inner])

    step = call("agent_run", task="work", name="outer")
    agent, _, heard = agent_of([step, {"text": "done"}], toolbox=ToolBox().with_subagent_provider(make))
    async with agent:
        await agent.run("go")
    first, second = heard.of(SubAgentStarted)
    assert (first.name, first.parent_id) == ("outer", agent.bus.agent_id)
    assert (second.name, second.parent_id) == ("finder", first.agent_id)
    check_guarantees(heard, agent)


async def test_one_that_is_cancelled_ends_too() -> None:
    hanging = asyncio.Event()

    async def wait() -> str:
        """Wait."""
        hanging.set()
        await asyncio.Event().wait()
        return ""

    profile = SubAgent("finder", "Finds.", model=ScriptedProvider([call("wait")]), tools=[wait])
    agent, _, heard = agent_of([DELEGATE], subagents=[profile])
    async with agent:
        turn = asyncio.ensure_future(agent.run("go"))
        await asyncio.wait_for(hanging.wait(), 10)
        agent.cancel()
        assert (await turn).status == "cancelled"
    [ended] = heard.of(SubAgentEnded)
    assert ended.status == "cancelled"
    check_guarantees(heard, agent)


async def test_the_group_of_sub_agents_is_there_where_it_is_named() -> None:
    script = [call("agent_run", task="one"), {"text": "1"}, {"text": "done"}]
    agent, _, heard = agent_of(script, toolbox=ToolBox().with_defaults("agents"))
    async with agent:
        await agent.run("go")
    assert [event.name for event in heard.of(SubAgentStarted)] == ["agent-1"]
    assert not any(tool.name.startswith("agent_") for tool in ToolBox().with_defaults().list_tools())
