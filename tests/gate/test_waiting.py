"""Open questions when the rules change: what they settle by now asks no more."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.gate.standing import Standing
from xun.events import Answered, Decided
from xun.policy.action import Run, Write
from xun.policy.decision import Answer

pytestmark = pytest.mark.anyio


def run(command: str, work: Path) -> Run:
    return Run(command=command, cwd=str(work))


async def open_questions(standing: Standing, count: int) -> None:
    while len(standing.questions) < count:
        standing.shown.clear()
        await standing.shown.wait()


async def test_a_yes_for_the_session_answers_the_same_question_of_another_call(work: Path) -> None:
    standing = Standing(work, holds=True)
    first = asyncio.create_task(standing.check(run("make build", work), call="c1"))
    second = asyncio.create_task(standing.check(run("make build", work), call="c2"))
    other = asyncio.create_task(standing.check(run("make install", work), call="c3"))
    await open_questions(standing, 3)
    place = [ask.call_id for ask in standing.questions].index("c1")
    standing.answer(Answer.session(), place)
    assert (await first).by == "person"
    verdict = await second
    assert verdict.allowed
    assert verdict.by == "grant"
    assert not other.done()
    assert [event.by for event in standing.of(Answered)] == ["person", "grant"]
    other.cancel()


async def test_a_list_that_grows_answers_what_it_covers(work: Path) -> None:
    standing = Standing(work, holds=True)
    task = asyncio.create_task(standing.check(run("make build", work)))
    await open_questions(standing, 1)
    standing.gate.allowlists.add_command("make install")
    standing.gate.rules_changed()
    await asyncio.sleep(0.01)
    assert not task.done()
    standing.gate.allowlists.add_command("make build")
    standing.gate.rules_changed()
    assert (await task).allowed


async def test_a_mode_that_accepts_edits_answers_the_write_that_waits(work: Path) -> None:
    (work / "a.py").write_text("x")
    standing = Standing(work, holds=True)
    task = asyncio.create_task(standing.check(Write(path=str(work / "a.py"), op="overwrite")))
    await open_questions(standing, 1)
    standing.gate.mode = "accept-edits"
    standing.gate.rules_changed()
    assert (await task).by == "grant"


async def test_plan_mode_refuses_what_waits(work: Path) -> None:
    standing = Standing(work, holds=True)
    task = asyncio.create_task(standing.check(run("make build", work)))
    await open_questions(standing, 1)
    standing.gate.mode = "plan"
    standing.gate.rules_changed()
    verdict = await task
    assert not verdict.allowed
    assert [event.by for event in standing.of(Answered)] == ["rule"]
    assert [event.allowed for event in standing.of(Decided)] == [False]


async def test_a_hard_question_stays_the_persons(work: Path) -> None:
    standing = Standing(work, holds=True)
    task = asyncio.create_task(standing.check(run("sudo make build", work)))
    await open_questions(standing, 1)
    standing.gate.allowlists.add_command("make build")
    standing.gate.mode = "accept-edits"
    standing.gate.rules_changed()
    await asyncio.sleep(0.01)
    assert not task.done()
    standing.answer(Answer.no())
    assert (await task).by == "person"


async def test_it_may_be_told_from_another_thread(work: Path) -> None:
    standing = Standing(work, holds=True)
    task = asyncio.create_task(standing.check(run("make build", work)))
    await open_questions(standing, 1)
    standing.gate.allowlists.add_command("make build")
    await asyncio.to_thread(standing.gate.rules_changed)
    assert (await task).allowed
