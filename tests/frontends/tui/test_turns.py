"""What runs for a screen, one thing after another."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of
from xun import Agent
from xun.commands.builtin import default_registry
from xun.commands.context import CommandContext
from xun.commands.outcome import Outcome, Resume
from xun.events import QueueChanged
from xun.frontends.tui.transcript.item import Prompt
from xun.frontends.tui.transcript.said import prompt
from xun.frontends.tui.turns import Turns
from xun.providers.base import ModelInfo

pytestmark = pytest.mark.anyio


class Ended(Turns):
    """Turns whose end can be waited for."""

    def __init__(self, agent: Agent[Any]) -> None:
        self.said: list[str] = []
        self._free = asyncio.Event()
        super().__init__(agent, self.said.append, self._free.set)

    async def idle(self) -> None:
        async with asyncio.timeout(20):
            while self.busy:
                self._free.clear()
                await self._free.wait()


@pytest.mark.parametrize("line", ["/retry", "/continue"])
async def test_a_command_that_runs_a_turn_finds_the_way_free(line: str) -> None:
    steps: list[Any] = [{"error": {"kind": "auth", "message": "no"}}, {"text": "now"}]
    agent, _, _ = agent_of(steps)
    turns = Ended(agent)

    def then(outcome: Outcome) -> None:
        assert outcome == Outcome(action=Resume())
        turns.resume()

    async with agent:
        turns.send("go")
        await turns.idle()
        assert turns.held and not turns.said
        turns.run(default_registry().execute(line, CommandContext(agent)), then, line)
        await turns.idle()
    assert turns.said == [] and [message.text for message in agent.messages] == ["go", "now"]


async def test_what_a_command_sends_goes_before_what_waits() -> None:
    agent, provider, _ = agent_of([{"text": "a"}, {"text": "b"}])
    turns = Ended(agent)

    async def job() -> str:
        agent.queue.add("typed meanwhile")
        return "from the command"

    async with agent:
        turns.run(job(), turns.send, "job")
        await turns.idle()
    assert [request.messages[-1].text for request in provider.requests] == ["from the command", "typed meanwhile"]


async def test_a_command_that_has_waited_since_an_earlier_run_is_not_run() -> None:
    agent, provider, events = agent_of([{"text": "a"}])
    agent.queue.restore(["/clear", "from before", "\\/clear up the names", "/model other/one"])
    turns = Ended(agent)
    assert turns.left_out == ("/clear", "/model other/one")
    told = [event for event in events if isinstance(event, QueueChanged)]
    assert told[-1].queued == agent.queue.items == ("from before", "\\/clear up the names")
    assert turns.held and provider.requests == []


async def test_where_only_a_command_waited_nothing_is_held() -> None:
    agent, _, _ = agent_of([])
    agent.queue.restore(["/clear"])
    turns = Ended(agent)
    assert not turns.held and not turns.send_next()


async def test_what_has_waited_since_an_earlier_run_is_sent_by_the_person_alone() -> None:
    agent, provider, _ = agent_of([{"text": "a"}, {"text": "b"}, {"text": "c"}])
    agent.queue.restore(["from before", "and this"])
    turns = Ended(agent)
    async with agent:
        assert turns.held
        turns.send("first")
        await turns.idle()
        assert turns.held and agent.queue.items == ("from before", "and this") and len(provider.requests) == 1
        assert turns.send_next()
        await turns.idle()
    assert [message.text for message in agent.messages if message.role == "user"] == [
        "first",
        "from before",
        "and this",
    ]


@pytest.mark.parametrize("waited", [False, True])
async def test_what_is_sent_beside_a_command_is_sent_after_it_unless_something_is_held(waited: bool) -> None:
    agent, _, _ = agent_of([{"text": "a"}])
    turns = Ended(agent)

    async def command() -> None:
        if waited:
            agent.queue.add("kept")
        turns.held = True  # as a turn leaves it that was interrupted
        turns.run(job(), lambda _: None, "!true")
        turns.send("go on please")
        await turns.idle()

    async def job() -> None:
        await asyncio.sleep(0)

    async with agent:
        await command()
        assert turns.held == waited
        assert agent.queue.items == (("kept", "go on please") if waited else ())
    assert [message.text for message in agent.messages][:1] == ([] if waited else ["go on please"])


async def test_a_prompt_brings_the_image_that_it_mentions_also_when_it_has_waited(work: Path) -> None:
    (work / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\npixels")
    sees = ModelInfo("house", "seer", capabilities=frozenset({"images"}))
    agent, _, _ = agent_of([{"text": "a"}, {"text": "b"}], workspace=work, model_info=sees)
    turns = Ended(agent)
    async with agent:
        turns.send("see @shot.png")
        turns.send("and @shot.png again")
        assert agent.queue.items == ("and @shot.png again",)
        await turns.idle()
    said = [message for message in agent.messages if message.role == "user"]
    assert [(message.text, len(message.media)) for message in said] == [
        ("see @shot.png", 1),
        ("and @shot.png again", 1),
    ]
    shown = [item for message in said for item in prompt(message)]
    assert [item._source for item in shown if isinstance(item, Prompt)] == [
        "see @shot.png\n[1 image]",
        "and @shot.png again\n[1 image]",
    ]


async def test_of_a_compaction_that_is_cut_short_by_the_end_the_session_says_so_and_of_one_that_ends_it_does_not() -> (
    None
):
    agent, _, heard = agent_of([])
    turns = Ended(agent)
    left, line = asyncio.Event(), "/compact the plan"

    async def compact() -> None:
        await left.wait()

    async with agent:
        turns.run(compact(), lambda _: None, line)
        left.set()
        await turns.idle()
        left.clear()
        turns.run(compact(), lambda _: None, line)
        await asyncio.sleep(0)
        await turns.stop()
    told = [event.queued for event in heard if isinstance(event, QueueChanged)]
    assert told == [(line,), (), (line,)]
