"""What a chain of models costs: each reply counts at the price of the model that gave it."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from tests.agent.model.fallback_support import Priced, agent_on
from tests.agent.support import QUICK
from xun import (
    Agent,
    Fallback,
    Limits,
    Message,
    Text,
    ToolCall,
)
from xun.events import UsageUpdated
from xun.messages import Reply
from xun.providers.base import Done, ModelInfo, Request, StreamItem
from xun.providers.fallback import FallbackProvider

pytestmark = pytest.mark.anyio


class Uncounted(Priced):
    """Does not say what it used; may make a call."""

    call = False

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        block = ToolCall(id="c", name="nothing", arguments={}) if self.call else Text(text="hello")
        yield Done(Message(role="assistant", blocks=(block,), reply=Reply(provider=self.name, model="big")))


@pytest.mark.spec("H-RTY-12")
async def test_what_was_used_is_counted_at_the_price_of_the_model_that_served() -> None:
    dear, cheap = Priced("dear", 10.0), Priced("cheap", 1.0)
    dear.down = True
    agent, heard = agent_on(FallbackProvider(dear, [Fallback(cheap)]))
    async with agent:
        first = await agent.run("go")
        dear.down = False
        second = await agent.run("again")
    assert (first.output, first.cost, second.output, second.cost) == ("from cheap", 1.0, "from dear", 10.0)
    assert {name: spent.cost for name, spent in agent.totals.models.items()} == {"cheap/big": 1.0, "dear/big": 10.0}
    assert [event.cost for event in heard.of(UsageUpdated)] == [1.0, 10.0]
    assert dear.closed == cheap.closed == 0


async def test_a_price_that_nobody_knows_is_that_of_the_model_that_served_alone() -> None:
    priced, unknown = Priced("priced", 1.0), Priced("unknown", 1.0)
    unknown.info = ModelInfo("unknown", "big")
    for first, second, cost in ((unknown, priced, 1.0), (priced, unknown, None)):
        first.down, second.down = True, False
        async with Agent(FallbackProvider(first, [Fallback(second)]), retry=QUICK) as agent:
            assert (await agent.run("go")).cost == cost


async def test_a_limit_of_money_holds_for_a_fallback_that_does_not_say_what_it_used() -> None:
    free, dear = Priced("free", 0.0, down=True), Uncounted("dear", 1.0)
    async with Agent(FallbackProvider(free, [Fallback(dear)]), retry=QUICK, limits=Limits(max_cost=5.0)) as agent:
        assert (await agent.run("go")).ok
        agent.messages.clear()
        dear.call = True
        result = await agent.run("go")
    assert result.stop_reason == "max_cost" and result.error is not None and result.error.kind == "unknown_usage"


async def test_what_a_summary_took_is_counted_at_the_model_that_wrote_it() -> None:
    dear, cheap = Priced("dear", 10.0), Priced("cheap", 1.0)
    agent, _ = agent_on(FallbackProvider(dear, [Fallback(cheap)]))
    history = [
        message
        for number in range(40)
        for message in (
            Message.user(f"question {number} " + "word " * 400),
            Message(role="assistant", blocks=(Text(text="answer " * 400),)),
        )
    ]
    async with agent:
        agent.replace_history(history, "run")
        dear.down = True
        told = await agent.compact()
    assert told.summary == "from cheap" and told.cost == 1.0
    assert {name: spent.cost for name, spent in agent.totals.models.items()} == {"cheap/big": 1.0}
