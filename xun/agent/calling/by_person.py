"""A call that the person makes, beside any turn: the same checks and the same gate, told like one of the model's."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

from xun.agent.calls import CallEnd, answer_of, find_tool, invoke, stopped_by
from xun.asides import aside_of
from xun.events import ToolEnded, ToolProgress, ToolStarted
from xun.messages import ToolCall, ToolResult
from xun.result import Err, printable
from xun.toolbox.context import ToolCallContext
from xun.toolbox.toolbox import ToolBox

if TYPE_CHECKING:
    from xun.agent.base import AgentBase

INTERRUPTED = "Interrupted: it may have partly run."
NOT_BEGUN = "Interrupted before it began: it was not run."


class PersonCall:
    """One such call of `agent`, on the running loop. It is no part of the conversation."""

    def __init__(self, agent: AgentBase, call: ToolCall) -> None:
        self._agent = agent
        self._call = call
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._running = self._begun = False
        self._seconds = 0.0

    async def run(self, toolbox: ToolBox) -> ToolResult:
        """Make the call with the tool of its name in `toolbox`. A cancelled one is told as ended, and raises."""
        agent, call = self._agent, self._call
        agent.check_started()
        agent.tell_mode()
        agent.bus.emit(ToolStarted(call=call))
        end: CallEnd | None = None
        try:
            end = await self._run(toolbox)
            return end.result
        finally:
            self._running = False
            end = end or self._cut()
            if aside := aside_of(call, end.result):
                agent.asides.append(aside)
            agent.bus.emit(
                ToolEnded(
                    call_id=call.id, name=call.name, result=end.result, outcome=end.outcome, seconds=self._seconds
                )
            )

    def _cut(self) -> CallEnd:
        text = INTERRUPTED if self._begun else NOT_BEGUN
        return CallEnd(
            ToolResult(call_id=self._call.id, name=self._call.name, content=text, is_error=True), "cancelled"
        )

    async def _run(self, toolbox: ToolBox) -> CallEnd:
        agent, call = self._agent, self._call
        item = find_tool(call, toolbox.list_tools(agent.model.tool_capabilities), call.arguments)
        if item.problem is not None or item.tool is None:
            return answer_of(agent, call, Err(item.problem or "unknown tool"), "invalid")
        ctx = ToolCallContext(agent, item.tool.name, None, self._progress)
        if (stopped := await stopped_by(agent, item, ctx, agent.bus.emit)) is not None:
            return answer_of(agent, call, stopped.error, stopped.outcome)
        self._running = self._begun = True
        began = time.monotonic()
        try:
            policy = toolbox.under(agent.config.tool_policy).policy
            ran = await invoke(item, ctx, policy)
        finally:
            self._seconds = time.monotonic() - began
        return answer_of(agent, call, ran.result, ran.outcome, item.tool)

    def _progress(self, text: str) -> None:
        """Show output while the call runs; a tool may do so from any thread."""
        if threading.get_ident() == self._thread:
            self._tell(text)
        else:
            self._loop.call_soon_threadsafe(self._tell, text)

    def _tell(self, text: str) -> None:
        if self._running:
            self._agent.bus.emit(ToolProgress(call_id=self._call.id, text=printable(text)))
