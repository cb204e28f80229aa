"""Gates above one another: what the gate of a sub-agent takes from those above it, and never widens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from xun.gate.put import OnAsk, call_back
from xun.gate.risk import Assessor, assessable
from xun.policy.decision import Answer, Ask, Decision

if TYPE_CHECKING:
    from xun.gate.gate import Gate
    from xun.gate.saving import OnAlways


def levels(gate: Gate | None) -> Iterator[Gate]:
    """`gate` and those above it, from below."""
    while gate is not None:
        yield gate
        gate = gate.above


def top(gate: Gate) -> Gate:
    """The gate that nothing is above."""
    *_, last = levels(gate)
    return last


def asker(gate: Gate) -> OnAsk | None:
    """Who answers a question of `gate`: the person of the first agent, None where nobody can.

    An `on_ask` further below only refuses: what it says yes to goes on to the one above it.
    """
    found: OnAsk | None = None
    for one in reversed(list(levels(gate))):
        if one.above is None:
            found = one.on_ask
        elif found is not None and one.on_ask is not None and one.on_ask != found:
            found = _both(one.on_ask, found)
    return found


def _both(own: OnAsk, above: OnAsk) -> OnAsk:
    async def on_ask(ask: Ask) -> Answer:
        said = await call_back(ask, own)
        return await call_back(ask, above) if said.yes else said

    return on_ask


def confirming(gate: Gate) -> bool:
    """Whether questions of `gate` get their default: as the person has it for the first agent."""
    return top(gate).auto_confirm


def keeper(gate: Gate) -> OnAlways | None:
    """What keeps rules for good: that of the first agent."""
    return top(gate).on_always


def assessor_of(gate: Gate, asking: Sequence[Decision]) -> Assessor | None:
    """Who assesses `asking` for `gate`, None where the person alone is to.

    That is whom the first agent trusts, and only where no policy on the way has it off and each mode lets it.
    """
    found = top(gate).assessor
    if found is None or not found.available:
        return None
    wanted = all(one.policy.settings.risk != "off" for one in levels(gate))
    return found if wanted and may_assess(gate, asking) else None


def may_assess(gate: Gate, asking: Sequence[Decision]) -> bool:
    """Whether the modes, as they are now, let an assessor's yes settle `asking`."""
    return all(assessable(one.mode, asking) for one in levels(gate))
