"""Tools about the work itself: a question to the person, and the plan."""

from __future__ import annotations

from collections import Counter
from typing import Any

from xun.policy.action import Action
from xun.result import XunError
from xun.toolbox.asking import NobodyError
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext

STATUSES = ("pending", "in_progress", "completed")
_ANSWER_SECONDS = 3600.0


class TodoError(XunError):
    """A list of todos that has not the right shape."""


def _no_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> tuple[Action, ...]:
    """These tools touch nothing but the plan and the person's attention."""
    return ()


@tool_attr(concurrent=False, actions=_no_actions, timeout=_ANSWER_SECONDS, docstyle="sections")
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


@tool_attr(concurrent=False, actions=_no_actions, docstyle="sections", replay="idempotent")
def write_todos(ctx: ToolCallContext[Any], todos: list[dict[str, Any]]) -> str:
    """Write the plan: the whole list of steps, in place of the last one. The person sees it.

    Args:
        todos: The steps in order, each {"content": what to do, "status": pending, in_progress or completed}.
    """
    for number, todo in enumerate(todos):
        _check(number, todo)
    ctx.agent.state["todos"] = [dict(todo) for todo in todos]
    ctx.agent.set_plan(ctx.agent.state["todos"])
    if not todos:
        return "The plan is empty now."
    counts = Counter(todo["status"] for todo in todos)
    return ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])


@tool_attr(concurrent=False, actions=_no_actions, replay="safe")
def read_todos(ctx: ToolCallContext[Any]) -> list[dict[str, Any]] | str:
    """Read the plan as it is now."""
    return ctx.agent.state.get("todos") or "There is no plan."


def _check(number: int, todo: dict[str, Any]) -> None:
    content, status = todo.get("content"), todo.get("status")
    if not isinstance(content, str) or not content.strip():
        raise TodoError(f"todos[{number}] needs a content: what the step is, as text. Nothing was changed.")
    if status not in STATUSES:
        raise TodoError(
            f"todos[{number}] needs a status of pending, in_progress or completed, not {status!r}. Nothing was changed."
        )


TOOLS = (ask_preference, write_todos, read_todos)
