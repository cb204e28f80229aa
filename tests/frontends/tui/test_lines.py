"""The lines above and below the prompt, at every width."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    AttemptReset,
    Compacted,
    Decided,
    StepStarted,
    SubAgentEnded,
    SubAgentStarted,
    TextDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Waiting,
)
from xun.frontends.tui.activity import ActivityLine
from xun.frontends.tui.prompt.complete import Item
from xun.frontends.tui.prompt.popup import ROWS, Popup
from xun.frontends.tui.queue_view import QueueView
from xun.frontends.tui.status import Standing, line_of
from xun.messages import ToolCall, ToolResult
from xun.policy.action import Run
from xun.policy.decision import Answer, Ask, Decision

pytestmark = pytest.mark.anyio


class Lines(App[None]):
    CSS: ClassVar[str] = "Screen { layout: vertical; }"

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def compose(self) -> ComposeResult:
        yield QueueView()
        yield ActivityLine(lambda: self.now)
        yield Popup()

    async def shown(self, pilot: Pilot[None]) -> list[str]:
        await pilot.pause()
        lines = [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]
        return [line for line in lines if line]


def started(command: str, call_id: str) -> ToolStarted:
    return ToolStarted(call=ToolCall(id=call_id, name="bash", arguments={"command": command}))


def allowed(call_id: str) -> Decided:
    decision = Decision(action=Run(command="make", cwd="/work"), effect="allow")
    return Decided(call_id=call_id, tool="bash", decision=decision, allowed=True, by="rule")


def ended(call_id: str) -> ToolEnded:
    result = ToolResult(call_id=call_id, name="bash", content="exit code 0")
    return ToolEnded(call_id=call_id, name="bash", result=result, outcome="ok", seconds=1.0)


def turn_ended() -> TurnEnded:
    return TurnEnded(status="completed", stop_reason="end_turn", output="", seconds=1.0)


def long_call() -> ToolStarted:
    return ToolStarted(call=ToolCall(id="c", name="bash", arguments={"command": "make " + "target " * 40}))


@pytest.mark.parametrize("width", [40, 80])
async def test_how_to_stop_it_is_always_told(width: int) -> None:
    app = Lines()
    async with app.run_test(size=(width, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        app.now = 12.0
        line.hear(long_call())
        line.hear(ToolProgress(call_id="c", text="cc x.c\n"))
        (shown,) = await app.shown(pilot)
        assert shown.endswith("… · 12 s · Esc interrupts")
        await pilot.resize_terminal(60, 24)
        (shown,) = await app.shown(pilot)
        assert shown.endswith("… · 12 s · Esc interrupts") and len(shown) <= 60


async def test_the_time_until_the_next_try_runs_down() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        line.hear(AttemptReset(attempt=1, reason="overloaded", wait=30.0))
        assert "trying again in 30 s" in (await app.shown(pilot))[0]
        app.now = 10.0
        line._show()
        assert "trying again in 20 s" in (await app.shown(pilot))[0]
        app.now = 31.0
        line._show()
        assert "waiting for the model" in (await app.shown(pilot))[0]


async def test_beside_a_turn_the_line_tells_what_esc_would_interrupt() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        line.hear(started("sleep 30", "shell-1"))
        line.hear(Asked(ask=Ask(id="mine", agent="xun", call_id="shell-1", tool="bash", decisions=())))
        line.hear(started("mkdir d1", "c"))
        line.hear(Asked(ask=Ask(id="its", agent="xun", call_id="c", tool="bash", decisions=())))
        app.now = 40.0
        line.hear(Answered(ask_id="its", answer=Answer.once(), by="person"))
        line.hear(ended("c"))
        app.now = 50.0
        line.hear(Answered(ask_id="mine", answer=Answer.once(), by="person"))
        line.hear(allowed("shell-1"))
        line.hear(TextDelta(text="word"))
        app.now = 52.0
        line._show()
        assert (await app.shown(pilot))[0].endswith(" answering · 12 s · Esc interrupts")
        line.hear(turn_ended())
        line._tick()
        assert (await app.shown(pilot))[0].endswith(" running bash sleep 30 · 2 s · Esc interrupts")
        line.hear(ended("shell-1"))
        assert await app.shown(pilot) == []


async def test_while_something_is_asked_the_question_alone_tells_its_keys() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        assert await app.shown(pilot)
        line.hear(Asked(ask=Ask(id="a", agent="xun", call_id="c", tool="bash", decisions=())))
        assert await app.shown(pilot) == []


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([started("make a", "1")], "bash make a waits to be allowed"),
        ([started("make a", "1"), started("make b", "2")], "bash make a waits to be allowed, 1 more waits"),
        ([started("make a", "1"), started("make b", "2"), allowed("1")], "running bash make a, 1 more waits"),
        (
            [*(started(f"make {name}", name) for name in "abcd"), allowed("a"), allowed("c")],
            "running bash make a and 1 more, 2 more wait",
        ),
        (
            [started("make a", "1"), started("make b", "2"), allowed("1"), ended("1")],
            "bash make b waits to be allowed",
        ),
        (
            [started("make a", "1"), allowed("1"), ended("1"), StepStarted(step=2)],
            "waiting for the model",
        ),
    ],
)
async def test_a_call_runs_only_once_it_may(events: list[AnyEvent], told: str) -> None:
    app = Lines()
    async with app.run_test(size=(100, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        for event in events:
            line.hear(event)
        assert await app.shown(pilot) == [f"⠋ {told} · 0 s · Esc interrupts"]


@pytest.mark.parametrize("width", [40, 50, 60, 70, 80])
async def test_calls_that_wait_leave_room_for_how_to_stop_it(width: int) -> None:
    app = Lines()
    async with app.run_test(size=(width, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        line.hear(long_call())
        line.hear(started("make b", "2"))
        for event in (None, allowed("c")):
            if event is not None:
                line.hear(event)
            (shown,) = await app.shown(pilot)
            assert "bash" in shown and shown.endswith(" · 0 s · Esc interrupts")


async def told(app: Lines, pilot: Pilot[None], text: str) -> None:
    """Wait until the activity says `text`, or with "" nothing at all."""
    async with asyncio.timeout(10):
        while text not in (shown := "".join(await app.shown(pilot))) or (shown and not text):
            await pilot.pause(0.02)


async def test_a_shell_line_tells_what_it_does_and_how_to_stop_it() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.work("!sleep 9")
        line.hear(started("sleep 9", "shell-1"))
        line.hear(allowed("shell-1"))
        app.now = 7.0
        await told(app, pilot, "running bash sleep 9 · 7 s · Esc interrupts")
        line.hear(ended("shell-1"))
        line.work("")
        await told(app, pilot, "")
        assert line._ticker is None


async def test_a_shell_line_that_outlasts_the_turn_is_told_until_it_ends() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        app.now = 2.0
        line.hear(started("sleep 9", "shell-1"))
        line.hear(allowed("shell-1"))
        line.hear(StepStarted(step=2))
        line.hear(turn_ended())
        app.now = 7.0
        await told(app, pilot, "running bash sleep 9 · 5 s · Esc interrupts")
        line.hear(ended("shell-1"))
        await told(app, pilot, "")


async def test_a_command_that_calls_the_model_tells_what_it_does() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.work("/compact the tests")
        await told(app, pilot, "running /compact the tests · 0 s · Esc interrupts")
        line.hear(Waiting(on="compaction", seconds=0.0))
        await told(app, pilot, "summing up the conversation · 0 s · Esc interrupts")
        line.work("")
        await told(app, pilot, "")


async def test_a_turn_that_was_compacted_goes_on() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        line.hear(Waiting(on="compaction", seconds=0.0))
        await told(app, pilot, "summing up the conversation")
        line.hear(Compacted(before_tokens=9, after_tokens=3, removed_messages=2, automatic=True))
        await told(app, pilot, "waiting for the model")


async def test_the_turn_of_a_sub_agent_is_none_of_its_own() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m", agent_id="main"))
        app.now = 5.0
        line.hear(TurnStarted(prompt="help", model="m", agent_id="child", parent_id="main"))
        line.hear(TextDelta(text="x", agent_id="child", parent_id="main"))
        line.hear(turn_ended().model_copy(update={"agent_id": "child", "parent_id": "main"}))
        await told(app, pilot, "starting · 5 s · Esc interrupts")
        line.hear(
            Asked(
                ask=Ask(id="a", agent="child", call_id="c", tool="bash", decisions=()),
                agent_id="child",
                parent_id="main",
            )
        )
        await told(app, pilot, "")
        line.hear(Answered(ask_id="a", answer=Answer.no(), by="person", agent_id="child", parent_id="main"))
        await told(app, pilot, "starting · 5 s · Esc interrupts")


async def test_a_sub_agent_that_works_on_beside_no_turn_is_told_and_how_to_stop_it() -> None:
    def ended(child: str) -> SubAgentEnded:
        return SubAgentEnded(status="completed", stop_reason="end_turn", agent_id=child, parent_id="main")

    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m", agent_id="main"))
        for child in ("first", "second"):
            line.hear(SubAgentStarted(name=child, task="help", model="m", agent_id=child, parent_id="main"))
            app.now += 5.0
        line.hear(turn_ended())
        await told(app, pilot, "2 sub-agents work in the background · 10 s · Esc stops that")
        line.work("!make")
        await told(app, pilot, "running !make")
        line.work("")
        line.hear(ended("first"))
        await told(app, pilot, "a sub-agent works in the background · 5 s · Esc stops that")
        line.hear(ended("second"))
        await told(app, pilot, "")


async def test_another_agent_begins_with_nothing_to_do() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        line.hear(Asked(ask=Ask(id="a", agent="xun", call_id="c", tool="bash", decisions=())))
        line.clear()
        line.hear(TurnStarted(prompt="go", model="m"))
        await told(app, pilot, "starting")


async def test_what_waits_is_cut_to_the_width_of_the_terminal_as_it_is_now() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(QueueView).show(["word " * 30])
        assert len((await app.shown(pilot))[0]) == 80
        await pilot.resize_terminal(50, 24)
        assert len((await app.shown(pilot))[0]) == 50


async def test_every_item_of_a_long_list_can_be_reached() -> None:
    app = Lines()
    names = [f"/command{number}" for number in range(20)]
    async with app.run_test(size=(80, 24)) as pilot:
        popup = app.query_one(Popup)
        popup.open([Item(name) for name in names])
        for number, name in enumerate(names, 1):
            shown = await app.shown(pilot)
            assert f"▸ {name}" in shown
            assert len(shown) == ROWS + 1 and shown[-1] == f"  {number} of 20"
            popup.move(1)


@pytest.mark.parametrize("width", range(20, 120, 7))
def test_mode_and_context_stay_in_the_status_line_whatever_its_width(width: int) -> None:
    standing = Standing("accept-edits", "~/a/long/folder", "branch", "provider/model", "high", 10_000, 200_000, 1.5)
    line = line_of(standing, width)
    assert "accept-edits" in line.plain
    if width >= 26:
        assert "context 5%" in line.plain and line.cell_length == width
