"""What real servers refuse. A validator takes a recorded request and returns their complaint, or None."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.wire.recorded import Recorded

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")


def calls_are_answered(request: Recorded) -> str | None:
    """Every call has its result directly after it, and every result its call."""
    messages = request.body["messages"]
    if not request.is_anthropic:
        return _chat_calls_are_answered(messages)
    for place, message in enumerate(messages):
        called = {b["id"] for b in _content(message) if b["type"] == "tool_use"}
        following = messages[place + 1] if place + 1 < len(messages) else {"content": []}
        answered = {b["tool_use_id"] for b in _content(following) if b["type"] == "tool_result"}
        if called - answered:
            ids = ", ".join(sorted(called - answered))
            return f"messages.{place}: `tool_use` ids were found without `tool_result` blocks: {ids}"
        if answered - called:
            return f"messages.{place + 1}: unexpected `tool_use_id` in `tool_result` blocks"
    return None


def _chat_calls_are_answered(messages: list[dict[str, Any]]) -> str | None:
    open_calls: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            open_calls.discard(message["tool_call_id"])
            continue
        if open_calls:
            break
        open_calls = {call["id"] for call in message.get("tool_calls") or ()}
    if open_calls:
        return "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    return None


def roles_alternate(request: Recorded) -> str | None:
    """Anthropic's history begins with the user and alternates."""
    roles = [message["role"] for message in request.body["messages"]]
    if request.is_anthropic and roles != [("user", "assistant")[place % 2] for place in range(len(roles))]:
        return f"messages: roles must alternate, got {roles}"
    return None


def no_empty_text(request: Recorded) -> str | None:
    """No text is blank, also inside results, and no message is empty."""
    for message in request.body["messages"]:
        if not message.get("content") and not message.get("tool_calls"):
            return "messages: all messages must have non-empty content"
        if any(not text.strip() for text in _texts(message)):
            return "messages: text content blocks must be non-empty"
    return None


def names_are_valid(request: Recorded) -> str | None:
    """Tool names fit the stricter of both servers' rules and are unique."""
    tools = request.body.get("tools", [])
    names = [tool["name"] if request.is_anthropic else tool["function"]["name"] for tool in tools]
    if len(set(names)) != len(names):
        return "tools: tool names must be unique"
    bad = [name for name in names if not _NAME.match(name)]
    return f"tools: name {bad[0]!r} should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'" if bad else None


def arguments_are_objects(request: Recorded) -> str | None:
    for message in request.body["messages"]:
        inputs = [b["input"] for b in _content(message) if b["type"] == "tool_use"]
        for call in message.get("tool_calls") or ():
            try:
                inputs.append(json.loads(call["function"]["arguments"]))
            except ValueError:
                return "the arguments of a past call are not JSON"
        if not all(isinstance(value, dict) for value in inputs):
            return "the arguments of a past call are not an object"
    return None


def thinking_unchanged(*blocks: dict[str, Any]) -> Any:
    """The last assistant message begins with exactly these thinking blocks."""

    def check(request: Recorded) -> str | None:
        past = [message for message in request.body["messages"] if message["role"] == "assistant"]
        if past and _content(past[-1])[: len(blocks)] != list(blocks):
            return "messages: `thinking` or `redacted_thinking` blocks cannot be modified"
        return None

    return check


STRICT = (calls_are_answered, roles_alternate, no_empty_text, names_are_valid, arguments_are_objects)


def _content(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _texts(message: dict[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for block in _content(message):
        if block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_result":
            inner = block["content"]
            yield from ([inner] if isinstance(inner, str) else (part["text"] for part in inner if "text" in part))
