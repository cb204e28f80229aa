"""Who has the keys, however late the messages of it are read."""

from __future__ import annotations

import asyncio

import pytest

from tests.frontends.tui.question.support import (
    QuestionApp,
    answer_of,
    choice_ask,
    command_ask,
    question_of,
    until_ready,
    until_shown,
)
from xun.frontends.tui.focus import give_keys, has_keys
from xun.frontends.tui.question.choices import Choice, Menu
from xun.frontends.tui.transcript.view import Transcript
from xun.policy.decision import Answer

pytestmark = pytest.mark.anyio


async def _command_then_list(app: QuestionApp) -> Answer:
    await app.panel.ask(command_ask())
    return await app.panel.ask(
        choice_ask(), Menu(tuple(Choice(name, Answer.pick(at)) for at, name in enumerate("ab")), 0, listing=True)
    )


async def test_a_list_that_comes_as_soon_as_a_question_is_answered_keeps_the_keys() -> None:
    async with question_of() as (app, pilot):
        task = asyncio.create_task(_command_then_list(app))
        await until_ready(app, pilot)
        await pilot.press("enter")
        await until_shown(app, pilot, lambda shown: "Tabs or [blanks]?" in shown)
        assert app.panel.ready
        await pilot.press("down", "enter")
        assert await answer_of(task) == Answer.pick(1)
        assert has_keys(app.prompt.area)


async def test_keys_that_are_given_back_and_taken_at_once_are_taken() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        app.prompt.take_keys()
        app.panel.take()
        await pilot.pause()
        assert app.panel.ready
        await pilot.press("enter")
        assert await answer_of(task) == Answer.once()


async def test_who_reads_keeps_the_keys_when_a_question_is_taken_back() -> None:
    async with question_of() as (app, pilot):
        await app.mount(transcript := Transcript())
        task = app.put(command_ask())
        await until_ready(app, pilot)
        give_keys(transcript)
        task.cancel()
        await until_shown(app, pilot, lambda shown: "npm test" not in shown)
        assert has_keys(transcript)


async def test_nobody_is_given_keys_while_the_screen_closes() -> None:
    async with question_of() as (app, _pilot):
        area = app.prompt.area
        await area.remove()
        app.prompt.take_keys()
        give_keys(area)
        app.screen.screen_layout_refresh_signal.publish(app.screen)
        assert not has_keys(area)
