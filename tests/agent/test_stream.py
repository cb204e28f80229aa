"""A stream that is read slowly: text comes in longer pieces, never less of it."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.lowlevel
import pytest

from tests.agent.support import agent_of, call
from xun import Agent, RuntimeStateError, TextDelta, ToolCallContext
from xun.agent.stream import MAX_BEHIND
from xun.events import ThinkingDelta, ToolProgress

pytestmark = pytest.mark.anyio

LONG = "".join(f"{number:05d} " for number in range(4 * MAX_BEHIND))


async def until_idle(agent: Agent[Any]) -> None:
    while agent.busy:
        await anyio.lowlevel.checkpoint()


@pytest.mark.spec("H-STR-01", "H-STR-03")
async def test_a_slow_reader_of_text_gets_all_of_it() -> None:
    agent, _, _ = agent_of([{"text": LONG}])
    async with agent, agent.run_stream("go") as stream:
        text = stream.text()
        pieces = [await anext(text)]
        await until_idle(agent)
        pieces += [piece async for piece in text]
    assert "".join(pieces) == LONG == stream.result.output
    assert len(pieces) <= MAX_BEHIND + 2


async def test_thinking_and_text_keep_their_order_and_progress_may_be_lost() -> None:
    async def busy(ctx: ToolCallContext[None]) -> str:
        """Work."""
        for number in range(2 * MAX_BEHIND):
            ctx.progress(str(number))
        return "done"

    agent, _, heard = agent_of([{"thinking": LONG, **call("busy")}, {"thinking": "so", "text": LONG}], busy)
    async with agent, agent.run_stream("go") as stream:
        await until_idle(agent)
        events = [event async for event in stream]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == LONG
    assert "".join(event.text for event in events if isinstance(event, ThinkingDelta)) == f"{LONG}so"
    assert len([event for event in events if isinstance(event, ToolProgress)]) < len(heard.of(ToolProgress))
    assert [event.seq for event in events] == sorted(event.seq for event in events)
    assert [event.type for event in events][-1] == "turn_ended"


async def test_a_stream_is_entered_once() -> None:
    agent, provider, _ = agent_of([{"text": "one"}, {"text": "two"}])
    async with agent:
        stream = agent.run_stream("go")
        async with stream:
            assert [piece async for piece in stream.text()]
        with pytest.raises(RuntimeStateError, match="entered already"):
            async with stream:
                pass
    assert len(provider.requests) == 1
