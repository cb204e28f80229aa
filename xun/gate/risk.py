"""The risk assessor beside the gate: which verdicts it may judge, what it says of them, and what is remembered of that.

Whoever assesses is handed in. It is trusted with little: it sees only what has soft reasons, its failure is `unsure`,
and whether its yes counts is decided here.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from xun.policy.decision import Assessment, Decision, Mode
from xun.policy.facts import Facts

PATIENCE = 1.5  # seconds that an assessment may take before the person is asked while it goes on
MAX_KNOWN = 256  # assessments that are remembered
LETS_GO = 1.0  # seconds that a cancelled assessment or question may take to end
_WORST = ("reject", "unsure", "allow")
_log = logging.getLogger("xun.gate")

Judged = tuple[Decision, Facts]


class Assessor(Protocol):
    """Judges one action that the rules do not allow. It may take its time, fail, and be cancelled.

    While it is not `available`, the person is asked without it.
    """

    @property
    def available(self) -> bool: ...

    async def assess(self, decision: Decision, facts: Facts) -> Assessment: ...


@dataclass(slots=True)
class Assessments:
    """What an assessor said against actions, by action and facts.

    A yes is never remembered: it judged files that the facts do not hold (a Makefile, a script), and these change.
    """

    _known: OrderedDict[bytes, Assessment] = field(default_factory=OrderedDict)

    async def of(self, assessor: Assessor, items: Sequence[Judged]) -> Assessment:
        """The worst of what is said of `items`, which are parts of one call. Only cancellation is raised."""
        found = [await self._one(assessor, decision, facts) for decision, facts in items]
        return min(found, key=lambda assessment: _WORST.index(assessment.verdict))

    async def _one(self, assessor: Assessor, decision: Decision, facts: Facts) -> Assessment:
        key, memory = _key(decision, facts), self._known
        if (known := memory.get(key)) is not None:
            memory.move_to_end(key)
            return known
        try:
            said = await assessor.assess(decision, facts)
            if not isinstance(said, Assessment):
                raise TypeError(f"an Assessment is wanted, not {type(said).__name__}")
        except Exception as error:  # noqa: BLE001 - an assessor that fails leaves the person to be asked
            _log.warning("the risk assessment failed", exc_info=True)
            return Assessment(verdict="unsure", reason=f"the assessment failed: {error}", failed=True)
        if said.verdict != "allow" and not (said.looked or said.failed):
            memory[key] = said
            if len(memory) > MAX_KNOWN:
                memory.popitem(last=False)
        return said

    def forget(self) -> None:
        """Forget all of it, and what is being judged now: something changes what it was about."""
        self._known = OrderedDict()


def _key(decision: Decision, facts: Facts) -> bytes:
    text = f"{decision.action.model_dump_json()}\n{facts.model_dump_json(exclude={'at'})}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def assessable(mode: Mode, asking: Sequence[Decision]) -> bool:
    """May an assessor's yes settle all of `asking`: no part that only a person may settle, no kind beyond `mode`?"""
    from xun.policy.modes import judges

    return all(not decision.personal and judges(mode, decision.action.kind) for decision in asking)


def outcome(assessing: asyncio.Task[Assessment] | None) -> Assessment | None:
    """What was said so far, None where nothing was."""
    if assessing is None or not assessing.done() or assessing.cancelled():
        return None
    return assessing.result()


async def let_go(task: asyncio.Task[object]) -> None:
    """Cancel `task` and see it end; one that does not is left to itself."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=LETS_GO)
    task.add_done_callback(_heed)


def _heed(task: asyncio.Task[object]) -> None:
    """An outcome that nobody waits for any more is no fault to report."""
    if not task.cancelled():
        task.exception()
