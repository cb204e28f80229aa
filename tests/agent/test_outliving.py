"""What goes on after its turn, loop or agent has ended, and what must not be lost by it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Agent, Answer, Message, ToolBox, ToolCall, ToolCallContext, ToolResult, tool_attr
from xun.agent.agent import RuntimeStateError
from xun.events import Notice, PlanUpdated


async def pause(seconds: float) -> str:
    """Pause."""
    await asyncio.sleep(seconds)
    return "paused"


@pytest.mark.anyio
async def test_a_thread_that_outlives_its_turn_can_neither_ask_nor_tell_nor_call() -> None:
    cancelled, seen = threading.Event(), []
    finished = threading.Event()

    def stubborn(ctx: ToolCallContext[None]) -> str:
        """Goes on when nobody waits for it."""
        loop.call_soon_threadsafe(agent.cancel)
        cancelled.wait(10)
        for attempt in (
            lambda: ctx.agent.get_confirm("Still there?"),
            lambda: ctx.agent.call_tool(ToolBox().register(pause), "pause", {"seconds": 0}),
        ):
            try:
                seen.append(attempt())
            except RuntimeStateError as error:
                seen.append(str(error))
        ctx.agent.notice("too late")
        ctx.agent.set_plan([{"content": "too late", "status": "pending"}])
        finished.set()
        return "never read"

    agent, _, heard = agent_of([call("stubborn")], stubborn, on_ask=lambda _ask: Answer.once())
    async with agent:
        loop = asyncio.get_running_loop()
        assert (await agent.run("go")).status == "cancelled"
        cancelled.set()
        await asyncio.to_thread(finished.wait, 10)
        await asyncio.sleep(0.02)
    assert seen == ["the turn that this call belongs to is over"] * 2
    assert not heard.of(Notice) and not heard.of(PlanUpdated)
    check_guarantees(heard, agent)


@pytest.mark.anyio
async def test_a_question_of_a_cancelled_turn_is_taken_back() -> None:
    taken_back = asyncio.Event()

    async def on_ask(_ask: object) -> Answer:
        try:
            await asyncio.sleep(30)
        finally:
            taken_back.set()
        return Answer.once()

    def asking(ctx: ToolCallContext[None]) -> str:
        """Ask."""
        return str(ctx.agent.get_confirm("?").choice)

    agent, _, heard = agent_of([call("asking")], asking, on_ask=on_ask)
    agent.bus.listen(lambda event: agent.cancel() if event.type == "asked" else None)
    async with agent:
        assert (await agent.run("go")).status == "cancelled"
        await asyncio.wait_for(taken_back.wait(), 5)
    assert heard.types[-3:] == ["tool_ended", "message_added", "turn_ended"]
    check_guarantees(heard, agent)


@pytest.mark.anyio
async def test_a_tool_that_swallows_its_cancellation_does_not_save_the_turn() -> None:
    async def stubborn() -> str:
        """Swallow."""
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            return "swallowed"
        return ""

    agent, provider, heard = agent_of([call("stubborn"), {"text": "went on"}], stubborn)
    async with agent:
        asyncio.get_running_loop().call_later(0.02, agent.cancel)
        result = await agent.run("go")
    assert result.status == "cancelled" and len(provider.requests) == 1
    check_guarantees(heard, agent)


def test_a_question_that_blocks_a_thread_does_not_hold_up_the_end() -> None:
    script = """
import asyncio, time
from xun import Agent, ScriptedProvider, tool_attr

@tool_attr(permission="ask")
def guarded() -> str:
    return "x"

async def main():
    agent = Agent(ScriptedProvider([{"calls": [{"tool": "guarded"}]}]), tools=[guarded], on_ask=lambda ask: time.sleep(300))
    async with agent:
        asyncio.get_running_loop().call_later(0.05, agent.cancel)
        print((await agent.run("go")).status)

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "cancelled\n"


def test_ctrl_c_in_execute_ends_the_turn_before_it_is_raised() -> None:
    agent, _, heard = agent_of([call("pause", seconds=30), {"text": "x"}], pause)
    with agent:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            agent.instruct("go").execute()
        assert not agent.busy
        check_guarantees(heard, agent)


def test_a_tool_that_raises_keyboard_interrupt_ends_its_turn_and_not_the_loop_of_all_others() -> None:
    async def interrupt() -> str:
        """Interrupt."""
        raise KeyboardInterrupt

    agent, _, heard = agent_of([call("interrupt")], interrupt)
    with agent:
        result: Any = agent.instruct("go").execute()
        assert result.status == "cancelled"
        check_guarantees(heard, agent)
    other, _, _ = agent_of([{"text": "still here"}])
    with other:
        assert other.instruct("go").execute().unwrap() == "still here"


@pytest.mark.spec("H-RES-01")
@pytest.mark.parametrize(
    "fault", [SystemExit(3), BaseException("odd"), StopIteration(), GeneratorExit(), TimeoutError()]
)
def test_whatever_else_a_tool_raises_is_an_answer_to_the_model(fault: BaseException) -> None:
    def failing() -> str:
        """Fail."""
        raise fault

    async def failing_later() -> str:
        """Fail."""
        raise fault

    agent, _, heard = agent_of([call("failing"), call("failing_later"), {"text": "ok"}], failing, failing_later)
    with agent:
        assert agent.instruct("go").execute().is_ok()
    assert all(message.results[0].is_error for message in agent.messages if message.role == "tool")
    check_guarantees(heard, agent)


