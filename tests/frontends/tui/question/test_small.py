"""A question on a screen with few rows, and one that is scrolled: what is typed and the status line stay there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.tui.question.support import answer_of, command_ask, question_of, until_ready, write_ask
from tests.frontends.tui.snapshots.stage import stage
from xun.frontends.tui.question.choices import NO, Choice, Menu
from xun.frontends.tui.question.fit import fit
from xun.frontends.tui.question.mark import Mark
from xun.frontends.tui.question.rule import Editing
from xun.policy.decision import Answer

pytestmark = pytest.mark.anyio
LONG = "mkdir d1 && git commit -m 'a b c' && echo some more of it"
DIFF = "".join(f"+line {number}\n" for number in range(200))


@pytest.fixture
def folder() -> Path:
    made = Path.home() / "fables"
    made.mkdir()
    return made


@pytest.mark.parametrize("size", [(40, 12), (40, 10), (20, 8), (60, 14)])
@pytest.mark.parametrize(("key", "typed"), [("n", "hm"), ("a", "mkdir")])
async def test_the_line_that_is_typed_in_its_frame_and_the_status_line_are_there(
    folder: Path, size: tuple[int, int], key: str, typed: str
) -> None:
    call = {"tool": "bash", "arguments": {"command": LONG if key == "n" else "mkdir d1"}}
    async with stage({"calls": [call]}) as screen:
        await screen.send("go")
        await screen.asked()
        await screen.resize(*size)
        await screen.asked()
        await screen.press("ctrl+end", key)
        await screen.until(lambda shown: screen.app._question.typing)
        await screen.press("ctrl+u", *typed)
        await screen.still()
        rows = screen.text.splitlines()
        assert len(rows) == size[1]
        assert "manual" in rows[-1]
        [at] = [at for at, row in enumerate(rows) if row.strip("│ ") == typed]
        assert rows[at + 1].startswith("╰")
        assert any(row.startswith("╭─") for row in rows[:at])


@pytest.mark.parametrize("rows", range(1, 20))
@pytest.mark.parametrize("width", [14, 34, 74])
@pytest.mark.parametrize("rule", [False, True])
def test_what_is_typed_never_takes_more_rows_than_there_are(rows: int, width: int, rule: bool) -> None:
    ask = command_ask(LONG)
    choice = Choice("always", Answer.always(), "a", entry="rule") if rule else NO
    edited = Editing(ask).rows(width, "mkdir") if rule else None
    laid = fit(
        ask, Mark(_menu(choice)), str, width=width, rows=rows, ready=False, typing=choice,
        keys="Enter keeps it · Up, Down: for how long · Esc goes back", edited=edited, opinion="a second model",
    )  # fmt: skip
    asked = laid.height + (not laid.close) if laid.asked else 0
    assert asked + len(laid.menu) + 1 <= rows
    assert all(len(line.text) <= width for line in laid.menu)
    if edited is not None and rows > len(edited.label) + 1:
        assert laid.menu[-len(edited.label) :] == edited.label


def _menu(choice: Choice) -> Menu:
    return Menu((choice,), 0)


async def test_end_shows_the_end_and_says_so_at_once() -> None:
    async with question_of() as (app, pilot):
        task = app.put(write_ask(DIFF))
        await until_ready(app, pilot)
        await pilot.press("end")
        await pilot.pause()
        assert "more rows" not in app.shown()
        await pilot.press("home")
        await pilot.pause()
        assert "more rows" in app.shown()
        await pilot.press("end")
        await pilot.pause()
        assert "more rows" not in app.shown()
        await pilot.press("y")
        assert await answer_of(task) == Answer.once()


async def test_end_alone_is_enough_for_a_yes() -> None:
    async with question_of() as (app, pilot):
        task = app.put(write_ask(DIFF))
        await until_ready(app, pilot)
        await pilot.press("end", "enter")
        assert await answer_of(task) == Answer.once()


async def test_the_wheel_tells_how_much_is_left_too() -> None:
    async with question_of() as (app, pilot):
        app.put(write_ask(DIFF))
        await until_ready(app, pilot)
        app.panel.query_one("#question-body").scroll_end(animate=False)
        await pilot.pause()
        await pilot.pause()
        assert "more rows" not in app.shown()


@pytest.mark.parametrize("width", [40, 80])
async def test_each_reason_stands_once_also_beside_what_is_scrolled(width: int) -> None:
    async with question_of(width=width) as (app, pilot):
        app.put(command_ask("echo " + "a" * 3_000))
        await until_ready(app, pilot)
        assert app.shown().count("npm is not on the list") == 1
        await pilot.press("end")
        await pilot.pause()
        assert app.shown().count("npm is not on the list") == 1


@pytest.mark.parametrize("size", [(20, 6), (40, 6), (20, 7)])
async def test_beside_a_question_in_a_very_low_screen_stand_an_answer_the_prompt_and_the_status_line(
    folder: Path, size: tuple[int, int]
) -> None:
    call = {"tool": "bash", "arguments": {"command": "mkdir d1"}}
    async with stage({"calls": [call]}, size=size, wait=False) as screen:
        await screen.until("manual")
        await screen.send("go")
        await screen.asked()
        await screen.still()
        rows = screen.text.splitlines()
        assert len(rows) == size[1] and "manual" in rows[-1], screen.text
        assert any("mkdir d1" in row for row in rows) and any("▸ 1" in row for row in rows), screen.text
        assert rows[-3].startswith("╰") and not rows[-2].strip(), screen.text
