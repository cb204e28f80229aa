"""What a run may spend in dollars and tokens, and what is said of what it has spent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Agent, Limits, Message, Middleware, ToolEnded, ToolStarted, TurnEnded
from xun.providers.base import ModelInfo, ProviderError, Request, StreamItem, TextPart

pytestmark = pytest.mark.anyio

PRICED = ModelInfo("scripted", "m", input_price=1.0, output_price=10.0)


def act() -> str:
    """Act."""
    return "done"


def using(step: dict[str, Any], sent: int, received: int) -> dict[str, Any]:
    return {**step, "usage": {"input_tokens": sent, "output_tokens": received}}


@pytest.mark.spec("H-LIM-01")
def test_nothing_is_limited_but_steps_and_results_unless_it_is_asked_for() -> None:
    limits = Limits()
    assert (limits.max_steps, limits.max_result_chars) == (50, 12_000)
    assert (limits.max_cost, limits.max_tokens, limits.max_time, limits.max_tool_calls) == (None,) * 4


@pytest.mark.spec("H-GRD-01", "C11")
async def test_a_budget_of_money_ends_the_run_and_the_calls_beyond_it_do_not_run() -> None:
    steps = [using(call("act"), 100_000, 10_000), using(call("act"), 300_000, 0), {"text": "never"}]
    agent, provider, heard = agent_of(steps, act, model_info=PRICED, limits=Limits(max_cost=0.5))
    async with agent:
        result = await agent.run("go")
    assert (result.status, result.stop_reason, result.cost) == ("failed", "max_cost", pytest.approx(0.5))
    assert result.error is not None and result.error.message == "the limit of $0.5 was reached: $0.5 were spent"
    assert len(provider.requests) == 2
    assert [event.outcome for event in heard.of(ToolEnded)] == ["ok", "skipped"]
    assert "Not run: the limit of $0.5 was reached" in agent.messages[-1].results[0].content
    check_guarantees(heard, agent)


async def test_a_budget_of_tokens_counts_those_sent_and_those_received() -> None:
    steps = [using(call("act"), 600, 100), using(call("act"), 600, 100), {"text": "never"}]
    agent, provider, heard = agent_of(steps, act, limits=Limits(max_tokens=1_400))
    async with agent:
        result = await agent.run("go")
    assert (result.stop_reason, len(provider.requests)) == ("max_tokens", 2)
    assert result.error is not None and "1,400 tokens was reached" in result.error.message
    check_guarantees(heard, agent)


async def test_an_answer_that_is_there_is_given_whatever_it_cost() -> None:
    agent, _, _ = agent_of([using({"text": "done"}, 5_000, 0)], limits=Limits(max_tokens=100))
    async with agent:
        assert (await agent.run("go")).output == "done"
        again = await agent.run("and again")
    assert again.error is not None and again.error.kind == "script", "a new turn has a new budget"


@pytest.mark.spec("W37")
async def test_a_limit_of_money_without_a_price_is_refused_before_anything_is_sent() -> None:
    agent, provider, _ = agent_of([{"text": "x"}], model_info=ModelInfo("other", "m"), limits=Limits(max_cost=1))
    async with agent:
        result = await agent.run("go")
    assert (result.status, result.stop_reason, provider.requests) == ("failed", "usage", [])
    assert result.error is not None
    assert result.error.message.startswith("the price of other/m is unknown, so the limit of $1 cannot be kept")


@pytest.mark.spec("H-TEL-02", "W22")
@pytest.mark.parametrize("limits", [Limits(max_tokens=1_000), Limits(max_cost=1)])
async def test_a_limit_does_not_hold_on_guesses_where_the_server_counts_nothing(limits: Limits) -> None:
    steps = [call("act"), {"text": "never"}]
    agent, provider, _ = agent_of(steps, act, model_info=PRICED, limits=limits)
    async with agent:
        result = await agent.run("go")
    assert result.usage_incomplete and len(provider.requests) == 1
    assert result.error is not None and "did not say what a reply has used" in result.error.message


@pytest.mark.spec("H-RTY-04", "H-TEL-02")
async def test_a_reply_that_failed_half_way_leaves_usage_incomplete() -> None:
    cut = {"text": "half an answ", "error": {"kind": "network", "message": "gone"}}
    agent, _, _ = agent_of([cut, using({"text": "whole"}, 10, 5)])
    async with agent:
        result = await agent.run("go")
    assert (result.output, result.usage.output_tokens, result.usage_incomplete) == ("whole", 5, True)


async def test_the_end_of_a_turn_tells_what_came_of_a_reply_that_failed_for_good() -> None:
    cut = {"text": "half an answer", "error": {"kind": "auth", "message": "no such key"}}
    agent, _, heard = agent_of([cut, {"text": "whole"}])
    async with agent:
        await agent.run("go")
        await agent.run("again")
    assert [event.broken for event in heard.of(TurnEnded)] == ["half an answer", ""]


async def test_a_request_that_was_refused_leaves_usage_complete() -> None:
    busy = {"error": {"kind": "overloaded", "message": "busy", "status": 529}}
    agent, _, _ = agent_of([busy, using({"text": "whole"}, 10, 5)])
    async with agent:
        assert not (await agent.run("go")).usage_incomplete


@pytest.mark.spec("H-GRD-02")
async def test_the_summary_of_all_turns() -> None:
    steps = [using(call("act"), 5_000, 500), using({"text": "a"}, 5_000, 500), using({"text": "b"}, 5_000, 0)]
    agent, _, _ = agent_of(steps, act, model_info=PRICED)
    async with agent:
        await agent.run("one")
        await agent.run("two")
    assert agent.usage_summary == {
        "steps": 3, "input_tokens": 15_000, "output_tokens": 1_000, "estimated_cost": "$0.0250",
    }  # fmt: skip


async def test_a_cost_that_is_not_known_is_said_to_be() -> None:
    agent, _, _ = agent_of([using({"text": "a"}, 5_000, 500)], model_info=ModelInfo("other", "m"))
    async with agent:
        await agent.run("one")
    assert agent.usage_summary["estimated_cost"] == "unknown"


async def test_calls_over_a_budget_are_told_as_started_and_ended_though_their_ids_came_before() -> None:
    again = {"calls": [{"tool": "act", "id": "same"}, {"tool": "act", "id": "other"}]}
    agent, _, heard = agent_of([again, again], act, limits=Limits(max_tool_calls=3))
    async with agent:
        result = await agent.run("go")
    assert result.stop_reason == "max_tool_calls"
    assert [event.call.id for event in heard.of(ToolStarted)] == ["same", "other"] * 2
    check_guarantees(heard, agent)


class Refuses(Middleware):
    async def after_model_response(self, message: Message) -> Message:
        raise ValueError("not this one")


@pytest.mark.spec("H-TEL-02", "H-RTY-04")
@pytest.mark.parametrize(
    ("step", "how"),
    [
        ({"text": ""}, {}),
        ({"text": " \n"}, {}),
        ({"text": "", "thinking": "hm"}, {}),
        ({"text": "x"}, {"middleware": [Refuses()]}),
    ],
)
async def test_what_a_reply_has_used_counts_also_where_it_is_not_taken(step: Any, how: Any) -> None:
    agent, _, _ = agent_of([using(step, 1000, 500)], model_info=PRICED, **how)
    async with agent:
        result = await agent.run("go")
        assert (result.status, result.usage.input_tokens, result.usage.output_tokens) == ("failed", 1000, 500)
        assert result.cost and agent.usage == result.usage
        assert not result.usage_incomplete


@pytest.mark.spec("H-TEL-02", "H-RTY-04")
@pytest.mark.parametrize("end", ["cancelled", "cut", "time"])
async def test_a_call_that_was_cut_off_while_it_arrived_leaves_usage_incomplete(end: str) -> None:
    class Slow:
        name = "slow"

        async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
            if end == "cut":
                raise ProviderError("network", "gone", uncounted=True)
            if end == "cancelled":
                agent.cancel()
            await asyncio.sleep(30)
            yield TextPart("never")

        async def aclose(self) -> None:
            pass

    agent: Agent[Any] = Agent(Slow(), limits=Limits(max_time=0.01 if end == "time" else None))
    async with agent:
        result = await agent.run("go")
    assert not result.ok and result.usage_incomplete and result.to_dict()["usage_incomplete"] is True
