"""The line of the system prompt that asks for a plan, for agents with xun's own `write_todos`."""

from __future__ import annotations

from collections.abc import Iterable

from xun.toolbox.tool import Tool

LINE = (
    "Plan work of three or more steps with write_todos, update the list in the same turn as the work it "
    "describes, and when all is done just answer."
)
TOOLS = ("write_todos", "read_todos")
_MODULE = "xun.tools.planning"


def plans(tools: Iterable[Tool]) -> bool:
    """Whether xun's own `write_todos` is among `tools`; one of somebody else's is theirs to explain."""
    return any(tool.name == TOOLS[0] and own(tool) for tool in tools)


def own(tool: Tool) -> bool:
    """Whether `tool` is of xun's group of planning tools."""
    return getattr(tool.function, "__module__", "") == _MODULE
