"""From stored events back to what they built: history, plan, usage, and what a crash left open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xun.asides import aside_of, asides_in
from xun.events import (
    AnyEvent,
    AttemptReset,
    Compacted,
    Decided,
    HistoryReplaced,
    MessageAdded,
    Mode,
    ModeChanged,
    PlanUpdated,
    QueueChanged,
    StepStarted,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageUpdated,
)
from xun.messages import Message, Reply, Text, ToolCall, ToolResult, Usage
from xun.sessions.past import Past


@dataclass(slots=True)
class Batch:
    """What is known about the calls of one reply, by call id.

    `started` are told for a whole batch before any of it runs. A call begins only once it is `allowed`.
    """

    started: dict[str, ToolCall] = field(default_factory=dict)
    allowed: set[str] = field(default_factory=set)
    ended: dict[str, ToolResult] = field(default_factory=dict)

    def rest(self) -> Batch:
        """The batch of the next reply, with what still runs: a shell line of the person's own, beside the turn."""
        running = {call_id: call for call_id, call in self.started.items() if call_id not in self.ended}
        return Batch(started=running, allowed=self.allowed & running.keys())


@dataclass(slots=True)
class OpenTurn:
    """A turn without its end, counted as far as it came. `arriving` is what is known of a reply without its end."""

    agent_id: str
    model: str = ""
    arriving: list[str] = field(default_factory=list)
    steps: int = 0
    tool_calls: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    output: str = ""

    @property
    def cut_reply(self) -> Message | None:
        """The reply that was arriving, as history keeps what has come of one that is cut off. None where none was."""
        text = "".join(self.arriving)
        if not text.strip():
            return None
        provider, _, model = self.model.partition("/")
        reply = Reply(provider=provider, model=model, stop_reason="interrupted")
        return Message(role="assistant", blocks=(Text(text=text),), reply=reply)


@dataclass(slots=True)
class Replay:
    """What the events so far have built.

    `batches` is by the index of the assistant message in `messages`; `batch` is that of the latest one.
    `cost` is None once any part of it is unknown. `asides` are quotations that the model was not told yet, `queued` the
    prompts that waited, `mode` the last one that was told, `model` the name and the effort of the last turn's. `past`
    is what a transcript shows of it all.
    """

    messages: list[Message] = field(default_factory=list)
    batches: dict[int, Batch] = field(default_factory=dict)
    batch: Batch = field(default_factory=Batch)
    todos: tuple[dict[str, Any], ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    turn: OpenTurn | None = None
    seq: int = 0
    decisions: int = 0
    asides: list[str] = field(default_factory=list)
    queued: tuple[str, ...] = ()
    mode: Mode | None = None
    model: tuple[str, str | None] = ("", None)
    past: Past = field(default_factory=Past)

    def add(self, event: AnyEvent) -> None:
        """Take in the next event. Those of sub-agents are passed over."""
        self.seq = max(self.seq, event.seq)
        self.past.add(event)
        if isinstance(event, Decided):
            self.decisions = max(self.decisions + 1, event.number)
        if event.parent_id:
            return
        if isinstance(event, TurnStarted):
            self.turn = self.turn or OpenTurn(event.agent_id, event.model)
            self.model = (event.model, event.effort)
        match event:
            case MessageAdded(message=message):
                self._message(message)
            case HistoryReplaced(messages=messages, reason=reason):
                self._replace(messages, reason)
            case PlanUpdated(todos=todos):
                self.todos = todos
            case QueueChanged(queued=queued, steering=steering):
                self.queued = (*steering, *queued)  # as the end of a turn leaves them
            case ModeChanged(mode=mode):
                self.mode = mode
            case Compacted() if self.turn is None:
                self._spend(event.usage, event.cost)
            case TurnEnded():
                self._end(event)
            case _:
                self._call(event)
                self._progress(event)

    def _message(self, message: Message) -> None:
        if message.role == "assistant":
            self.batch = self.batches[len(self.messages)] = self.batch.rest()
            if self.turn is not None:
                self.turn.output = message.text
                self.turn.arriving.clear()
        elif message.role == "user":
            self.asides.clear()  # it has them all
        self.messages.append(message)

    def _replace(self, messages: Sequence[Message], reason: str) -> None:
        if reason == "clear":
            self.asides.clear()
        elif reason == "revise":  # what went with a message that was taken back goes with the next one
            self.asides[:0] = asides_in(self.messages)[len(asides_in(messages)) :]
        self.messages = list(self.past.history)  # the same messages, which are held once
        self.batch = self.batch.rest()
        replies = [index for index, message in enumerate(self.messages) if message.role == "assistant"]
        self.batches = dict.fromkeys(replies[-1:], self.batch)

    def _call(self, event: AnyEvent) -> None:
        match event:
            case ToolStarted(call=call):
                self.batch.started[call.id] = call
            case ToolEnded(call_id=call_id, result=result):
                self.batch.ended[call_id] = result
                self._aside(event)
            case Decided(call_id=call_id, allowed=True):
                self.batch.allowed.add(call_id)

    def _aside(self, event: ToolEnded) -> None:
        """Keep what a shell line of the person gave back, or that it was cut off."""
        call = self.batch.started.get(event.call_id)
        if call is not None and (aside := aside_of(call, event.result)):
            self.asides.append(aside)

    def _progress(self, event: AnyEvent) -> None:
        if self.turn is None:
            return
        match event:
            case TextDelta(text=text):
                self.turn.arriving.append(text)
            case AttemptReset():
                self.turn.arriving.clear()
            case StepStarted():
                self.turn.steps += 1
            case ToolStarted():
                self.turn.tool_calls += 1
            case UsageUpdated(usage=usage, cost=cost):
                self.turn.usage, self.turn.cost = usage, cost

    def _end(self, event: TurnEnded) -> None:
        self._spend(event.usage, event.cost)
        self.turn = None

    def _spend(self, usage: Usage, cost: float | None) -> None:
        """Count as a running session does: what used nothing costs nothing, whether or not its model has a price."""
        if usage == Usage():
            cost = cost or 0.0
        self.usage = self.usage + usage
        self.cost = None if self.cost is None or cost is None else self.cost + cost


def replay(events: Iterable[AnyEvent]) -> Replay:
    """Everything that `events` built."""
    state = Replay()
    for event in events:
        state.add(event)
    return state
