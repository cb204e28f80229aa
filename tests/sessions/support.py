"""Sessions to test with, and the check that every stored history must pass."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.wire.recorded import Recorded
from tests.wire.validators import STRICT
from xun.events import (
    AnyEvent,
    CallOutcome,
    Decided,
    MessageAdded,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageUpdated,
)
from xun.messages import Block, Message, Text, ToolCall, ToolResult, Usage
from xun.policy.action import UseTool
from xun.policy.decision import Decision
from xun.providers.anthropic import AnthropicWire
from xun.providers.base import Request
from xun.providers.openai_chat import OpenAIChatWire
from xun.providers.openai_responses import OpenAIResponsesWire
from xun.providers.transport import Target
from xun.sessions.resume import StoredSession, load, resume
from xun.sessions.store import SessionWriter


def new(folder: Path, **how: Any) -> SessionWriter:
    return SessionWriter.create(folder, cwd=how.pop("cwd", folder), model="scripted:x", version="0", **how)


def started(prompt: str = "do it") -> list[AnyEvent]:
    return [TurnStarted(prompt=prompt, model="scripted:x"), added(Message.user(prompt))]


def added(message: Message) -> MessageAdded:
    return MessageAdded(message=message)


def reply(text: str = "", *calls: ToolCall) -> Message:
    blocks: tuple[Block, ...] = (Text(text=text), *calls) if text else calls
    return Message(role="assistant", blocks=blocks)


def call(id: str, name: str = "bash") -> ToolCall:  # noqa: A002 - as the field is called
    return ToolCall(id=id, name=name, arguments={"command": f"echo {id}"})


def decided(of: ToolCall, *, allowed: bool = True) -> Decided:
    """The verdict on a call. An allowed one begins right after it."""
    decision = Decision(action=UseTool(name=of.name), effect="allow" if allowed else "deny")
    return Decided(call_id=of.id, tool=of.name, decision=decision, allowed=allowed, by="rule")


def result(of: ToolCall, content: str = "done") -> ToolResult:
    return ToolResult(call_id=of.id, name=of.name, content=content)


def ended(of: ToolCall, content: str = "done", outcome: CallOutcome = "ok") -> ToolEnded:
    return ToolEnded(call_id=of.id, name=of.name, result=result(of, content), outcome=outcome, seconds=0.1)


def answers(*results: ToolResult) -> Message:
    return Message(role="tool", blocks=results)


def turn(number: int) -> list[AnyEvent]:
    """A whole turn of one step with two calls and an answer."""
    first, second = call(f"a{number}"), call(f"b{number}")
    return [
        *started(f"prompt {number}"),
        StepStarted(step=1),
        added(reply("", first, second)),
        ToolStarted(call=first),
        ToolStarted(call=second),
        decided(first),
        decided(second),
        ended(first),
        ended(second),
        added(answers(result(first), result(second))),
        UsageUpdated(usage=Usage(input_tokens=10, output_tokens=2), cost=0.5),
        StepStarted(step=2),
        added(reply(f"answer {number}")),
        TurnEnded(
            status="completed",
            stop_reason="end_turn",
            usage=Usage(input_tokens=20, output_tokens=4),
            cost=1.0,
        ),
    ]


def stamp(events: Iterable[AnyEvent], start: int = 1) -> list[AnyEvent]:
    """`events` with the envelope that an agent gives them."""
    envelope = {"session_id": "s", "agent_id": "main"}
    return [event.model_copy(update={**envelope, "seq": seq}) for seq, event in enumerate(events, start)]


def store(writer: SessionWriter, events: Iterable[AnyEvent], start: int = 1) -> Path:
    for event in stamp(events, start):
        writer.append(event)
    writer.close()
    return writer.path


def saved(folder: Path, *events: AnyEvent) -> Path:
    """The file of a session that holds `events`."""
    return store(new(folder, cwd=folder), events)


def three_turns(folder: Path) -> Path:
    return saved(folder, *turn(1), *turn(2), *turn(3))


def resumed(path: Path) -> StoredSession:
    """The session as it was resumed, with the events that are in its file then."""
    session, writer = resume(path)
    writer.close()
    return replace(session, events=load(path).events)


def contents(session: StoredSession) -> list[str]:
    """The text of every tool result."""
    return [found.content for message in session.messages for found in message.results]


def check_durable(path: Path) -> StoredSession:
    """Resume twice: the repair is what reading alone makes of it, valid, stored, and done only once."""
    alone = load(path)
    session = resumed(path)
    check_valid(session.messages)
    check_wires(session.messages)
    assert session.messages == alone.messages
    bytes_after = path.read_bytes()
    for line in bytes_after.splitlines():
        json.loads(line)
    again = resumed(path)
    assert again.messages == session.messages
    assert path.read_bytes() == bytes_after
    assert again.notices == ()
    assert [event.seq for event in again.events] == list(range(1, again.last_seq + 1))
    return session


def check_valid(messages: Sequence[Message]) -> None:
    """What both wires demand: each call answered once, right after its reply, and nothing blank."""
    for index, message in enumerate(messages):
        assert message.blocks
        for block in message.blocks:
            if isinstance(block, Text):
                assert block.text.strip()
            if isinstance(block, ToolResult):
                assert block.content.strip()
        if message.calls:
            assert index + 1 < len(messages), "calls without results at the end"
            following = messages[index + 1]
            assert following.role == "tool"
            assert [item.call_id for item in following.results] == [item.id for item in message.calls]
        if message.role == "tool":
            assert index
            assert messages[index - 1].calls


def check_wires(messages: Sequence[Message]) -> None:
    """`messages` and one prompt more, as each wire sends them, pass what its servers demand."""
    request = Request(model="m", system="be brief", messages=[*messages, Message.user("continue")])
    target = Target("x", "X", "http://127.0.0.1:1", "X_KEY", "X_URL")
    wires = {
        "/v1/messages": AnthropicWire(target),
        "/v1/chat/completions": OpenAIChatWire(target),
        "/v1/responses": OpenAIResponsesWire(target),
    }
    for path, wire in wires.items():
        sent = Recorded(number=1, path=path, headers={}, raw=wire.body(request), at=0.0, connection=1)
        assert [complaint for check in STRICT if (complaint := check(sent))] == []
