"""Sub-agents side by side, in the background and below one another."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.agent.subagents.subagent_support import DELEGATE, finder, lookup
from tests.agent.support import agent_of, call, check_guarantees
from xun import (
    Agent,
    ScriptedProvider,
    ToolBox,
    ToolEnded,
    ToolStarted,
    tool_attr,
)
from xun.agent.subagents.tools import AgentGetterParam
from xun.events import TurnEnded

pytestmark = pytest.mark.anyio


@pytest.mark.spec("X-SUB-01", "C17")
async def test_several_run_side_by_side_and_answer_in_order() -> None:
    together = threading.Barrier(3, timeout=10)

    def meet(word: str) -> str:
        """Meet."""
        together.wait()
        return f"met {word}"

    def getter(param: AgentGetterParam) -> Agent[Any]:
        last = {"error": {"kind": "auth", "message": "gone"}} if param.name == "two" else {"text": f"did {param.task}"}
        return Agent(ScriptedProvider([call("meet", word=param.task), last]), tools=[meet])

    box = ToolBox().with_subagent_provider(getter)
    script = [call("agent_run_parallel", tasks=["a", "b", "c"], names=["one", "two", "three"]), {"text": "done"}]
    agent, provider, heard = agent_of(script, toolbox=box)
    async with agent:
        await agent.run("go")
    [read] = provider.requests[1].messages[-1].results
    assert not read.is_error
    assert read.content.index("did a") < read.content.index("two did not finish") < read.content.index("did c")
    check_guarantees(heard, agent)


@pytest.mark.parametrize(
    ("arguments", "why"), [({"tasks": ["a"], "names": []}, "1 tasks and 0 names"), ({"tasks": []}, "no task")]
)
async def test_names_that_do_not_fit_are_one_error(arguments: dict[str, Any], why: str) -> None:
    box = ToolBox().with_subagent_provider()
    agent, provider, _ = agent_of([call("agent_run_parallel", **arguments), {"text": "done"}], toolbox=box)
    async with agent:
        await agent.run("go")
    [read] = provider.requests[1].messages[-1].results
    assert read.is_error and why in read.content


async def test_a_child_in_the_background_is_listed_and_waited_for() -> None:
    go = asyncio.Event()

    async def hold() -> str:
        """Hold."""
        await go.wait()
        return "held"

    async def let_go() -> str:
        """Let go."""
        go.set()
        return "gone"

    def getter(param: AgentGetterParam) -> Agent[Any]:
        return Agent(ScriptedProvider([call("hold"), {"text": "the answer"}]), tools=[hold])

    box = ToolBox().register(let_go).with_subagent_provider(getter, background=True)
    script = [
        call("agent_spawn", task="x", name="scout"),
        call("agent_wait", id="scout-1", timeout_seconds=0),
        call("let_go"),
        call("agent_wait", id="scout-1"),
        call("agent_list"),
        call("agent_wait", id="other"),
        {"text": "done"},
    ]
    agent, provider, heard = agent_of(script, toolbox=box)
    async with agent:
        await agent.run("go")
    said = [message.results[0].content for message in provider.requests[-1].messages if message.role == "tool"]
    assert "scout-1" in said[0] and "still runs" in said[1] and said[3] == "the answer"
    assert '"status": "completed"' in said[4] and "no sub-agent has the id 'other'; there are: scout-1" in said[5]
    check_guarantees(heard, agent)


async def test_cancelling_reaches_children_in_the_background() -> None:
    ended: list[str] = []

    begun = asyncio.Event()

    async def hold() -> str:
        """Hold."""
        begun.set()
        await asyncio.sleep(30)
        return "held"

    def getter(param: AgentGetterParam) -> Agent[Any]:
        child = Agent(ScriptedProvider([call("hold")]), tools=[hold])
        child.bus.listen(lambda event: ended.append(event.status) if isinstance(event, TurnEnded) else None)
        return child

    async def stop() -> str:
        """Stop."""
        await begun.wait()
        agent.cancel()
        await asyncio.sleep(30)
        return "stopped"

    box = ToolBox().register(stop).with_subagent_provider(getter, background=True)
    agent, _, _ = agent_of([call("agent_spawn", task="x"), call("stop")], toolbox=box)
    async with agent:
        assert (await agent.run("go")).status == "cancelled"
    assert ended == ["cancelled"]


@pytest.mark.spec("X-SUB-03", "X-BOX-08")
def test_their_tools_are_hidden_and_shown_again() -> None:
    box = ToolBox().register(lookup).with_subagent_provider(background=True)
    everything = [tool.name for tool in box.list_tools()]
    assert [tool.name for tool in box.disable_subagent().list_tools()] == ["lookup"]
    assert [tool.name for tool in box.enable_subagent().list_tools()] == everything


async def test_children_have_children_but_no_more_than_that() -> None:
    box = ToolBox().with_subagent_provider()
    script = [
        call("agent_run", task="1"),
        call("agent_run", task="2"),
        {"text": "deep"},
        {"text": "less"},
        {"text": "done"},
    ]
    agent, provider, _ = agent_of(script, toolbox=box)
    async with agent:
        await agent.run("go")
    assert [len(request.tools) for request in provider.requests] == [2, 2, 0, 2, 2]


@pytest.mark.spec("H-CON-07", "H-SUB-10", "W29")
async def test_serial_tools_of_the_tree_take_turns_and_waiting_is_not_their_time() -> None:
    inside: list[int] = []
    most: list[int] = []

    @tool_attr(concurrent=False, timeout=0.4)
    async def change(word: str) -> str:
        """Change."""
        inside.append(1)
        most.append(len(inside))
        await asyncio.sleep(0.15)
        inside.pop()
        return f"changed {word}"

    def getter(param: AgentGetterParam) -> Agent[Any]:
        return Agent(ScriptedProvider([call("change", word=param.task), {"text": "ok"}]), tools=[change])

    box = ToolBox().register(change).with_subagent_provider(getter)
    tasks = ["a", "b", "c", "d"]
    agent, _, heard = agent_of([call("agent_run_parallel", tasks=tasks), {"text": "done"}], toolbox=box)
    async with agent:
        await agent.run("go")
    changes = [event for event in heard.of(ToolEnded) if event.name == "change"]
    assert [event.outcome for event in changes] == ["ok"] * 4, "four times 0.15 s is more than the limit of one"
    assert most == [1, 1, 1, 1]


@pytest.mark.spec("H-SUB-08", "H-SUB-11", "H-SUB-18")
async def test_text_of_a_child_is_not_the_parents_and_nothing_is_copied() -> None:
    profile = finder({"text": "from the child"})
    agent, _, heard = agent_of([DELEGATE, {"text": "from the parent"}], lookup, subagents=[profile])
    async with agent:
        result = await agent.run("go")
    texts = [event.text for event in heard if event.type == "text_delta"]
    assert "".join(texts) == result.output == "from the parent"
    assert [event.call.name for event in heard.of(ToolStarted)] == ["delegate_finder"]
    assert not hasattr(profile, "subagents")
