"""The sub-agents that an agent runs: waited for, side by side, or in the background."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from xun.agent.run_result import RunResult
from xun.agent.tree import adopt
from xun.agent.turn import serving
from xun.events import AnyEvent, ToolStarted
from xun.result import Err, ErrorInfo, Ok, Result

if TYPE_CHECKING:
    from xun.agent.base import AgentBase

TOGETHER = 4  # sub-agents that run side by side
Make = Callable[[], Any]
"""Makes the agent for one task, not started."""
ChildStatus = Literal["running", "completed", "failed", "cancelled"]


@dataclass(slots=True)
class _Child:
    id: str
    name: str
    task: asyncio.Task[Result[str]]

    @property
    def status(self) -> ChildStatus:
        if not self.task.done():
            return "running"
        if self.task.cancelled():
            return "cancelled"
        return "completed" if self.task.result().is_ok() else "failed"


class Children:
    """Runs agents for tasks of `parent`. Each is closed when its task has ended, however it did."""

    def __init__(self, parent: AgentBase) -> None:
        self._parent = parent
        self._numbers = itertools.count(1)
        self._background: dict[str, _Child] = {}

    def name(self, given: str | None) -> str:
        """`given`, or the next number as a name."""
        return given or f"agent-{next(self._numbers)}"

    async def run(
        self, make: Make, task: str, name: str, value: Any = None, progress: Callable[[str], None] | None = None
    ) -> Result[str]:
        """Let a new agent do `task` and wait for what it says. `value` is `ctx.value` for its tools.

        An `Err` is whatever is no complete answer: half of one is none. Cancelling it cancels the agent and waits for
        its end.
        """
        child = make()
        if progress is not None:
            child.bus.listen(_Telling(name, progress))
        adopt(self._parent, child, name)
        async with child:
            result = await child.run(task, context=value)
        self._note(result)
        if result.ok:
            return Ok(result.output)
        why = result.error.message if result.error else result.stop_reason
        return Err(ErrorInfo(error=f"the sub-agent {name} did not finish: {why}", details=result.stop_reason))

    async def run_all(self, makes: list[tuple[Make, str, str]], value: Any, progress: Any) -> list[Result[str]]:
        """Several of them, `TOGETHER` at a time; what they say is in the order given. One that fails stops no other."""
        together = asyncio.Semaphore(TOGETHER)

        async def one(make: Make, task: str, name: str) -> Result[str]:
            async with together:
                return await self.run(make, task, name, value, progress)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(*each)) for each in makes]
        return [task.result() for task in tasks]

    def spawn(self, make: Make, task: str, name: str, value: Any = None) -> str:
        """Let a new agent do `task` in the background; gives its id. It ends with this agent."""
        number = f"{name}-{len(self._background) + 1}"
        running = asyncio.get_running_loop().create_task(self.run(make, task, name, value), name=f"xun-{number}")
        self._background[number] = _Child(number, name, running)
        return number

    async def wait(self, number: str, seconds: float | None) -> Result[Any]:
        """What the agent `number` says, or that it still runs after `seconds` (None: however long it takes)."""
        child = self._background.get(number)
        if child is None:
            known = ", ".join(self._background) or "none was started"
            return Err(f"no sub-agent has the id {number!r}; there are: {known}")
        done, _ = await asyncio.wait([child.task], timeout=seconds)
        if not done:
            notice = f"it still runs after {seconds:g} s; wait again, or go on without it"
            return Ok({"status": "running", "id": number, "notice": notice})
        if child.task.cancelled():
            return Err(f"the sub-agent {child.name} was cancelled")
        return child.task.result()

    def listed(self) -> list[dict[str, str]]:
        """The agents in the background, in the order of their start."""
        return [{"id": child.id, "name": child.name, "status": child.status} for child in self._background.values()]

    def cancel(self) -> None:
        """Cancel all of them that run in the background."""
        for child in self._background.values():
            child.task.cancel()

    async def stop(self) -> None:
        """Cancel them and wait for their end."""
        self.cancel()
        loop = asyncio.get_running_loop()
        tasks = [child.task for child in self._background.values() if child.task.get_loop() is loop]
        if tasks:
            await asyncio.wait(tasks)

    def _note(self, result: RunResult) -> None:
        current = serving(self._parent)
        if current is not None and result.usage_incomplete:
            current[0].usage_incomplete = True


class _Telling:
    """Shows what a sub-agent does as output of the call that runs it."""

    def __init__(self, name: str, progress: Callable[[str], None]) -> None:
        self._name, self._progress = name, progress

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, ToolStarted) and not event.parent_id:
            given = " ".join(f"{value}" for value in event.call.arguments.values())
            self._progress(f"{self._name}: {event.call.name} {given[:120]}\n")
