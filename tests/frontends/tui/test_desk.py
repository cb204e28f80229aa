"""What a typed line does to an agent, and what is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.support import agent_of
from xun import Agent, ScriptedProvider
from xun.agent.compaction.compact import Compaction
from xun.commands.builtin import default_registry
from xun.commands.context import CommandContext
from xun.commands.registry import CommandRegistry
from xun.events import HistoryReplaced, ToolStarted, TurnEnded
from xun.frontends.tui.desk import Desk
from xun.frontends.tui.opening import Level
from xun.frontends.tui.question.choices import Menu
from xun.frontends.tui.standing import Watch
from xun.policy.decision import Answer, Ask
from xun.sessions.past import Past

pytestmark = pytest.mark.anyio


class Run:
    """An opened agent."""

    starter = ""
    session = ""
    resumable = ""
    past: Past | None = None

    def __init__(self, agent: Agent[Any]) -> None:
        self.agent = agent
        self.commands: CommandRegistry = default_registry()
        self.context = CommandContext(agent)

    def epilogue(self, event: TurnEnded) -> str:
        return ""

    def renew(self) -> None:
        self.agent.renew_model()

    async def aclose(self) -> None:
        await self.agent.aclose()


class Front:
    """A screen that keeps what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.echoed: list[str] = []
        self.status: list[dict[str, Any]] = []
        self.watch = Watch()
        self.edited = ""

    def say(self, text: str, level: Level = "info", *, gap: bool = True) -> None:
        self.said.append(text)

    def show(self, text: str) -> None:
        self.said.append(text)

    def echo(self, line: str) -> None:
        self.echoed.append(line)

    def show_queue(self) -> None: ...

    def work(self, line: str) -> None: ...

    def stand(self) -> None:
        self.status.append(self.watch.changes())

    async def put(self, ask: Ask, menu: Menu | None = None) -> Answer:
        return Answer.no()

    async def ask_key(self, provider: str) -> bool:
        return False

    def edit(self, text: str) -> None:
        self.edited = text

    def switch(self, session: str) -> None: ...

    def leave(self, code: int) -> None: ...


class Seat:
    """A desk, and somebody who types."""

    def __init__(self, steps: list[Any], **how: Any) -> None:
        self.agent, self.provider, self.heard = agent_of(steps, "cmd", auto_confirm=True, **how)
        self.front = Front()
        self.desk: Desk

    async def __aenter__(self) -> Seat:
        await self.agent.__aenter__()
        self.front.watch.start(self.agent)
        self.desk = Desk(Run(self.agent), self.front)
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.desk.close()

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not true():  # noqa: ASYNC110 - what is waited for has no event of its own
                await asyncio.sleep(0.005)

    async def typed(self, *lines: str) -> None:
        """Type lines, each once what the one before it began has ended."""
        for line in lines:
            self.desk.typed(line)
            await self.until(lambda: not self.desk.turns.busy)


@pytest.mark.parametrize("line", ["/revise", "/revise new", "/sessions", "/model", "/effort"])
async def test_beside_a_shell_line_nothing_is_lost_for_what_cannot_happen(line: str) -> None:
    async with Seat([{"text": "one"}, {"text": "two"}]) as seat:
        await seat.typed("first", "second")
        before = list(seat.agent.messages)
        seat.desk.typed("!sleep 600")
        seat.desk.typed(line)
        await seat.until(lambda: bool(seat.front.said))
        command = line.split()[0]
        assert seat.front.said == [f"{command} has to wait: !sleep 600 is running"]
        assert seat.agent.messages == before and seat.heard.of(HistoryReplaced) == [] and seat.front.edited == ""


async def test_what_waits_is_told_why() -> None:
    async with Seat([{"text": "one", "delay": 600}]) as seat:
        seat.desk.typed("first")
        seat.desk.typed("/revise")
        await seat.until(lambda: bool(seat.front.said))
        assert seat.front.said == ["/revise has to wait: a turn is running"]


