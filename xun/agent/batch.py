"""The calls of one step: concurrent ones together, the others one at a time in model order beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from xun.agent.calls import Prepared, prepare, run_call
from xun.agent.turn import Turn
from xun.messages import ToolCall

MAX_TOGETHER = 8  # concurrent calls at a time: more would only wait for the same disk and network


async def run_batch(turn: Turn, calls: Sequence[ToolCall]) -> None:
    """Run `calls`; each ends with a result in `turn`. One failing call does not stop the others."""
    prepared = [await prepare(turn, call) for call in calls]
    for item in prepared:
        turn.call_started(item.call)
    if len(prepared) == 1:
        await run_call(turn, prepared[0])
        return
    together = asyncio.Semaphore(MAX_TOGETHER)
    async with asyncio.TaskGroup() as group:
        serial = [item for item in prepared if not item.concurrent]
        group.create_task(_in_order(turn, serial))
        for item in prepared:
            if item.concurrent:
                group.create_task(_limited(turn, item, together))


async def _in_order(turn: Turn, items: Sequence[Prepared]) -> None:
    for item in items:
        await run_call(turn, item)


async def _limited(turn: Turn, item: Prepared, together: asyncio.Semaphore) -> None:
    async with together:
        await run_call(turn, item)
