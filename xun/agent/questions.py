"""What tools and other code use of an agent: questions to the person, calls of their own, the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from xun.agent import asking
from xun.agent.base import AgentBase
from xun.agent.calling.by_person import PersonCall
from xun.agent.calls import call_directly
from xun.agent.config import UNSAID
from xun.events import PlanUpdated
from xun.messages import ToolCall, ToolResult
from xun.result import Result
from xun.toolbox.outcome import ChoiceOutcome
from xun.toolbox.toolbox import ToolBox

C = TypeVar("C")


class Questions(AgentBase):
    """A part of `Agent`."""

    async def choose(
        self, question: str, choices: Sequence[C], *, default: C | None = None, auto: bool = True, **how: Any
    ) -> ChoiceOutcome[Any]:
        """Let the person choose; a `ChoiceOutcome`. Raises `NobodyError` where nobody can answer."""
        return await asking.choose(self, question, choices, default=default, auto=auto, **how)

    async def confirm(
        self, question: str, *, default: bool = True, auto: bool = True, **how: Any
    ) -> ChoiceOutcome[bool]:
        """Let the person say yes or no; a `ChoiceOutcome[bool]`, no where nobody can answer."""
        return await asking.confirm(self, question, default=default, auto=auto, **how)

    def get_choice(
        self, question: str, choices: Sequence[C], *, default: C | None = None, **how: Any
    ) -> ChoiceOutcome[Any]:
        """`choose` for synchronous code: a tool's worker thread, or any thread that runs no event loop."""
        how["default"] = default
        return self.block_on(self.choose(question, choices, **how), "agent.choose(...)")

    def get_confirm(self, question: str, *, default: bool = True, **how: Any) -> ChoiceOutcome[bool]:
        """`confirm` for synchronous code."""
        how["default"] = default
        return self.block_on(self.confirm(question, **how), "agent.confirm(...)")

    async def acall_tool(
        self, toolbox: ToolBox, name: str, arguments: Any = UNSAID, context: Any = None
    ) -> Result[Any]:
        """Call the tool `name` of `toolbox` as the model would: validated, gated, timed.

        `arguments` is a dict or JSON text, `context` is `ctx.value` for the tool. What is wrong with the call, and
        what the tool raises, is an `Err`. Raises `RuntimeStateError` when the agent is not started, and `TypeError` for
        what is no `ToolBox`; `agent.toolbox` is the agent's own.
        """
        return await call_directly(self, toolbox, name, arguments, context)

    def call_tool(self, toolbox: ToolBox, name: str, arguments: Any = UNSAID, context: Any = None) -> Result[Any]:
        """`acall_tool` for synchronous code: a tool's worker thread, or any thread that runs no event loop."""
        return self.block_on(self.acall_tool(toolbox, name, arguments, context), "toolbox.acall_tool(...)")

    async def call_by_person(self, toolbox: ToolBox, call: ToolCall) -> ToolResult:
        """Make a call of the person's own, such as a shell line, through the gate and told like one of the model's.

        It is no part of the conversation and may run beside a turn; `asides` tells the model of it. Cancelling stops
        it. Raises `RuntimeStateError` when the agent is not started.
        """
        return await PersonCall(self, call).run(toolbox)

    def set_plan(self, todos: Sequence[dict[str, Any]]) -> None:
        """Tell the person the plan: its todos, each with `content` and `status`, as the tools for them do."""
        self.tell(PlanUpdated(todos=tuple(todos)))
