"""A turn that compacts, disturbed at each of its events: what is told and what is kept hold together every time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.compaction.compact_support import SUMMARY, compacting, full, past
from tests.agent.support import Heard, call
from xun import Agent
from xun.agent.history import checked_history
from xun.events import Compacted, HistoryReplaced
from xun.sessions.replay import replay

pytestmark = pytest.mark.anyio
EVENTS = 22  # of the turn below when nobody disturbs it


def turn() -> tuple[Agent[Any], Heard]:
    """Sums up before its first step, makes a call, leaves results out or sums up again, and answers."""
    steps = [SUMMARY, full(call("lines", count=300)), SUMMARY, full({"text": "done"}, 900)]
    agent, _, heard = compacting([*steps, SUMMARY], history=past(40, 400))
    return agent, heard


def check(agent: Agent[Any], heard: Heard) -> None:
    types = [kind for kind in heard.types if kind != "queue_changed"]
    assert types.count("turn_ended") == types.count("turn_started") == 1
    assert types[-1] == "turn_ended"
    checked_history(agent.messages)
    started = HistoryReplaced(messages=tuple(past(40, 400)), reason="start")
    assert replay([started, *heard]).messages == agent.messages
    assert len(heard.of(HistoryReplaced)) == len(heard.of(Compacted))
    assert [one.text for one in agent.messages if one.role == "user" and one.text][-1] in ("go on", "and that")


async def test_undisturbed() -> None:
    agent, heard = turn()
    async with agent:
        assert (await agent.run("go on")).ok
    assert len(heard.of(Compacted)) == 2
    assert len(heard) == EVENTS, "the moments below must reach the last event"
    check(agent, heard)


@pytest.mark.parametrize("moment", range(1, EVENTS + 1))
@pytest.mark.parametrize("how", ["cancel", "cancel the caller", "close", "steer"])
async def test_disturbed(how: str, moment: int) -> None:
    agent, heard = turn()
    async with agent:
        run = asyncio.create_task(agent.run("go on"))
        closing: list[asyncio.Task[None]] = []
        acts: dict[str, Callable[[], object]] = {
            "cancel": agent.cancel,
            "cancel the caller": run.cancel,
            "close": lambda: closing.append(asyncio.create_task(agent.aclose())),
            "steer": lambda: agent.steer("and that"),
        }
        agent.bus.listen(lambda _event: acts[how]() if len(heard) == moment else None)
        await asyncio.wait({run})
        await asyncio.gather(*closing)
        check(agent, heard)
        if how == "steer":
            said = [one.text for one in agent.messages if one.role == "user"]
            assert "and that" in said or agent.queue.items == ("and that",)
