"""Calls of safe tools that repeat one of the same turn: while nothing may have changed, its result is given again."""

from __future__ import annotations

import asyncio
import json
import threading
from types import TracebackType

from xun.messages import ToolCall, ToolResult
from xun.toolbox.tool import Tool

AGAIN = "[The same call was made before in this turn, and nothing has run since that may have changed what it gives.]"


class Changes:
    """Counts the calls of a whole tree of agents that may change something, as they begin and end, on any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._running = 0

    def begin(self, tool: Tool) -> None:
        """A call of `tool` begins."""
        if tool.replay != "safe":
            with self._lock:
                self._count += 1
                self._running += not tool.waits

    def end(self, tool: Tool, *, left: bool) -> None:
        """It has ended; `left` where its thread may go on: nothing is sure to stay as it is any more."""
        if tool.replay != "safe":
            with self._lock:
                self._count += 1
                self._running -= not (tool.waits or left)

    def state(self) -> int | None:
        """The same number as before where nothing can have changed since; None while something may."""
        with self._lock:
            return None if self._running else self._count


class Slot:
    """One call and those equal to it: they pass one at a time, and what it gave is kept for the next."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._lock = asyncio.Lock()
        self._began: int | None = None
        self._kept: ToolResult | None = None
        self._state: int | None = None  # of things, for which it holds

    async def __aenter__(self) -> Slot:
        await self._lock.acquire()
        self._began = self._changes.state()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def again(self, call: ToolCall) -> ToolResult | None:
        """What an equal call gave, as the result of `call`; None where it has to run."""
        if self._kept is None or self._began is None or self._began != self._state:
            return None
        return self._kept.model_copy(
            update={"call_id": call.id, "name": call.name, "content": f"{self._kept.content}\n\n{AGAIN}"}
        )

    def keep(self, result: ToolResult) -> None:
        """Keep what the call gave, unless it failed, for as long as things are as they were when it began."""
        if not result.is_error:
            self._kept, self._state = result, self._began


class Earlier:
    """The calls of one turn that may be repeated."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._slots: dict[tuple[str, str], Slot] = {}

    def forget(self) -> None:
        """Let everything run again: what somebody has said may be that something is not as it was."""
        self._slots = {}

    def slot(self, tool: Tool, call: ToolCall) -> Slot:
        """Where `call`, whose arguments are valid, meets those that are equal to it."""
        key = (tool.name, json.dumps(call.arguments, sort_keys=True))
        return self._slots.setdefault(key, Slot(self._changes))
