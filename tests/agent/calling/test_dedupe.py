"""Calls that repeat one of the same turn: which get its result again, and until when."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.agent.support import agent_of, call, calls, check_guarantees
from xun import (
    Agent,
    Answer,
    Hooks,
    Middleware,
    Policy,
    Result,
    ScriptedProvider,
    ToolBox,
    ToolCall,
    ToolCallContext,
    ToolEnded,
    ToolPolicy,
    ToolResult,
    tool_attr,
)
from xun.agent.calling.dedupe import AGAIN
from xun.events import Asked, Decided

pytestmark = pytest.mark.anyio

DEDUPED = ToolPolicy(dedupe_calls=True)
DONE = {"text": "done"}


class Counter:
    """A tool that tells how often it ran, by what it was asked for."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def tool(self, name: str, **options: Any) -> Callable[..., Any]:
        @tool_attr(name, **options)
        async def count(key: str = "a") -> str:
            """Count."""
            self.ran.append(key)
            return f"{key} {len(self.ran)}"

        return count


def contents(agent: Agent[Any]) -> list[str]:
    return [result.content for message in agent.messages for result in message.results]


def again(text: str) -> str:
    return f"{text}\n\n{AGAIN}"


async def run(steps: list[Any], *tools: Any, **how: Any) -> list[str]:
    """What the model reads of the calls in `steps`."""
    how.setdefault("tool_policy", DEDUPED)
    agent, _, heard = agent_of([*steps, DONE], *tools, **how)
    async with agent:
        assert (await agent.run("go")).ok
        check_guarantees(heard, agent)
        return contents(agent)


@pytest.mark.spec("H-BOX-14")
@pytest.mark.parametrize("together", [True, False], ids=["one-step", "two-steps"])
async def test_an_equal_call_of_a_safe_tool_gives_the_first_result_again_and_says_so(together: bool) -> None:
    counter = Counter()
    two = [("look", {"key": "a"})] * 2
    steps = [calls(*two)] if together else [calls(each) for each in two]
    assert await run(steps, counter.tool("look", replay="safe")) == ["a 1", again("a 1")]
    assert counter.ran == ["a"]


@pytest.mark.spec("H-BOX-15")
async def test_nothing_is_taken_for_a_repetition_unless_it_is_asked_for() -> None:
    counter = Counter()
    look = counter.tool("look", replay="safe")
    assert await run([call("look"), call("look")], look, tool_policy=ToolPolicy()) == ["a 1", "a 2"]


@pytest.mark.spec("W33")
@pytest.mark.parametrize("replay", ["manual", "idempotent"])
@pytest.mark.parametrize("together", [True, False], ids=["one-step", "two-steps"])
async def test_a_call_that_changes_something_runs_as_often_as_it_is_made(replay: Any, together: bool) -> None:
    counter = Counter()
    two = [("add", {"key": "a"})] * 2
    steps = [calls(*two)] if together else [calls(each) for each in two]
    assert sorted(await run(steps, counter.tool("add", replay=replay))) == ["a 1", "a 2"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"key": "a"}, {"key": "b"}), ({"value": 1}, {"value": True}), ({"value": 1}, {"value": 1.0}),
        ({"value": 1}, {"value": "1"}), ({"value": [1, 2]}, {"value": [2, 1]}), ({"value": None}, {}),
    ],
)  # fmt: skip
async def test_calls_that_differ_at_all_are_not_equal(first: dict[str, Any], second: dict[str, Any]) -> None:
    seen: list[Any] = []

    def look(key: str = "", value: Any = None) -> str:
        """Look."""
        seen.append((key, value))
        return "seen"

    box = ToolBox().register(look, replay="safe")
    await run([call("look", **first), call("look", **second)], toolbox=box)
    assert len(seen) == 2


async def test_the_order_of_arguments_and_the_spelling_of_the_name_make_no_difference() -> None:
    counter = Counter()

    @tool_attr("look_up", replay="safe")
    def look_up(one: int, two: int) -> str:
        """Look."""
        return str(len(counter.ran) or counter.ran.append("x"))

    steps = [call("look_up", one=1, two=2), call("LookUp", two=2, one=1)]
    assert await run(steps, look_up) == ["None", again("None")]


