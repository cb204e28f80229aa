"""An agent's part that tools need, and calls as an agent makes them: validated, told first, then run."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from xun.policy.action import Action
from xun.policy.decision import Effect
from xun.policy.reading import ReadFilter
from xun.policy.rules import Policy
from xun.result import Result
from xun.toolbox.context import ToolCallContext
from xun.toolbox.tool import Tool
from xun.workspace.workspace import Workspace


class Host:
    """The workspace, policy and state of an agent."""

    def __init__(self, root: Path, policy: Policy | None = None) -> None:
        self.workspace = Workspace(root)
        self.policy = policy or Policy()
        self.state: dict[str, Any] = {}

    def read_filter(self) -> Callable[[str], Effect]:
        roots = [str(root) for root in self.workspace.roots]
        return ReadFilter(self.policy, [], roots=roots, at=datetime.now(UTC)).effect

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
