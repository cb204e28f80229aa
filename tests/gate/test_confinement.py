"""What a verdict lets a command do, and that what is told of it is what it does: no assessor opens the network."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from tests.gate.standing import Standing
from xun.commands.why import explain
from xun.events import Decided
from xun.gate.put import Settler
from xun.gate.verdict import Verdict, assessed_verdict
from xun.policy.action import Confinement, Run, UseTool
from xun.policy.decision import Answer, Assessment, Decision
from xun.policy.facts import Facts

USE = Decision(action=UseTool(name="bash"), effect="allow")
GRANTED = Confinement(sandbox="bwrap", network=True, logins=("git",), git=True)
RUN = Decision(action=Run(command="git push", cwd="/w"), effect="ask", confinement=GRANTED)
YES = Assessment(verdict="allow", reason="harmless")


class Saying:
    """An assessor that says yes to everything."""

    available = True

    async def assess(self, decision: Decision, facts: Facts) -> Assessment:
        return YES


def in_sandbox(monkeypatch: pytest.MonkeyPatch, kind: Literal["bwrap"] | None = "bwrap") -> None:
    monkeypatch.setattr("xun.gate.gather.find_sandbox", lambda: kind)


async def told(work: Path, command: str, **how: object) -> tuple[Verdict, Decided]:
    standing = Standing(work, **how)  # ty: ignore[invalid-argument-type]
    verdict = await standing.check(Run(command=command, cwd=str(work)))
    return verdict, standing.of(Decided)[-1]


@pytest.mark.parametrize("by", ["rule", "person", "grant", "auto"])
def test_it_is_that_of_the_decision(by: Settler) -> None:
    assert Verdict(True, (USE, RUN), by).confinement == GRANTED


def test_the_assessors_yes_opens_no_network() -> None:
    verdict = assessed_verdict((USE, RUN), YES)
    assert verdict.confinement == Confinement(sandbox="bwrap", git=True)
    assert verdict.decisions[0] == USE


def test_there_is_none_where_nothing_is_confined() -> None:
    assert Verdict(True, (USE,), "rule").confinement is None


@pytest.mark.anyio
async def test_after_the_assessors_yes_it_is_told_that_there_was_no_network(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_sandbox(monkeypatch)
    verdict, event = await told(work, "npm install", assessor=Saying(), mode="auto")
    assert event.by == "risk" and event.decision.confinement == verdict.confinement
    assert "  ran in the sandbox, no network" in explain(event).splitlines()


@pytest.mark.anyio
async def test_after_a_persons_yes_it_is_told_that_there_was_one(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_sandbox(monkeypatch)
    verdict, event = await told(work, "npm install", answer=Answer.once())
    assert (
        verdict.confinement == event.decision.confinement == Confinement(sandbox="bwrap", network=True, logins=("npm",))
    )
    assert "  ran in the sandbox, with network and the logins of npm" in explain(event).splitlines()


@pytest.mark.anyio
async def test_of_a_refused_one_it_is_told_how_it_would_have_run(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_sandbox(monkeypatch)
    _, event = await told(work, "npm install", answer=Answer.no())
    assert "  would have run in the sandbox, with network and the logins of npm" in explain(event).splitlines()


@pytest.mark.anyio
async def test_that_there_was_no_sandbox_is_told(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_sandbox(monkeypatch, None)
    verdict, event = await told(work, "npm install", assessor=Saying(), mode="auto")
    assert verdict.allowed and verdict.confinement is None
    assert "  ran without a sandbox" in explain(event).splitlines()
    _, refused = await told(work, "npm install", answer=Answer.no())
    assert "sandbox" not in explain(refused).replace(str(work), "")
