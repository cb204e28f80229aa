"""The sub-agents that an agent runs: waited for, side by side, or in the background."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xun.agent.job import Job
from xun.agent.run_result import RunResult
from xun.agent.subagents.background import Background
from xun.agent.subagents.tree import Caller, LoopLocks, adopt, work_apart
from xun.agent.turn import serving
from xun.events import AnyEvent, ToolStarted
from xun.result import Err, ErrorInfo, Ok, Result
from xun.toolbox.safe import contained
from xun.worker import run_in_thread

if TYPE_CHECKING:
    from xun.agent.agent import Agent
    from xun.agent.base import AgentBase
    from xun.agent.turn import Turn

TOGETHER = 4  # sub-agents that run side by side
Make = Callable[[], Any]
"""Makes the agent for one task, not started."""
_UNNAMED = re.compile(r"[^\w.-]+")
_LONGEST = 55  # characters of a name


@dataclass(frozen=True, slots=True)
class _Order:
    """A task, and who does it for whom. `value` is `ctx.value` for its tools."""

    make: Make
    task: str
    name: str
    value: Any
    caller: Caller


class Children:
    """Runs agents for tasks of `parent`. Each is closed when its task has ended, however it did."""

    def __init__(self, parent: AgentBase) -> None:
        self._parent = parent
        self._numbers = itertools.count(1)
        self._names: set[str] = set()
        self._background: dict[str, Background] = {}
        self._making = LoopLocks()

    def name(self, given: str | None) -> str:
        """A name that no other of these agents has: letters, digits, _, . and - of `given`, or the next number."""
        base = _UNNAMED.sub("-", given or "").strip("-.")[:_LONGEST]
        more = (f"{base}-{number}" for number in itertools.count(2))
        names = itertools.chain([base], more) if base else (f"agent-{number}" for number in self._numbers)
        found = next(name for name in names if name not in self._names)
        self._names.add(found)
        return found

    async def run(
        self, make: Make, task: str, name: str, value: Any = None, progress: Callable[[str], None] | None = None
    ) -> Result[str]:
        """Let a new agent do `task` and wait for what it says. `value` is `ctx.value` for its tools.

        An `Err` is whatever is no complete answer, half of one and an agent that could not be made too. Cancelling it
        cancels the agent and waits for its end.
        """
        return await self._do(_Order(make, task, name, value, serving(self._parent)), progress)

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
        """Let a new agent do `task` in the background; gives its id. It ends with this agent, if not before.

        It may outlive the turn that starts it, within the budgets of that.
        """
        order = _Order(make, task, name, value, serving(self._parent))
        turn = order.caller[0] if order.caller else None

        async def work() -> Result[str]:
            work_apart()
            child.begun = True
            return await self._in_time(order, turn.deadline if turn else None)

        number = f"{name}-{len(self._background) + 1}"
        child = self._background[number] = Background(number, name, turn, Job(work(), f"xun-{number}"))
        return number

    async def wait(self, number: str, seconds: float | None) -> Result[Any]:
        """What the agent `number` says, or that it still runs after `seconds` (None: however long it takes).

        In any turn: an answer is kept as long as this agent.
        """
        child = self._background.get(number)
        if child is None:
            known = ", ".join(self._background) or "none was started"
            return Err(f"no sub-agent has the id {number!r}; there are: {known}")
        if not await child.over_within(seconds):
            notice = f"it still runs after {seconds:g} s; wait again, or go on without it"
            return Ok({"status": "running", "id": number, "notice": notice})
        if (current := serving(self._parent)) is not None and (late := child.late_denials()):
            current[0].deny(late, stops=any(denial.by == "nobody" for denial in late))
        return child.answer

    def listed(self) -> list[dict[str, str]]:
        """The agents in the background, in the order of their start."""
        return [{"id": child.id, "name": child.name, "status": child.status} for child in self._background.values()]

    def cancel(self, turn: Turn | None = None) -> bool:
        """Cancel all of them that run in the background, from any thread: those of `turn` alone where it is given.

        False where none does.
        """
        mine = (child for child in self._background.values() if turn is None or child.turn is turn)
        running = [child for child in mine if not child.over]
        for child in running:
            child.job.cancel()
        return bool(running)

    def at_work_for(self, turn: Turn) -> bool:
        """Whether one that was started in `turn` is still in the background."""
        return any(child.turn is turn and not child.over for child in self._background.values())

    async def stop(self) -> None:
        """Cancel them and wait for their end."""
        self.cancel()
        for child in self._background.values():
            await child.job.ended()

    async def _in_time(self, order: _Order, deadline: float | None) -> Result[str]:
        """Do it until `deadline`, on the clock of `time.monotonic`."""
        try:
            async with asyncio.timeout(None if deadline is None else deadline - time.monotonic()):
                return await self._do(order)
        except TimeoutError:
            return _unfinished(order.name, "the time limit of the run that started it was reached", "timeout")

    async def _do(self, order: _Order, progress: Callable[[str], None] | None = None) -> Result[str]:
        """What it says. Only a cancellation of the running task, or Ctrl-C, is raised."""
        if not order.task.strip():
            return _unfinished(order.name, "its task is empty; say what is to be done")
        waiting = asyncio.current_task()
        result: RunResult | None = None
        try:
            async with self._making.lock():  # in their order: a getter need not be ready for two threads
                child = _unstarted(await run_in_thread(order.make, f"make-{order.name}"))
            if progress is not None:
                child.bus.listen(_Telling(order.name, progress))
            adopt(self._parent, child, order.name, order.caller)
            async with child:
                result = await child.run(order.task, context=order.value)
        except BaseException as error:  # noqa: BLE001 - whatever a getter or a provider raises is an answer to the model
            failed = contained(error, waiting)
            if result is None:
                return _unfinished(order.name, " ".join(failed.unwrap_err().error.split()))
        if result.ok:
            return Ok(result.output)
        why = result.error.message if result.error else result.stop_reason
        return _unfinished(order.name, why, result.stop_reason)


def _unfinished(name: str, why: str, reason: str = "") -> Err:
    return Err(ErrorInfo(error=f"the sub-agent {name} did not finish: {why}", details=reason))


def _unstarted(made: Any) -> Agent[Any]:
    from xun.agent.agent import Agent

    if not isinstance(made, Agent):
        raise TypeError(f"agent_getter must give an Agent that is not started, not {type(made).__name__}")
    return made


class _Telling:
    """Shows what a sub-agent does as output of the call that runs it."""

    def __init__(self, name: str, progress: Callable[[str], None]) -> None:
        self._name, self._progress = name, progress

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, ToolStarted) and not event.parent_id:
            given = " ".join(f"{value}" for value in event.call.arguments.values())
            self._progress(f"{self._name}: {event.call.name} {given[:120]}\n")
