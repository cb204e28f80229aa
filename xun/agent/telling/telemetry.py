"""What a run did, without what it was about: times, names and outcomes, no prompts, arguments or results."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from xun.errors import text_of
from xun.events import (
    AnyEvent,
    AttemptReset,
    Decided,
    Notice,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)

_TOLD = (TurnStarted, StepStarted, AttemptReset, Decided, ToolStarted, ToolEnded, TurnEnded)
UNKNOWN = "unknown"
_log = logging.getLogger("xun.telemetry")


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One thing that happened in a run.

    `kind` is the type of the event that it stands for, `run_id` tells runs apart, `elapsed` is in seconds since the run
    began. `tool` is the name of a tool that there is: whatever else a model has called is "unknown". `outcome` is how a
    call or the run ended, and "allowed" or "denied" for a decision; `seconds` is how long a call took.
    """

    kind: str
    run_id: str
    agent_id: str
    step: int
    elapsed: float
    tool: str | None = None
    call_id: str | None = None
    outcome: str | None = None
    seconds: float | None = None


OnEvent = Callable[[RunEvent], object]


class Telemetry:
    """Hears an agent and keeps the `RunEvent`s of its current run; `on_event` is told each.

    What `on_event` raises is told once, as a notice, and changes nothing.
    """

    def __init__(self, on_event: OnEvent | None, tell: Callable[[Notice], None]) -> None:
        self._on_event = on_event
        self._tell = tell
        self._kept: list[RunEvent] = []
        self._began = 0.0
        self._run = self._step = 0
        self._complained = False
        self._names: set[str] = set()
        self.above: Telemetry | None = None

    def __call__(self, event: AnyEvent) -> None:
        if not isinstance(event, _TOLD):
            return
        if not event.parent_id and isinstance(event, TurnStarted):
            self._kept, self._began, self._step = [], time.monotonic(), 0
            self._run += 1
        elif not event.parent_id and isinstance(event, StepStarted):
            self._step = event.step
        told = RunEvent(
            event.type,
            f"{event.agent_id if not event.parent_id else event.parent_id}-{self._run}",
            event.agent_id,
            self._step,
            time.monotonic() - self._began,
            **self._about(event),
        )
        self._kept.append(told)
        if self._on_event is not None:
            self._hand_over(self._on_event, told)

    def learn(self, names: Iterable[str]) -> None:
        """The names of tools, also those of agents that work for this one."""
        self._names.update(names)
        if self.above is not None:
            self.above.learn(names)

    def taken(self) -> tuple[RunEvent, ...]:
        """Those of the run that has just ended."""
        kept, self._kept = self._kept, []
        return tuple(kept)

    def _hand_over(self, on_event: OnEvent, told: RunEvent) -> None:
        try:
            on_event(told)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever is wrong with it, the run goes on
            _log.info("on_event failed", exc_info=True)
            if not self._complained:
                self._complained = True
                self._tell(Notice(level="warning", text=f"on_event failed: {' '.join(text_of(error).split())}"))

    def _about(self, event: AnyEvent) -> dict[str, Any]:
        about = _about(event)
        if "tool" in about and about["tool"] not in self._names:
            about["tool"] = UNKNOWN
        return about


def _about(event: AnyEvent) -> dict[str, Any]:
    match event:
        case ToolStarted(call=call):
            return {"tool": call.name, "call_id": call.id}
        case ToolEnded(name=name, call_id=call_id, outcome=outcome, seconds=seconds):
            return {"tool": name, "call_id": call_id, "outcome": outcome, "seconds": seconds}
        case Decided(tool=tool, call_id=call_id, allowed=allowed):
            return {"tool": tool, "call_id": call_id, "outcome": "allowed" if allowed else "denied"}
        case TurnEnded(stop_reason=stop_reason):
            return {"outcome": stop_reason}
        case _:
            return {}
