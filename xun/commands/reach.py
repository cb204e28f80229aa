"""What a rule comes to, for front ends: the decider's answers, in a thread of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from xun.agent.agent import Agent
from xun.gate.reach import Reach, reach
from xun.policy.decision import Ask, Kept

__all__ = ["Reach", "reach_of"]


async def reach_of(agent: Agent[Any], kept: Kept, ask: Ask, others: Sequence[Kept] = ()) -> Reach:
    """What `kept` would let pass and what not, for the question `ask` and for all that was decided before it.

    `others` are the rules that would be kept with it.
    """
    return await asyncio.to_thread(reach, agent.gate, kept, ask.decisions, others)
