"""A list to choose from: it takes the keys, and what is typed narrows it."""

from __future__ import annotations

import asyncio

import pytest
from textual.events import Paste

from tests.frontends.tui.question.support import (
    QuestionApp,
    answer_of,
    choice_ask,
    command_ask,
    question_of,
    until_ready,
    until_shown,
)
from xun.frontends.tui.question.choices import Choice, Menu
from xun.frontends.tui.question.own import choice
from xun.policy.decision import Answer

pytestmark = pytest.mark.anyio
NAMES = ("gpt-5.4", "gpt-5.4-mini", "claude", "Other Mini")


def listed(app: QuestionApp) -> asyncio.Task[Answer]:
    choices = tuple(Choice(name, Answer.pick(at), keeps=f"folder {at}") for at, name in enumerate(NAMES))
    return asyncio.create_task(app.panel.ask(choice_ask(), Menu(choices, 0, listing=True)))


async def test_it_takes_the_keys_beside_a_draft_and_what_is_typed_narrows_it() -> None:
    async with question_of() as (app, pilot):
        app.prompt.area.put("a draft")
        task = listed(app)
        await until_shown(app, pilot, lambda shown: app.panel.ready)
        await pilot.press(*"mini")
        await until_shown(app, pilot, lambda shown: "claude" not in shown)
        assert "gpt-5.4-mini" in app.shown() and "Other Mini" in app.shown()
        assert "only with “mini”" in app.shown() and app.prompt.area.text == "a draft"
        await pilot.press("down", "enter")
        assert await answer_of(task) == Answer.pick(3)


async def test_escape_shows_all_again_and_then_leaves_and_nothing_found_chooses_nothing() -> None:
    async with question_of() as (app, pilot):
        task = listed(app)
        await until_shown(app, pilot, lambda shown: app.panel.ready)
        await pilot.press(*"folder 9", "enter")
        await until_shown(app, pilot, lambda shown: "nothing with “folder 9”" in shown)
        assert not task.done()
        await pilot.press("backspace", "2")
        await until_shown(app, pilot, lambda shown: "only with “folder 2”" in shown and "gpt" not in shown)
        await pilot.press("escape")
        await until_shown(app, pilot, lambda shown: "gpt-5.4" in shown and "only with" not in shown)
        assert not task.done()
        await pilot.press("escape")
        assert await answer_of(task) == Answer.no()


async def test_a_number_chooses_and_one_that_begins_a_name_narrows() -> None:
    async with question_of() as (app, pilot):
        task = listed(app)
        await until_shown(app, pilot, lambda shown: app.panel.ready)
        await pilot.press("4", "-")
        await until_shown(app, pilot, lambda shown: "only with “4-”" in shown and "claude" not in shown)
        await pilot.press("escape", "3")
        assert await answer_of(task) == Answer.pick(2)


async def test_what_is_pasted_narrows_it_too() -> None:
    async with question_of() as (app, pilot):
        task = listed(app)
        await until_shown(app, pilot, lambda shown: app.panel.ready)
        app.panel.post_message(Paste("other\n mini "))
        await until_shown(app, pilot, lambda shown: "only with “other mini”" in shown and "claude" not in shown)
        await pilot.press("enter")
        assert await answer_of(task) == Answer.pick(3) and app.prompt.area.text == ""


async def test_it_says_that_a_question_waits_behind_it_and_is_left_also_without_the_keys() -> None:
    async with question_of() as (app, pilot):
        task = listed(app)
        await until_shown(app, pilot, lambda shown: app.panel.ready and "waits behind" not in shown)
        question = app.put(command_ask())
        await until_shown(app, pilot, lambda shown: "· a question waits behind it" in shown)
        app.prompt.take_keys()
        assert app.panel.leave_list() and await answer_of(task) == Answer.no()
        await until_shown(app, pilot, lambda shown: "npm test" in shown and "waits behind" not in shown)
        assert not app.panel.leave_list() and not question.done()


