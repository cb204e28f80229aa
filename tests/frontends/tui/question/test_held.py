"""A key that is about to count, and one that came before the next question."""

from __future__ import annotations

import pytest

from tests.frontends.tui.question.support import (
    answer_of,
    command_ask,
    question_of,
    until_ready,
    until_shown,
    write_ask,
)
from xun.frontends.tui.question.held import HOLD
from xun.policy.decision import Answer

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("key", ["j", "k"])
async def test_enter_right_after_a_letter_that_answers_nothing_answers_nothing(key: str) -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press(key, "enter")
        await pilot.pause(HOLD * 1.5)
        assert not task.done()
        assert app.prompt.area.text == key and app.sent == []


async def test_a_key_that_does_something_else_takes_the_answer_back() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("s")
        app.panel.let_go()
        await pilot.pause(HOLD * 1.5)
        assert not task.done() and "▸ 1 yes, once" in app.shown()


@pytest.mark.parametrize("key", ["1", "enter"])
async def test_an_answer_before_the_next_question_takes_the_keys_is_neither_answer_nor_text(key: str) -> None:
    async with question_of() as (app, pilot):
        first, second = app.put(command_ask()), app.put(command_ask("npm run lint", ask_id="ask-9"))
        await until_ready(app, pilot)
        await pilot.press(key)
        assert await answer_of(first) == Answer.once()
        await pilot.press(key)
        told = "1" if key == "1" else "Enter"
        await until_shown(app, pilot, lambda shown: f"{told} was not taken" in shown)
        await pilot.pause(HOLD * 1.5)
        assert not second.done() and app.prompt.area.text == "" and app.sent == []
        await until_ready(app, pilot)
        await pilot.press("y")
        assert await answer_of(second) == Answer.once()


async def test_an_escape_before_the_next_question_takes_the_keys_neither_answers_nor_stops_anything() -> None:
    async with question_of() as (app, pilot):
        first, second = app.put(command_ask()), app.put(command_ask("npm run lint", ask_id="ask-9"))
        await until_ready(app, pilot)
        await pilot.press("escape", "escape")
        assert await answer_of(first) == Answer.no()
        await until_shown(app, pilot, lambda shown: "Esc was not taken" in shown)
        assert not second.done() and app.interrupts == 0
        await until_ready(app, pilot)
        await pilot.press("escape")
        assert await answer_of(second) == Answer.no()


@pytest.mark.parametrize(("keys", "text"), [("1", ""), ("y", ""), ("yarn", "yarn"), ("so", "so")])
async def test_what_is_typed_while_the_next_question_is_under_way_is_no_answer_and_a_key_that_would_be_one_no_text(
    keys: str, text: str
) -> None:
    async with question_of() as (app, pilot):
        first = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("escape")
        assert await answer_of(first) == Answer.no()
        await pilot.pause()
        await pilot.press(keys[0])
        second = app.put(command_ask("npm run lint", ask_id="ask-9"))
        await pilot.pause()
        await pilot.press(*keys[1:])
        await until_shown(app, pilot, lambda shown: (f"{keys} was not taken" in shown) or bool(text))
        await pilot.pause(HOLD * 1.5)
        assert app.prompt.area.text == text and not second.done() and app.sent == []
        if not text:
            await until_ready(app, pilot)
            await pilot.press("y")
            assert await answer_of(second) == Answer.once()


async def test_a_sentence_between_two_questions_is_whole() -> None:
    async with question_of() as (app, pilot):
        first, second = app.put(command_ask()), app.put(command_ask("npm run lint", ask_id="ask-9"))
        await until_ready(app, pilot)
        await pilot.press("1")
        await answer_of(first)
        await pilot.press(*"yarn")
        await pilot.pause(HOLD * 1.5)
        assert app.prompt.area.text == "yarn" and not second.done()


async def test_the_card_of_a_long_change_is_gone_to_and_counts_as_no_reading() -> None:
    async with question_of() as (app, pilot):
        task = app.put(write_ask("".join(f"+line {number}\n" for number in range(200))))
        await until_ready(app, pilot)
        await pilot.press("e")
        await until_shown(app, pilot, lambda shown: "decided by" in shown)
        await until_shown(app, pilot, lambda shown: not app.panel._held.keys)
        await pilot.press("y")
        await until_shown(app, pilot, lambda shown: "decided by" not in shown and "line 1 " in shown)
        await pilot.pause(HOLD * 1.5)
        assert not task.done()
        await pilot.press("end", "y")
        assert await answer_of(task) == Answer.once()


async def test_what_comes_right_behind_e_is_a_key_of_its_own() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("e", "down")
        await until_shown(app, pilot, lambda shown: "decided by" in shown and "▸ 2" in shown)
        await pilot.press("e", "e", "enter")
        await pilot.pause(HOLD * 1.5)
        assert not task.done() and app.prompt.area.text == "" and "decided by" in app.shown()
        await pilot.press("e", "2")
        assert await answer_of(task) == Answer.session()
        assert app.prompt.area.text == ""


async def test_a_sentence_that_begins_with_e_and_an_answer_is_whole_and_shows_no_card() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press(*"e2e tests")
        await pilot.pause(HOLD * 1.5)
        assert app.prompt.area.text == "e2e tests" and not task.done()
        assert "decided by" not in app.shown()
