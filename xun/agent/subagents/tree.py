"""Agents that work for another one: what passes between the two, and what they take turns at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from xun.agent.calling.dedupe import Changes
from xun.agent.turn import Turn
from xun.errors import RuntimeStateError
from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    Decided,
    Notice,
    StepStarted,
    SubAgentEnded,
    SubAgentStarted,
    SubAgentUpdated,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageUpdated,
)
from xun.messages import ToolCall, Usage

if TYPE_CHECKING:
    from xun.agent.agent import Agent
    from xun.agent.base import AgentBase
    from xun.agent.telling.totals import OnSpent

MAX_DEPTH = 2  # agents below the first: those of the second level have no tools that start more
_RELAYED = (
    SubAgentStarted, SubAgentUpdated, SubAgentEnded, ToolStarted, ToolEnded, Decided, Asked, Answered, Notice,
)  # fmt: skip


Caller = tuple[Turn, ToolCall] | None
"""The turn and the call that want a sub-agent, None where code outside of any turn does."""


class LoopLocks:
    """One lock for each loop."""

    def __init__(self) -> None:
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def lock(self) -> asyncio.Lock:
        """The lock of the running loop."""
        return self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


class Turnstile(LoopLocks):
    """Serial tools of a whole tree of agents pass one at a time, on each loop that runs them.

    One that has such an agent work for it is waiting for that: serial tools of the agent pass within its turn, one at a
    time too. `changes` counts what all of these agents may have changed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.changes = Changes()

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Wait for the turn, and have it meanwhile."""
        while True:
            held = self._held()
            async with (self if held is None else held.within).lock():
                if held is not None and held.over:
                    continue  # meanwhile, so that others may have the turn now
                mine = _Held(self, _HELD.get())
                token = _HELD.set(mine)
                try:
                    yield
                finally:
                    mine.over = True
                    _HELD.reset(token)
                return

    def _held(self) -> _Held | None:
        """The turn that the running code has, or works for."""
        held = _HELD.get()
        while held is not None and (held.turnstile is not self or held.over):
            held = held.above
        return held


class _Held:
    """A turn that somebody has. `within` are the locks of those that work for it."""

    def __init__(self, turnstile: Turnstile, above: _Held | None) -> None:
        self.turnstile, self.above = turnstile, above
        self.within = LoopLocks()
        self.over = False


_HELD: ContextVar[_Held | None] = ContextVar("xun_turn_held", default=None)


def work_apart() -> None:
    """The running task works for no call any more: nobody waits for it, so it has no part in anyone's turn."""
    _HELD.set(None)


def adopt(parent: AgentBase, child: Agent[Any], name: str, caller: Caller) -> None:
    """Start `child` as the agent `name` that works for `parent`, by a call of one of its turns, which may be over.

    What it does needs a yes of both policies, a question names it, its task, calls and decisions are told by `parent`
    too, and what it uses counts for `parent`. Raises `RuntimeStateError` for an agent that is started already.
    """
    if child.is_initialized() or child.is_finalized():
        raise RuntimeStateError(f"agent {child.name!r} is started already; give one that is not")
    turn = caller[0] if caller else None
    child.name = f"{parent.name}/{name}"
    child.depth = parent.depth + 1
    child.turnstile = parent.turnstile
    child.serves = turn
    child.overseers = (*parent.overseers, parent.hooks)
    child.on_spent = counts_for(parent, turn)
    child.telemetry.above = parent.telemetry
    child.bus.listen(_Relay(parent, turn, name, caller[1].id if caller else ""))
    child.initialize()
    child.gate.work_under(parent.gate)


class _Relay:
    """Tells what a sub-agent does as events of `parent`, for the call `call_id` of its `turn`.

    The sub-agent's own turn is told as a task: whoever waits for the end of a turn waits for that of the first agent.
    """

    def __init__(self, parent: AgentBase, turn: Turn | None, name: str, call_id: str) -> None:
        self._parent, self._turn = parent, turn
        self._name, self._call_id = name, call_id
        self._steps = 0
        self._usage = Usage()
        self._cost: float | None = 0.0
        self._asks: set[str] = set()  # of it and of those below it, that wait for the person
        self._asked_at = self._stood = 0.0

    def __call__(self, event: AnyEvent) -> None:
        self._stand(event)
        told = event if isinstance(event, _RELAYED) else None if event.parent_id else self._as_task(event)
        if told is None:
            return
        if not told.parent_id:
            envelope = {"agent_id": event.agent_id, "at": event.at, "parent_id": self._parent.bus.agent_id}
            told = told.model_copy(update=envelope)
        if self._turn is None or self._turn.over:
            self._parent.bus.relay(told)
        else:
            self._turn.relay(told)

    def _stand(self, event: AnyEvent) -> None:
        """Count the seconds in which it waits for the person, which are no time of its own."""
        match event:
            case Asked(ask=ask):
                self._asked_at = self._asked_at if self._asks else event.at
                self._asks.add(ask.id)
            case Answered(ask_id=ask_id) if ask_id in self._asks:
                self._asks.remove(ask_id)
                self._stood += 0.0 if self._asks else max(event.at - self._asked_at, 0.0)

    def _as_task(self, event: AnyEvent) -> AnyEvent | None:
        match event:
            case TurnStarted(prompt=task, model=model):
                return SubAgentStarted(name=self._name, task=task, model=model, call_id=self._call_id)
            case StepStarted(step=step):
                self._steps = step
            case UsageUpdated(usage=usage, cost=cost):
                self._usage, self._cost = usage, cost
            case TurnEnded():
                same = ("status", "stop_reason", "error", "steps", "tool_calls", "usage", "cost")
                seconds = max(event.seconds - self._stood, 0.0)
                return SubAgentEnded(**{name: getattr(event, name) for name in same}, seconds=seconds)
            case _:
                return None
        return SubAgentUpdated(steps=self._steps, usage=self._usage, cost=self._cost)


def counts_for(agent: AgentBase, turn: Turn | None) -> OnSpent:
    """Counts what is used for `agent`, as it goes: for its `turn`, whose budgets hold for what outlives it too."""
    return agent.count if turn is None else turn.spend
