"""Editing the rule of a lasting yes: nothing is kept by accident, and nothing that was not looked up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from textual.pilot import Pilot

from tests.frontends.tui.question.support import (
    QuestionApp,
    answer_of,
    command_ask,
    question_of,
    until_ready,
    until_shown,
)
from xun.commands.reach import Reach
from xun.frontends.tui.question.held import HOLD
from xun.policy.action import Run
from xun.policy.decision import Answer, Ask, Decision, Kept, Reason

pytestmark = pytest.mark.anyio


class Lookups:
    """What rules come to: given once `let` is set, which it is from the beginning. `covering` are those that cover."""

    def __init__(self, *covering: str, part: bool = False) -> None:
        self.let = asyncio.Event()
        self.let.set()
        self.covering, self.part = covering, part
        self.asked: list[tuple[str, list[str]]] = []

    async def __call__(self, ask: Ask, kept: Kept, others: Sequence[Kept]) -> Reach:
        self.asked.append((kept.pattern, [other.pattern for other in others]))
        await self.let.wait()
        known = kept.pattern in self.covering
        return Reach(covers=known and not self.part, part=known and self.part, permits=(f"{kept.pattern} --more",))


def of_two() -> Ask:
    decision = Decision(
        action=Run(command="npm test && make lint", cwd="/work"),
        effect="ask",
        reasons=(Reason(code="unlisted", text="npm is not on the list"),),
        grantable=("npm test", "make lint"),
    )
    return Ask(id="a", agent="xun", call_id="c", tool="bash", decisions=(decision,))


async def edited(app: QuestionApp, pilot: Pilot[None], ask: Ask, lookups: Lookups) -> asyncio.Task[Answer]:
    app.panel._editor._reach = lookups
    task = app.put(ask)
    await until_ready(app, pilot)
    app.panel.scroll_body(1000)
    await pilot.press("a")
    await until_shown(app, pilot, lambda shown: app.panel.typing)
    await pilot.pause(HOLD * 1.2)
    return task


async def test_what_is_typed_goes_on_with_the_rule_and_enter_refuses_one_that_does_not_cover_what_is_asked() -> None:
    async with question_of() as (app, pilot):
        task = await edited(app, pilot, command_ask(), Lookups("npm test"))
        await pilot.press(*" -- one", "enter")
        await until_shown(app, pilot, lambda shown: "not kept: it does not cover what is asked now" in shown)
        assert "Enter again keeps it" in app.shown()
        assert app.panel._line.value == "npm test -- one"
        await pilot.press("enter", "enter")  # the same key, still held
        await pilot.pause(HOLD * 1.2)
        assert not task.done()
        await pilot.press("enter")
        assert await answer_of(task) == Answer.keep(Kept(kind="command", pattern="npm test -- one", scope="user"))


async def test_a_refusal_is_for_that_text_alone() -> None:
    async with question_of() as (app, pilot):
        task = await edited(app, pilot, command_ask(), Lookups("npm test"))
        await pilot.press("ctrl+u", *"make", "enter")
        await until_shown(app, pilot, lambda shown: "not kept" in shown)
        await pilot.press("x")
        await pilot.pause(HOLD * 1.2)
        await pilot.press("enter")
        await until_shown(app, pilot, lambda shown: "not kept" in shown)
        assert not task.done()


async def test_an_emptied_rule_is_no_yes_however_often_enter_is_pressed() -> None:
    async with question_of() as (app, pilot):
        task = await edited(app, pilot, command_ask(), Lookups("npm test"))
        await pilot.press("ctrl+u")
        for _ in range(3):
            await pilot.press("enter")
            await pilot.pause(HOLD * 1.2)
            assert not task.done() and app.panel.typing
            assert "a rule cannot be empty: type what it allows, or Esc goes back" in app.shown()
        await pilot.press(*"npm test", "enter")
        assert await answer_of(task) == Answer.keep(Kept(kind="command", pattern="npm test", scope="user"))


async def test_one_of_several_rules_is_left_out_by_a_second_enter_alone() -> None:
    async with question_of() as (app, pilot):
        task = await edited(app, pilot, of_two(), Lookups("npm test", "make lint"))
        await pilot.press("enter")
        await until_shown(app, pilot, lambda shown: "2 of 2" in shown)
        await pilot.pause(HOLD * 1.2)
        await pilot.press("ctrl+u", "enter")
        await until_shown(app, pilot, lambda shown: "Enter again leaves this rule out" in shown)
        await pilot.press("enter")  # the same key, still held
        await pilot.pause(HOLD * 1.2)
        assert not task.done()
        await pilot.press("enter")
        assert await answer_of(task) == Answer.keep(Kept(kind="command", pattern="npm test", scope="user"))


async def test_enter_waits_for_what_the_rule_comes_to_and_counts_once() -> None:
    async with question_of() as (app, pilot):
        lookups = Lookups("npm test", "make lint", part=True)
        lookups.let.clear()
        task = await edited(app, pilot, of_two(), lookups)
        await pilot.press("enter", "enter", "enter")
        await pilot.pause()
        assert app.panel._line.value == "npm test"
        lookups.let.set()
        await until_shown(app, pilot, lambda shown: "2 of 2" in shown and app.panel._line.value == "make lint")
        await pilot.press("enter")
        await pilot.pause()
        assert app.panel._line.value == "make lint" and not task.done()
        await pilot.pause(HOLD * 1.2)
        await pilot.press("enter")
        answer = await answer_of(task)
        assert [kept.pattern for kept in answer.rules] == ["npm test", "make lint"]


async def test_an_enter_is_not_for_the_text_that_came_after_it() -> None:
    async with question_of() as (app, pilot):
        lookups = Lookups("npm test", "npm tests")
        lookups.let.clear()
        task = await edited(app, pilot, command_ask(), lookups)
        await pilot.press("end", "enter", "s")
        await pilot.pause()
        lookups.let.set()
        await until_shown(app, pilot, lambda shown: "npm tests --more" in shown)
        assert not task.done()


async def test_each_of_several_rules_is_judged_beside_the_others() -> None:
    async with question_of() as (app, pilot):
        lookups = Lookups("npm test", "make lint", part=True)
        await edited(app, pilot, of_two(), lookups)
        assert "covers its part of what is asked now" in app.shown()
        assert "does not cover" not in app.shown()
        await pilot.press("enter")
        await until_shown(app, pilot, lambda shown: "2 of 2" in shown and "make lint --more" in shown)
        assert "covers its part" in app.shown()
        assert ("npm test", ["make lint"]) in lookups.asked and ("make lint", ["npm test"]) in lookups.asked


@pytest.mark.parametrize("width", [40, 60, 80])
async def test_what_rule_it_is_stands_whole_above_the_line(width: int) -> None:
    async with question_of(width=width, height=16) as (app, pilot):
        await edited(app, pilot, command_ask(), Lookups("npm test"))
        rows = [row.strip("│ ") for row in app.shown().splitlines()]
        at = rows.index("npm test", rows.index(next(row for row in rows if row.startswith("allow command"))))
        start = next(at for at, row in enumerate(rows) if row.startswith("allow command"))
        assert " ".join(rows[start:at]) == "allow command for good, in every folder (your policy.toml)"
