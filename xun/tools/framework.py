"""Tools about the work itself: a question to the person."""

from __future__ import annotations

from typing import Any

from xun.policy.action import Action
from xun.toolbox.asking import NobodyError
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext

_ANSWER_SECONDS = 3600.0


def _no_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> tuple[Action, ...]:
    """It touches nothing but the person's attention."""
    return ()


@tool_attr(concurrent=False, waits=True, actions=_no_actions, timeout=_ANSWER_SECONDS, docstyle="sections")
async def ask_preference(
    ctx: ToolCallContext[Any],
    question: str,
    choices: list[str],
    allow_extra: bool = False,
    default_choice: str | None = None,
    title: str = "User Preference Query",
) -> dict[str, str] | str:
    """Ask the person to choose. For a decision that is theirs and changes what you will do; not for
    permission, which is asked for by itself, and not for what you can find out. One question, before the
    work that depends on it.

    Args:
        question: The question, complete in itself.
        choices: The possible answers, best first; at least one.
        allow_extra: Whether the person may answer in their own words.
        default_choice: The choice marked as the default; one of choices.
        title: A short heading.
    """
    if not choices:
        raise ValueError("choices must hold at least one possible answer")
    if default_choice is not None and default_choice not in choices:
        raise ValueError(f"default_choice {default_choice!r} is not one of the choices")
    try:
        outcome = await ctx.agent.choose(
            question, choices, default=default_choice, auto=False, allow_extra=allow_extra, title=title
        )
    except NobodyError as error:
        return (
            f"No answer: {error}. Do not ask again. Go on with the most likely reading of the task, "
            "and state that assumption at the start of your reply."
        )
    return {"Q": question, "A": str(outcome.choice)}


TOOLS = (ask_preference,)
