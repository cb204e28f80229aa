"""Asking on the screen: no key lost, none taken as an answer, the command whole."""

from __future__ import annotations

import asyncio

import pytest
from textual.events import Paste

from tests.frontends.tui.question.support import (
    LONG,
    answer_of,
    command_ask,
    question_of,
    until_ready,
    until_shown,
    write_ask,
)
from xun.frontends.tui.question.held import HOLD
from xun.frontends.tui.question.quiet import GRACE
from xun.policy.decision import Answer

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("1", Answer.once()),
        ("y", Answer.once()),
        ("enter", Answer.once()),
        ("2", Answer.session()),
        ("s", Answer.session()),
        ("3", Answer.always()),
        ("a", Answer.always()),
        ("escape", Answer.no()),
    ],
)
async def test_digits_and_letters_answer(key: str, answer: Answer) -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press(key)
        assert await answer_of(task) == answer
        await pilot.pause()
        assert app.prompt.area.has_focus
        assert not app.panel.has_class("-asking")


@pytest.mark.parametrize(("typed", "reason"), [("use staging", "use staging"), ("", None)])
async def test_a_no_may_say_why(typed: str, reason: str | None) -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("n", *typed, "enter")
        assert await answer_of(task) == Answer.no(reason)


async def test_escape_in_the_reason_goes_back_without_an_answer() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("n", *"hm", "escape")
        await pilot.pause()
        assert not task.done()
        await pilot.press("y")
        assert await answer_of(task) == Answer.once()


async def test_arrows_move_and_enter_takes() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("down", "down", "up", "enter")
        assert await answer_of(task) == Answer.session()


async def test_enter_says_no_to_what_is_hard() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask(hard=True))
        await until_ready(app, pilot)
        await pilot.press("enter", "enter")
        assert await answer_of(task) == Answer.no()


async def test_always_for_a_write_is_behind_more() -> None:
    async with question_of() as (app, pilot):
        task = app.put(write_ask())
        await until_ready(app, pilot)
        await pilot.press("m")
        await pilot.pause(HOLD * 1.2)
        await pilot.press("a")
        assert await answer_of(task) == Answer.always()


async def test_what_is_typed_when_the_question_comes_stays_the_prompts() -> None:
    async with question_of() as (app, pilot):
        await pilot.press(*"fix the ")
        task = app.put(command_ask())
        await pilot.pause()
        await pilot.press(*"yes-man 1")
        await pilot.pause()
        assert app.prompt.area.text == "fix the yes-man 1"
        assert not task.done()


@pytest.mark.parametrize("key", ["1", "3", "y", "a"])
async def test_with_something_half_typed_nothing_answers_until_tab(key: str) -> None:
    async with question_of() as (app, pilot):
        await pilot.press(*"port ")
        task = app.put(command_ask())
        await pilot.pause(GRACE * 3)
        assert "Tab answers · until then keys go to the prompt" in app.shown()
        await pilot.press(key)
        await pilot.pause(HOLD * 2)
        assert app.prompt.area.text == f"port {key}"
        assert not task.done()
        await pilot.press("tab")
        await until_ready(app, pilot)
        await pilot.press(key)
        assert (await answer_of(task)).yes
        assert app.prompt.area.text == f"port {key}"


@pytest.mark.parametrize(
    "text", ["also use uv", "3000 is the port", "yes please", "aardvark", "just", "make it", "1\n2"]
)
async def test_a_sentence_that_begins_like_an_answer_is_none(text: str) -> None:
    async with question_of() as (app, pilot):
        task = app.put(write_ask() if text[0] == "m" else command_ask())
        await until_ready(app, pilot)
        await pilot.press(*("enter" if char == "\n" else char for char in text))
        await pilot.pause(HOLD * 2)
        assert app.prompt.area.text == text
        assert not task.done()
        assert "▸ 2 allow this time" in app.shown() or "▸ 1 yes, once" in app.shown()


async def test_an_answer_that_is_about_to_count_is_shown_and_can_be_taken_back() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        app.panel._held.seconds = LONG  # it is looked at meanwhile
        await pilot.press("a")
        await until_shown(app, pilot, lambda shown: "▸ 3 always" in shown)
        assert "counts in a moment · any key takes it back" in app.shown()
        app.panel._held.seconds = HOLD
        await pilot.press("backspace")
        await pilot.pause(HOLD * 2)
        assert not task.done()
        assert app.prompt.area.text == ""
        assert "▸ 1 yes, once" in app.shown()


async def test_a_key_that_is_held_down_answers_nothing_that_it_has_only_just_shown() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask("echo " + "a" * 3_000))
        await until_ready(app, pilot)
        app.panel._held.seconds = LONG  # on a slow machine too, each of them follows at once
        for _ in range(11):
            await pilot.press("a")
        app.panel._held.seconds = HOLD
        await pilot.press("a")
        await pilot.pause(HOLD * 2)
        assert not task.done()
        await pilot.press("a")
        assert await answer_of(task) == Answer.always()


