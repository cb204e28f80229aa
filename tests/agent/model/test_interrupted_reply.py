"""A reply that is cut off while it arrives stays in history as far as it was shown, valid for every wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import Heard, agent_of, check_guarantees
from tests.providers.support import NAMES, WIRES, connect
from tests.wire.server import ModelServer, Stream
from tests.wire.streams import Call, Say
from tests.wire.validators import STRICT
from xun import Agent, Limits
from xun.agent.model.cut_reply import CUT_NOTE, GO_ON
from xun.agent.run_result import RunResult
from xun.events import MessageAdded, TextDelta
from xun.sessions.resume import resume
from xun.sessions.store import SessionWriter

pytestmark = pytest.mark.anyio
LONG = "word " * 200


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def cut_at_first_words(agent: Agent[Any], prompt: str = "go") -> RunResult:
    """Run a turn, and cancel it once some text is there."""
    stop = agent.bus.listen(lambda event: agent.cancel() if isinstance(event, TextDelta) else None)
    result = await agent.run(prompt)
    stop()
    return result


def shown(heard: Heard) -> str:
    return "".join(event.text for event in heard.of(TextDelta))


@pytest.mark.parametrize("wire", WIRES)
async def test_what_was_shown_is_kept_and_the_model_is_told_where_it_breaks_off(wire: str) -> None:
    slow = Stream(Say(LONG, [Call("add", {"a": 1, "b": 2})], thinking="Hm. " * 20), chunk=40, pause=0.01)
    heard = Heard()
    with ModelServer([slow, Say("And so on."), Say("Done.")], validators=STRICT) as server:
        provider = connect(wire, server.url)
        model = NAMES[wire].partition("/")[2]
        async with Agent(model, provider=provider, tools=[add]) as agent:
            agent.listen(heard.append)
            result = await cut_at_first_words(agent)
            assert result.status == "cancelled" and result.output == shown(heard) != ""
            part = agent.messages[-1]
            assert (part.text, part.calls, len(part.blocks)) == (shown(heard), (), 1)
            assert part.reply is not None and part.reply.stop_reason == "interrupted"
            check_guarantees(heard, agent)
            assert (await agent.resume()).output == "And so on."
            assert (await agent.run("And now?")).ok
        await provider.aclose()
    assert server.refusals == []
    sent = json.dumps(server.bodies[1], ensure_ascii=False)
    assert shown(heard)[:5].strip() in sent and GO_ON in sent and sent.count(CUT_NOTE) == 1
    assert json.dumps(server.bodies[2], ensure_ascii=False).count(CUT_NOTE) == 1


async def test_it_is_stored_and_comes_back_with_the_session(tmp_path: Path) -> None:
    writer = SessionWriter.create(tmp_path, cwd=tmp_path, model="m", version="1")
    with ModelServer([Stream(Say(LONG), chunk=40, pause=0.01)], validators=STRICT) as server:
        provider = connect(WIRES[0], server.url)
        async with Agent(provider) as agent:
            agent.listen(writer.append)
            await cut_at_first_words(agent)
            kept = agent.messages
        await provider.aclose()
    writer.close()
    session, again = resume(writer.path)
    again.close()
    assert list(session.messages) == kept and session.messages[-1].text and session.notices == ()


@pytest.mark.parametrize("text", ["", " \n"])
async def test_where_nothing_was_said_nothing_is_kept(text: str) -> None:
    agent, _, heard = agent_of([{"thinking": "hm", "text": text, "delay": 0.001}])
    async with agent:
        agent.bus.listen(lambda event: agent.cancel() if event.type == "thinking_delta" else None)
        await agent.run("go")
        assert [message.role for message in agent.messages] == ["user"]
        assert agent.continuation() == ""
    check_guarantees(heard, agent)


async def test_a_time_limit_keeps_what_was_shown_too() -> None:
    with ModelServer([Stream(Say(LONG * 100), chunk=400, pause=0.02)], validators=STRICT) as server:
        provider = connect(WIRES[0], server.url)
        async with Agent(provider, limits=Limits(max_time=2)) as agent:
            result = await agent.run("go")
            assert result.stop_reason == "timeout" and agent.messages[-1].text == result.output != ""
        await provider.aclose()


async def test_of_a_try_that_failed_nothing_is_kept() -> None:
    steps: list[Any] = [{"text": "half", "error": {"kind": "overloaded", "message": "busy", "status": 529}}] * 3
    agent, _, heard = agent_of(steps)
    async with agent:
        assert (await agent.run("go")).status == "failed"
        assert [message.role for message in agent.messages] == ["user"]
    assert shown(heard).startswith("half") and len(heard.of(MessageAdded)) == 1
    check_guarantees(heard, agent)


async def test_retry_takes_it_back() -> None:
    with ModelServer([Stream(Say(LONG), chunk=40, pause=0.01), Say("Whole.")], validators=STRICT) as server:
        provider = connect(WIRES[0], server.url)
        async with Agent(provider) as agent:
            await cut_at_first_words(agent)
            assert (await agent.retry()).output == "Whole."
            assert [message.text for message in agent.messages] == ["go", "Whole."]
        await provider.aclose()
    assert CUT_NOTE not in json.dumps(server.bodies[1])
