"""Threads for code of others: only so many at a time, and whoever finds none waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from tests.agent.support import agent_of, call
from xun import Answer, worker
from xun.bounds import Bound
from xun.toolbox.context import ToolCallContext
from xun.worker import run_in_thread

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MAX_THREADS", 3)
    monkeypatch.setattr(worker, "_slots_of", {})


def counting() -> tuple[list[int], Callable[[], None]]:
    lock, now, most = threading.Lock(), [0], [0]

    def work() -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        threading.Event().wait(0.002)
        with lock:
            now[0] -= 1

    return most, work


async def test_calls_beyond_the_bound_wait_for_one_to_end() -> None:
    most, work = counting()
    await asyncio.gather(*(run_in_thread(work, "work") for _ in range(30)))
    assert most[0] <= 3


async def test_agents_side_by_side_all_get_their_calls_done() -> None:
    most, work = counting()

    def act() -> str:
        """Act."""
        work()
        return "done"

    async def one() -> str:
        agent, _, _ = agent_of([call("act"), {"text": "end"}], act)
        async with agent:
            return (await agent.run("go")).messages[2].results[0].content

    assert await asyncio.gather(*(one() for _ in range(12))) == ["done"] * 12
    assert most[0] <= 3


async def test_the_wait_is_not_the_time_of_who_waits() -> None:
    free = threading.Event()
    busy = [asyncio.create_task(run_in_thread(free.wait, "busy")) for _ in range(3)]
    await asyncio.sleep(0)

    async def bounded() -> str:
        async with Bound(0.05):
            return await run_in_thread(lambda: "done", "late")

    waiting = asyncio.create_task(bounded())
    await asyncio.sleep(0.1)
    assert not waiting.done()
    free.set()
    assert await waiting == "done"
    await asyncio.gather(*busy)


async def test_a_wait_that_is_given_up_takes_nothing() -> None:
    free = threading.Event()
    busy = [asyncio.create_task(run_in_thread(free.wait, "busy")) for _ in range(3)]
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(run_in_thread(free.wait, "late")) for _ in range(5)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    free.set()
    await asyncio.gather(*busy)
    assert await asyncio.gather(*(run_in_thread(lambda: 1, "more") for _ in range(9))) == [1] * 9


async def test_a_thread_that_nobody_waits_for_keeps_nobody_waiting() -> None:
    free = threading.Event()
    left = [asyncio.create_task(run_in_thread(free.wait, "left")) for _ in range(3)]
    await asyncio.sleep(0)
    for task in left:
        task.cancel()
    await asyncio.wait(left)
    assert await run_in_thread(lambda: 1, "next") == 1
    free.set()


async def test_tools_that_fill_all_of_them_get_their_answers() -> None:
    def confirm(ctx: ToolCallContext) -> bool:
        """Ask the person."""
        return ctx.agent.get_confirm("Go on?").choice

    async def one() -> str:
        agent, _, _ = agent_of([call("confirm"), {"text": "end"}], confirm, on_ask=lambda ask: Answer.once())
        async with agent:
            return (await agent.run("go")).messages[2].results[0].content

    assert await asyncio.gather(*(one() for _ in range(6))) == ["true"] * 6
