"""What a reply has used that broke off: as far as its server said so it counts, and budgets heed what is not known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.agent.support import QUICK
from tests.providers.support import NAMES, connect
from tests.wire.server import ModelServer, Stream
from tests.wire.streams import ANTHROPIC, OPENAI, Say
from xun import Agent, Limits, Message, Text
from xun.messages import Reply, Usage
from xun.providers.base import (
    Done,
    Fallback,
    ModelInfo,
    ProviderError,
    Request,
    RetryPolicy,
    StreamItem,
    TextPart,
    Used,
)
from xun.providers.fallback import FallbackProvider

pytestmark = pytest.mark.anyio

PRICED = ModelInfo("own", "m", input_price=1.0, output_price=10.0)
SENT = Usage(input_tokens=100_000, output_tokens=1)


class Breaking:
    """Says at once what the request took; each but the last of its replies breaks off after a few words."""

    def __init__(self, breaks: int, used: Usage | None = SENT, name: str = "own") -> None:
        self.name = name
        self.requests = 0
        self._breaks = breaks
        self._used = used

    async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
        self.requests += 1
        if self._used is not None:
            yield Used(self._used)
        yield TextPart("half an answer")
        if self.requests <= self._breaks:
            raise ProviderError("network", "gone", transient=True)
        reply = Reply(provider=self.name, model="m", usage=SENT)
        yield Done(Message(role="assistant", blocks=(Text(text="whole"),), reply=reply))

    async def aclose(self) -> None: ...


def agent_on(provider: Any, **how: Any) -> Agent[Any]:
    return Agent(provider, retry=RetryPolicy(attempts=9, backoff=0.001, max_backoff=0.002), **how)


async def test_what_was_told_of_replies_that_broke_off_counts_with_the_whole_one() -> None:
    async with agent_on(Breaking(2), model_info=PRICED) as agent:
        result = await agent.run("go")
    assert (result.output, result.usage.input_tokens, result.usage_incomplete) == ("whole", 300_000, True)
    assert result.cost == pytest.approx(0.30003)
    assert agent.usage == result.usage


@pytest.mark.parametrize("limits", [Limits(max_tokens=250_000), Limits(max_cost=0.25)])
async def test_a_budget_that_they_have_reached_sends_no_further_try(limits: Limits) -> None:
    provider = Breaking(8)
    async with agent_on(provider, model_info=PRICED, limits=limits) as agent:
        result = await agent.run("go")
    assert (result.status, provider.requests) == ("failed", 3)
    assert result.stop_reason in ("max_tokens", "max_cost")


@pytest.mark.parametrize("limits", [Limits(max_tokens=250_000), Limits(max_cost=0.25)])
async def test_a_budget_does_not_go_on_from_a_reply_of_which_nothing_is_known(limits: Limits) -> None:
    provider = Breaking(8, None)
    async with agent_on(provider, model_info=PRICED, limits=limits) as agent:
        result = await agent.run("go")
    assert provider.requests == 1
    assert result.error is not None and "did not say what a reply has used" in result.error.message


async def test_without_a_budget_it_is_tried_again() -> None:
    async with agent_on(Breaking(2, None), model_info=PRICED) as agent:
        result = await agent.run("go")
    assert (result.output, result.usage, result.usage_incomplete) == ("whole", SENT, True)


@pytest.mark.parametrize("how", ["cancelled", "late"])
async def test_what_was_told_of_a_reply_that_is_cut_short_counts_too(how: str) -> None:
    begun = asyncio.Event()

    class Slow(Breaking):
        async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
            yield Used(SENT)
            begun.set()
            await asyncio.Event().wait()

    limits = Limits(max_time=0.05) if how == "late" else Limits()
    async with agent_on(Slow(0), model_info=PRICED, limits=limits) as agent:
        running = asyncio.create_task(agent.run("go"))
        await begun.wait()
        if how == "cancelled":
            agent.cancel()
        result = await running
    assert (result.usage, result.usage_incomplete) == (SENT, True)


async def test_each_model_of_a_chain_is_charged_for_what_it_has_used() -> None:
    class Early(Breaking):
        async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
            yield Used(SENT)
            raise ProviderError("overloaded", "busy", transient=True)

    chain = FallbackProvider(Early(0), [Fallback(Breaking(0, name="other"), "m2")], model="m")
    async with Agent(chain, retry=QUICK) as agent:
        result = await agent.run("go")
    assert (result.output, result.usage.input_tokens) == ("whole", 200_000)
    assert {name: spent.usage.input_tokens for name, spent in agent.totals.models.items()} == {
        "own/m": 100_000,
        "other/m2": 100_000,
    }


@pytest.mark.parametrize(("wire", "known"), [(ANTHROPIC, 10), (OPENAI, 0)])
async def test_over_http(wire: str, known: int) -> None:
    with ModelServer([Stream(Say("One two three four."), keep=4, end="close"), Say("whole")]) as server:
        provider = connect(wire, server.url)
        async with Agent(provider=provider, model=NAMES[wire].partition("/")[2], retry=QUICK) as agent:
            result = await agent.run("go")
        await provider.aclose()
    assert (result.output, result.usage_incomplete) == ("whole", True)
    assert result.usage.input_tokens == 10 + known
