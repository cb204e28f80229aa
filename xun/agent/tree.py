"""Agents that work for another one: what passes between the two, and what they take turns at."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from xun.agent.dedupe import Changes
from xun.agent.turn import RuntimeStateError, Turn, serving
from xun.events import Answered, AnyEvent, Asked, Decided, Notice, ToolEnded, ToolStarted
from xun.messages import Usage
from xun.providers.base import ModelInfo

if TYPE_CHECKING:
    from xun.agent.agent import Agent
    from xun.agent.base import AgentBase, OnSpent

MAX_DEPTH = 2  # agents below the first: those of the second level have no tools that start more
_RELAYED = (ToolStarted, ToolEnded, Decided, Asked, Answered, Notice)


class Turnstile:
    """Serial tools of a whole tree of agents pass one at a time. One lock for each loop that runs them.

    `changes` counts what all of these agents may have changed.
    """

    def __init__(self) -> None:
        self.changes = Changes()
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def lock(self) -> asyncio.Lock:
        """The lock of the running loop."""
        return self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


def adopt(parent: AgentBase, child: Agent[Any], name: str) -> None:
    """Start `child` as the agent `name` that works for `parent`, on the turn that `parent` runs.

    What it does needs a yes of both policies, a question names it, its calls and decisions are told by `parent` too,
    and what it uses counts for `parent`. Raises `RuntimeStateError` for an agent that is started already.
    """
    if child.is_initialized() or child.is_finalized():
        raise RuntimeStateError(f"agent {child.name!r} is started already; give one that is not")
    current = serving(parent)
    turn = current[0] if current else None
    child.name = f"{parent.name}/{name}"
    child.depth = parent.depth + 1
    child.turnstile = parent.turnstile
    child.serves = turn
    child.overseers = (*parent.overseers, parent.hooks)
    child.on_spent = counts_for(parent, turn)
    child.bus.listen(partial(_relay, parent, turn))
    if child.depth >= MAX_DEPTH:
        child.toolbox = child.toolbox.clone().disable_subagent()
    child.initialize()
    child.gate.work_under(parent.gate)


def _relay(parent: AgentBase, turn: Turn | None, event: AnyEvent) -> None:
    if not isinstance(event, _RELAYED):
        return
    told = event if event.parent_id else event.model_copy(update={"parent_id": parent.bus.agent_id})
    if turn is None or turn.over:
        parent.bus.relay(told)
    else:
        turn.relay(told)


def counts_for(agent: AgentBase, turn: Turn | None) -> OnSpent:
    """Counts what is used for `agent`, as it goes: for its `turn` as long as that runs."""

    def spent(usage: Usage | None, model: ModelInfo) -> None:
        if turn is not None and not turn.over:
            turn.spend(usage, model)
        else:
            agent.count(usage, model)

    return spent
