"""What a transcript shows of what has happened: the messages, and as much of the events between as is told there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from xun.asides import SHELL_ID
from xun.events import (
    AnyEvent,
    AttemptReset,
    Compacted,
    Decided,
    HistoryReplaced,
    MessageAdded,
    Notice,
    SubAgentEnded,
    SubAgentStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from xun.messages import Media, Message, Thinking
from xun.sessions.past_calls import OpenCalls, PastAgent, PastCall

Told = Message | Thinking | PastCall | PastAgent | Decided | Notice | AttemptReset | Compacted | TurnEnded
"""A message; what was thought before a reply was cut off, and is in no message; a call that has ended, before its
result, or one of the person's that has begun; a sub-agent, from its beginning on; a refusal that belongs to no call;
the end of a turn that did not complete."""


@dataclass(slots=True)
class Past:
    """Takes in events, and has what was `told` in its order. Deltas are none of it, but that a reply arrives.

    What was compacted stays; what was taken back does not. `refused` counts what was refused, sub-agents' too.
    """

    told: list[Told] = field(default_factory=list)
    refused: int = 0
    history: list[Message] = field(default_factory=list)
    """The conversation as it is by now, which is shorter where it was compacted."""
    _calls: OpenCalls = field(default_factory=OpenCalls)
    _agents: dict[str, PastAgent] = field(default_factory=dict)  # those that have not ended
    _arrived: int | None = None  # characters of the reply that is arriving
    _thought: list[str] = field(default_factory=list)  # what was thought before it
    _beside: list[PastCall] = field(default_factory=list)  # calls that the person has made meanwhile

    @classmethod
    def of(cls, messages: Iterable[Message]) -> Self:
        """A past of which nothing but `messages` is known."""
        past = cls()
        for message in messages:
            past._added(message)
        return past

    @property
    def at_work(self) -> list[PastAgent]:
        """The sub-agents that have not ended, each after those that work for it."""
        return [*reversed(self._agents.values())]

    def add(self, event: AnyEvent) -> None:
        """Take in the next event."""
        if refuses(event):
            self.refused += 1
        if event.parent_id:
            self._overheard(event)
            return
        match event:
            case MessageAdded(message=message):
                self._added(message)
            case HistoryReplaced(messages=messages, reason=reason):
                self._replaced(messages, reason)
            case TextDelta() | ThinkingDelta():
                self.arrives(event)
            case AttemptReset() | TurnEnded():
                self._gone(kept=isinstance(event, TurnEnded) and event.status == "cancelled")
                if not isinstance(event, TurnEnded) or event.status != "completed":
                    self.told.append(event)
            case Compacted() | Notice():
                self.told.append(event)
            case _:
                self._call(event)

    def arrives(self, event: TextDelta | ThinkingDelta) -> None:
        """Take note of more of a reply."""
        text = isinstance(event, TextDelta)
        self._arrived = (self._arrived or 0) + (len(event.text) if text else 0)
        if not text:
            self._thought.append(event.text)

    def _gone(self, *, kept: bool) -> None:
        """Of a reply that was arriving no message has come. What was thought is `kept` all the same."""
        self._arrive_no_more(kept=kept)
        for call in self._beside:
            call.beside = None
        self._beside.clear()

    def _arrive_no_more(self, *, kept: bool) -> None:
        """No more comes of a reply. What was thought stands above what the person has run meanwhile."""
        if kept and self._thought:
            first = self._beside[0] if self._beside else None
            place = next((at for at, entry in enumerate(self.told) if entry is first), len(self.told))
            self.told.insert(place, Thinking(text="".join(self._thought), wire=""))
        self._thought.clear()
        self._arrived = None

    def _added(self, message: Message) -> None:
        if message.role == "assistant":
            self._arrive_no_more(kept=message.reply is not None and message.reply.stop_reason == "interrupted")
            self._beside.clear()
        self.history.append(message)
        self.told.append(_without_media(message))

    def _overheard(self, event: AnyEvent) -> None:
        """Take in what is told of a sub-agent."""
        if isinstance(event, SubAgentStarted):
            agent = self._agents[event.agent_id] = PastAgent(event)
            above = self._agents.get(event.parent_id)
            (self.told if above is None else above.did).append(agent)
            return
        agent = self._agents.get(event.agent_id)
        heard = agent is not None and agent.hear(event)
        if isinstance(event, SubAgentEnded):
            self._agents.pop(event.agent_id, None)
        elif not heard and (isinstance(event, Notice) or (isinstance(event, Decided) and not event.allowed)):
            self.told.append(event)

    def _call(self, event: AnyEvent) -> None:
        call = self._calls.hear(event)
        if isinstance(event, Decided) and call is None and not event.allowed:
            self.told.append(event)
        elif isinstance(event, ToolStarted) and call is not None and call.call.id.startswith(SHELL_ID):
            self.told.append(call)
            if self._arrived is not None:
                call.beside = self._arrived
                self._beside.append(call)
        elif isinstance(event, ToolEnded) and call is not None and not event.call_id.startswith(SHELL_ID):
            call.result = None  # it is in a message
            self.told.append(call)

    def _replaced(self, messages: Sequence[Message], reason: str) -> None:
        old, new = self.history, shared(self.history, messages)
        self.history = new
        if reason == "compact":
            return
        same = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one is not other), None)
        kept = min(len(old), len(new)) if same is None else same
        place = self._before_last(old[kept:]) if new else None
        if place is None:
            kept = place = 0  # what is told and what is known have nothing in common
        del self.told[place:]
        self.told += map(_without_media, new[kept:])

    def _before_last(self, gone: Sequence[Message]) -> int | None:
        """Where in `told` the last messages begin, which are `gone`; None where others stand there."""
        place, left = len(self.told), len(gone)
        while left and place:
            place -= 1
            entry = self.told[place]
            if isinstance(entry, Message):
                left -= 1
                if entry.role != gone[left].role:
                    return None
        return None if left else place


def refuses(event: AnyEvent) -> bool:
    """Is `event` a refusal? What the rules allow by itself is told as not allowed too, with the rest of its call."""
    return isinstance(event, Decided) and not event.allowed and event.decision.effect != "allow"


def shared(old: Sequence[Message], new: Sequence[Message]) -> list[Message]:
    """`new` with the very messages of `old` where it begins and ends with the same: so none is held twice."""
    found = list(new)
    most = min(len(old), len(new))
    front = 0
    while front < most and (old[front] is new[front] or old[front] == new[front]):
        found[front] = old[front]
        front += 1
    back = 1
    while back <= most - front and (old[-back] is new[-back] or old[-back] == new[-back]):
        found[-back] = old[-back]
        back += 1
    return found


def _without_media(message: Message) -> Message:
    """`message` without the files themselves: a transcript counts them."""
    if not message.media:
        return message
    blocks = [block.model_copy(update={"data": ""}) if isinstance(block, Media) else block for block in message.blocks]
    return message.model_copy(update={"blocks": tuple(blocks)})
