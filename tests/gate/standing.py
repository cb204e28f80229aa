"""A gate on its own: what it is asked to check, what it tells, and a person in the hands of the test."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from xun.gate.gate import Gate
from xun.gate.risk import PATIENCE
from xun.gate.verdict import Verdict
from xun.policy.action import Action
from xun.policy.decision import Answer, Ask, Mode
from xun.policy.lists import STATE_KEY, Allowlists
from xun.policy.rules import Policy
from xun.workspace.workspace import Workspace


class Standing:
    """A gate in `work`. The person answers with `answer`, or with `holds` when the test says so."""

    def __init__(
        self,
        work: Path,
        *,
        policy: Policy | None = None,
        assessor: Any = None,
        mode: Mode = "manual",
        answer: Answer | None = None,
        holds: bool = False,
        person: bool = True,
        patience: float = PATIENCE,
        auto_confirm: bool = False,
        on_always: Any = None,
    ) -> None:
        self.work = work
        self.events: list[Any] = []
        self.questions: list[Ask] = []
        self.shown = asyncio.Event()
        self.withdrawn = 0
        self._answer = answer
        self._waiting: list[asyncio.Future[Answer]] = []
        self._holds = holds
        self.gate = Gate(
            workspace=Workspace(work),
            policy=policy or Policy(),
            state={STATE_KEY: Allowlists()},
            agent="test",
            on_ask=self._ask if person else None,
            auto_confirm=auto_confirm,
            mode=mode,
            assessor=assessor,
            on_always=on_always,
            patience=patience,
        )

    async def check(self, *actions: Action, call: str = "c1", permission: str | None = None) -> Verdict:
        return await self.gate.check(call, "tool", actions, self.events.append, permission=permission)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def say(self, answer: Answer) -> None:
        """Answer every question that is open."""
        for future in self._waiting:
            if not future.done():
                future.set_result(answer)

    def answer(self, answer: Answer, place: int = 0) -> None:
        """Answer one of the questions, by its place among those put so far."""
        self._waiting[place].set_result(answer)

    async def _ask(self, ask: Ask) -> Answer:
        self.questions.append(ask)
        self.shown.set()
        if not self._holds:
            assert self._answer is not None, f"nobody expected a question: {ask}"
            return self._answer
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            self.withdrawn += 1
            raise