def pick_from(app: QuestionApp) -> asyncio.Task[Answer]:
    ask = choice("pick", "Which?", NAMES, title="Which?")
    choices = tuple(Choice(name, Answer.pick(at), keeps=f"folder {at}") for at, name in enumerate(NAMES))
    return asyncio.create_task(app.panel.ask(ask, Menu(choices, 0, listing=True)))


@pytest.mark.parametrize("to_the_end", [False, True])
async def test_a_list_after_a_long_question_has_nothing_to_scroll_and_answers_at_once(to_the_end: bool) -> None:
    async with question_of() as (app, pilot):
        long = app.put(command_ask("\n".join(f"echo {number}" for number in range(60))))
        await until_ready(app, pilot)
        await until_shown(app, pilot, lambda shown: "more rows" in shown)
        if to_the_end:
            await pilot.press("end")
            await until_shown(app, pilot, lambda shown: "more rows" not in shown)
            await pilot.press("home")
        await pilot.press("escape")
        assert await answer_of(long) == Answer.no()
        task = pick_from(app)
        await until_shown(app, pilot, lambda shown: app.panel.ready and "claude" in shown)
        await pilot.pause()
        assert "more row" not in app.shown()
        await pilot.press("down", "enter")
        assert await answer_of(task) == Answer.pick(1)


async def test_what_had_no_room_beside_a_reason_was_not_seen() -> None:
    async with question_of(40, 24) as (app, pilot):
        task = app.put(command_ask("\n".join(f"echo {number}" for number in range(60))))
        await until_ready(app, pilot)
        await pilot.press("n")
        await pilot.resize_terminal(40, 6)
        await until_shown(app, pilot, lambda shown: app.panel.typing and "more rows" in shown)
        await pilot.pause()
        await pilot.press("escape")
        await pilot.resize_terminal(40, 24)
        await until_shown(app, pilot, lambda shown: app.panel.ready and "echo 0" in shown)
        await pilot.press("enter")
        await pilot.pause()
        assert not task.done()


async def test_no_number_is_shown_or_promised_where_none_chooses() -> None:
    async with question_of() as (app, pilot):
        task = pick_from(app)
        await until_shown(app, pilot, lambda shown: app.panel.ready and "▸ 1 gpt" in shown)
        assert "a number answers" in app.shown()
        await pilot.press(*"mini")
        await until_shown(app, pilot, lambda shown: "▸ gpt-5.4-mini" in shown)
        assert "a number answers" not in app.shown() and "Esc shows all" in app.shown()
        await pilot.press("x")
        await until_shown(app, pilot, lambda shown: "nothing has that" in shown)
        assert "▸" not in app.shown() and "gpt" not in app.shown()
        await pilot.press("backspace", "escape")
        await until_shown(app, pilot, lambda shown: "▸ 1 gpt" in shown)
        await pilot.press("2")
        assert await answer_of(task) == Answer.pick(1)


async def test_lists_are_not_counted_among_questions() -> None:
    async with question_of() as (app, pilot):
        first = app.put(command_ask())
        await until_ready(app, pilot)
        second = app.put(command_ask("npm run lint", ask_id="ask-9"))
        await until_shown(app, pilot, lambda shown: "Run this command? · 1 of 2" in shown)
        listing = pick_from(app)
        await until_shown(app, pilot, lambda shown: "Which? · a question waits" in shown and "claude" in shown)
        await pilot.press("escape")
        await answer_of(listing)
        await until_shown(app, pilot, lambda shown: "Run this command? · 1 of 2" in shown)
        await until_ready(app, pilot)
        await pilot.press("escape")
        assert await answer_of(first) == Answer.no()
        await until_shown(app, pilot, lambda shown: "Run this command? · 2 of 2" in shown)
        second.cancel()


