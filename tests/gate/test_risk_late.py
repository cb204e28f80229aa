"""The assessor and the person at once: who is first settles it, and nothing is left running."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.gate.assessing import ALLOW, REJECT, UNSURE, Fake, nothing_left, run, until
from tests.gate.standing import Standing
from xun.events import Answered, Asked, Decided
from xun.policy.decision import Answer, Ask

pytestmark = pytest.mark.anyio


async def test_a_late_yes_withdraws_the_question(work: Path) -> None:
    fake = Fake(held=True)
    stand = Standing(work, assessor=fake, patience=0.0, holds=True)
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await stand.shown.wait()
    fake.release.set()
    verdict = await checking
    assert verdict.allowed and verdict.by == "risk"
    assert stand.withdrawn == 1
    assert [(event.by, event.answer.kind) for event in stand.of(Answered)] == [("risk", "once")]
    assert [event.type for event in stand.events] == ["asked", "answered", "decided"]
    await nothing_left()


@pytest.mark.parametrize("says", [UNSURE, REJECT, RuntimeError("broken")])
async def test_a_late_word_that_is_no_yes_leaves_the_question(says: Any, work: Path) -> None:
    fake = Fake(says, held=True)
    stand = Standing(work, assessor=fake, patience=0.0, holds=True)
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await stand.shown.wait()
    fake.release.set()
    await until(lambda: fake.ended)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not checking.done() and stand.withdrawn == 0
    stand.say(Answer.once())
    verdict = await checking
    assert verdict.by == "person" and verdict.allowed
    assert verdict.assessment is not None and verdict.assessment.verdict in ("unsure", "reject")


@pytest.mark.parametrize("answer", [Answer.once(), Answer.no("use make")])
async def test_the_person_who_is_first_ends_the_assessment(answer: Answer, work: Path) -> None:
    fake = Fake(held=True)
    stand = Standing(work, assessor=fake, patience=0.0, holds=True)
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await stand.shown.wait()
    await fake.started.wait()
    stand.say(answer)
    verdict = await checking
    assert (verdict.allowed, verdict.by, verdict.assessment) == (answer.yes, "person", None)
    assert fake.cancelled == 1
    await nothing_left()


@pytest.mark.parametrize("patience", [0.0, 3600.0])
async def test_a_yes_from_before_a_stricter_mode_does_not_count(patience: float, work: Path) -> None:
    fake = Fake(held=True)
    stand = Standing(work, assessor=fake, patience=patience, mode="auto", holds=True)
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await fake.started.wait()
    stand.gate.mode = "plan"
    fake.release.set()
    await stand.shown.wait()
    stand.say(Answer.no())
    assert not (await checking).allowed


async def test_once_the_person_has_begun_to_answer_its_yes_is_only_a_word(work: Path) -> None:
    fake = Fake(held=True)
    stand = Standing(work, assessor=fake, patience=0.0, holds=True)
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await stand.shown.wait()
    questions, [ask] = stand.gate.questions, stand.questions
    assert questions.opinion(ask.id) is True
    questions.hold(ask.id)
    fake.release.set()
    await until(lambda: questions.opinion(ask.id) == ALLOW)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not checking.done()
    stand.say(Answer.no("not this"))
    verdict = await checking
    assert (verdict.allowed, verdict.by, verdict.reason) == (False, "person", "not this")
    assert questions.opinion(ask.id) is False


@pytest.mark.parametrize(("says", "by"), [(ALLOW, "risk"), (UNSURE, "auto"), (REJECT, "person")])
async def test_auto_confirm_waits_for_its_word_on_an_open_question(says: Any, by: str, work: Path) -> None:
    fake = Fake(says, held=True)
    stand = Standing(work, assessor=fake, patience=0.0, holds=True)
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await stand.shown.wait()
    stand.gate.set_auto_confirm(on=True)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not checking.done()
    fake.release.set()
    await until(lambda: fake.ended)
    for _ in range(20):
        await asyncio.sleep(0)
    if by == "person":
        assert not checking.done()
        stand.say(Answer.no())
    assert (await checking).by == by


async def test_plan_mode_refuses_what_is_being_assessed_and_nobody_was_asked_yet(work: Path) -> None:
    fake = Fake(held=True)
    stand = Standing(work, assessor=fake, patience=3600.0)
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await fake.started.wait()
    stand.gate.set_mode("plan", named=False)
    verdict = await checking
    assert (verdict.allowed, verdict.by) == (False, "rule")
    assert not stand.of(Asked)
    assert "plan mode" in verdict.explain()
    await nothing_left()


async def test_a_quick_assessment_is_not_raced_by_a_question(work: Path) -> None:
    fake = Fake(held=True)
    stand = Standing(work, assessor=fake, patience=3600.0)
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await fake.started.wait()
    await asyncio.sleep(0)
    assert not stand.of(Asked)
    fake.release.set()
    assert (await checking).by == "risk"


async def test_several_at_a_time_keep_apart(work: Path) -> None:
    fake = Fake(lambda decision: ALLOW if "a" in decision.action.command.split()[1] else UNSURE, held=True)
    stand = Standing(work, assessor=fake, patience=0.0, answer=Answer.no(), holds=True)
    checks = [asyncio.ensure_future(stand.check(run(f"touch {name}", work), call=name)) for name in ("a1", "b1", "a2")]
    await until(lambda: len(stand.questions) == len(fake.asked) == 3)
    fake.release.set()
    first, third = await checks[0], await checks[2]
    stand.say(Answer.once())
    second = await checks[1]
    assert [v.by for v in (first, second, third)] == ["risk", "person", "risk"]
    assert sorted(e.ask.id for e in stand.of(Asked)) == sorted(e.ask_id for e in stand.of(Answered))
    assert {event.call_id: event.by for event in stand.of(Decided)} == {"a1": "risk", "b1": "person", "a2": "risk"}
    await nothing_left()


@pytest.mark.parametrize("patience", [0.0, 3600.0])
async def test_cancelling_the_call_ends_both(patience: float, work: Path) -> None:
    fake = Fake(held=True)
    stand = Standing(work, assessor=fake, patience=patience, holds=True)
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await (fake.started if patience else stand.shown).wait()
    await fake.started.wait()
    checking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await checking
    assert fake.cancelled == 1 and stand.withdrawn == (0 if patience else 1)
    assert len(stand.of(Asked)) == len(stand.of(Answered))
    await nothing_left()


async def test_a_front_end_that_does_not_let_go_holds_up_nothing(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xun.gate.risk.LETS_GO", 0.01)
    stubborn = asyncio.Event()
    shown = asyncio.Event()

    async def on_ask(_ask: Ask) -> Answer:
        shown.set()
        while not stubborn.is_set():
            try:
                await stubborn.wait()
            except asyncio.CancelledError:
                continue
        return Answer.no()

    fake = Fake(held=True)
    stand = Standing(work, assessor=fake, patience=0.0)
    stand.gate.on_ask = on_ask
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await shown.wait()
    fake.release.set()
    assert (await checking).by == "risk"
    stubborn.set()


async def test_a_question_in_a_thread_is_withdrawn_too(work: Path) -> None:
    import threading

    shown, done = threading.Event(), threading.Event()

    def on_ask(_ask: Ask) -> Answer:
        shown.set()
        done.wait(30)
        return Answer.no()

    fake = Fake(held=True)
    stand = Standing(work, assessor=fake, patience=0.0)
    stand.gate.on_ask = on_ask
    checking = asyncio.ensure_future(stand.check(run("touch x", work)))
    await asyncio.get_running_loop().run_in_executor(None, shown.wait)
    fake.release.set()
    assert (await checking).by == "risk"
    done.set()


@pytest.mark.parametrize("error", [RuntimeError("gone"), SystemExit(3)])
async def test_a_question_that_fails_beside_an_assessment_is_no(error: BaseException, work: Path) -> None:
    async def on_ask(_ask: Ask) -> Answer:
        raise error

    stand = Standing(work, assessor=Fake(held=True), patience=0.0)
    stand.gate.on_ask = on_ask
    verdict = await stand.check(run("touch x", work))
    assert not verdict.allowed and verdict.by == "nobody"
    await nothing_left()
