"""Who is at the end stays there, and who reads further up does not move, whatever else happens on the screen."""

from __future__ import annotations

from random import Random

import pytest
from textual.app import ComposeResult
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from tests.conftest import fuzzed
from tests.frontends.tui.transcript.support import TranscriptApp, bash, ran, reply, turn, until
from xun.events import AttemptReset, MessageAdded, TextDelta, ThinkingDelta, ToolProgress, ToolStarted
from xun.frontends.tui.transcript.view import Transcript
from xun.messages import Message

pytestmark = pytest.mark.anyio


class Shared(TranscriptApp):
    """A transcript whose height depends on what stands below, as a prompt, a popup or a question would."""

    def compose(self) -> ComposeResult:
        yield Transcript()
        yield Static(Content(""))

    def leave_below(self, rows: int) -> None:
        below = self.query_one(Static)
        below.display = bool(rows)
        below.styles.height = rows or 1

    @property
    def at_end(self) -> bool:
        return self.transcript.following and self.transcript._end_shown

    @property
    def rests(self) -> bool:
        """Nothing waits to be shown."""
        transcript = self.transcript
        ticker = transcript._ticker
        return (
            ticker is not None
            and not ticker._active.is_set()
            and transcript.size.height == transcript._window.height
            and transcript.room == transcript._rows.width
        )


class Storm:
    """Everything that happens to a transcript without the person scrolling, in some order.

    Commands give back `longest` rows at most: what is longer than the view is shown from its beginning.
    """

    def __init__(self, app: Shared, pilot: Pilot[None], seed: int, *, longest: int) -> None:
        self._app = app
        self._pilot = pilot
        self._random = Random(seed)
        self._number = 0
        self._longest = longest

    async def blow(self, *, fold: bool) -> None:
        """A few things in the same beat, and then rest."""
        kinds = [self._stream, self._think, self._call, self._progress, self._say, self._retry, self._command]
        kinds += [self._layout] * 6
        for _ in range(self._random.randint(1, 5)):
            self._random.choice(kinds)()
            if fold and not self._random.randrange(4):
                self._fold()
            if not self._random.randrange(4):
                await self._pilot.resize_terminal(60, self._random.randint(14, 40))
            if not self._random.randrange(3):
                await self._pilot.pause()
        await self._pilot.pause()
        await until(self._pilot, lambda: self._app.rests)

    def _layout(self) -> None:
        self._app.leave_below(self._random.randint(0, 9))

    def _stream(self) -> None:
        pieces = ("word ", "long line " * 12, "\n", "\n\n", "- item\n", "```\n", "**bold** ")
        for _ in range(self._random.randint(1, 30)):
            self._app.hear(TextDelta(text=self._random.choice(pieces)))

    def _think(self) -> None:
        self._app.hear(ThinkingDelta(text="hm "))

    def _call(self) -> None:
        self._number += 1
        self._app.hear(*ran(bash("make", f"c{self._number}"), f"exit code {self._random.randint(0, 1)}\none\ntwo"))

    def _progress(self) -> None:
        call = bash("long", "running")
        self._app.hear(
            ToolStarted(call=call), ToolProgress(call_id=call.id, text="more\n" * self._random.randint(1, 3))
        )

    def _say(self) -> None:
        self._app.hear(reply("answer\n\n" * self._random.randint(1, 12)), MessageAdded(message=Message.user("next")))

    def _command(self) -> None:
        self._app.transcript.echo("/help")
        rows = self._random.randint(1, self._longest)
        self._app.transcript.show("\n".join(f"line {number}" for number in range(rows)))

    def _retry(self) -> None:
        self._app.hear(AttemptReset(attempt=1, reason="overloaded", wait=1.0))

    def _fold(self) -> None:
        self._app.transcript.toggle_details()


@pytest.mark.parametrize("seed", range(fuzzed(4)))
async def test_the_end_is_followed_through_everything_but_scrolling(seed: int) -> None:
    app = Shared()
    async with app.run_test(size=(60, 24)) as pilot:
        app.hear(turn(), reply("line\n\n" * 40))
        storm = Storm(app, pilot, seed, longest=3)
        for _ in range(8):
            await storm.blow(fold=True)
            assert app.at_end, app.shown