async def test_one_that_is_asked_for_comes_before_a_question_that_is_open_and_its_number_answers_nothing_else() -> None:
    async with question_of() as (app, pilot):
        command = app.put(command_ask())
        await until_ready(app, pilot)
        app.prompt.take_keys()
        task = pick_from(app)
        await until_shown(app, pilot, lambda shown: "Which?" in shown and "of 2" not in shown)
        assert app.panel.ready and "npm test" not in app.shown()
        await pilot.press("2")
        assert await answer_of(task) == Answer.pick(1)
        await until_shown(app, pilot, lambda shown: "npm test" in shown)
        assert not app.panel.ready and not command.done(), "what comes back waits for a moment of quiet"
        await pilot.press("1")  # pressed once too often
        await until_ready(app, pilot)
        assert not command.done()
        await pilot.press("down", "up", "enter")
        assert await answer_of(command) == Answer.once()


async def test_the_reason_that_is_being_typed_is_there_again_after_a_list_that_was_asked_for() -> None:
    async with question_of() as (app, pilot):
        command = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("n")
        await until_shown(app, pilot, lambda shown: app.panel.typing)
        await pilot.press(*"use uv")
        task = pick_from(app)
        await until_shown(app, pilot, lambda shown: "Which?" in shown and "use uv" not in shown)
        await pilot.press("escape")
        assert await answer_of(task) == Answer.no()
        await until_ready(app, pilot)
        await pilot.press("n")
        await until_shown(app, pilot, lambda shown: "use uv" in shown)
        await pilot.press("enter")
        assert await answer_of(command) == Answer.no("use uv")


async def test_another_one_takes_the_place_of_the_one_that_is_open() -> None:
    async with question_of() as (app, pilot):
        first = pick_from(app)
        await until_shown(app, pilot, lambda shown: app.panel.ready)
        second = listed(app)
        assert await answer_of(first) == Answer.no()
        await until_shown(app, pilot, lambda shown: "Tabs or [blanks]?" in shown and app.panel.ready)
        await pilot.press("3")
        assert await answer_of(second) == Answer.pick(2)
        assert app.panel.asking is None


async def test_where_what_is_asked_about_is_numbered_a_digit_begins_the_line_and_answers_nothing() -> None:
    some = Choice("only some", Answer.say(""), "s", entry="words")
    menu = Menu((Choice("all", Answer.pick(0), "a"), some), 0, numbered=False, digits=1)
    async with question_of() as (app, pilot):
        task = asyncio.create_task(app.panel.ask(choice_ask(), menu))
        await until_shown(app, pilot, lambda shown: "a letter answers" in shown and app.panel.ready)
        assert "1 all" not in app.shown()
        await pilot.press("1")
        await until_shown(app, pilot, lambda shown: "Enter sends it" in shown)
        await pilot.press("space", "3", "enter")
        assert await answer_of(task) == Answer.say("1 3")


async def test_no_number_of_what_was_not_in_view_is_taken() -> None:
    some = Choice("only some", Answer.say(""), "s", entry="words")
    menu = Menu((Choice("all", Answer.pick(0), "a"), some), 0, numbered=False, digits=1)
    ask = choice_ask().model_copy(update={"question": "\n".join(f"{number} make {number}" for number in range(1, 60))})
    async with question_of() as (app, pilot):
        task = asyncio.create_task(app.panel.ask(ask, menu))
        await until_shown(app, pilot, lambda shown: "a letter answers" in shown and app.panel.ready)
        for _ in range(3):
            assert "Enter sends it" not in app.shown()
            await pilot.press("7")
            await pilot.pause()
            if "59 make 59" in app.shown():
                break
        for _ in range(5):
            if "Enter sends it" in app.shown():
                break
            await pilot.press("7")
            await pilot.pause()
        await pilot.press("escape", "8", "enter")
        assert await answer_of(task) == Answer.say("8"), "a digit begins the line anew"
