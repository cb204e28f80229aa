"""What the status line tells, taken from the events of an agent."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xun.events import (
    AnyEvent,
    Compacted,
    Decided,
    HistoryReplaced,
    ModeChanged,
    QueueChanged,
    TurnEnded,
    TurnStarted,
    UsageUpdated,
)
from xun.frontends.tui.status import short
from xun.policy.decision import MODES, Ask, Assessment, Kept
from xun.sessions.past import refuses
from xun.workspace.branch import branch_of

if TYPE_CHECKING:
    from xun.agent.agent import Agent
    from xun.commands.reach import Reach

_TELLING = (TurnStarted, TurnEnded, UsageUpdated, HistoryReplaced, Compacted, ModeChanged, QueueChanged)


class Watch:
    """Follows one agent. Nothing is looked up but when an event says that it may have changed."""

    def __init__(self) -> None:
        self._agent: Agent[Any] | None = None
        self._folder = Path()
        self._branch = ""
        self._refused = 0
        self._bare = False

    def start(self, agent: Agent[Any], refused: int = 0) -> None:
        """Follow `agent` from now on. `refused` is how much was refused before in its session."""
        self._agent, self._folder, self._refused = agent, agent.workspace.root, refused
        self._branch = branch_of(self._folder)

    def hear(self, event: AnyEvent) -> bool:
        """Take note of `event`. True where the line may have to change."""
        if refuses(event):
            self._refused += 1
            return True
        if isinstance(event, Decided) and self._agent is not None and self._agent.gate.bare != self._bare:
            self._bare = self._agent.gate.bare
            return True
        if isinstance(event, TurnEnded):
            self._branch = branch_of(self._folder)
        return isinstance(event, _TELLING)

    def shown(self, path: str) -> str:
        """A path as the person knows it: relative to the folder where it is in it, else from home."""
        inside = self._agent is not None and self._folder in Path(path).parents
        return os.path.relpath(path, self._folder) if inside else short(Path(path))

    def opinion(self, ask: Ask) -> Assessment | bool:
        """What the risk assessor has said of an open question: true while it may still speak, false where it is not."""
        return self._agent is not None and self._agent.gate.questions.opinion(ask.id)

    async def reach(self, ask: Ask, kept: Kept, others: Sequence[Kept] = ()) -> Reach:
        """What a rule comes to, for `ask` and beside `others`."""
        from xun.commands.reach import Reach as Found
        from xun.commands.reach import reach_of  # loaded with the decider, not before the first frame

        if self._agent is None:
            return Found(problem="there is no agent yet")
        return await reach_of(self._agent, kept, ask, others)

    def begun(self, ask: Ask) -> None:
        """The person has begun to answer `ask`: no assessor does any more."""
        if self._agent is not None:
            self._agent.gate.questions.hold(ask.id)

    def next_mode(self) -> str:
        """The mode after the one in force."""
        mode = self._agent.mode if self._agent is not None else MODES[0]
        return MODES[(MODES.index(mode) + 1) % len(MODES)]

    def changes(self) -> dict[str, Any]:
        """What the line is to tell now."""
        agent = self._agent
        if agent is None:
            return {}
        return {
            "mode": agent.mode,
            "folder": short(self._folder),
            "branch": self._branch,
            "model": agent.model_name,
            "effort": agent.effort or "",
            "used": agent.context_tokens,
            "window": agent.context_window,
            "cost": agent.cost,
            "queued": len(agent.queue.items),
            "refused": self._refused,
            "yolo": agent.gate.auto_confirm,
            "bare": agent.gate.bare,
        }
