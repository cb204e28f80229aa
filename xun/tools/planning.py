"""The plan: a list of todos that the model keeps and the person sees."""

from __future__ import annotations

from collections import Counter
from typing import Any

from xun.policy.action import Action
from xun.result import XunError
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext

STATUSES = ("pending", "in_progress", "completed")


class TodoError(XunError):
    """A list of todos that has not the right shape."""


def _no_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> tuple[Action, ...]:
    """These tools touch nothing but the plan."""
    return ()


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


TOOLS = (write_todos, read_todos)
