"""What the panel shows of a question, and what must have been in view before a yes counts."""

from __future__ import annotations

import asyncio

import pytest

from tests.frontends.tui.question.support import (
    LONG,
    RULE,
    answer_of,
    choice_ask,
    command_ask,
    question_of,
    until_ready,
    until_shown,
    write_ask,
)
from xun.frontends.tui.question.choices import Choice, Menu, secret_menu
from xun.frontends.tui.question.held import HOLD
from xun.policy.decision import Answer, Assessment

pytestmark = pytest.mark.anyio


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


@pytest.mark.parametrize(("moves", "given"), [(0, Answer.no()), (1, Answer.session())])
async def test_a_late_no_of_the_risk_assessor_marks_the_no_unless_the_person_has_begun(
    moves: int, given: Answer
) -> None:
    said: list[Assessment | bool] = [True]
    async with question_of() as (app, pilot):
        app.panel._said = lambda ask: said[0]
        task = app.put(command_ask())
        await until_ready(app, pilot)
        assert "▸ 1 yes, once" in app.shown()
        await pilot.press(*["down"] * moves)
        said[0] = Assessment(verdict="reject", reason="it spreads")
        await until_shown(app, pilot, lambda shown: "the risk assessor advises no: it spreads" in shown)
        assert ("▸ 4 no, and say why" in app.shown()) == (moves == 0)
        await pilot.press("enter", *["enter"] * (moves == 0))
        assert await answer_of(task) == given


@pytest.mark.parametrize("late", [True, False])
async def test_its_no_stays_marked_after_a_look_and_after_a_list(late: bool) -> None:
    no = Assessment(verdict="reject", reason="it spreads")
    said: list[Assessment | bool] = [True if late else no]
    async with question_of() as (app, pilot):
        app.panel._said = lambda ask: said[0]
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("e", "e")
        said[0] = no
        await until_shown(app, pilot, lambda shown: "▸ 4 no, and say why" in shown)
        listing = asyncio.create_task(
            app.panel.ask(choice_ask(), Menu((Choice("tabs", Answer.pick(0)),), 0, listing=True))
        )
        await until_shown(app, pilot, lambda shown: "▸ 1 tabs" in shown)
        await pilot.press("escape")
        await listing
        await until_shown(app, pilot, lambda shown: "▸ 4 no, and say why" in shown)
        task.cancel()


async def test_the_risk_assessor_is_told_of_and_yields_to_whoever_has_begun_to_answer() -> None:
    said: list[Assessment | bool] = [True]
    begun: list[str] = []
    async with question_of() as (app, pilot):
        app.panel._said, app.panel._tell_begun = lambda ask: said[0], lambda ask: begun.append(ask.id)
        task = app.put(command_ask())
        await until_ready(app, pilot)
        assert "the risk assessor is judging this too, and may still allow it" in app.shown()
        assert begun == []
        await pilot.press("n")
        await pilot.pause()
        assert begun == ["ask-1"]
        assert "the answer is yours now" in app.shown()
        said[0] = Assessment(verdict="allow", reason="it only lists")
        await until_shown(app, pilot, lambda shown: "the risk assessor would allow it: it only lists" in shown)
        await pilot.press(*"no", "enter")
        assert await answer_of(task) == Answer.no("no")
        assert begun == ["ask-1"]
