"""Open questions when the rules change: what they settle by now asks no more."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.gate.standing import Standing
from xun.events import Answered, Decided
from xun.gate.gate import question
from xun.policy.action import Read, Run, Write
from xun.policy.decision import Answer, Mode

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
    standing.gate.set_mode("accept-edits")
    standing.gate.rules_changed()
    assert (await task).by == "grant"


async def test_plan_mode_refuses_what_waits(work: Path) -> None:
    standing = Standing(work, holds=True)
    task = asyncio.create_task(standing.check(run("make build", work)))
    await open_questions(standing, 1)
    standing.gate.set_mode("plan")
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
    standing.gate.set_mode("accept-edits")
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


def write(work: Path) -> Write:
    (work / "a.py").write_text("x")
    return Write(path=str(work / "a.py"), op="overwrite")


@pytest.mark.parametrize("way", [("accept-edits",), ("accept-edits", "plan", "auto", "manual", "accept-edits")])
async def test_a_mode_that_a_key_passes_says_yes_to_no_open_question(work: Path, way: tuple[Mode, ...]) -> None:
    standing = Standing(work, holds=True)
    task = asyncio.create_task(standing.check(write(work)))
    await open_questions(standing, 1)
    for mode in way:
        standing.gate.set_mode(mode, named=False)
    await asyncio.sleep(0.01)
    if "plan" in way:
        assert not (await task).allowed
    else:
        assert not task.done()
        standing.answer(Answer.no())
        assert (await task).by == "person"


async def test_nor_does_the_answer_to_another_question_in_that_mode(work: Path) -> None:
    standing = Standing(work, holds=True)
    writing = asyncio.create_task(standing.check(write(work), call="c1"))
    building = asyncio.create_task(standing.check(run("make build", work), call="c2"))
    await open_questions(standing, 2)
    standing.gate.set_mode("accept-edits", named=False)
    standing.answer(Answer.session(), [ask.call_id for ask in standing.questions].index("c2"))
    assert (await building).allowed
    await asyncio.sleep(0.01)
    assert not writing.done()
    standing.gate.set_mode("accept-edits")  # named, then
    assert (await writing).by == "grant"


async def test_a_denial_by_plan_mode_is_told_as_such(work: Path) -> None:
    standing = Standing(work, holds=True)
    task = asyncio.create_task(standing.check(Read(path=str(work / "b")), run("make build", work)))
    await open_questions(standing, 1)
    standing.gate.set_mode("plan", named=False)
    verdict = await task
    assert "plan mode changes nothing" in verdict.explain()
    assert "not on the allowlist" not in verdict.explain()
    (told,) = [event for event in standing.of(Decided) if isinstance(event.decision.action, Run)]
    assert (told.decision.effect, told.decision.rule, told.by, told.allowed) == ("deny", "mode plan", "rule", False)
    (answered,) = standing.of(Answered)
    assert "plan mode" in answered.answer.reason


async def test_auto_confirm_answers_what_is_open_where_it_says_yes(work: Path) -> None:
    standing = Standing(work, holds=True)
    soft = asyncio.create_task(standing.check(run("make build", work), call="c1"))
    hard = asyncio.create_task(standing.check(run("sudo make build", work), call="c2"))
    await open_questions(standing, 2)
    standing.gate.set_auto_confirm(on=True)
    verdict = await soft
    assert (verdict.allowed, verdict.by) == (True, "auto")
    assert standing.gate.allowlists.commands == []
    await asyncio.sleep(0.01)
    assert not hard.done()  # somebody is there: a no is theirs
    standing.answer(Answer.once(), [ask.call_id for ask in standing.questions].index("c2"))
    assert (await hard).by == "person"


async def test_auto_confirm_that_is_off_again_answers_nothing(work: Path) -> None:
    standing = Standing(work, holds=True)
    task = asyncio.create_task(standing.check(run("make build", work)))
    await open_questions(standing, 1)
    standing.gate.set_auto_confirm(on=True)
    standing.gate.set_auto_confirm(on=False)
    await asyncio.sleep(0.01)
    assert not task.done()
    standing.answer(Answer.no())
    assert not (await task).allowed


async def test_a_tools_own_question_is_auto_confirms_only_where_it_may(work: Path) -> None:
    standing = Standing(work, holds=True)
    asks = [question(f"q{number}", "test", "c1", "tool", "Go on?", choices=("yes", "no")) for number in range(2)]
    first, second = (
        asyncio.create_task(standing.gate.put(ask, standing.events.append, auto=ask.id == "q0")) for ask in asks
    )
    await open_questions(standing, 2)
    standing.gate.set_auto_confirm(on=True)
    assert (await first)[1] == "auto"
    await asyncio.sleep(0.01)
    assert not second.done()
    standing.answer(Answer.no(), [ask.id for ask in standing.questions].index("q1"))
    assert (await second)[1] == "person"
