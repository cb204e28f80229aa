"""Making a history valid again that ended in the middle of something. Pure: the same events give the same
repair.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xun.events import (
    AnyEvent,
    ErrorDetail,
    HistoryReplaced,
    MessageAdded,
    Notice,
    QueueChanged,
    SubAgentEnded,
    SubAgentUpdated,
    ToolEnded,
    TurnEnded,
)
from xun.messages import Block, Message, Text, ToolCall, ToolResult
from xun.sessions.past_calls import PastAgent, PastCall
from xun.sessions.replay import Batch, Replay

UNKNOWN = (
    "Interrupted: xun ended while this call was running, so its outcome is unknown. "
    "Check for its effects before repeating it."
)
NOT_RUN = "Interrupted: xun ended before this call was run."
EMPTY = "(no output)"


@dataclass(frozen=True, slots=True)
class Cut:
    """What ended a conversation in the middle of something, and what is said then of its calls and of its turn.

    `counted` is what is said of calls of either kind where they are counted.
    """

    unknown: str
    not_run: str
    kind: str
    message: str
    counted: tuple[str, str] = ("whose outcome is unknown", "not run")

    def lost(self, answers: Iterable[str]) -> str:
        """How many of the results `answers` say that the outcome is unknown, or that the call was not run."""
        answers = [*answers]
        counts = zip(map(answers.count, (self.unknown, self.not_run)), self.counted, strict=True)
        return ", ".join(f"{count} {'call' if count == 1 else 'calls'} {what}" for count, what in counts if count)


KILLED = Cut(UNKNOWN, NOT_RUN, "interrupted", "xun ended before this turn did")
FORKED = Cut(
    "Interrupted: this conversation was copied while this call was running for the other one, so its outcome is not "
    "known here. Check for its effects before repeating it.",
    "Interrupted: this conversation was copied before this call was run. It may have run since, for the other one.",
    "forked",
    "forked while that turn was running; it goes on in the original session",
    ("whose outcome is not known here", "not run by then"),
)


def repaired(messages: Sequence[Message], batches: Mapping[int, Batch], cut: Cut = KILLED) -> list[Message]:
    """`messages` as a model accepts them: each call has exactly one result, right after its reply, in call order.

    Results that are known are kept as they were; the others say what is known about the call. Results
    without a call, blank texts and messages without content are left out. Messages in order are returned as
    they are.
    """
    whole: list[Message] = []
    for index, message in enumerate(messages):
        if message.role == "tool":
            continue  # taken in below, together with its calls
        kept = _without_blanks(message)
        if not kept.blocks:
            continue
        whole.append(kept)
        if kept.calls:
            whole.append(_answers(kept, _following(messages, index), batches.get(index) or Batch(), cut))
    return whole


def _without_blanks(message: Message) -> Message:
    blocks = tuple(block for block in message.blocks if not isinstance(block, Text) or block.text.strip())
    return message if len(blocks) == len(message.blocks) else message.model_copy(update={"blocks": blocks})


def _following(messages: Sequence[Message], index: int) -> Sequence[Message]:
    """The tool messages between the reply at `index` and the next one."""
    found = []
    for message in messages[index + 1 :]:
        if message.role == "assistant":
            break
        if message.role == "tool":
            found.append(message)
    return found


def _answers(reply: Message, stored: Sequence[Message], batch: Batch, cut: Cut) -> Message:
    known = dict(batch.ended)
    for message in stored:
        known |= {result.call_id: result for result in message.results}
    calls = {call.id: call for call in reply.calls}
    blocks: tuple[Block, ...] = tuple(
        _answer(call, known.get(call.id), call.id in batch.allowed, cut) for call in calls.values()
    )
    if len(stored) == 1 and stored[0].blocks == blocks:
        return stored[0]
    return Message(role="tool", blocks=blocks)


def _answer(call: ToolCall, known: ToolResult | None, allowed: bool, cut: Cut) -> ToolResult:
    if known is not None:
        return known if known.content.strip() else known.model_copy(update={"content": EMPTY})
    text = cut.unknown if allowed else cut.not_run
    return ToolResult(call_id=call.id, name=call.name, content=text, is_error=True)


def repairs(state: Replay, cut: Cut = KILLED) -> tuple[AnyEvent, ...]:
    """The events that make the stored session whole, without an envelope; none for one that ended well.

    They close what was open (sub-agents, calls, history, the reply, the turn), so that whatever reads the file later
    sees a session like any other, and they are as few as possible: history is replaced only where adding to its end is
    not enough.
    """
    batch = state.batch
    whole = repaired(state.messages, state.batches, cut)
    known = {id(result) for message in state.messages for result in message.results}
    made = [result.content for message in whole for result in message.results if id(result) not in known]
    reply = state.turn.cut_reply if state.turn is not None else None
    if reply is not None:
        whole.append(reply)
    events: list[AnyEvent] = [event for agent in state.past.at_work for event in _closed(agent, cut)]
    left = [call for call in batch.started.values() if call.id not in batch.ended]
    events += [_end(call, call.id in batch.allowed, cut) for call in left]
    if whole[: len(state.messages)] == state.messages:
        events += [MessageAdded(message=message) for message in whole[len(state.messages) :]]
    else:
        events.append(HistoryReplaced(messages=tuple(whole), reason="repaired after an interruption"))
    if (turn := state.turn) is not None:
        output = reply.text if reply is not None else turn.output
        message = "; ".join(filter(None, (cut.message, cut.lost(made))))
        events.append(
            TurnEnded(
                status="cancelled", stop_reason="cancelled", output=output, steps=turn.steps,
                tool_calls=turn.tool_calls, usage=turn.usage, cost=turn.cost,
                error=ErrorDetail(kind=cut.kind, message=message),
            )
        )  # fmt: skip
    return tuple(events)


def _end(call: ToolCall, allowed: bool, cut: Cut) -> ToolEnded:
    result = _answer(call, None, allowed, cut)
    return ToolEnded(call_id=call.id, name=call.name, result=result, outcome="cancelled", seconds=0.0)


def _closed(agent: PastAgent, cut: Cut) -> Iterator[AnyEvent]:
    """The ends of the calls of a sub-agent, and its own. The envelope says whose they are."""
    came = agent.updated or SubAgentUpdated(steps=0, cost=None)
    end = SubAgentEnded(
        status="cancelled", stop_reason="cancelled", error=ErrorDetail(kind=cut.kind, message=cut.message),
        steps=came.steps, tool_calls=sum(isinstance(done, PastCall) for done in agent.did),
        usage=came.usage, cost=came.cost,
    )  # fmt: skip
    envelope = {"agent_id": agent.started.agent_id, "parent_id": agent.started.parent_id}
    for event in (*(_end(call.call, call.allowed, cut) for call in agent.calls), end):
        yield event.model_copy(update=envelope)


def left_behind(state: Replay) -> tuple[AnyEvent, ...]:
    """What a copy of a session has behind the events of `state`, where another xun goes on with that session."""
    events = repairs(state, FORKED)
    if state.queued:
        stays = Notice(level="info", text="what waits to be sent in the original session stays there")
        events += (QueueChanged(queued=()), stays)
    return events


def stamped(events: Sequence[AnyEvent], session_id: str, state: Replay) -> list[AnyEvent]:
    """`events` with the envelope they get when they are stored after those of `state`."""
    agent_id = state.turn.agent_id if state.turn is not None else ""
    envelope = {"session_id": session_id, "at": time.time()}
    numbered = enumerate(events, state.seq + 1)
    return [
        event.model_copy(update={**envelope, "agent_id": event.agent_id or agent_id, "seq": number})
        for number, event in numbered
    ]