async def test_a_tool_of_the_same_arguments_and_another_name_is_another_call() -> None:
    counter = Counter()
    tools = [counter.tool(name, replay="safe") for name in ("look", "find")]
    assert await run([call("look"), call("find")], *tools) == ["a 1", "a 2"]


@pytest.mark.parametrize("replay", ["manual", "idempotent"])
async def test_whatever_may_have_changed_something_makes_all_of_them_run_again(replay: Any) -> None:
    counter = Counter()
    look, act = counter.tool("look", replay="safe"), Counter().tool("act", replay=replay)
    steps = [call("look"), call("look"), call("act"), call("look"), call("look")]
    assert await run(steps, look, act) == ["a 1", again("a 1"), "a 1", "a 2", again("a 2")]


async def test_a_call_that_failed_runs_again() -> None:
    results = [Result.Err("not yet"), Result.Ok("there"), Result.Ok("elsewhere")]

    @tool_attr(replay="safe")
    def look() -> Result[str]:
        """Look."""
        return results.pop(0)

    assert await run([call("look")] * 3, look) == ["not yet", "there", again("there")]


async def test_a_refused_call_is_no_result_for_the_next() -> None:
    counter = Counter()
    look = counter.tool("look", replay="safe", permission="ask")
    answers = iter([Answer.no("not now"), Answer.once(), Answer.once()])
    read = await run([call("look")] * 3, look, on_ask=lambda ask: next(answers))
    assert "not now" in read[0] and read[1:] == ["a 1", again("a 1")]


async def test_a_repeated_call_is_decided_like_any_other() -> None:
    counter = Counter()
    look = counter.tool("look", replay="safe", permission="ask")
    answers = iter([Answer.once(), Answer.no("enough")])
    agent, _, heard = agent_of(
        [call("look"), call("look"), DONE], look, tool_policy=DEDUPED, on_ask=lambda ask: next(answers)
    )
    async with agent:
        await agent.run("go")
    assert (len(heard.of(Asked)), len(heard.of(Decided)), len(counter.ran)) == (2, 2, 1)
    assert "enough" in contents(agent)[1]


async def test_it_holds_for_one_turn() -> None:
    counter = Counter()
    agent, _, _ = agent_of([call("look"), DONE] * 2, counter.tool("look", replay="safe"), tool_policy=DEDUPED)
    async with agent:
        await agent.run("go")
        await agent.run("go on")
    assert contents(agent) == ["a 1", "a 2"]


async def test_what_the_person_says_meanwhile_makes_calls_run_again() -> None:
    counter = Counter()

    @tool_attr(replay="safe")
    def hear(ctx: ToolCallContext[Any]) -> str:
        """Hear."""
        ctx.agent.steer("I have changed it, look again")
        return "heard"

    assert await run([call("look"), call("hear"), call("look")], counter.tool("look", replay="safe"), hear) == [
        "a 1", "heard", "a 2",
    ]  # fmt: skip


async def test_middleware_changes_a_repeated_result_too_and_hooks_are_told_of_those_that_ran() -> None:
    class Redact(Middleware):
        async def after_tool_execution(self, call: ToolCall, result: ToolResult) -> ToolResult:
            return result.model_copy(update={"content": result.content.replace("a 1", "***")})

    hooks, told = Hooks(), []
    hooks.before_tool(lambda hook: told.append(hook.name))
    hooks.after_tool(lambda hook: told.append(hook.name))
    look = Counter().tool("look", replay="safe")
    assert await run([call("look"), call("look")], look, middleware=[Redact()], hooks=hooks) == ["***", again("***")]
    assert told == ["before_tool_call", "after_tool_call", "before_tool_call"]


async def test_the_events_tell_of_a_repeated_call_like_of_any_other() -> None:
    agent, _, heard = agent_of(
        [call("look"), call("look"), DONE], Counter().tool("look", replay="safe"), tool_policy=DEDUPED
    )
    async with agent:
        await agent.run("go")
    check_guarantees(heard, agent)
    first, second = heard.of(ToolEnded)
    assert (second.outcome, second.seconds, second.result.content) == ("ok", 0.0, again("a 1"))
    assert (second.call_id, second.result.call_id) != (first.call_id, first.result.call_id)


