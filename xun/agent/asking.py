"""Questions that a tool, not the policy, puts to the person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from xun.agent.run_result import Denial
from xun.agent.turn import serving
from xun.errors import ConfigurationError, WrongTypeError
from xun.gate.chain import asker
from xun.gate.gate import question as make_question
from xun.given import clipped
from xun.result import printable
from xun.toolbox.asking import NobodyError
from xun.toolbox.outcome import ChoiceOutcome

if TYPE_CHECKING:
    from xun.agent.base import AgentBase

C = TypeVar("C")


async def choose(
    agent: AgentBase,
    text: str,
    choices: Sequence[C],
    *,
    default: C | None = None,
    auto: bool = True,
    title: str = "",
    allow_extra: bool = False,
) -> ChoiceOutcome[Any]:
    """Let the person pick one of `choices`, or say something else where `allow_extra` is set.

    Raises `TypeError` for one text in place of choices, `ValueError` when there is nothing to choose or the default is
    not among the choices, `NobodyError` when nobody can answer or the person declines, `RuntimeStateError` when the
    agent is not started or the turn of the call that asks is over.
    """
    agent.check_started()
    current = serving(agent)
    if isinstance(choices, str):
        raise WrongTypeError(f"choices must be a list, not one text: write [{clipped(choices)}]")
    if not choices:
        raise ConfigurationError("there must be at least one choice")
    if default is not None and default not in choices:
        raise ConfigurationError(f"the default {clipped(default)} is not one of the choices")
    index = 0 if default is None else list(choices).index(default)
    call_id, tool = (current[1].id, current[1].name) if current else ("", "")
    ask = make_question(
        agent.gate.next_id(), agent.name, call_id, tool, printable(text),
        choices=tuple(printable(str(choice)) for choice in choices), default_choice=index, title=printable(title),
        allow_extra=allow_extra,
    )  # fmt: skip
    answer, by = await agent.gate.put(ask, current[0].emit if current else agent.bus.emit, auto=auto)
    if by == "nobody" and current is not None:
        # What nobody could answer counts as a refusal of the run it belongs to.
        current[0].deny([Denial(tool=tool, by=by, decision=ask.decision)])
    if by == "nobody" or not answer.yes:
        raise NobodyError(answer.reason or ("nobody is there to answer" if by == "nobody" else "the person declined"))
    source = "auto" if by == "auto" else "user"
    if answer.text is not None and allow_extra:
        return ChoiceOutcome(answer.text, source)
    picked = answer.choice if answer.choice is not None and 0 <= answer.choice < len(choices) else index
    return ChoiceOutcome(choices[picked], source)


async def confirm(
    agent: AgentBase, text: str, *, default: bool = True, auto: bool = True, title: str = ""
) -> ChoiceOutcome[bool]:
    """Let the person say yes or no. Where nobody can answer, or the question is declined, it is no."""
    try:
        outcome = await choose(agent, text, ("Yes", "No"), default="Yes" if default else "No", auto=auto, title=title)
    except NobodyError:
        return ChoiceOutcome(False, "auto" if asker(agent.gate) is None else "user")
    return ChoiceOutcome(outcome.choice == "Yes", outcome.source)