def test_an_agent_moves_from_loop_to_loop() -> None:
    agent, _, heard = agent_of([{"text": "a"}, {"text": "b"}, {"text": "c"}])
    agent.initialize()
    assert asyncio.run(agent.run("one")).output == "a"
    assert asyncio.run(agent.run("two")).output == "b"
    assert agent.instruct("three").execute().unwrap() == "c"
    agent.finalize()
    check_guarantees(heard, agent)


def test_a_turn_on_one_loop_is_closed_from_another() -> None:
    agent, _, heard = agent_of([call("pause", seconds=30)], pause)
    agent.initialize()
    running = threading.Event()
    agent.bus.listen(lambda event: running.set() if event.type == "tool_started" else None)
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(agent.instruct("go").execute()))
    thread.start()
    assert running.wait(5)
    asyncio.run(agent.aclose())
    thread.join(5)
    assert results[0].status == "cancelled"
    check_guarantees(heard, agent)


def test_a_turn_whose_loop_was_stopped_is_closed() -> None:
    agent, _, heard = agent_of([call("pause", seconds=30)], pause)
    agent.initialize()
    loop = asyncio.new_event_loop()

    async def start() -> None:
        agent.start_turn("go")
        await asyncio.sleep(0.02)

    loop.run_until_complete(start())
    agent.finalize()
    check_guarantees(heard, agent)
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    check_guarantees(heard, agent)


@pytest.mark.spec("H-LOP-08")
def test_a_closed_agent_neither_asks_nor_calls() -> None:
    agent, _, _ = agent_of([], pause, on_ask=lambda _ask: Answer.once())
    agent.initialize()
    agent.finalize()
    uses = (
        lambda: agent.get_choice("?", ["a"]),
        lambda: agent.get_confirm("?"),
        lambda: agent.toolbox.call_tool(agent, "pause", {"seconds": 0}),
        lambda: asyncio.run(agent.run("go")),
    )
    for use in uses:
        with pytest.raises(RuntimeStateError, match="is closed"):
            use()
    assert "is closed" in agent.instruct("go").execute().unwrap_err().error


def test_a_tool_that_cannot_say_what_it_would_do_is_an_error_of_the_call() -> None:
    def actions(_arguments: dict[str, Any], _ctx: ToolCallContext[Any]) -> Any:
        raise LookupError("no such place")

    @tool_attr(actions=actions)
    def unclear() -> str:
        """Unclear."""
        return ""

    agent, _, _ = agent_of([], unclear)
    with agent:
        assert agent.toolbox.call_tool(agent, "unclear", {}).unwrap_err().error == "no such place"


def test_a_history_that_no_provider_takes_is_refused_before_anything_changes() -> None:
    asked = Message(role="assistant", blocks=(ToolCall(id="1", name="a"), ToolCall(id="2", name="a")))

    def answers(*ids: str) -> Message:
        return Message(role="tool", blocks=tuple(ToolResult(call_id=i, name="a", content="x") for i in ids))

    agent, provider, heard = agent_of([{"text": "ok"}, {"text": "ok"}], history=[Message.user("before")])
    with agent:
        for history in (
            [Message.user("q"), asked],
            [Message.user("q"), asked, Message.user("no answer")],
            [Message.user("q"), asked, answers("2", "1")],
            [Message.user("q"), asked, answers("1")],
            [Message.user("q"), answers("1")],
        ):
            with pytest.raises(ValueError, match="of the history"):
                agent.instruct("go").execute(history=history)
        with pytest.raises(ValueError, match="empty"):
            agent.instruct(" ").execute(history=[])
        assert [message.text for message in agent.messages] == ["before"] and not heard
        assert agent.instruct("go").execute(history=[Message.user("q"), asked, answers("1", "2")]).is_ok()
    with pytest.raises(TypeError, match="not a Message"):
        Agent(provider, history=[{"role": "user"}])  # ty: ignore[invalid-argument-type]


@pytest.mark.anyio
async def test_a_listener_may_leave_while_it_fails() -> None:
    agent, _, heard = agent_of([{"text": "ok"}])

    def leaving(_event: object) -> None:
        stop()
        raise ValueError("and gone")

    stop = agent.bus.listen(leaving)
    async with agent:
        assert (await agent.run("go")).ok
    check_guarantees(heard, agent)


@pytest.mark.anyio
async def test_two_hundred_calls_in_one_step() -> None:
    def slow_square(number: int) -> int:
        """Square."""
        time.sleep(0.001)
        return number * number

    steps = [{"calls": [{"tool": "slow_square", "arguments": {"number": n}} for n in range(200)]}, {"text": "ok"}]
    agent, _, heard = agent_of(steps, slow_square)
    async with agent:
        assert (await agent.run("go")).tool_calls == 200
    assert [result.content for result in agent.messages[2].results] == [str(n * n) for n in range(200)]
    check_guarantees(heard, agent)
