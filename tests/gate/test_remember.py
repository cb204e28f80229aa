"""A yes that the person has edited: a few uses, some minutes, the session, or for good in one of two files."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.gate.standing import Standing
from xun.events import Notice
from xun.gate.remember import LONGEST, MOST_USES, rule_of
from xun.policy.action import Run, Write
from xun.policy.decision import Answer, Kept, Scope
from xun.policy.entries import PolicyError
from xun.policy.rules import Policy, Rule

pytestmark = pytest.mark.anyio


def run(command: str, work: Path) -> Run:
    return Run(command=command, cwd=str(work))


def kept(pattern: str = "npm run", scope: Scope = "session", amount: int = 1) -> Answer:
    return Answer.keep(Kept(kind="command", pattern=pattern, scope=scope, amount=amount))


async def test_an_edited_rule_counts_in_place_of_what_the_question_would_save(work: Path) -> None:
    stand = Standing(work, answer=kept("npm run lint"))
    assert (await stand.check(run("npm run lint --fix && npm run build", work))).by == "person"
    assert (await stand.check(run("npm run lint", work))).by == "rule"
    assert len(stand.questions) == 1
    await stand.check(run("npm run build", work))
    assert len(stand.questions) == 2


async def test_uses_are_counted_and_then_it_asks_again(work: Path) -> None:
    stand = Standing(work, answer=kept(scope="uses", amount=2))
    for _ in range(3):
        assert (await stand.check(run("npm run a", work))).allowed
    assert len(stand.questions) == 1 and stand.gate.grants == []
    await stand.check(run("npm run a", work))
    assert len(stand.questions) == 2


async def test_a_use_is_one_command_however_many_parts_it_has(work: Path) -> None:
    stand = Standing(work, answer=kept(scope="uses", amount=2))
    await stand.check(run("npm run a", work))
    await stand.check(run("npm run a && npm run b; npm run c", work))
    assert [rule.uses for rule in stand.gate.grants] == [1]


async def test_two_calls_at_a_time_cannot_both_take_the_last_use(work: Path) -> None:
    stand = Standing(work, answer=kept(scope="uses", amount=1))
    await stand.check(run("npm run a", work))
    more = Standing(work, answer=Answer.once())
    more.gate.grants += stand.gate.grants
    answers = await asyncio.gather(*(more.check(run(f"npm run {name}", work)) for name in "bcd"))
    assert sorted(answer.by for answer in answers) == ["person", "person", "rule"]


async def test_minutes_end(work: Path) -> None:
    stand = Standing(work, answer=kept(scope="minutes", amount=5))
    await stand.check(run("npm run a", work))
    [rule] = stand.gate.grants
    assert rule.until is not None and timedelta(minutes=4) < rule.until - datetime.now(UTC) <= timedelta(minutes=5)
    assert (await stand.check(run("npm run a", work))).by == "rule"
    stand.gate.grants[:] = [rule.model_copy(update={"until": datetime.now(UTC) - timedelta(seconds=1)})]
    assert (await stand.check(run("npm run a", work))).by == "person"


@pytest.mark.parametrize(("scope", "saved"), [("user", ["user"]), ("project", ["project"]), ("session", [])])
async def test_only_what_is_for_good_is_saved_and_says_where(scope: Scope, saved: list[str], work: Path) -> None:
    told: list[Rule] = []

    def keep(rules: Any) -> None:
        told.extend(rules)

    stand = Standing(work, answer=kept(scope=scope), on_always=keep)
    await stand.check(run("npm run a", work))
    assert [(rule.source, rule.pattern, rule.until, rule.uses) for rule in told] == [
        (where, "npm run", None, None) for where in saved
    ]
    assert (await stand.check(run("npm run b", work))).by == "rule"


@pytest.mark.parametrize("pattern", ["bash", "npm run; ls", "", "uv run", "sudo npm"])
async def test_what_cannot_be_a_rule_is_told_and_the_yes_counts_once(pattern: str, work: Path) -> None:
    stand = Standing(work, answer=kept(pattern))
    assert (await stand.check(run("npm run a", work))).allowed
    assert stand.gate.grants == []
    assert any(isinstance(event, Notice) and "kept for this once alone" in event.text for event in stand.events)


async def test_it_stands_against_an_ask_rule_and_not_against_a_hard_reason(work: Path) -> None:
    asks = Rule(effect="ask", kind="command", pattern="npm run", source="p.toml:1")
    stand = Standing(work, answer=kept(), policy=Policy(rules=[asks]))
    await stand.check(run("npm run a", work))
    assert (await stand.check(run("npm run a", work))).by == "rule"
    await stand.check(run("npm run a > /etc/x", work))
    assert len(stand.questions) == 2


async def test_a_path_is_kept_as_a_pattern(work: Path) -> None:
    (work / "src").mkdir()
    for name in ("a.py", "b.py", "c.md"):
        (work / "src" / name).write_text("x")
    answer = Answer.keep(Kept(kind="write", pattern="src/*.py", scope="session"))
    stand = Standing(work, answer=answer)
    for name in ("a.py", "b.py"):
        assert (await stand.check(Write(path=str(work / "src" / name), op="edit"))).allowed
    assert len(stand.questions) == 1
    await stand.check(Write(path=str(work / "src" / "c.md"), op="edit"))
    assert len(stand.questions) == 2


def test_amounts_are_bounded() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert rule_of(Kept(kind="command", pattern="npm run", scope="minutes", amount=10**9), now).until == now + LONGEST
    assert rule_of(Kept(kind="command", pattern="npm run", scope="uses", amount=10**9), now).uses == MOST_USES
    with pytest.raises(PolicyError):
        rule_of(Kept(kind="command", pattern="bash"))
    with pytest.raises(ValueError, match="at least one rule"):
        Answer.keep()
