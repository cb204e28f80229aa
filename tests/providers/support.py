"""Short hands for provider tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.wire.streams import ANTHROPIC, GEMINI, OPENAI, RESPONSES
from xun.messages import Message, Text, ToolCall, ToolResult
from xun.providers.base import Done, Provider, Request, StreamItem, TextPart, ThinkingPart
from xun.providers.registry import ProviderSettings, resolve
from xun.providers.sse import ServerEvent, SSEReader
from xun.providers.transport import ReplyAssembler, Target

KEY = "test-key-123"
WIRES = (ANTHROPIC, OPENAI, RESPONSES, GEMINI)
PATHS = {
    ANTHROPIC: "/v1/messages",
    OPENAI: "/v1/chat/completions",
    RESPONSES: "/v1/responses",
    GEMINI: "/v1beta/models/claude-test:streamGenerateContent?alt=sse",
}
NAMES = {
    ANTHROPIC: "anthropic/claude-test",
    OPENAI: "openai-chat/gpt-test",
    RESPONSES: "openai/gpt-5",
    GEMINI: "gemini/gemini-test",
}
# Services that speak Chat Completions in ways of their own. The fake server answers them as it does that wire.
SERVICES = ("openrouter", "azure", "ollama")
PATHS |= {
    "openrouter": "/v1/chat/completions",
    "azure": "/openai/v1/chat/completions",
    "ollama": "/v1/chat/completions",
}
NAMES |= {"openrouter": "openrouter/claude-test", "azure": "azure/claude-test", "ollama": "ollama/claude-test"}
_KEYS_AND_ADDRESSES = {
    ANTHROPIC: ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    GEMINI: ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
    "openrouter": ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"),
    "azure": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
    "ollama": ("OLLAMA_API_KEY", "OLLAMA_HOST"),
}
TARGET = Target(
    "anthropic",
    "Anthropic",
    "https://api.test/v1/messages",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    suggestion="claude-sonnet-5-5",
)

LIST_JOBS = {
    "name": "list_jobs",
    "description": "Lists jobs.",
    "parameters": {"type": "object", "properties": {}},
}


def request(*messages: Message, **changes: Any) -> Request:
    fields: dict[str, Any] = {"model": "claude-sonnet-4-6", "system": "Be brief.", "tools": [LIST_JOBS]}
    return Request(messages=list(messages) or [Message.user("hi")], **(fields | changes))


def assistant(*blocks: Any) -> Message:
    return Message(role="assistant", blocks=tuple(Text(text=b) if isinstance(b, str) else b for b in blocks))


def call(call_id: str = "toolu_1", name: str = "bash", **arguments: Any) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=arguments)


def results(*pairs: tuple[str, str]) -> Message:
    blocks = tuple(ToolResult(call_id=call_id, name="bash", content=content) for call_id, content in pairs)
    return Message(role="tool", blocks=blocks)


def connect(wire: str, url: str, *, env: dict[str, str] | None = None, **settings: Any) -> Provider:
    """A provider for `wire`, which may be a service, at the server `url`, found the way a person would."""
    key, address = _KEYS_AND_ADDRESSES.get(wire, ("OPENAI_API_KEY", "OPENAI_BASE_URL"))
    variables = {key: KEY, address: url, "OPENAI_API_VERSION": "v1"} | (env or {})
    return resolve(NAMES[wire], env=variables, settings=ProviderSettings(**settings))[0]


async def collect(provider: Provider, asked: Request | None = None) -> list[StreamItem]:
    return [item async for item in provider.stream(asked or request(model="claude-test"))]


def final(items: Sequence[StreamItem]) -> Message:
    """The message, after checking that the parts are its text and its thinking."""
    *parts, done = items
    assert isinstance(done, Done)
    message = done.message
    assert "".join(p.text for p in parts if isinstance(p, TextPart)) == message.text
    thinking = "".join(b.text for b in message.blocks if b.type == "thinking")
    assert "".join(p.text for p in parts if isinstance(p, ThinkingPart)) == thinking
    return message


def play(reply: ReplyAssembler, body: bytes, *, finish: bool = True) -> list[StreamItem]:
    """What `reply` makes of a recorded body."""
    reader = SSEReader()
    events: list[ServerEvent] = [*reader.feed(body), *reader.close()]
    items = [item for event in events for item in reply.feed(event)]
    return [*items, *reply.finish()] if finish else items


def sse(*payloads: dict[str, Any] | str) -> bytes:
    """Unnamed events, as Chat Completions has them; text goes out as it is."""
    return b"".join(f"data: {p if isinstance(p, str) else json.dumps(p)}\n\n".encode() for p in payloads)
