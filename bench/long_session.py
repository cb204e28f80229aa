"""A stored session as long as one gets in days of work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from xun.events import (
    AnyEvent,
    Decided,
    MessageAdded,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageUpdated,
)
from xun.messages import Message, Reply, Text, ToolCall, ToolResult, Usage
from xun.policy.action import Run
from xun.policy.decision import Decision, Segment
from xun.sessions.store import SessionWriter

CALLS = 4  # in each turn
PROSE = (
    "The parser keeps **one** state too many: `scan` is entered twice for a nested list, so the inner items are\n"
    "counted again.\n\n- the outer loop counts\n- the inner loop counts as well\n\n```python\nfor item in items:\n"
    "    total += 1\n```\n\n"
)
FILE = "".join(f"{number:4}  value_{number} = compute({number}, other={number % 7})\n" for number in range(30))


def write(folder: Path, *, cwd: Path, messages: int, last: str) -> None:
    """Store a session of `messages` messages, of which the last one says `last`."""
    writer = SessionWriter.create(folder, cwd=cwd, model="anthropic/bench", version="0")
    envelope = {"session_id": writer.id, "agent_id": "a" * 32, "at": 1_790_000_000.0}
    turns = messages // (2 + 2 * CALLS)
    events = (event for turn in range(turns) for event in _turn(turn, last if turn == turns - 1 else "Done."))
    for number, event in enumerate(events, 1):
        writer.append(event.model_copy(update={**envelope, "seq": number}))
    writer.close()
    if writer.error is not None:
        raise writer.error


def _turn(number: int, end: str) -> Iterator[AnyEvent]:
    prompt = f"Please look at part {number} and tell me what is wrong with it."
    usage = Usage(input_tokens=1_000, output_tokens=200, cache_read_input_tokens=90_000)
    yield TurnStarted(prompt=prompt, model="anthropic/bench")
    yield MessageAdded(message=Message.user(prompt))
    for step in range(CALLS):
        yield StepStarted(step=step + 1)
        yield UsageUpdated(usage=usage, cost=0.01)
        yield from _call(f"toolu_{number}_{step}", f"sed -n {number},{number + 30}p src/part_{step}.py", usage)
    yield StepStarted(step=CALLS + 1)
    yield UsageUpdated(usage=usage, cost=0.01)
    yield MessageAdded(message=_reply(usage, Text(text=PROSE + end)))
    yield TurnEnded(
        status="completed", stop_reason="end_turn", output=end, steps=CALLS + 1, tool_calls=CALLS, usage=usage,
        cost=0.05, error=None, seconds=12.5,
    )  # fmt: skip


def _call(call_id: str, command: str, usage: Usage) -> Iterator[AnyEvent]:
    call = ToolCall(id=call_id, name="bash", arguments={"command": command})
    result = ToolResult(call_id=call_id, name="bash", content=FILE)
    segment = Segment(text=command, argv=tuple(command.split()), effect="allow", rule="default list")
    decision = Decision(action=Run(command=command, cwd="/home/u/project"), effect="allow", segments=(segment,))
    yield MessageAdded(message=_reply(usage, Text(text="Let me see."), call))
    yield ToolStarted(call=call)
    yield Decided(call_id=call_id, tool="bash", decision=decision, allowed=True, by="rule")
    yield ToolEnded(call_id=call_id, name="bash", result=result, outcome="ok", seconds=0.02)
    yield MessageAdded(message=Message(role="tool", blocks=(result,)))


def _reply(usage: Usage, *blocks: Text | ToolCall) -> Message:
    stop = "tool_use" if len(blocks) > 1 else "end_turn"
    reply = Reply(provider="anthropic", model="bench", stop_reason=stop, request_id="req_1", usage=usage)
    return Message(role="assistant", blocks=blocks, reply=reply)
