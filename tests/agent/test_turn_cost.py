"""A turn costs the same however long the conversation is by then: nothing at its end goes through all of it."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.agent.support import agent_of, call
from xun import Hooks

pytestmark = pytest.mark.anyio


def look(at: dict[str, Any]) -> str:
    """Look at something."""
    return "seen"


STEPS: list[Any] = [call("look", at={"a": [1, {"b": 2}]}), {"text": "done"}]


@contextmanager
def counted() -> Generator[list[int]]:
    """How many functions are called meanwhile, which is the same on a slow machine."""
    count = [0]

    def note(*told: object) -> None:
        count[0] += 1

    sys.setprofile(note)
    try:
        yield count
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("watched", [False, True])
async def test_turn_500_costs_what_turn_10_did(watched: bool) -> None:
    hooks = Hooks()
    if watched:
        hooks.on("run_end", lambda hook: None)
    agent, _, _ = agent_of(STEPS * 500, look, hooks=hooks)
    costs: dict[int, int] = {}
    async with agent:
        for turn in range(1, 501):
            if turn in (10, 11, 12, 498, 499, 500):
                with counted() as count:
                    await agent.run("go on")
                costs[turn] = count[0]
            else:
                await agent.run("go on")
    assert min(costs[turn] for turn in (498, 499, 500)) <= 1.2 * min(costs[turn] for turn in (10, 11, 12))


async def test_messages_of_a_result_are_those_of_its_own_end_whenever_they_are_looked_at() -> None:
    agent, _, _ = agent_of(STEPS * 2, look)
    async with agent:
        first = await agent.run("one")
        second = await agent.run("two")
    assert len(first.messages) == 4
    assert first.messages is first.messages
    assert second.messages[:4] == first.messages
    first.messages[1].calls[0].arguments["at"].clear()
    assert (
        second.messages[1].calls[0].arguments
        == agent.messages[1].calls[0].arguments
        == STEPS[0]["calls"][0]["arguments"]
    )


async def test_result_that_nobody_has_looked_at_yet_can_be_stored_and_copied() -> None:
    agent, _, _ = agent_of(STEPS, look)
    async with agent:
        result = await agent.run("one")
    again = pickle.loads(pickle.dumps(result))
    assert again == copy.deepcopy(result) == result
    assert "messages=" in repr(again)
