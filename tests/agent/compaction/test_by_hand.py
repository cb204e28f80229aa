"""Compaction between turns, because the person asks for it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.compaction.compact_support import SUMMARY, WINDOW, compacting, full, histories, model, past, prompts
from tests.agent.support import check_guarantees
from tests.conftest import fuzzed
from xun import Message
from xun.agent.compaction.compact import NothingToCompactError, describe
from xun.agent.compaction.summary import CompactionError
from xun.agent.history import checked_history
from xun.errors import RuntimeStateError
from xun.events import Compacted
from xun.messages import Usage
from xun.providers.base import Request

pytestmark = pytest.mark.anyio


async def test_by_hand_it_sums_up_at_any_size_and_passes_the_hint_on() -> None:
    agent, provider, heard = compacting([SUMMARY], history=past(2, 20))
    async with agent:
        event = await agent.compact("keep the port number")
        assert [one.type for one in heard] == ["waiting", "history_replaced", "compacted"]
        assert event.model_dump(exclude={"seq", "at", "agent_id"}) == heard[-1].model_dump(
            exclude={"seq", "at", "agent_id"}
        )
        assert event.automatic is False
        assert event.after_tokens == agent.context_tokens
        assert agent.usage == event.usage == Usage(input_tokens=500, output_tokens=40)
        assert not agent.busy
    [request] = provider.requests
    assert "keep the port number" in request.messages[0].text
    assert request.max_tokens is not None and request.max_tokens < WINDOW


@pytest.mark.parametrize("history", [[], [Message.user("hello")], past(1)[-1:]], ids=["empty", "prompt", "answer"])
async def test_where_there_is_nothing_old_it_says_so(history: list[Message]) -> None:
    agent, provider, heard = compacting([], history=history)
    async with agent:
        with pytest.raises(NothingToCompactError, match="nothing to compact"):
            await agent.compact()
    assert provider.requests == [] and heard == []


async def test_in_a_row_it_soon_has_nothing_left_to_do() -> None:
    agent, provider, heard = compacting([SUMMARY] * 5, history=past(5))
    async with agent:
        with pytest.raises(NothingToCompactError):
            for _ in range(5):
                await agent.compact()
                checked_history(agent.messages)
    sizes = [event.after_tokens for event in heard.of(Compacted)]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == len(provider.requests) < 5


async def test_by_hand_a_failure_is_raised_and_changes_nothing() -> None:
    agent, _, heard = compacting([{"text": ""}, {"text": "still there"}], history=past(5))
    async with agent:
        with pytest.raises(CompactionError, match="summary was empty"):
            await agent.compact()
        assert agent.messages == past(5)
        assert (await agent.run("hello")).output == "still there"
    check_guarantees(heard, agent)


async def test_the_agent_is_busy_while_it_compacts() -> None:
    agent, _, _ = compacting([{**SUMMARY, "delay": 30}], history=past(5))
    async with agent:
        waiting = asyncio.create_task(agent.compact())
        await asyncio.sleep(0)
        assert agent.busy
        for act in (lambda: agent.start_turn("hello"), agent.clear, agent.revise, lambda: agent.set_effort("low")):
            with pytest.raises(RuntimeStateError, match="busy"):
                act()
        with pytest.raises(RuntimeStateError, match="busy"):
            await agent.compact()
        assert agent.steer("later") is False
        assert agent.queue.items == ("later",)
        assert agent.cancel() is True
        with pytest.raises(CompactionError, match="cancelled"):
            await waiting
        assert not agent.busy and agent.cancel() is False
        assert agent.messages == past(5)


async def test_it_is_refused_while_a_turn_runs_and_before_the_start() -> None:
    agent, _, _ = compacting([{"text": "done", "delay": 30}], history=past(5))
    with pytest.raises(RuntimeStateError, match="not initialized"):
        await agent.compact()
    async with agent:
        agent.start_turn("go")
        with pytest.raises(RuntimeStateError, match="busy"):
            await agent.compact()


@pytest.mark.parametrize("end", ["caller", "close", "thread"])
async def test_ended_from_outside_it_leaves_the_history_alone(end: str) -> None:
    agent, _, _ = compacting([{**SUMMARY, "delay": 30}], history=past(5))
    async with agent:
        begun = asyncio.Event()
        agent.bus.listen(lambda _event: begun.set())
        waiting = asyncio.create_task(agent.compact())
        await begun.wait()
        if end == "caller":
            waiting.cancel()
        elif end == "close":
            await agent.aclose()
        else:
            await asyncio.to_thread(agent.finalize)
        with pytest.raises(asyncio.CancelledError if end == "caller" else CompactionError):
            await waiting
        assert agent.messages == past(5)
        assert not agent.busy


async def test_the_size_of_the_next_request_follows_what_the_provider_counts() -> None:
    agent, _, _ = compacting([full({"text": "hello"}, 1_234)])
    with pytest.raises(RuntimeStateError):
        _ = agent.context_tokens
    async with agent:
        assert 0 < agent.context_tokens < 200
        await agent.run("hi")
        assert agent.context_tokens == 1_244
        agent.clear()
        assert agent.context_tokens < 1_000


async def test_a_history_put_in_place_of_another_is_counted_anew() -> None:
    last = past(1)[-1]
    agent, _, _ = compacting([], history=[Message.user("short"), last])
    async with agent:
        small = agent.context_tokens
        agent.replace_history([Message.user("long " * 4_000), last], "test")
        assert agent.context_tokens > small + 4_000


def test_an_agent_whose_loop_was_stopped_in_the_middle_of_it_closes() -> None:
    agent, _, _ = compacting([{**SUMMARY, "delay": 30}], history=past(5))
    agent.initialize()
    loop = asyncio.new_event_loop()
    waiting = loop.create_task(agent.compact())
    agent.bus.listen(lambda _event: loop.stop())
    loop.run_forever()
    agent.finalize()
    assert agent.is_finalized() and agent.messages == past(5)
    waiting.cancel()
    with pytest.raises((asyncio.CancelledError, CompactionError)):
        loop.run_until_complete(waiting)
    loop.close()


def test_what_it_did_in_one_line() -> None:
    one = Compacted(before_tokens=9_000, after_tokens=1_000, removed_messages=1, automatic=True, summary="S")
    assert describe(one) == "compacted from 9,000 to 1,000 tokens: 1 message summed up"


@settings(max_examples=fuzzed(60))
@given(histories(), st.integers(500, 40_000), st.booleans())
def test_any_history_is_valid_after_it_and_keeps_the_persons_words(
    history: list[Message], window: int, whole: bool
) -> None:
    """By hand and within a turn, in any window, whether the summary comes or not."""

    def answer(request: Request) -> dict[str, Any]:
        return {"text": "done" if request.messages[-1].text.endswith("go on") else "S" if whole else ""}

    async def compact_and_go_on() -> None:
        agent, provider, heard = compacting([answer] * 20, history=history, model_info=model(window))
        async with agent:
            with contextlib.suppress(CompactionError):
                await agent.compact()
            checked_history(agent.messages)
            assert prompts(agent.messages)[-1] == prompts(history)[-1]
            assert heard.of(Compacted) or agent.messages == history
            await agent.run("go on")
            assert all(checked_history(request.messages) for request in provider.requests)
            assert prompts(agent.messages)[-1].text == "go on"

    asyncio.run(compact_and_go_on())
