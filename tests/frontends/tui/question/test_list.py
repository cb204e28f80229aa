"""A list to choose from: it takes the keys, and what is typed narrows it."""

from __future__ import annotations

import asyncio

import pytest

from tests.frontends.tui.question.support import QuestionApp, answer_of, choice_ask, question_of, until_shown
from xun.frontends.tui.question.choices import Choice, Menu
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
