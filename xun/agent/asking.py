"""Questions that a tool, not the policy, puts to the person."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from xun.agent.run_result import Denial
from xun.agent.turn import CURRENT, Turn
from xun.gate.gate import question as make_question
from xun.policy.decision import Ask
from xun.toolbox.asking import NobodyError
from xun.toolbox.outcome import ChoiceOutcome

if TYPE_CHECKING:
    from xun.agent.agent import Agent

C = TypeVar("C")


def loop_of_turn(turn: Turn | None) -> asyncio.AbstractEventLoop | None:
    """Inside a turn, synchronous code waits on the loop that runs it."""
    return turn.loop if turn is not None else None


async def choose(
    agent: Agent[Any],
    text: str,
    choices: Sequence[C],
    *,
    default: C | None = None,
    auto: bool = True,
    title: str = "",
    allow_extra: bool = False,
) -> ChoiceOutcome[Any]:
    """Let the person pick one of `choices`, or say something else where `allow_extra` is set.

    Raises `ValueError` when there is nothing to choose or the default is not among the choices, `NobodyError` when
    nobody can answer or the person declines.
    """
    if not choices:
        raise ValueError("there must be at least one choice")
    if default is not None and default not in choices:
        raise ValueError(f"the default {default!r} is not one of the choices")
    index = 0 if default is None else list(choices).index(default)
    ask = _ask(agent, text, [str(choice) for choice in choices], index, title, allow_extra)
    answer, by = await agent.gate.put(ask, agent.bus.emit, auto=auto)
    if by == "nobody" or not answer.yes:
        _record(ask, by)
        raise NobodyError(answer.reason or ("nobody is there to answer" if by == "nobody" else "the person declined"))
    source = "auto" if by == "auto" else "user"
    if answer.text is not None and allow_extra:
        return ChoiceOutcome(answer.text, source)
    picked = answer.choice if answer.choice is not None and 0 <= answer.choice < len(choices) else index
    return ChoiceOutcome(choices[picked], source)


async def confirm(
    agent: Agent[Any], text: str, *, default: bool = True, auto: bool = True, title: str = ""
) -> ChoiceOutcome[bool]:
    """Let the person say yes or no. Where nobody can answer, or the question is declined, it is no."""
    try:
        outcome = await choose(agent, text, ("Yes", "No"), default="Yes" if default else "No", auto=auto, title=title)
    except NobodyError:
        return ChoiceOutcome(False, "auto" if agent.gate.on_ask is None else "user")
    return ChoiceOutcome(outcome.choice == "Yes", outcome.source)


def _ask(agent: Agent[Any], text: str, choices: list[str], index: int, title: str, extra: bool) -> Ask:
    current = CURRENT.get()
    call_id, tool = (current[1].id, current[1].name) if current else ("", "")
    return make_question(
        agent.gate.next_id(), agent.name, call_id, tool, text,
        choices=tuple(choices), default_choice=index, title=title, allow_extra=extra,
    )  # fmt: skip


def _record(ask: Ask, by: str) -> None:
    """A question that nobody could answer counts as a refusal of the run it belongs to."""
    current = CURRENT.get()
    if current is not None and by == "nobody":
        current[0].denials.append(Denial(tool=ask.tool, by=by, decision=ask.decision))
