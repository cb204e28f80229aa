"""When an agent looks up what its model costs."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import worker
from xun.events import UsageUpdated
from xun.providers.base import ModelInfo

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.anyio
LISTED = ModelInfo("openai", "gpt-4-turbo", price_lists=("openai",))
SPENT = {"input_tokens": 10_000, "output_tokens": 1_000}


def used(**step: Any) -> dict[str, Any]:
    return {**step, "usage": SPENT}


def nothing() -> str:
    """Do nothing."""
    return "done"


async def test_a_listed_model_has_its_cost_from_its_first_answer_on() -> None:
    agent, _, heard = agent_of([used(**call("nothing")), used(text="ok")], nothing, model_info=LISTED)
    async with agent:
        result = await agent.run("go")
        assert agent.cost == pytest.approx(0.26)
    assert result.cost == pytest.approx(0.26)
    assert [event.cost for event in heard.of(UsageUpdated)] == pytest.approx([0.13, 0.26])
    check_guarantees(heard, agent)


@pytest.mark.spec("W37")
@pytest.mark.parametrize(
    "info", [ModelInfo("openai", "gpt-4-turbo"), ModelInfo("x", "gpt-of-tomorrow", price_lists=("openai",))]
)
async def test_a_model_without_a_listed_price_has_no_cost(info: ModelInfo) -> None:
    agent, _, _ = agent_of([used(text="ok")], model_info=info)
    async with agent:
        assert (await agent.run("go")).cost is None
        assert agent.model.price_lists == ()


async def test_without_a_free_thread_the_answer_comes_and_the_price_comes_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    full = threading.BoundedSemaphore(1)
    full.acquire()
    agent, _, _ = agent_of([used(text="one"), used(text="two")], model_info=LISTED)
    async with agent:
        with monkeypatch.context() as busy:
            busy.setitem(worker._slots_of, os.getpid(), full)
            first = await agent.run("go")
        second = await agent.run("go on")
    assert (first.output, first.cost) == ("one", None)
    assert (second.output, second.cost) == ("two", pytest.approx(0.13))


def test_the_first_request_does_not_wait_for_the_price_lists() -> None:
    code = """
import asyncio, sys
from xun import Agent, ScriptedProvider
from xun.providers.base import ModelInfo

class Watching(ScriptedProvider):
    def stream(self, request):
        print("genai_prices" in sys.modules)
        return super().stream(request)

model = Watching([{"text": "ok", "usage": {"input_tokens": 1000000}}])
agent = Agent(model, model_info=ModelInfo("openai", "gpt-4-turbo", price_lists=("openai",))).initialize()
print(asyncio.run(agent.run("go")).cost)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "10.0"]
