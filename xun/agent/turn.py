"""One turn: what it has spent, what is still unanswered, and its one end."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from xun.agent.calling.dedupe import Earlier
from xun.agent.calling.loopguard import LoopGuard
from xun.agent.input.prompt import told
from xun.agent.input.shown import Shown
from xun.agent.model.cut_reply import interrupted_reply, with_cut_note
from xun.agent.output import Output
from xun.agent.run_result import Denial, RunResult
from xun.agent.telling.ending import Stop, outcome_of
from xun.agent.telling.finishing import Finishing
from xun.agent.telling.totals import Spent
from xun.agent.told.todo_note import with_todos
from xun.errors import RuntimeStateError
from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    CallOutcome,
    MessageAdded,
    TextDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnStarted,
    UsageUpdated,
)
from xun.extend.payloads import HookName
from xun.gate.verdict import Verdict
from xun.messages import Message, ToolCall, ToolResult, Usage
from xun.policy.decision import Answer
from xun.providers.base import ModelInfo
from xun.result import printable

if TYPE_CHECKING:
    from xun.agent.agent import Agent
    from xun.agent.base import AgentBase

UNRUN = "Not run: the turn ended before this call was started."
CUT = "Interrupted: the turn ended while this call was running. It may have partly run; check before repeating it."


# The turn and call that the running code serves; worker threads of tools inherit it.
CURRENT: ContextVar[tuple[Turn, ToolCall] | None] = ContextVar("xun_call", default=None)


def serving(agent: AgentBase) -> tuple[Turn, ToolCall] | None:
    """The turn and the call of `agent` that the running code serves, None outside of its turns.

    Raises `RuntimeStateError` once that turn is over: a tool's thread that nobody waits for any more may go on, but
    not ask or act in the agent's name.
    """
    current = CURRENT.get()
    if current is None or current[0].agent is not agent:
        return None
    if current[0].over:
        raise RuntimeStateError("the turn that this call belongs to is over")
    return current


class Turn:
    """The state of one turn. `done` resolves to the `RunResult` once `TurnEnded` has been told."""

    def __init__(self, agent: Agent[Any], said: Message, context: Any, output: Output | None = None) -> None:
        self.agent = agent
        self.said = said
        self.prompt = told(said)
        self.context = context
        self.output = output
        self.limits = agent.limits
        self.guard = LoopGuard()
        self.tools = agent.tools_in_force()  # fixed: what is registered or disabled meanwhile counts from the next turn
        self.tool_names = tuple(tool.name for tool in self.tools)
        agent.telemetry.learn(self.tool_names)
        self.earlier = Earlier(agent.turnstile.changes)
        self.steps = 0
        self.tool_calls = 0
        self._spent = Spent()
        self.served: ModelInfo | None = None  # who answers in place of the agent's own model
        self.uncounted = False  # whether a reply came without what it used
        self.usage_incomplete = False
        self.denials: list[Denial] = []
        self.late: list[Denial] = []  # of agents that it started and that have outlived it
        self._stop: Stop | None = None
        self.interrupted = False
        self.over = False
        self.loop = asyncio.get_running_loop()
        self.done: asyncio.Future[RunResult] = self.loop.create_future()
        self._process = os.getpid()
        self._thread = threading.get_ident()
        self.began = time.monotonic()
        self._open: dict[str, ToolCall] = {}
        self._started: set[str] = set()
        self._running: set[str] = set()
        self._results: dict[str, ToolResult] = {}
        self._shown = Shown()
        self._reply: Message | None = None
        self.broken = ""  # the text of a reply that has failed
        self._arriving: list[str] = []  # the text of a reply that has not come to its end
        self._asking: dict[str, asyncio.Task[Any] | None] = {}
        self._telling: asyncio.Task[None] | None = None  # hooks of its end

    def emit(self, event: AnyEvent) -> None:
        """Tell `event`. Nothing is told of a turn after its end: a tool's thread may still be at work."""
        if self._note(event):
            self.agent.bus.emit(event)

    def relay(self, event: AnyEvent) -> None:
        """Tell an event of an agent that works for this one."""
        if not self.over:
            self.agent.bus.relay(event)

    def _note(self, event: AnyEvent) -> bool:
        if self.over:
            return False
        if isinstance(event, Asked):
            self._asking[event.ask.id] = asyncio.current_task()
        elif isinstance(event, Answered):
            self._asking.pop(event.ask_id, None)
        return True

    async def fire(self, name: HookName, **data: Any) -> None:
        """Tell the hooks of `name`. Raises `HookDenied` where one of them guards and fails."""
        await self.agent.hooks.fire(name, self.agent, **data)

    def begin(self) -> None:
        self.emit(TurnStarted(prompt=self.prompt, model=self.agent.model_name, effort=self.agent.effort))
        self.agent.tell_mode()
        if self.said.blocks:
            self._hear(self.said)

    def add(self, message: Message) -> None:
        """Append to history and tell it, in one step that nothing can interrupt."""
        told = MessageAdded(message=message)
        self.agent.messages.append(message)
        if message.role == "assistant":
            self._arriving.clear()
            self.broken = ""
            self._reply = message
            self._open = {call.id: call for call in message.calls}
            self._started.clear()  # some servers use their ids again
        elif message.role == "tool":
            self._open, self._results = {}, {}
        self.emit(told)

    def say(self, text: str) -> None:
        """Tell the next piece of the reply that arrives. It is kept, too, where the turn ends before the reply does."""
        told = TextDelta(text=text)
        self._arriving.append(text)
        self.emit(told)

    def unsay(self) -> None:
        """The reply has failed: what was told of it does not count."""
        self.broken = "".join(self._arriving) or self.broken
        self._arriving.clear()

    def take_steering(self) -> None:
        """Add what the person said meanwhile to history."""
        for text in self.agent.queue.take_steering():
            self.earlier.forget()
            self._hear(Message.user(text))

    def _hear(self, said: Message) -> None:
        message = with_cut_note(self.agent.with_asides(said), self.agent.messages)
        message = self.output.asked_of(message) if self.output is not None else message
        self.add(with_todos(self.agent.plan_note.add(message, self.agent.mode == "plan"), self))

    def spend(self, usage: Usage | None, model: ModelInfo | None = None, whole: bool = True) -> None:
        """Count what `model` has used for this turn, an `OnSpent`. That is the one that answered last by default."""
        self.uncounted = self.uncounted or usage is None
        self.usage_incomplete = self.usage_incomplete or usage is None or not whole
        if usage is not None:
            info = model or self.answering
            cost = info.cost(usage)
            self._spent.add(usage, cost)
            self.agent.totals.add(info.full_name, usage, cost)
            self.emit(UsageUpdated(usage=self.usage, cost=self.cost))
        if self.agent.on_spent is not None:
            self.agent.on_spent(usage, model or self.answering, whole)

    @property
    def answering(self) -> ModelInfo:
        """The model that answers: the agent's own, or the fallback that took its place."""
        return self.served or self.agent.model

    @property
    def usage(self) -> Usage:
        return self._spent.usage

    @property
    def cost(self) -> float | None:
        """Dollars so far, None where a price is unknown: of what was used, or of what will be."""
        known = self._spent.usage != Usage() or self.agent.model.cost(Usage()) is not None
        return self._spent.cost if known else None

    @property
    def reply_text(self) -> str:
        """The text of its last reply."""
        return self._reply.text if self._reply is not None else ""

    @property
    def waits_for_results(self) -> bool:
        """Whether calls of the last reply in history have no results there."""
        return bool(self._open)

    # Calls: each that was told as started is told as ended, whatever happens.

    def call_started(self, call: ToolCall) -> None:
        self._started.add(call.id)
        self.emit(ToolStarted(call=call))

    def call_running(self, call: ToolCall) -> None:
        self._running.add(call.id)

    def call_ended(self, call: ToolCall, result: ToolResult, outcome: CallOutcome, seconds: float = 0.0) -> None:
        self._running.discard(call.id)
        self._results[call.id] = result
        self.emit(ToolEnded(call_id=call.id, name=call.name, result=result, outcome=outcome, seconds=seconds))

    def result_of(self, call: ToolCall) -> ToolResult:
        """What the model reads of a call that has ended."""
        return self._results[call.id]

    def reads(self, result: ToolResult) -> None:
        """The model reads `result` of a call that has ended, in place of what the call gave."""
        self._results[result.call_id] = result

    def results(self) -> Message:
        """The message that answers every open call, in the order of the calls."""
        return Message(role="tool", blocks=tuple(self._results[call_id] for call_id in self._open))

    def show(self, call: ToolCall, message: Message) -> None:
        """Add `message` behind the results of this step. Raises `RuntimeStateError` once `call` has ended."""
        if call.id not in self._running:
            raise RuntimeStateError("the call that shows something has ended")
        self._shown.put(call.id, message)

    def answer(self) -> None:
        """Add the results of a step to history, and behind them what its tools show."""
        calls = tuple(self._open)
        self.add(with_todos(self.results(), self))
        for message in self._shown.take(calls):
            self.add(with_todos(message, self))

    def on_its_thread(self) -> bool:
        return threading.get_ident() == self._thread

    @property
    def loop_runs(self) -> bool:
        """Whether its loop runs. In a process forked meanwhile it only looks so: no thread came along."""
        return self._process == os.getpid() and self.loop.is_running()

    def progress_of(self, call: ToolCall) -> Callable[[str], None]:
        """A function that shows output of the running `call`; it may be called from any thread."""

        def tell(text: str) -> None:
            if call.id in self._running:
                self.emit(ToolProgress(call_id=call.id, text=printable(text)))

        def progress(text: str) -> None:
            if self.on_its_thread():
                tell(text)
            else:
                self.loop.call_soon_threadsafe(tell, text)

        return progress

    def close_calls(self, reason: str = UNRUN, outcome: CallOutcome = "cancelled") -> None:
        """Answer every open call that has no result yet, and add the answers to history."""
        if not self._open:
            return
        for call in tuple(self._open.values()):
            if call.id in self._results:
                continue
            if call.id not in self._started:
                self.call_started(call)
            text = CUT if call.id in self._running else reason
            result = ToolResult(call_id=call.id, name=call.name, content=text, is_error=True)
            self.call_ended(call, result, "cancelled" if call.id in self._running else outcome)
        self.add(self.results())

    def refused(self, tool: str, verdict: Verdict) -> None:
        """A call was refused: noted here, and for each agent that this one works for."""
        denials = [Denial(tool=tool, by=verdict.by, decision=decision) for decision in verdict.refused]
        self.deny(denials, stops=verdict.by == "nobody")

    def deny(self, denials: Sequence[Denial], *, stops: bool = False) -> None:
        """Note `denials`. With `stops` they end each turn whose agent is not to go on without a person."""
        for turn in self.line():
            (turn.late if turn.over else turn.denials).extend(denials)
            if stops and turn.agent.on_nobody == "fail":
                turn._stop = Stop("denied", "a call needs a person's yes and nobody is there to give it")  # noqa: SLF001 - one of this class

    @property
    def deadline(self) -> float | None:
        """When the first time limit of these turns is reached, on the clock of `time.monotonic`."""
        ends = (turn.began + turn.limits.max_time for turn in self.line() if turn.limits.max_time is not None)
        return min(ends, default=None)

    @property
    def stop(self) -> Stop | None:
        """Why it is to end after what runs now, if it is; that holds for all that work for it."""
        return next((turn._stop for turn in self.line() if turn._stop is not None), None)  # noqa: SLF001 - of this class

    def line(self) -> Iterator[Turn]:
        """This turn, and those above it that it works for, from below. They may be over."""
        turn: Turn | None = self
        while turn is not None:
            yield turn
            turn = turn.agent.serves

    # The end.

    def interrupt(self) -> None:
        """Somebody's code raised `KeyboardInterrupt`: cancel the turn, and those that it works for.

        Raised on, it would end the loop instead.
        """
        for turn in self.line():
            if not turn.over:
                turn.interrupted = True
                turn.agent.cancel()

    async def ended(self, *, hooks: bool = True) -> RunResult:
        """Wait for the end, and until `hooks` have been told of it, on any loop.

        Cancelling the wait leaves the turn alone.
        """
        if asyncio.get_running_loop() is self.loop:
            return await self._told(hooks)
        there = asyncio.run_coroutine_threadsafe(self._told(hooks), self.loop)
        return await asyncio.shield(asyncio.wrap_future(there))

    async def _told(self, hooks: bool) -> RunResult:
        result = await asyncio.shield(self.done)
        if hooks and self._telling is not None:
            await asyncio.wait({self._telling})
        return result

    def drop_hooks(self) -> bool:
        """Wait no longer for the hooks that are told of its end. False where there are none any more."""
        telling = self._telling
        if telling is None or telling.done():
            return False
        if self.on_its_thread():
            telling.cancel()
        elif self.loop_runs:
            self.loop.call_soon_threadsafe(telling.cancel)
        return True

    async def _tell_hooks(self, result: RunResult) -> None:
        if result.failed and result.error is not None:
            await self.fire("error", kind=result.error.kind, message=result.error.message)
        await self.fire("run_end", result=result)

    def finish(self, task: asyncio.Task[None]) -> None:
        """Close the transcript and tell `TurnEnded`. Runs as the task's done-callback: whatever ended the task."""
        if self.over:
            return
        end = Finishing(self, outcome_of(task, "interrupted" if self.interrupted else "cancelled"))
        end.close(self._close_questions, self.close_calls, self._keep_arriving)
        self.agent.turn_over(self)
        self.agent.queue.keep_steering()
        told = end.told()
        self.emit(told)
        self.over = True
        result = end.result(told)
        if task.done() and (self.agent.hooks.wants("run_end") or self.agent.hooks.wants("error")):
            self._telling = self.loop.create_task(self._tell_hooks(result), name="xun-turn-end")
        if not self.done.done():
            self.done.set_result(result)

    def _keep_arriving(self) -> None:
        """Add to history what was told of a reply that did not come to its end: the person has read it."""
        text = "".join(self._arriving)
        if text.strip():
            self.add(interrupted_reply(text, self.answering))

    def _close_questions(self) -> None:
        """Take back what a tool's thread still asks: nobody waits for that call any more."""
        for ask_id, task in tuple(self._asking.items()):
            self.emit(Answered(ask_id=ask_id, answer=Answer.no("the turn has ended"), by="nobody"))
            if task is not None:
                task.cancel()
