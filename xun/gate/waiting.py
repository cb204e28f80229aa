"""Questions that wait for an answer: what settles them meanwhile, and what the risk assessor says of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from xun.gate.risk import Judged, outcome
from xun.policy.decision import Assessment, Decision, Mode

Judge = Callable[[Judged, Mode], Decision]
"""Decides anew what was decided, on the same facts, in a mode."""


@dataclass(slots=True, eq=False)
class OpenQuestion:
    """One question. What becomes of it is told on its loop; `changed` ends whenever it is worth another look.

    `mode` is the one in which it was asked, or that the person has named since: only that one lets the rules say yes.
    `settled` holds the verdicts that by now allow all of it, or deny some. `auto` says that auto-confirm may answer
    (None: not this one), and `held` that the person has begun to answer, so that no assessor does.
    """

    judged: Sequence[Judged]
    judge: Judge
    mode: Mode
    assessing: asyncio.Task[Assessment] | None = None
    auto: bool | None = False
    held: bool = False
    settled: tuple[Decision, ...] = ()
    changed: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def said(self) -> Assessment | None:
        """What the assessor has said so far."""
        return outcome(self.assessing)

    @property
    def assessed(self) -> bool:
        """Whether nothing more is to come from the assessor."""
        return self.assessing is None or self.assessing.done()

    @property
    def denied(self) -> bool:
        """Whether the rules by now deny a part of it."""
        return any(decision.effect == "deny" for decision in self.settled)

    def by_now(self, mode: Mode) -> tuple[Decision, ...]:
        """The verdicts where the rules settle it by now, `mode` being in force; empty where they do not."""
        now = tuple(self.judge(one, mode) for one in self.judged)
        agreed = now if mode == self.mode else tuple(self.judge(one, self.mode) for one in self.judged)
        denied = any(decision.effect == "deny" for decision in now)
        return now if denied or all(decision.effect == "allow" for decision in (*now, *agreed)) else ()

    def wake(self, settled: tuple[Decision, ...] = ()) -> None:
        """Have it looked at again, and settled where that is given. Callable from any thread."""
        with suppress(RuntimeError):  # its loop is gone, and the question with it
            self.changed.get_loop().call_soon_threadsafe(self._wake, settled)

    def _wake(self, settled: tuple[Decision, ...]) -> None:
        self.settled = self.settled or settled
        if not self.changed.done():
            self.changed.set_result(None)

    async def wait(self, *others: asyncio.Future[Any], timeout: float | None = None) -> None:
        """Until something has changed, the assessor has spoken, or one of `others` is done; at most `timeout` s."""
        if not self.changed.done():
            rest = () if self.assessed else (self.assessing,)
            waits: set[asyncio.Future[Any]] = {
                future for future in (*others, *rest, self.changed) if future is not None
            }
            await asyncio.wait(waits, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if self.changed.done():
            self.changed = asyncio.get_running_loop().create_future()


@dataclass(slots=True)
class Waiting:
    """The questions of one gate that are open now, by id."""

    _open: dict[str, OpenQuestion] = field(default_factory=dict)

    @contextmanager
    def one(self, ask_id: str, question: OpenQuestion) -> Generator[OpenQuestion]:
        """It is open until this ends."""
        self._open[ask_id] = question
        try:
            yield question
        finally:
            del self._open[ask_id]
            question.changed.cancel()

    def look_again(self, mode: Mode) -> None:
        """The rules have changed, `mode` being in force. Callable from any thread, as all of these are."""
        for question in self._all():
            if settled := question.by_now(mode):
                question.wake(settled)

    def named(self, mode: Mode) -> None:
        """The person has asked for `mode` in so many words: what it allows is what they want, of these too."""
        for question in self._all():
            question.mode = mode

    def confirm(self, *, on: bool) -> None:
        """Let auto-confirm answer those that it may, or no more."""
        for question in self._all():
            if question.auto is not None:
                question.auto = on
                question.wake()

    def hold(self, ask_id: str) -> None:
        """The person has begun to answer this one: the assessor settles it no more."""
        if ask_id in self._open:
            self._open[ask_id].held = True

    def opinion(self, ask_id: str) -> Assessment | bool:
        """What the assessor has said of a question, true while it may still speak, false where it does not."""
        question = self._open.get(ask_id)
        if question is None:
            return False
        return question.said or not question.assessed

    def _all(self) -> Iterator[OpenQuestion]:
        yield from tuple(self._open.values())