@pytest.mark.parametrize(
    "key", ["backspace", "left", "ctrl+w", "ctrl+u", "ctrl+j", "ctrl+r", "ctrl+underscore", "alt+enter"]
)
async def test_keys_that_edit_are_the_prompts_also_while_a_question_has_the_keys(key: str) -> None:
    seen = []
    for asked in (False, True):
        async with question_of() as (app, pilot):
            await pilot.press(*"fix teh bug")
            if asked:
                app.put(command_ask())
                await pilot.pause()
                await pilot.press("tab")
                await until_ready(app, pilot)
            await pilot.press(key, "x")
            await pilot.pause()
            seen.append((app.prompt.area.text, app.prompt.engaged))
            assert app.panel.asking is not None or not asked
    assert seen[0] == seen[1]


async def test_a_paste_is_the_prompts_and_no_answer() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        app.post_message(Paste("y\n1"))
        await pilot.pause(HOLD * 2)
        assert app.prompt.area.text == "y\n1"
        assert not task.done()


async def test_tab_goes_to_the_answers_and_back() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        for _ in range(3):
            await pilot.press("tab")
            await until_ready(app, pilot)
            assert "a number or letter answers" in app.shown()
            await pilot.press("tab")
            await pilot.pause()
            assert not app.panel.ready
            assert app.prompt.area.has_focus
            assert "Tab answers" in app.shown()
        await until_ready(app, pilot)  # by itself, after a while
        await pilot.press("y")
        assert await answer_of(task) == Answer.once()


async def test_a_click_on_the_question_gives_it_the_keys() -> None:
    async with question_of() as (app, pilot):
        await pilot.press(*"draft")
        task = app.put(command_ask())
        await pilot.pause()
        await pilot.click("#question-menu")
        await until_ready(app, pilot)
        await pilot.press("y")
        assert await answer_of(task) == Answer.once()


async def test_a_click_on_an_answer_marks_it_and_enter_gives_it() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await pilot.pause()
        row = next(at for at, text in enumerate(app.shown().splitlines()) if "no, and say why" in text)
        await pilot.click(offset=(8, row))
        await until_ready(app, pilot)
        assert "▸" in app.shown().splitlines()[row]
        await pilot.press("enter", *"later", "enter")
        assert await answer_of(task) == Answer.no("later")


async def test_a_reason_takes_all_lines_of_a_paste_and_outlives_a_look_at_the_answers() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("n")
        app.post_message(Paste("use uv\nnot pip\r\nplease"))
        await pilot.pause()
        await pilot.press("tab")
        await pilot.pause()
        assert not app.panel.typing
        await pilot.press("n", "!", "enter")
        answer = await answer_of(task)
        assert (answer.kind, answer.reason) == ("no", "use uv not pip please!")


async def test_the_rest_of_a_reason_is_the_prompts_when_the_question_is_taken_back() -> None:
    async with question_of() as (app, pilot):
        first, second = app.put(command_ask()), app.put(command_ask("npm run lint", ask_id="ask-9"))
        await until_ready(app, pilot)
        await pilot.press("n", *"use ")
        first.cancel()
        await pilot.pause()
        await pilot.press(*"yarn")
        await pilot.pause(HOLD * 2)
        assert app.prompt.area.text == "yarn"
        assert not second.done()


async def test_enter_while_the_question_waits_sends_the_prompt() -> None:
    async with question_of() as (app, pilot):
        await pilot.press(*"also this")
        task = app.put(command_ask())
        await pilot.pause(0.05)
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == ["also this"]
        assert not task.done()


async def test_a_key_that_is_no_answer_goes_to_the_prompt() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("w")
        await pilot.pause()
        assert app.prompt.area.text == "w"
        assert not task.done()


async def test_several_wait_their_turn_and_one_key_answers_one() -> None:
    async with question_of() as (app, pilot):
        first, second = app.put(command_ask()), app.put(command_ask("npm run lint", ask_id="ask-9"))
        await until_ready(app, pilot)
        assert "1 of 2" in app.shown()
        await pilot.press("enter", "y")
        assert await answer_of(first) == Answer.once()
        await pilot.pause()
        assert not second.done()
        assert "npm run lint" in app.shown()
        assert "2 of 2" in app.shown()


async def test_a_question_taken_back_is_gone_and_the_next_one_comes() -> None:
    async with question_of() as (app, pilot):
        first, second = app.put(command_ask()), app.put(command_ask("npm run lint", ask_id="ask-9"))
        await pilot.pause()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await until_ready(app, pilot)
        assert "npm run lint" in app.shown()
        await pilot.press("y")
        assert await answer_of(second) == Answer.once()


async def test_a_search_that_goes_on_keeps_the_keys() -> None:
    async with question_of() as (app, pilot):
        app.prompt.history.add("my old prompt")
        await pilot.press("ctrl+r")
        task = app.put(command_ask())
        await pilot.pause(GRACE * 3)
        await pilot.press("y", "1")
        await pilot.pause()
        assert not app.panel.ready
        assert not task.done()
        assert "search: y1" in app.shown()
        await pilot.press("escape")
        await until_ready(app, pilot)
        await pilot.press("y")
        assert await answer_of(task) == Answer.once()
