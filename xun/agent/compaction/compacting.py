"""What callers use of compaction."""

from __future__ import annotations

import asyncio

from xun.agent.base import AgentBase
from xun.agent.compaction.summary import CompactionError
from xun.agent.job import Job
from xun.events import Compacted
from xun.worker import is_cancelled


class Compacting(AgentBase):
    """A part of `Agent`."""

    @property
    def context_tokens(self) -> int:
        """Tokens of the next request: what the provider counted last, and an estimate of what came since."""
        self.check_started()
        return self.compactor.tokens(self)

    def prompt_tokens(self, text: str) -> int:
        """Tokens of `text` as a prompt, by the estimate that `context_tokens` is made with: no tokeniser is asked."""
        return self.compactor.tokens_of(text)

    @property
    def context_window(self) -> int | None:
        """Tokens of context that there are: the model's, or fewer where the settings say so. None where unknown."""
        return self.compactor.settings.window(self.model)

    async def compact(self, hint: str = "") -> Compacted:
        """Put a summary in place of all but the latest steps; `hint` says what it must keep above all.

        `cancel` and cancelling the caller leave the conversation as it was, as does whatever goes wrong. Raises
        `RuntimeStateError` when the agent is busy or not started, `NothingToCompactError` where nothing is old enough,
        `CompactionError` where there is no usable summary or it was cancelled: one line for the person each.
        """
        self.check_started()
        self.check_idle("its conversation cannot be compacted now")
        self._job = job = Job(self.compactor.by_hand(self, hint), f"xun-compact-{self.name}")
        job.task.add_done_callback(self._job_over)
        try:
            return await job.task
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            raise CompactionError("the conversation was not compacted: it was cancelled") from None

    def _job_over(self, _task: asyncio.Task[Compacted]) -> None:
        self._job = None
