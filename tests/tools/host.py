"""An agent's part that tools need, and calls as an agent makes them: validated, told first, then run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from xun.policy.action import Action
from xun.result import Result
from xun.toolbox.context import ToolCallContext
from xun.toolbox.tool import Tool
from xun.workspace.workspace import Workspace


class Host:
    """The workspace and state of an agent."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace(root)
        self.state: dict[str, Any] = {}

    def told(self, function: Callable[..., Any], **arguments: Any) -> tuple[Action, ...]:
        """What a call would do. Raises what the tool raises where it could not be done at all."""
        tool = Tool(function)
        ctx = ToolCallContext(self, tool.name, None)
        return tuple(tool.actions_for(tool.validate(arguments).unwrap(), ctx))

    async def call(self, function: Callable[..., Any], **arguments: Any) -> Result[Any]:
        tool = Tool(function)
        ctx = ToolCallContext(self, tool.name, None)
        return await tool.invoke(tool.validate(arguments).unwrap(), ctx)

    async def ok(self, function: Callable[..., Any], **arguments: Any) -> str:
        return (await self.call(function, **arguments)).unwrap()

    async def error(self, function: Callable[..., Any], **arguments: Any) -> str:
        return (await self.call(function, **arguments)).unwrap_err().error
