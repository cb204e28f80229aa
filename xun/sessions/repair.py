"""Making a history valid again that ended in the middle of something. Pure: the same events give the same
repair.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from xun.events import (
    AnyEvent,
    ErrorDetail,
    HistoryReplaced,
    MessageAdded,
    ToolEnded,
    TurnEnded,
)
from xun.messages import Block, Message, Text, ToolCall, ToolResult
from xun.sessions.replay import Batch, Replay

UNKNOWN = (
    "Interrupted: xun ended while this call was running, so its outcome is unknown. "
    "Check for its effects before repeating it."
)
NOT_RUN = "Interrupted: xun ended before this call was run."
EMPTY = "(no output)"


def repaired(messages: Sequence[Message], batches: Mapping[int, Batch]) -> list[Message]:
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
            whole.append(_answers(kept, _following(messages, index), batches.get(index) or Batch()))
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


def _answers(reply: Message, stored: Sequence[Message], batch: Batch) -> Message:
    known = dict(batch.ended)
    for message in stored:
        known |= {result.call_id: result for result in message.results}
    calls = {call.id: call for call in reply.calls}
    blocks: tuple[Block, ...] = tuple(_answer(call, known.get(call.id), batch) for call in calls.values())
    if len(stored) == 1 and stored[0].blocks == blocks:
        return stored[0]
    return Message(role="tool", blocks=blocks)


def _answer(call: ToolCall, known: ToolResult | None, batch: Batch) -> ToolResult:
    if known is not None:
        return known if known.content.strip() else known.model_copy(update={"content": EMPTY})
    text = UNKNOWN if call.id in batch.allowed else NOT_RUN
    return ToolResult(call_id=call.id, name=call.name, content=text, is_error=True)


def repairs(state: Replay) -> tuple[AnyEvent, ...]:
    """The events that make the stored session whole, without an envelope; none for one that ended well.

    They close what was open (calls, history, the reply, the turn), so that whatever reads the file later sees a
    session like any other, and they are as few as possible: history is replaced only where adding to its
    end is not enough.
    """
    batch = state.batch
    whole = repaired(state.messages, state.batches)
    cut = state.turn.cut_reply if state.turn is not None else None
    if cut is not None:
        whole.append(cut)
    events: list[AnyEvent] = []
    for call in batch.started.values():
        if call.id not in batch.ended:
            result = _answer(call, None, batch)
            events.append(ToolEnded(call_id=call.id, name=call.name, result=result, outcome="cancelled", seconds=0.0))
    if whole[: len(state.messages)] == state.messages:
        events += [MessageAdded(message=message) for message in whole[len(state.messages) :]]
    else:
        events.append(HistoryReplaced(messages=tuple(whole), reason="repaired after an interruption"))
    if (turn := state.turn) is not None:
        output = cut.text if cut is not None else turn.output
        events.append(
            TurnEnded(
                status="cancelled", stop_reason="cancelled", output=output, steps=turn.steps,
                tool_calls=turn.tool_calls, usage=turn.usage, cost=turn.cost,
                error=ErrorDetail(kind="interrupted", message="xun ended before this turn did"),
            )
        )  # fmt: skip
    return tuple(events)


def stamped(events: Sequence[AnyEvent], session_id: str, state: Replay) -> list[AnyEvent]:
    """`events` with the envelope they get when they are stored after those of `state`."""
    agent_id = state.turn.agent_id if state.turn is not None else ""
    envelope = {"session_id": session_id, "agent_id": agent_id, "at": time.time()}
    numbered = enumerate(events, state.seq + 1)
    return [event.model_copy(update={**envelope, "seq": number}) for number, event in numbered]
