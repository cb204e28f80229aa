"""A sub-agent that works in the background: how it stands and what it says, also in later turns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from xun.agent.job import Job
from xun.errors import text_of
from xun.result import Err, Result

if TYPE_CHECKING:
    from xun.agent.run_result import Denial
    from xun.agent.turn import Turn

ChildStatus = Literal["running", "completed", "failed", "cancelled"]


@dataclass(slots=True)
class Background:
    """One that was started in `turn` (None: by code outside of any), as `job`.

    `begun` says that it came to run at all.
    """

    id: str
    name: str
    turn: Turn | None
    job: Job
    begun: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing more is to come of it: it has ended, or its loop has."""
        return self.job.task.done() or not self.job.runs

    @property
    def status(self) -> ChildStatus:
        if not self.over:
            return "running"
        if self._cancelled:
            return "cancelled"
        return "completed" if self.answer.is_ok() else "failed"

    @property
    def answer(self) -> Result[str]:
        """What it says, once it is `over`."""
        if self._cancelled:
            when = "while it worked" if self.begun else "before it began: nothing of its task was done"
            return Err(f"the sub-agent {self.name} was cancelled {when}")
        if (error := self.job.task.exception()) is not None:
            return Err(f"the sub-agent {self.name} was stopped: {text_of(error)}")
        return self.job.task.result()

    async def over_within(self, seconds: float | None) -> bool:
        """Wait until it is over, `seconds` at most (None: however long it takes), and say whether it is."""
        try:
            async with asyncio.timeout(None if seconds is None or self.over else max(seconds, 0.0)):
                await self.job.ended()
        except TimeoutError:
            return self.over
        return True

    def late_denials(self) -> list[Denial]:
        """What was refused after the turn that started it had ended, once: no result of a run has told of it."""
        if self.turn is None:
            return []
        late, self.turn.late = self.turn.late, []
        return late

    @property
    def _cancelled(self) -> bool:
        return self.job.task.cancelled() or not self.job.task.done()
