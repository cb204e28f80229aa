"""Words for the running turn, and prompts for later."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.agent.support import agent_of, call, calls, check_guarantees
from tests.wire.server import ModelServer
from tests.wire.streams import Call, Say
from tests.wire.validators import STRICT
from xun import Agent, Answer, Limits, Message, Text, ToolCallContext, tool_attr
from xun.events import PROVISIONAL, AnyEvent, QueueChanged, StepStarted
from xun.messages import Usage
from xun.providers.base import Request
from xun.sessions.replay import replay

pytestmark = pytest.mark.anyio


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def roles(agent: Agent[Any]) -> list[str]:
    return [message.role for message in agent.messages]


def steer_at(agent: Agent[Any], kind: type[AnyEvent], number: int, text: str) -> None:
    """Say `text` to the running turn while its event `number` of a kind is told."""
    seen: list[AnyEvent] = []

    def hear(event: AnyEvent) -> None:
        if isinstance(event, kind):
            seen.append(event)
            if len(seen) == number:
                assert agent.steer(text)

    agent.bus.listen(hear)


async def test_a_text_is_added_after_the_results_and_before_the_next_model_call() -> None:
    agent, provider, heard = agent_of(
        [calls(("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4})), {"text": "ok"}], add
    )
    steer_at(agent, StepStarted, 1, "use metres")
    async with agent:
        result = await agent.run("go")
    assert result.ok
    assert roles(agent) == ["user", "assistant", "tool", "user", "assistant"]
    assert provider.requests[1].messages[-1].text == "use metres"
    assert agent.queue.steering == ()
    check_guarantees(heard, agent)


async def test_a_model_that_was_about_to_end_goes_on_with_it() -> None:
    agent, provider, heard = agent_of([{"text": "done"}, {"text": "and now in metres"}])
    steer_at(agent, StepStarted, 1, "in metres")
    async with agent:
        result = await agent.run("go")
    assert (result.output, result.steps, len(provider.requests)) == ("and now in metres", 2, 2)
    assert roles(agent) == ["user", "assistant", "user", "assistant"]
    assert heard.types.count("turn_ended") == 1
    check_guarantees(heard, agent)


async def test_several_texts_keep_their_order() -> None:
    agent, _, heard = agent_of([call("add", a=1, b=2), {"text": "ok"}], add)
    steer_at(agent, StepStarted, 1, "first")
    steer_at(agent, StepStarted, 1, "second")
    async with agent:
        await agent.run("go")
    assert [message.text for message in agent.messages if message.role == "user"] == ["go", "first", "second"]
    check_guarantees(heard, agent)


async def test_the_stored_events_rebuild_a_steered_history() -> None:
    agent, _, heard = agent_of([call("add", a=1, b=2), {"text": "a"}, {"text": "b"}], add)
    steer_at(agent, StepStarted, 1, "first")
    steer_at(agent, StepStarted, 2, "second")
    async with agent:
        await agent.run("go")
    stored = replay(event for event in heard if not isinstance(event, PROVISIONAL))
    assert stored.messages == agent.messages
    assert len(agent.messages) == 7


async def test_without_a_turn_the_text_waits_in_the_queue() -> None:
    agent, _, heard = agent_of([])
    async with agent:
        assert not agent.steer("later")
        assert agent.queue.items == ("later",)
    assert heard.of(QueueChanged)[-1].queued == ("later",)


@pytest.mark.parametrize("how", ["cancel", "limit", "error", "truncated"])
async def test_what_a_turn_did_not_take_up_is_queued_first(how: str) -> None:
    steps = {
        "cancel": [call("hold")],
        "limit": [call("hold"), {"text": "never"}],
        "error": [call("hold", fail=True), {"error": {"kind": "auth", "message": "wrong key"}}],
        "truncated": [{"text": "cut", "stop_reason": "max_tokens"}],
    }[how]
    agent, _, heard = agent_of(steps, limits=Limits(max_steps=1 if how == "limit" else 50))

    async def hold(fail: bool = False) -> str:
        """Hold."""
        if not fail:
            agent.steer("not taken")
        if how == "cancel":
            agent.cancel()
            await asyncio.sleep(60)
        return "held"

    agent.toolbox.register(hold)
    if how == "truncated":
        steer_at(agent, StepStarted, 1, "not taken")
    if how == "error":
        steer_at(agent, StepStarted, 2, "not taken")
    async with agent:
        agent.queue.add("typed later")
        result = await agent.run("go")
    assert not result.ok
    assert agent.queue.items == ("not taken", "typed later") and agent.queue.steering == ()
    assert "not taken" not in [message.text for message in agent.messages]
    assert heard.of(QueueChanged)[-1].queued == ("not taken", "typed later")
    check_guarantees(heard, agent)


@tool_attr(permission="ask")
def guarded() -> str:
    """Guarded."""
    return "did"


@pytest.mark.parametrize("moment", range(1, 20))
async def test_a_text_said_at_any_event_is_taken_up_or_waits(moment: int) -> None:
    steps: list[Any] = [calls(("add", {"a": 1, "b": 2}), ("guarded", {}), ("unknown", {})), {"text": "done"}]
    agent, _, heard = agent_of([*steps, {"text": "again"}], add, guarded, on_ask=lambda _ask: Answer.once())
    ended: list[bool] = []

    def hear(event: AnyEvent) -> None:
        if event.seq == moment:
            ended.append(event.type == "turn_ended")
            agent.steer("now")

    agent.bus.listen(hear)
    async with agent:
        await agent.run("go")
    said = [message.text for message in agent.messages if message.role == "user"]
    assert len(ended) == 1 and ended == [moment == 19]
    assert (said, agent.queue.items) == ((["go"], ("now",)) if ended[0] else (["go", "now"], ()))
    if ended[0]:
        assert heard.pop().type == "queue_changed"
    check_guarantees(heard, agent)


@pytest.mark.parametrize(
    ("prefix", "path"), [("anthropic", "messages"), ("openai-chat", "chat/completions"), ("openai", "responses")]
)
async def test_the_wires_carry_words_between_results_and_the_next_reply(
    prefix: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = [Say(calls=[Call("add", {"a": 1, "b": 2}), Call("add", {"a": 3, "b": 4})], thinking="hm"), Say("ok")]
    with ModelServer([*script, Say("more")], validators=STRICT) as server:
        for name in ("ANTHROPIC", "OPENAI"):
            monkeypatch.setenv(f"{name}_API_KEY", "sk-test")
            monkeypatch.setenv(f"{name}_BASE_URL", server.url + ("/v1" if name == "OPENAI" else ""))
        agent = Agent(f"{prefix}/claude-sonnet-4-6", tools=[add])
        steer_at(agent, StepStarted, 1, "between")
        steer_at(agent, StepStarted, 2, "at the end")
        async with agent:
            result = await agent.run("go")
        assert result.ok, result.error
        assert server.refusals == [] and len(server.requests) == 3
        assert {request.path for request in server.requests} == {f"/v1/{path}"}
    sent = str(server.bodies[2])
    assert sent.index("between") < sent.index("at the end")


async def test_the_queue_gives_back_what_was_typed_last() -> None:
    agent, _, heard = agent_of([])
    queue = agent.queue
    queue.add("one")
    queue.add("two")
    assert queue.take_back() == "two" and queue.pop() == "one" and queue.pop() is None and queue.take_back() is None
    queue.steer("steered")
    queue.add("three")
    assert queue.take_back() == "three" and queue.take_back() == "steered" and queue.take_back() is None
    assert [(event.queued, event.steering) for event in heard.of(QueueChanged)] == [
        (("one",), ()), (("one", "two"), ()), (("one",), ()), ((), ()),
        ((), ("steered",)), (("three",), ("steered",)), ((), ("steered",)), ((), ()),
    ]  # fmt: skip
    queue.steer("a")
    queue.add("b")
    assert queue.clear() == ("a", "b") and queue.clear() == ()


def test_blank_texts_do_not_wait() -> None:
    agent, _, heard = agent_of([])
    for put in (agent.queue.add, agent.queue.steer, agent.steer):
        with pytest.raises(ValueError, match="empty text"):
            put(" \n")
    assert heard == []


async def test_totals_run_over_turns_and_say_what_has_no_price() -> None:
    usage = {"input_tokens": 10, "output_tokens": 5}
    agent, _, _ = agent_of([{"text": "a", "usage": usage}, {"text": "b", "usage": usage}])
    async with agent:
        assert agent.usage == Usage() and agent.cost == 0.0
        await agent.run("one")
        await agent.run("two")
        assert agent.usage == Usage(input_tokens=20, output_tokens=10)
        assert agent.cost is None
    agent.totals.models.clear()
    agent.totals.add("a/b", Usage(input_tokens=1), 0.25)
    agent.totals.add("a/c", Usage(input_tokens=2), 0.5)
    assert (agent.cost, agent.usage.input_tokens) == (0.75, 3)
    agent.totals.add("a/c", Usage(input_tokens=2), None)
    assert agent.cost is None and agent.totals.all.priced == 0.75


async def test_a_tools_thread_may_steer_and_the_last_change_told_is_how_it_is() -> None:
    agent, provider, heard = agent_of([call("nudge"), {"text": "ok"}])

    def nudge(ctx: ToolCallContext[None]) -> str:
        """Nudge, from a worker thread."""
        for number in range(50):
            ctx.agent.steer(f"text {number}")
        return "ok"

    agent.toolbox.register(nudge)
    async with agent:
        await agent.run("go")
        await asyncio.sleep(0)
    assert [message.text for message in provider.requests[1].messages[3:]] == [f"text {n}" for n in range(50)]
    last = heard.of(QueueChanged)[-1]
    assert (last.queued, last.steering) == (agent.queue.items, agent.queue.steering) == ((), ())


async def test_a_text_said_while_the_conversation_is_compacted_waits_for_the_next_turn() -> None:
    def reply(_request: Request) -> dict[str, Any]:
        assert agent.busy and not agent.steer("meanwhile")
        return {"text": "summed up"}

    agent, _, _ = agent_of([reply])
    async with agent:
        past = [Message.user("go"), *(Message(role="assistant", blocks=(Text(text="word " * 9_000),)),) * 9]
        agent.replace_history(past, "test")
        await agent.compact()
        assert agent.queue.items == ("meanwhile",) and agent.queue.steering == ()
