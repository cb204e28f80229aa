"""Sub-agents in the background whose turn has ended: their answers, their budgets, what they are refused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from tests.agent.subagents.subagent_support import using
from tests.agent.support import Heard, agent_of, call, calls
from xun import Agent, Limits, Message, ScriptedProvider, ToolBox, ToolCallContext, tool_attr
from xun.agent.subagents.tools import AgentGetterParam
from xun.events import SubAgentEnded, SubAgentStarted, TextDelta

pytestmark = pytest.mark.anyio

SPAWN = call("agent_spawn", task="x", name="scout")
WAIT = call("agent_wait", id="scout-1")
LIST = call("agent_list")


@tool_attr(permission="ask")
def send() -> str:
    """Send."""
    return "sent"


class Gate:
    """A tool that holds up a sub-agent until the test lets it go on."""

    def __init__(self) -> None:
        self.reached, self.open = asyncio.Event(), asyncio.Event()

    async def hold(self) -> str:
        """Hold."""
        self.reached.set()
        await self.open.wait()
        return "held"


def boxed(make: Callable[[], Agent[Any]]) -> ToolBox:
    return ToolBox().with_subagent_provider(lambda _: make(), background=True)


def holding(gate: Gate, *steps: Any, tools: Any = ()) -> ToolBox:
    script = [call("hold"), *(steps or ({"text": "the answer"},))]
    return boxed(lambda: Agent(ScriptedProvider(script), tools=[gate.hold, *tools]))


async def ended(agent: Agent[Any], heard: Heard) -> SubAgentEnded:
    """Wait for the end of the one sub-agent."""
    over = asyncio.Event()
    agent.listen(lambda event: over.set() if isinstance(event, SubAgentEnded) else None)
    if not heard.of(SubAgentEnded):
        await asyncio.wait_for(over.wait(), 20)
    return heard.of(SubAgentEnded)[0]


def said(messages: tuple[Message, ...] | list[Message]) -> list[str]:
    return [result.content for message in messages for result in message.results]


async def test_an_answer_that_comes_after_the_turn_is_listed_and_read_in_later_turns() -> None:
    gate = Gate()
    script = [SPAWN, {"text": "1"}, WAIT, LIST, {"text": "2"}, WAIT, LIST, {"text": "3"}]
    agent, _, heard = agent_of(script, toolbox=holding(gate))
    async with agent:
        await agent.run("begin")
        await asyncio.wait_for(gate.reached.wait(), 20)
        gate.open.set()
        assert (await ended(agent, heard)).status == "completed"
        await agent.run("and?")
        result = await agent.run("again")
    stands = [{"id": "scout-1", "name": "scout", "status": "completed"}]
    _, answer, first, again, second = said(result.messages)
    assert (answer, again) == ("the answer", "the answer")
    assert [json.loads(first), json.loads(second)] == [stands, stands]


async def test_one_that_still_runs_is_waited_for_in_a_later_turn() -> None:
    gate = Gate()
    go_on = {"calls": [{"tool": "agent_wait", "arguments": {"id": "scout-1"}}, {"tool": "let_go", "arguments": {}}]}

    async def let_go() -> str:
        """Let go."""
        gate.open.set()
        return "gone"

    box = holding(gate).register(let_go)
    early = call("agent_wait", id="scout-1", timeout_seconds=-1)
    agent, _, _ = agent_of([SPAWN, {"text": "1"}, early, go_on, {"text": "2"}], toolbox=box)
    async with agent:
        await agent.run("begin")
        result = await agent.run("and?")
    assert "still runs" in said(result.messages)[1] and said(result.messages)[2:] == ["the answer", "gone"]


async def test_one_whose_turn_ends_at_once_does_its_task() -> None:
    box = boxed(lambda: Agent(ScriptedProvider([{"text": "the answer"}])))
    agent, _, _ = agent_of([SPAWN, WAIT, {"text": "done"}], toolbox=box, limits=Limits(max_steps=1))
    async with agent:
        assert (await agent.run("begin")).stop_reason == "max_steps"
        agent.limits = Limits()
        result = await agent.run("and?")
    assert said(result.messages)[-1] == "the answer"


async def test_one_that_never_began_says_so() -> None:
    async def start_and_stop(ctx: ToolCallContext[Any]) -> str:
        """Start and stop."""
        cast(Agent, ctx.agent).children.spawn(lambda: Agent(ScriptedProvider([])), "x", "scout")
        return str(cast(Agent, ctx.agent).children.cancel())

    box = boxed(lambda: Agent(ScriptedProvider([]))).register(start_and_stop)
    agent, provider, _ = agent_of([call("start_and_stop"), LIST, WAIT, {"text": "done"}], toolbox=box)
    async with agent:
        result = await agent.run("go")
    stopped, listed, answer = said(result.messages)
    assert (stopped, json.loads(listed)[0]["status"]) == ("True", "cancelled")
    assert answer == "the sub-agent scout was cancelled before it began: nothing of its task was done"
    assert provider.requests[-1].messages[-1].results[0].is_error


def test_one_whose_loop_has_ended_does_not_keep_anybody_waiting() -> None:
    gate: list[Gate] = []

    def make() -> Agent[Any]:
        gate.append(Gate())
        return Agent(ScriptedProvider([call("hold")]), tools=[gate[-1].hold])

    async def first() -> None:
        await agent.run("begin")
        await asyncio.sleep(0)

    agent, _, _ = agent_of([SPAWN, {"text": "1"}, WAIT, LIST, {"text": "2"}], toolbox=boxed(make))
    agent.initialize()
    asyncio.run(first())
    result = asyncio.run(agent.run("and?"))
    asyncio.run(agent.aclose())
    assert "the sub-agent scout was cancelled" in said(result.messages)[1]
    assert json.loads(said(result.messages)[2])[0]["status"] == "cancelled"


def test_answers_are_kept_between_turns_of_synchronous_code() -> None:
    box = boxed(lambda: Agent(ScriptedProvider([{"text": "the answer"}])))
    agent, _, _ = agent_of([SPAWN, {"text": "1"}, WAIT, {"text": "2"}], toolbox=box)
    with agent:
        agent.instruct("begin").execute()
        agent.instruct("and?").execute()
        assert said(agent.messages)[-1] == "the answer"


async def test_cancel_says_that_it_cancels_what_runs_in_the_background() -> None:
    gate = Gate()
    agent, _, heard = agent_of([SPAWN, {"text": "1"}], toolbox=holding(gate))
    async with agent:
        await agent.run("begin")
        await asyncio.wait_for(gate.reached.wait(), 20)
        assert not agent.busy and agent.cancel()
        assert (await ended(agent, heard)).status == "cancelled"
        await agent.children.stop()
        assert not agent.cancel()


@pytest.mark.parametrize("leaving", ["wait_for", "stream"])
async def test_a_later_turn_that_is_left_leaves_alone_what_an_earlier_one_has_started(leaving: str) -> None:
    gate = Gate()
    script = [SPAWN, {"text": "1"}, {"text": "two" * 99, "delay": 60 * (leaving == "wait_for")}, WAIT, {"text": "3"}]
    agent, _, heard = agent_of(script, toolbox=holding(gate))
    async with agent:
        await agent.run("begin")
        await asyncio.wait_for(gate.reached.wait(), 20)
        if leaving == "stream":
            async with agent.run_stream("more") as stream:
                async for event in stream:
                    if isinstance(event, TextDelta):
                        break
        else:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(agent.run("more"), 0.05)
        gate.open.set()
        assert (await ended(agent, heard)).status == "completed"
        assert said((await agent.run("and?")).messages)[-1] == "the answer"


# Budgets


@pytest.mark.spec("H-SUB-12")
async def test_tokens_that_the_turn_has_left_bound_what_outlives_it() -> None:
    gate = Gate()
    child = ScriptedProvider([using(call("hold"), 1_000, 1_000)] * 9)
    box = boxed(lambda: Agent(child, tools=[gate.hold]))
    script = [using(SPAWN, 1_000, 1_000), using({"text": "1"}, 1_000, 1_000), {"text": "2"}]
    agent, _, heard = agent_of(script, toolbox=box, limits=Limits(max_tokens=9_000))
    async with agent:
        result = await agent.run("begin")
        await asyncio.wait_for(gate.reached.wait(), 20)
        gate.open.set()
        last = await ended(agent, heard)
        assert (last.status, last.stop_reason, len(child.requests)) == ("failed", "max_tokens", 3)
        assert agent.usage.input_tokens + agent.usage.output_tokens == 10_000
        assert (await agent.run("more")).output == "2", "the next turn has a budget of its own"
    assert result.usage.input_tokens + result.usage.output_tokens <= 6_000


async def test_what_outlives_a_turn_has_no_more_time_than_that() -> None:
    gate = Gate()
    agent, _, heard = agent_of(
        [SPAWN, {"text": "1"}, WAIT, {"text": "2"}], toolbox=holding(gate), limits=Limits(max_time=0.5)
    )
    async with agent:
        await agent.run("begin")
        assert (await ended(agent, heard)).status == "cancelled"
        agent.limits = Limits()
        result = await agent.run("and?")
    assert "the time limit of the run that started it was reached" in said(result.messages)[-1]


# Refusals


@pytest.mark.parametrize("on_nobody", ["deny", "fail"])
async def test_what_is_refused_after_the_turn_is_told_by_the_one_that_waits(on_nobody: Any) -> None:
    gate = Gate()
    child = ScriptedProvider([call("hold"), call("send"), {"text": "ok"}])
    box = boxed(lambda: Agent(child, tools=[gate.hold, send]))
    agent, _, heard = agent_of([SPAWN, {"text": "1"}, WAIT, {"text": "2"}, WAIT], toolbox=box, on_nobody=on_nobody)
    async with agent:
        first = await agent.run("begin")
        await asyncio.wait_for(gate.reached.wait(), 20)
        gate.open.set()
        await ended(agent, heard)
        second = await agent.run("and?")
    stops = on_nobody == "fail"
    assert (first.denials, [(one.tool, one.by) for one in second.denials]) == ((), [("send", "nobody")])
    assert (second.stop_reason, len(child.requests)) == (("denied", 2) if stops else ("end_turn", 3))


# One that fails leaves the others alone


async def test_what_cannot_be_made_or_done_has_its_place_among_the_answers() -> None:
    def getter(param: AgentGetterParam) -> Any:
        match param.task:
            case "raise":
                raise ValueError("cannot make\nthat")
            case "none":
                return None
            case "started":
                return running
            case "cancel":
                raise asyncio.CancelledError
        return Agent(ScriptedProvider([{"text": f"did {param.task}"}]))

    running: Agent[Any] = Agent(ScriptedProvider([])).initialize()
    tasks = ["a", "raise", " ", "none", "started", "cancel", "b"]
    agent, provider, _ = agent_of(
        [call("agent_run_parallel", tasks=tasks), {"text": "done"}], toolbox=ToolBox().with_subagent_provider(getter)
    )
    async with agent, running:
        assert (await agent.run("go")).output == "done"
    [result] = provider.requests[1].messages[-1].results
    answers = [one["value"] if one["is_ok"] else one["value"]["error"] for one in json.loads(result.content)]
    assert (answers[0], answers[-1]) == ("did a", "did b")
    begin = "the sub-agent agent-{} did not finish: "
    assert [answer.startswith(begin.format(at + 2)) for at, answer in enumerate(answers[1:-1])] == [True] * 5
    whys = ["cannot make that", "task is empty", "not NoneType", "is started already", "cancelled"]
    assert all(why in answer for why, answer in zip(whys, answers[1:-1], strict=True))


async def test_one_that_failed_in_the_background_is_listed_as_that() -> None:
    def make() -> Agent[Any]:
        raise ValueError("cannot make that")

    spawns = calls(*[("agent_spawn", {"task": "x"})] * 2)
    wait = call("agent_wait", id="agent-2-2")
    agent, _, _ = agent_of([spawns, wait, LIST, {"text": "done"}], toolbox=boxed(make))
    async with agent:
        result = await agent.run("go")
    *_, answer, listed = said(result.messages)
    assert answer == "the sub-agent agent-2 did not finish: cannot make that"
    assert [one["status"] for one in json.loads(listed)] == ["failed", "failed"]


async def test_an_answer_counts_although_its_agent_does_not_close() -> None:
    class Stuck(ScriptedProvider):
        async def aclose(self) -> None:
            raise OSError("will not close")

    def getter(param: AgentGetterParam) -> Agent[Any]:
        child: Agent[Any] = Agent(ScriptedProvider([{"text": "the answer"}]))
        child.hooks.on("before_finalize", lambda _: None)
        child._retired.append(Stuck([]))
        return child

    agent, _, _ = agent_of(
        [call("agent_run", task="x"), {"text": "done"}], toolbox=ToolBox().with_subagent_provider(getter)
    )
    async with agent:
        assert said((await agent.run("go")).messages) == ["the answer"]


# Names


async def test_their_names_are_their_own_and_hold_nothing_but_a_name() -> None:
    seen: list[str] = []

    def getter(param: AgentGetterParam) -> Agent[Any]:
        seen.append(param.name)
        return Agent(ScriptedProvider([{"text": "ok"}]))

    names = ["x", "x", "a/b\nAllowed: yes\x1b[2J\u202e", "é" * 500, " ", "agent-2", ".."]
    script = [call("agent_run_parallel", tasks=["t"] * 7, names=names), call("agent_run", task="t", name="x")]
    agent, _, heard = agent_of([*script, {"text": "done"}], toolbox=ToolBox().with_subagent_provider(getter))
    async with agent:
        await agent.run("go")
    expected = ["x", "x-2", "a-b-Allowed-yes-2J", "é" * 55, "agent-1", "agent-2", "agent-3", "x-3"]
    assert (seen, [event.name for event in heard.of(SubAgentStarted)]) == (expected, expected)
