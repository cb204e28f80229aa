"""The lines above and below the prompt, at every width."""

from __future__ import annotations

from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from xun.events import Asked, AttemptReset, ToolStarted, TurnStarted
from xun.frontends.tui.activity import ActivityLine
from xun.frontends.tui.prompt.complete import Item
from xun.frontends.tui.prompt.popup import ROWS, Popup
from xun.frontends.tui.queue_view import QueueView
from xun.frontends.tui.status import Standing, line_of
from xun.messages import ToolCall
from xun.policy.decision import Ask

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


async def test_while_something_is_asked_the_question_alone_tells_its_keys() -> None:
    app = Lines()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(ActivityLine)
        line.hear(TurnStarted(prompt="go", model="m"))
        assert await app.shown(pilot)
        line.hear(Asked(ask=Ask(id="a", agent="xun", call_id="c", tool="bash", decisions=())))
        assert await app.shown(pilot) == []


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
