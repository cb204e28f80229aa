"""Replies as each wire streams them, from one description that belongs to neither."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

ANTHROPIC, OPENAI, RESPONSES, GEMINI = "anthropic", "openai-chat", "openai-responses", "gemini"

_OPENAI_STOPS = {
    "end_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
}


@dataclass(frozen=True)
class Call:
    """A tool call. `arguments` is an object, or raw JSON text to send something broken."""

    tool: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str = ""

    def json(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Say:
    """What a model says in one reply. `stop` is in Anthropic's words; empty means what fits the content."""

    text: str = ""
    calls: Sequence[Call] = ()
    thinking: str = ""
    signature: str = "c2lnLTEr/w=="
    redacted: str = ""
    stop: str = ""
    model: str = "claude-test"
    input_tokens: int = 10
    output_tokens: int = 20
    cache_read: int = 0
    cache_write: int = 0
    usage: bool = True

    def stop_reason(self) -> str:
        return self.stop or ("tool_use" if self.calls else "end_turn")

    def named_calls(self, number: int) -> list[Call]:
        """The calls, those without an id numbered after the request."""
        return [
            Call(call.tool, call.arguments, call.id or f"toolu_{number}_{place}")
            for place, call in enumerate(self.calls, 1)
        ]


def render(say: Say, wire: str, number: int = 1) -> list[bytes]:
    """The server-sent events of `say`, one item each; `number` is that of the request, for ids."""
    if wire == RESPONSES:
        from tests.wire.responses import responses

        return [*responses(say, number)]
    if wire == GEMINI:
        from tests.wire.gemini import gemini

        return [*gemini(say, number)]
    return [*_anthropic(say, number)] if wire == ANTHROPIC else [*_openai(say, number)]


def event(payload: dict[str, Any], *, named: bool = True) -> bytes:
    name = f"event: {payload['type']}\n" if named else ""
    return f"{name}data: {json.dumps(payload)}\n\n".encode()


def pieces(text: str, size: int = 7) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _anthropic(say: Say, number: int) -> Iterator[bytes]:
    usage = {"input_tokens": say.input_tokens, "output_tokens": 1}
    if say.cache_read or say.cache_write:
        usage |= {
            "cache_read_input_tokens": say.cache_read,
            "cache_creation_input_tokens": say.cache_write,
        }
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": say.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield event({"type": "message_start", "message": message})
    yield event({"type": "ping"})
    for index, (block, deltas) in enumerate(_blocks(say, number)):
        yield event({"type": "content_block_start", "index": index, "content_block": block})
        for delta in deltas:
            yield event({"type": "content_block_delta", "index": index, "delta": delta})
        yield event({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": say.stop_reason(), "stop_sequence": None}
    yield event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": say.output_tokens}})
    yield event({"type": "message_stop"})


def _blocks(say: Say, number: int) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    if say.thinking:
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(say.thinking)]
        seal = {"type": "signature_delta", "signature": say.signature}
        yield {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, seal]
    if say.redacted:
        yield {"type": "redacted_thinking", "data": say.redacted}, []
    if say.text:
        yield (
            {"type": "text", "text": ""},
            [{"type": "text_delta", "text": piece} for piece in pieces(say.text)],
        )
    for call in say.named_calls(number):
        block = {"type": "tool_use", "id": call.id, "name": call.tool, "input": {}}
        yield block, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(call.json())]


def _openai(say: Say, number: int) -> Iterator[bytes]:
    def chunk(delta: dict[str, Any] | None, finish: str | None = None, usage: Any = None) -> bytes:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        payload = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": say.model,
            "choices": choices,
        }
        return event(payload | ({"usage": usage} if usage else {}), named=False)

    yield chunk({"role": "assistant", "content": None if say.calls else ""})
    for piece in pieces(say.thinking):
        yield chunk({"reasoning_content": piece})
    for piece in pieces(say.text):
        yield chunk({"content": piece})
    for index, call in enumerate(say.named_calls(number)):
        start = {"index": index, "id": call.id, "type": "function"}
        yield chunk({"tool_calls": [start | {"function": {"name": call.tool, "arguments": ""}}]})
        for piece in pieces(call.json()):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _OPENAI_STOPS[say.stop_reason()])
    if say.usage:
        prompt = say.input_tokens + say.cache_read + say.cache_write
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": say.output_tokens,
            "total_tokens": prompt + say.output_tokens,
        }
        if say.cache_read:
            usage["prompt_tokens_details"] = {"cached_tokens": say.cache_read}
        yield chunk(None, usage=usage)
    yield b"data: [DONE]\n\n"
