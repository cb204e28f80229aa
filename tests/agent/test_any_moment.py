"""A turn of everything, disturbed at each of its events: the guarantees hold every time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.agent.support import Heard, agent_of, calls, check_guarantees
from xun import Agent, Answer, Ask, ToolCallContext, tool_attr
from xun.policy.action import Action

pytestmark = pytest.mark.anyio
EVENTS = 55  # of the turn below when nobody disturbs it
MOMENTS = range(1, EVENTS + 1)


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


async def wait(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


def block(seconds: float) -> str:
    """Block a thread."""
    time.sleep(seconds)
    return "blocked"


@tool_attr(permission="ask", concurrent=False)
def guarded(number: int) -> str:
    """Guarded."""
    return f"did {number}"


def asking(ctx: ToolCallContext[None]) -> str:
    """Ask from a thread."""
    return str(ctx.agent.get_confirm("Go on?").choice)


def failing() -> str:
    """Fail."""
    raise ValueError("broken")


STEPS: list[dict[str, Any]] = [
    calls(
        ("add", {"a": 1, "b": 2}), ("wait", {"seconds": 0.002}), ("guarded", {"number": 1}), ("asking", {}),
        ("failing", {}), ("block", {"seconds": 0.002}), ("unknown", {}), ("add", {"a": "x"}),
    ),
    {"error": {"kind": "overloaded", "message": "Overloaded", "status": 529}},
    {"text": "now these two", "thinking": "hm", **calls(("guarded", {"number": 2}), ("guarded", {"number": 3}))},
    {"text": "done " * 20},
]  # fmt: skip


def busy_agent(on_ask: Callable[[Ask], Any] = lambda _ask: Answer.once()) -> tuple[Agent[Any], Heard]:
    agent, _, heard = agent_of(STEPS, add, wait, block, guarded, asking, failing, on_ask=on_ask)
    return agent, heard


def at_event(agent: Agent[Any], heard: Heard, moment: int, act: Callable[[], object]) -> None:
    """Do `act` while the event number `moment` is told."""
    agent.bus.listen(lambda _event: act() if len(heard) == moment else None)


async def test_undisturbed() -> None:
    agent, heard = busy_agent()
    async with agent:
        assert (await agent.run("go")).ok
    assert len(heard) == EVENTS, "MOMENTS must reach the last event"
    check_guarantees(heard, agent)


async def _cancel(agent: Agent[Any], heard: Heard, moment: int) -> None:
    at_event(agent, heard, moment, agent.cancel)
    await agent.run("go")


async def _cancel_from_a_thread(agent: Agent[Any], heard: Heard, moment: int) -> None:
    at_event(agent, heard, moment, lambda: threading.Thread(target=agent.cancel).start())
    await agent.run("go")


async def _cancel_the_caller(agent: Agent[Any], heard: Heard, moment: int) -> None:
    run = asyncio.create_task(agent.run("go"))
    at_event(agent, heard, moment, run.cancel)
    with pytest.raises(asyncio.CancelledError):
        await run


async def _close(agent: Agent[Any], heard: Heard, moment: int) -> None:
    closing: list[asyncio.Task[None]] = []
    at_event(agent, heard, moment, lambda: closing.append(asyncio.create_task(agent.aclose())))
    await agent.run("go")
    await asyncio.gather(*closing)


async def _leave_the_stream(agent: Agent[Any], _heard: Heard, moment: int) -> None:
    seen = 0
    async with agent.run_stream("go") as stream:
        async for _ in stream:
            seen += 1
            if seen == moment:
                break
    assert stream.result.status in ("cancelled", "completed")


async def _fail_in_the_stream(agent: Agent[Any], _heard: Heard, moment: int) -> None:
    seen = 0
    with pytest.raises(ZeroDivisionError):
        async with agent.run_stream("go") as stream:
            async for _ in stream:
                seen += 1
                if seen >= min(moment, 20):
                    raise ZeroDivisionError


@pytest.mark.spec("P-RES-03")
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(
    "disturb",
    [_cancel, _cancel_from_a_thread, _cancel_the_caller, _close, _leave_the_stream, _fail_in_the_stream],
    ids=lambda disturb: disturb.__name__.strip("_"),
)
async def test_ended(disturb: Callable[[Agent[Any], Heard, int], Awaitable[None]], moment: int) -> None:
    agent, heard = busy_agent()
    async with agent:
        await asyncio.wait_for(disturb(agent, heard, moment), 10)
        assert not agent.busy
        check_guarantees(heard, agent)
    check_guarantees(heard, agent)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("fault", [ValueError, asyncio.CancelledError, SystemExit])
async def test_a_failing_listener(fault: type[BaseException], moment: int) -> None:
    agent, heard = busy_agent()

    def fail() -> None:
        raise fault("the listener's own")

    at_event(agent, heard, moment, fail)
    async with agent:
        assert (await asyncio.wait_for(agent.run("go"), 10)).ok
    check_guarantees(heard, agent)


@pytest.mark.parametrize("count", range(1, 5))
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("fault", [ValueError, SystemExit, asyncio.CancelledError])
async def test_a_failing_question(fault: type[BaseException], asynchronous: bool, count: int) -> None:
    asked: list[Ask] = []

    def answer(ask: Ask) -> Answer:
        asked.append(ask)
        if len(asked) == count:
            raise fault("no")
        return Answer.once()

    async def answer_later(ask: Ask) -> Answer:
        return answer(ask)

    agent, heard = busy_agent(answer_later if asynchronous else answer)
    async with agent:
        result = await asyncio.wait_for(agent.run("go"), 10)
    assert result.ok and len(asked) == 4
    check_guarantees(heard, agent)


@pytest.mark.parametrize("fault", [ValueError, SystemExit, BaseException, GeneratorExit, asyncio.CancelledError])
async def test_actions_that_fail(fault: type[BaseException]) -> None:
    def actions(_arguments: dict[str, Any], _ctx: ToolCallContext[Any]) -> Action:
        raise fault("cannot tell")

    @tool_attr(actions=actions)
    def unclear() -> str:
        """Unclear."""
        return "never reached"

    agent, _, heard = agent_of([calls(("unclear", {})), {"text": "went on"}], unclear)
    async with agent:
        result = await agent.run("go")
    assert result.output == "went on" and agent.messages[2].results[0].is_error
    check_guarantees(heard, agent)
