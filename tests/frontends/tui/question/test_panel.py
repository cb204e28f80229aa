"""Asking on the screen: no key lost, none taken as an answer, the command whole."""

from __future__ import annotations

import asyncio

import pytest
from textual.events import Paste

from tests.frontends.tui.question.support import (
    RULE,
    answer_of,
    choice_ask,
    command_ask,
    question_of,
    until_ready,
    until_shown,
    write_ask,
)
from xun.frontends.tui.question.choices import secret_menu
from xun.frontends.tui.question.held import HOLD
from xun.frontends.tui.question.quiet import GRACE
from xun.policy.decision import Answer, Assessment

LONG = 30.0  # seconds
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


async def test_the_question_of_a_sub_agent_names_it() -> None:
    async with question_of() as (app, pilot):
        app.put(command_ask().model_copy(update={"agent": "xun/reviewer"}))
        await until_shown(app, pilot, lambda shown: "reviewer: Run this command?" in shown)


@pytest.mark.parametrize("how", ["end", "enter"])
async def test_that_one_long_question_was_read_says_nothing_of_the_next(how: str) -> None:
    async with question_of() as (app, pilot):
        asks = [command_ask("echo " + f"{place}" * 4_000, ask_id=f"ask-{place}") for place in range(2)]
        first, second = [app.put(ask) for ask in asks]
        await until_ready(app, pilot)
        while not app.panel._seen:
            await pilot.press(how)
            await pilot.pause()
        await pilot.press("y")
        assert await answer_of(first) == Answer.once()
        await until_ready(app, pilot)
        await until_shown(app, pilot, lambda shown: "a yes counts after it" in shown)
        await pilot.press("y")
        await pilot.pause(HOLD * 2)
        assert not second.done()


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


async def test_end_goes_to_the_end_of_what_is_asked_and_a_yes_counts_then() -> None:
    async with question_of() as (app, pilot):
        task = app.put(write_ask("".join(f"+line {number}\n" for number in range(200))))
        await until_ready(app, pilot)
        await until_shown(app, pilot, lambda shown: "Page Down, End show the rest" in shown)
        await pilot.press("end")
        await pilot.pause()
        assert "line 199" in app.shown()
        await pilot.press("home")
        await pilot.pause()
        assert "line 1 " in app.shown().replace("\n", " ")
        await pilot.press("y")
        assert await answer_of(task) == Answer.once()


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
        assert "more rows" in app.shown()
        await until_ready(app, pilot)
        await pilot.pause()
        shown = app.shown()
        assert "allow this time" in shown
        assert "line 199" not in shown
        assert "Page Down, End show the rest" in shown
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
        await pilot.pause()
        await pilot.press(*"sk-hidden")
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


@pytest.mark.parametrize("key", ["enter", "y", "1", "s", "a"])
async def test_a_yes_counts_only_once_all_of_it_was_in_view(key: str) -> None:
    command = "echo " + "a" * 3_000 + " && touch evil"
    async with question_of() as (app, pilot):
        task = app.put(command_ask(command))
        await until_ready(app, pilot)
        # The frame tells of what lies below once that is laid out.
        await until_shown(app, pilot, lambda now: "a yes counts after it" in now)
        shown = app.shown()
        assert "touch evil" not in shown
        assert "npm is not on the list" in shown
        seen = False
        for _ in range(20):
            await pilot.press(key)
            await pilot.pause(HOLD * 1.2)
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
        await pilot.pause(HOLD * 1.2)
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


async def test_e_shows_the_card_and_hides_it_again() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        assert "e explain" in app.shown()
        assert "decided by" not in app.shown()
        await pilot.press("e")
        await pilot.pause()
        assert "decided by: npm is not on the list" in app.shown()
        await until_shown(app, pilot, lambda shown: not app.panel._held.keys)
        await pilot.press("e")
        await until_shown(app, pilot, lambda shown: "decided by" not in shown)
        await until_shown(app, pilot, lambda shown: not app.panel._held.keys)
        await pilot.press("n", *"no", "enter")
        assert await answer_of(task) == Answer.no("no")


async def test_a_word_that_begins_with_e_goes_to_the_prompt_and_explains_nothing() -> None:
    async with question_of() as (app, pilot):
        app.put(command_ask())
        await until_ready(app, pilot)
        app.panel._held.seconds = LONG
        await pilot.press(*"echo")
        await pilot.pause()
        assert app.prompt.area.text == "echo"
        assert "decided by" not in app.shown()


async def test_the_second_model_is_told_of_and_yields_to_whoever_has_begun_to_answer() -> None:
    said: list[Assessment | bool] = [True]
    begun: list[str] = []
    async with question_of() as (app, pilot):
        app.panel._said, app.panel._tell_begun = lambda ask: said[0], lambda ask: begun.append(ask.id)
        task = app.put(command_ask())
        await until_ready(app, pilot)
        assert "a second model is judging this too, and may still allow it" in app.shown()
        assert begun == []
        await pilot.press("n")
        await pilot.pause()
        assert begun == ["ask-1"]
        assert "the answer is yours now" in app.shown()
        said[0] = Assessment(verdict="allow", reason="it only lists")
        await until_shown(app, pilot, lambda shown: "the second model would allow it: it only lists" in shown)
        await pilot.press(*"no", "enter")
        assert await answer_of(task) == Answer.no("no")
        assert begun == ["ask-1"]
