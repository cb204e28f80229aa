"""What was told of calls, and of the agents that some of them have run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    CallOutcome,
    Decided,
    SubAgentEnded,
    SubAgentStarted,
    SubAgentUpdated,
    ToolEnded,
    ToolStarted,
)
from xun.messages import ToolCall, ToolResult
from xun.sessions.record import decode, encode


@dataclass(slots=True)
class PastCall:
    """What was told of a call beside its arguments and its result, which are in the messages.

    `words` are the reason that the person gave for a no, `seconds` the tool's own time. A call that the person or a
    sub-agent has made is in no message: it has its `result` here, None where it has not ended. `beside` is how many
    characters had come of the reply beside which the person made it, None where none was arriving. Decisions are kept
    as they are stored, a tenth of what they take else.
    """

    call: ToolCall
    words: str = ""
    outcome: CallOutcome = "ok"
    seconds: float = 0.0
    result: ToolResult | None = None
    beside: int | None = None
    _decisions: list[bytes | Decided] = field(default_factory=list)

    @property
    def allowed(self) -> bool:
        """Whether it was let run."""
        return any(event.allowed for event in self.decisions)

    @property
    def decisions(self) -> list[Decided]:
        """What was decided about it, in that order."""
        events = (decode(kept) if isinstance(kept, bytes) else kept for kept in self._decisions)
        return [event for event in events if isinstance(event, Decided)]

    def decided(self, event: Decided) -> None:
        """Keep one more decision."""
        try:
            self._decisions.append(encode(event))
        except (TypeError, ValueError):  # JSON has no form for something in it
            self._decisions.append(event)


@dataclass(slots=True)
class OpenCalls:
    """The calls of one agent that have not ended. Some servers use their ids again."""

    _calls: dict[str, PastCall] = field(default_factory=dict)
    _asks: dict[str, str] = field(default_factory=dict)

    def hear(self, event: AnyEvent) -> PastCall | None:
        """Take in what is told of a call. The one that it is about, None for anything else."""
        match event:
            case ToolStarted(call=call):
                self._calls[call.id] = PastCall(call)
                return self._calls[call.id]
            case Asked(ask=ask):
                if ask.call_id in self._calls:
                    self._asks[ask.id] = ask.call_id
                return self._calls.get(ask.call_id)
            case Answered(ask_id=ask_id, answer=answer):
                found = self._calls.get(self._asks.pop(ask_id, ""))
                if found is not None and answer.reason:
                    found.words = answer.reason
                return found
            case Decided(call_id=call_id):
                found = self._calls.get(call_id)
                if found is not None:
                    found.decided(event)
                return found
            case ToolEnded(call_id=call_id):
                found = self._calls.pop(call_id, None)
                if found is not None:
                    found.outcome, found.seconds, found.result = event.outcome, event.seconds, event.result
                return found
        return None

    def __iter__(self) -> Iterator[PastCall]:
        """Them, in the order in which they have begun."""
        return iter(tuple(self._calls.values()))


@dataclass(slots=True)
class PastAgent:
    """A sub-agent: its task, how far it came, its end, and what it did, in the order in which that began.

    Of how far it came and of its end there is None where that was not told.
    """

    started: SubAgentStarted
    updated: SubAgentUpdated | None = None
    ended: SubAgentEnded | None = None
    did: list[PastCall | PastAgent] = field(default_factory=list)
    calls: OpenCalls = field(default_factory=OpenCalls)

    def hear(self, event: AnyEvent) -> bool:
        """Take in what is told of it. False for what is told in other places: notices, and refusals without a call."""
        match event:
            case SubAgentUpdated():
                self.updated = event
                return True
            case SubAgentEnded():
                self.ended = event
                return True
        call = self.calls.hear(event)
        if isinstance(event, ToolStarted) and call is not None:
            self.did.append(call)
        return call is not None
