"""An assessor in the hands of a test, and what is left running of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from xun.policy.action import Run, describe
from xun.policy.decision import Assessment, Decision
from xun.policy.facts import Facts

ALLOW = Assessment(verdict="allow", reason="harmless")


UNSURE = Assessment(verdict="unsure", reason="cannot tell")


REJECT = Assessment(verdict="reject", reason="destroys work")


@dataclass
class Fake:
    """An assessor in the hands of the test: it answers at once, or each time when it is let."""

    says: Any = ALLOW
    held: bool = False
    available: bool = True
    asked: list[str] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: int = 0
    ended: int = 0

    async def assess(self, decision: Decision, facts: Facts) -> Assessment:
        assert decision.effect == "ask" and not decision.hard and facts.roots
        self.asked.append(describe(decision.action))
        self.started.set()
        try:
            if self.held:
                await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.ended += 1
        says = self.says(decision) if callable(self.says) else self.says
        if isinstance(says, Exception):
            raise says
        return says


def run(command: str, work: Path) -> Run:
    return Run(command=command, cwd=str(work))


async def nothing_left() -> None:
    """No task but those of the test itself is at work."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert [task for task in others if "_call_in_runner_task" not in repr(task)] == []


async def until(what: Callable[[], object]) -> None:
    """Let the others run until `what()` is true."""
    for _ in range(10_000):
        if what():
            return
        await asyncio.sleep(0)
    pytest.fail("it never came to be")