async def test_a_result_that_something_may_have_changed_under_way_is_not_kept() -> None:
    counter, acted = Counter(), asyncio.Event()

    @tool_attr("look", replay="safe")
    async def look() -> str:
        """Look."""
        if not counter.ran:
            await asyncio.wait_for(acted.wait(), 20)
        counter.ran.append("x")
        return f"seen {len(counter.ran)}"

    async def act() -> str:
        """Act."""
        acted.set()
        return "done"

    steps = [calls(("look", {}), ("act", {})), call("look"), call("look")]
    assert await run(steps, look, act) == ["seen 1", "done", "seen 2", again("seen 2")]


async def test_while_something_may_change_nothing_is_kept() -> None:
    counter, looked = Counter(), asyncio.Event()

    @tool_attr("look", replay="safe")
    async def look() -> str:
        """Look."""
        counter.ran.append("x")
        if len(counter.ran) == 2:
            looked.set()
        return f"seen {len(counter.ran)}"

    @tool_attr("act")
    async def act() -> str:
        """Act."""
        await asyncio.wait_for(looked.wait(), 20)
        return "done"

    assert await run([calls(("act", {}), ("look", {}), ("look", {}))], act, look) == ["done", "seen 1", "seen 2"]


async def test_a_thread_that_nobody_waits_for_any_more_may_change_something_at_any_time() -> None:
    counter, over = Counter(), threading.Event()

    @tool_attr("act", timeout=0.01)
    def act() -> None:
        """Act."""
        over.wait(20)

    steps = [call("act"), call("look"), call("look")]
    try:
        read = await run(steps, act, counter.tool("look", replay="safe"))
    finally:
        over.set()
    assert read[1:] == ["a 1", "a 2"]


async def test_what_a_sub_agent_changes_counts_for_the_agent_that_runs_it() -> None:
    counter = Counter()
    look, act = counter.tool("look", replay="safe"), Counter().tool("act")
    child = [call("look"), call("look"), call("act"), DONE]

    def getter(param: Any) -> Agent[Any]:
        return Agent(ScriptedProvider(child), tools=[look, act], tool_policy=DEDUPED)

    box = ToolBox().register(look).with_subagent_provider(getter, background=True)
    steps = [call("look"), call("agent_run", task="look"), call("look"), call("look")]
    read = await run(steps, toolbox=box)
    assert [read[0], *read[2:]] == ["a 1", "a 3", again("a 3")]
    assert len(counter.ran) == 3  # once by the agent, once by the sub-agent, and once after it


async def test_a_sub_agent_in_the_background_counts_as_it_goes() -> None:
    counter, go_on = Counter(), asyncio.Event()
    look = counter.tool("look", replay="safe")

    @tool_attr("act")
    async def act() -> str:
        """Act."""
        await asyncio.wait_for(go_on.wait(), 20)
        return "done"

    @tool_attr(replay="safe")
    async def let_it(ctx: ToolCallContext[Any]) -> Any:
        """Let the sub-agent act, and wait for its end."""
        go_on.set()
        return (await cast(Agent, ctx.agent).children.wait("agent-1-1", 20)).value

    box = (
        ToolBox()
        .register(look, let_it)
        .with_subagent_provider(
            lambda param: Agent(ScriptedProvider([call("act"), DONE]), tools=[act]), background=True
        )
    )
    steps = [call("agent_spawn", task="act"), call("look"), call("let_it"), call("look"), call("look")]
    read = await run(steps, toolbox=box)
    assert [read[1], *read[3:]] == ["a 1", "a 2", again("a 2")]


async def test_a_file_is_read_once_until_it_is_written(work: Path) -> None:
    (work / "note.txt").write_text("one\n")
    steps = [
        call("read_file", path="note.txt"), call("read_file", path="note.txt"),
        call("write_file", path="note.txt", content="two\n"), call("read_file", path="note.txt"),
    ]  # fmt: skip
    policy = Policy(write_paths=["."])
    read = await run(steps, "fs", workspace=work, policy=policy, auto_confirm=True)
    assert read[:2] == ["1\tone", again("1\tone")]
    assert read[3].startswith("1\ttwo")