@pytest.mark.parametrize("seed", range(fuzzed(4)))
async def test_the_first_row_stays_for_who_has_scrolled_up(seed: int) -> None:
    app = Shared()
    async with app.run_test(size=(60, 24)) as pilot:
        app.hear(turn(), reply("\n\n".join(f"line {number}" for number in range(200))))
        await until(pilot, lambda: app.transcript.scroll_y > 0)
        app.transcript.scroll_by("page", -4)
        await pilot.pause()
        first = app.shown[0] or app.shown[1]
        assert "line" in first
        storm = Storm(app, pilot, seed, longest=40)
        for _ in range(8):
            await storm.blow(fold=False)
            assert first in app.shown[:2]
            assert not app.transcript.following
        app.transcript.scroll_by("end", 1)
        assert app.at_end


async def test_what_is_unfolded_at_the_end_comes_into_view_and_the_end_is_still_followed() -> None:
    app = Shared()
    async with app.run_test(size=(60, 24)) as pilot:
        app.hear(turn(), reply("line\n\n" * 40), *ran(bash("make"), "exit code 0\none\ntwo"))
        await until(pilot, lambda: app.shown[-1].endswith("2 lines ▸"))
        app.transcript.focus()
        await pilot.press("enter")
        assert app.shown[-2:] == ["  │ one", "  │ two"]
        assert app.at_end
        await pilot.press("enter")
        assert app.at_end


async def test_what_is_too_long_when_unfolded_is_read_from_its_beginning() -> None:
    app = Shared()
    async with app.run_test(size=(60, 24)) as pilot:
        output = "\n".join(f"out {number}" for number in range(60))
        app.hear(turn(), reply("line\n\n" * 40), *ran(bash("make"), f"exit code 0\n{output}"))
        await until(pilot, lambda: any(row.endswith("60 lines ▸") for row in app.shown))
        before = app.shown
        app.transcript.focus()
        await pilot.press("enter")
        assert app.shown[:-1] == before[:-1]
        assert not app.transcript.following
        await pilot.press("enter")
        assert app.at_end


LONG = "\n".join(f"row {number}" for number in range(30))


async def test_what_a_command_gives_back_is_read_from_its_beginning() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.hear(turn(), reply("said before"))
        app.transcript.echo("/help")
        app.transcript.show(LONG)
        await until(pilot, lambda: "  row 0" in app.shown)
        assert app.shown[:3] == ["> /help", "  row 0", "  row 1"] and "new below" in app.shown[-1]
        app.hear(reply("said meanwhile"))
        await pilot.pause()
        assert app.shown[0] == "> /help"
        app.transcript.follow()
        await until(pilot, lambda: app.shown[-1] == "  said meanwhile")


async def test_what_fits_is_shown_at_the_end_as_anything_else() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.hear(*(reply(f"said {number}") for number in range(9)))
        app.transcript.echo("/cost")
        app.transcript.show("nothing")
        await until(pilot, lambda: app.shown[-1] == "  nothing")
        assert app.transcript.following
        app.hear(reply("said later"))
        await until(pilot, lambda: app.shown[-1] == "  said later")


async def test_what_a_command_gave_back_is_followed_once_there_is_room_for_it() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.hear(turn(), reply("said before"))
        app.transcript.echo("/help")
        app.transcript.show(LONG)
        await until(pilot, lambda: app.shown[0] == "> /help")
        await pilot.resize_terminal(30, 16)
        await until(pilot, lambda: len(app.shown) == 16 and app.shown[0] == "> /help")
        await pilot.resize_terminal(40, 40)
        await until(pilot, lambda: "  said before" in app.shown and "  row 29" in app.shown)
        assert app.transcript.following


async def test_somebody_who_reads_on_is_not_taken_back_by_another_size() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.transcript.echo("/help")
        app.transcript.show(LONG)
        await until(pilot, lambda: app.shown[0] == "> /help")
        app.transcript.scroll_by("line", 5)
        assert app.shown[0] == "  row 4"
        await pilot.resize_terminal(40, 14)
        await until(pilot, lambda: len(app.shown) == 14)
        assert app.shown[0] == "  row 4"
