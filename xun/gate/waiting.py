"""Questions that wait for an answer, looked at again when the rules change: what they settle by now asks no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from xun.gate.risk import Judged
from xun.policy.decision import Decision

Judge = Callable[[Judged], Decision]
"""Decides anew what was decided, on the same facts."""


@dataclass(slots=True)
class Waiting:
    """The questions of one gate that are open now."""

    _open: dict[asyncio.Future[bool], tuple[Sequence[Judged], Judge]] = field(default_factory=dict)

    @contextmanager
    def one(self, judged: Sequence[Judged], judge: Judge) -> Generator[asyncio.Future[bool]]:
        """A question about `judged` is open. The future ends true when the rules allow all of it, false on a denial."""
        settled: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._open[settled] = (judged, judge)
        try:
            yield settled
        finally:
            del self._open[settled]
            settled.cancel()

    def look_again(self) -> None:
        """The rules have changed. May be called from any thread."""
        for settled, (judged, judge) in tuple(self._open.items()):
            effects = {judge(one).effect for one in judged}
            if "deny" in effects or effects == {"allow"}:
                with suppress(RuntimeError):  # its loop is gone, and the question with it
                    settled.get_loop().call_soon_threadsafe(_end, settled, "deny" not in effects)


def _end(settled: asyncio.Future[bool], allowed: bool) -> None:
    if not settled.done():
        settled.set_result(allowed)