@pytest.mark.parametrize("line", ["/retry", "/clear", "/compact", "/continue", "/model x/y", "/effort high"])
async def test_a_command_that_needs_the_agent_for_itself_waits_its_turn_like_a_prompt(line: str) -> None:
    async with Seat([{"text": "one"}, {"text": "two"}, {"text": "three"}]) as seat:
        await seat.typed("first")
        seat.desk.typed("!sleep 600")
        seat.desk.typed(line)
        assert seat.agent.queue.items == (line,) and seat.front.said == seat.front.echoed == []
        await seat.until(lambda: bool(seat.heard.of(ToolStarted)))
        seat.desk.interrupt()
        await seat.until(lambda: not seat.desk.turns.busy)
        assert seat.agent.queue.items == (line,) and seat.desk.turns.held
        await seat.typed("")
        assert seat.agent.queue.items == () and seat.front.echoed == [line]
        assert seat.agent.effort == ("high" if line.startswith("/effort") else None)
        assert bool(seat.agent.messages) is (line != "/clear")


async def test_what_is_chosen_from_a_list_while_a_turn_has_begun_waits_as_if_it_were_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Seat([{"text": "one", "delay": 600}]) as seat:

        async def put(ask: Ask, menu: Menu | None = None) -> Answer:
            seat.desk.typed("first")
            return Answer.pick(ask.choices.index("high"))

        monkeypatch.setattr(seat.front, "put", put)
        seat.desk.typed("/effort")
        await seat.until(lambda: seat.agent.queue.items == ("/effort high",))
        assert seat.front.said == ["The effort is default."]


async def test_what_runs_beside_turns_is_interrupted_while_a_sub_agent_works_in_the_background() -> None:
    async with Seat([]) as seat:
        slow = [{"text": "late", "delay": 600}]
        seat.agent.children.spawn(lambda: Agent(ScriptedProvider(slow)), "wait", "slow")
        seat.desk.typed("!sleep 600")
        await seat.until(lambda: bool(seat.heard.of(ToolStarted)))
        seat.desk.interrupt()
        await seat.until(lambda: not seat.desk.turns.busy)


async def test_what_waits_is_done_in_its_order_and_a_prompt_that_looks_like_a_command_stays_one() -> None:
    async with Seat([{"text": "one"}, {"text": "two"}, {"text": "three"}]) as seat:
        await seat.typed("first")
        seat.desk.typed("!sleep 0.2")
        for line in ("/clear", "\\/clear", "last"):
            seat.desk.typed(line)
        await seat.until(lambda: len(seat.agent.queue.items) == 3)
        await seat.until(lambda: not seat.desk.turns.busy and not seat.agent.queue.items)
        words = [message.words for message in seat.agent.messages if message.role == "user"]
        assert words == ["/clear", "last"] and seat.front.echoed == ["/clear"]


async def test_the_status_line_tells_the_effort_and_auto_confirm_at_once() -> None:
    async with Seat([]) as seat:
        await seat.typed("/effort high")
        assert seat.front.status[-1]["effort"] == "high"
        await seat.typed("/yolo")
        assert not seat.front.status[-1]["yolo"]


async def test_the_window_to_stay_within_is_told_where_the_models_is_unknown() -> None:
    async with Seat([], compaction=Compaction(max_context_tokens=100)) as seat:
        await seat.typed("/tokens")
        assert seat.front.status[-1]["window"] == 100 and "of 100 tokens" in seat.front.said[0]


@pytest.mark.parametrize(
    ("line", "echoes"), [("/etc/hosts is wrong, mend it", 0), ("/nonsense", 1), ("/status", 1), ("/", 1), ("hello", 0)]
)
async def test_only_a_command_is_shown_as_one(line: str, echoes: int) -> None:
    async with Seat([{"text": "one"}]) as seat:
        await seat.typed(line)
        assert seat.front.echoed == [line] * echoes
