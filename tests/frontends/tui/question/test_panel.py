"""Asking on the screen: no key lost, none taken as an answer, the command whole."""

from __future__ import annotations

import asyncio

import pytest

from tests.frontends.tui.question.support import (
    RULE,
    answer_of,
    choice_ask,
    command_ask,
    question_of,
    until_ready,
    write_ask,
)
from xun.frontends.tui.question.choices import secret_menu
from xun.frontends.tui.question.quiet import GRACE, GRACE_WITH_DRAFT
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
        await pilot.press("m", "a")
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


async def test_with_something_half_typed_letters_go_on_with_it_and_enter_answers_nothing() -> None:
    async with question_of() as (app, pilot):
        await pilot.press(*"fix")
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert not task.done()
        await pilot.press("y")
        await pilot.pause()
        assert app.prompt.area.text == "fixy"
        assert not task.done()
        await until_ready(app, pilot)
        await pilot.press("1")
        assert await answer_of(task) == Answer.once()
        assert app.prompt.area.text == "fixy"


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
        await pilot.press("y", "y")
        assert await answer_of(first) == Answer.once()
        await pilot.pause()
        assert not second.done()
        assert "npm run lint" in app.shown()


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


@pytest.mark.bug("tui-markup-in-any-text")
async def test_the_command_is_shown_whole_and_never_obeyed() -> None:
    command = "echo '[/]' '[red]x' \u202e \x1b[2J && " + " ".join(f"word{number}" for number in range(60))
    async with question_of(height=30) as (app, pilot):
        app.put(command_ask(command))
        await pilot.pause()
        shown = app.shown()
        assert "[/]" in shown
        assert "[red]x" in shown
        assert "\\u202e" in shown
        assert "␛[2J" in shown
        assert all(f"word{number}" in shown for number in range(60))
        assert "npm is not on the list" in shown
        assert RULE in shown


async def test_what_is_too_long_scrolls_and_leaves_the_answers_on_the_screen() -> None:
    async with question_of(height=24) as (app, pilot):
        app.put(write_ask("".join(f"+line {number}\n" for number in range(200))))
        await pilot.pause()
        shown = app.shown()
        assert "allow this time" in shown
        assert "line 199" not in shown
        assert "Page Down shows the rest" in shown
        app.panel.scroll_body(1000)
        await pilot.pause()
        assert "line 199" in app.shown()


async def test_a_tools_question_takes_own_words() -> None:
    async with question_of() as (app, pilot):
        task = app.put(choice_ask(allow_extra=True))
        await until_ready(app, pilot)
        assert "Tabs or [blanks]?" in app.shown()
        await pilot.press("3", *"both", "enter")
        assert await answer_of(task) == Answer.say("both")


async def test_a_secret_is_never_shown() -> None:
    async with question_of() as (app, pilot):
        task = asyncio.create_task(app.panel.ask(choice_ask(), secret_menu("type the key")))
        await until_ready(app, pilot)
        await pilot.press("1", *"sk-hidden")
        await pilot.pause()
        assert "hidden" not in app.shown()
        await pilot.press("enter")
        assert await answer_of(task) == Answer.say("sk-hidden")
    async with question_of() as (app, pilot):
        task = app.put(choice_ask(allow_extra=True))
        await until_ready(app, pilot)
        await pilot.press("3", *"own words")
        await pilot.pause()
        assert "own words" in app.shown()
        task.cancel()


async def test_a_search_that_goes_on_keeps_the_keys() -> None:
    async with question_of() as (app, pilot):
        app.prompt.history.add("my old prompt")
        await pilot.press("ctrl+r")
        task = app.put(command_ask())
        await pilot.pause(GRACE_WITH_DRAFT + GRACE)
        await pilot.press("y", "1")
        await pilot.pause()
        assert not app.panel.ready
        assert not task.done()
        assert "search: y1" in app.shown()
        await pilot.press("escape")
        await until_ready(app, pilot)
        await pilot.press("y")
        assert await answer_of(task) == Answer.once()


@pytest.mark.parametrize("key", ["enter", "y", "1", "s", "a"])
async def test_a_yes_counts_only_once_all_of_it_was_in_view(key: str) -> None:
    command = "echo " + "a" * 3_000 + " && touch evil"
    async with question_of() as (app, pilot):
        task = app.put(command_ask(command))
        await until_ready(app, pilot)
        shown = app.shown()
        assert "touch evil" not in shown
        assert "a yes counts after it" in shown
        assert "npm is not on the list" in shown
        seen = False
        for _ in range(20):
            await pilot.press(key)
            await pilot.pause()
            if task.done():
                break
            seen = seen or "touch evil" in app.shown()
        assert seen
        assert (await answer_of(task)).yes


async def test_a_number_that_only_shows_the_next_page_marks_nothing_for_enter() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask("echo " + "a" * 3_000, hard=True))
        await until_ready(app, pilot)
        await pilot.press("1")
        await pilot.pause()
        assert not task.done()
        await pilot.press("enter", "enter")
        assert await answer_of(task) == Answer.no()


async def test_a_no_needs_no_reading() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask("echo " + "a" * 3_000))
        await until_ready(app, pilot)
        await pilot.press("escape")
        assert await answer_of(task) == Answer.no()


async def test_of_many_answers_a_number_of_two_digits_can_be_typed() -> None:
    async with question_of(height=40) as (app, pilot):
        many = choice_ask().model_copy(update={"choices": tuple(f"choice {number}" for number in range(1, 18))})
        task = app.put(many)
        await until_ready(app, pilot)
        await pilot.press("1", "2")
        assert await answer_of(task) == Answer.pick(11)
        task = app.put(many)
        await until_ready(app, pilot)
        await pilot.press("1", "enter")
        assert await answer_of(task) == Answer.pick(0)
        task = app.put(many)
        await until_ready(app, pilot)
        await pilot.press("9")
        assert await answer_of(task) == Answer.pick(8)
