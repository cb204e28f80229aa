"""The Anthropic Messages wire: a `Request` to bytes, server events to stream items. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from xun.messages import (
    Audio,
    Block,
    Document,
    Image,
    Media,
    Message,
    ModelStop,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from xun.providers import effort, errors, models
from xun.providers.base import Done, ModelInfo, Request, StreamItem, TextPart, ThinkingPart
from xun.providers.building import ReplyBuilder
from xun.providers.calls import DraftCall, finish_calls
from xun.providers.carry import made_by
from xun.providers.encoding import dump, own_names, sent_name
from xun.providers.history import Fragment, HistoryCache
from xun.providers.media import ANTHROPIC, refuse_unfit
from xun.providers.text import said, said_or, whole
from xun.providers.transport import Target
from xun.providers.usage import anthropic_usage

WIRE = "anthropic"
VERSION = "2023-06-01"
NO_OUTPUT = "(no output)"

_COUNTED = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_MARKER = b',"cache_control":{"type":"ephemeral"}}'
_LASTING = b',"cache_control":{"type":"ephemeral","ttl":"1h"}}'
_HOUR = 3600  # seconds from which that one is asked for
_STOPS: dict[str, ModelStop] = {
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refused",
}
# Models before Claude 4 accept no more than this in one reply.
_SMALL_REPLY, _REPLY = 8_192, 20_000
_OLD_MODELS = ("claude-2", "claude-3", "claude-instant")


class AnthropicWire:
    """The wire of one target. Holds nothing but the serialised form of messages that are still in use."""

    name = WIRE

    def __init__(self, target: Target, *, official: bool = True) -> None:
        self._target = target
        self._official = official
        self._histories: dict[str, HistoryCache] = {}

    def body(self, request: Request) -> bytes:
        """The request body. Settings, system prompt and tools come first: a longer history only appends.

        Raises `ProviderError` (kind bad_request) for a file that cannot be sent.
        """
        refuse_unfit(request, partial(self.unfit, request.model))
        info = self._info(request)
        max_tokens = request.max_tokens or self._max_tokens(request.model, info.max_output_tokens)
        head: dict[str, Any] = {"model": request.model, "max_tokens": max_tokens, "stream": True}
        thinking = effort.anthropic_fields(info, request.effort, max_tokens, official=self._official)
        if thinking.get("thinking", {}).get("type") == "enabled" and _acts_without_thinking(request):
            thinking = {}
        head |= thinking
        if request.temperature is not None and "thinking" not in thinking:
            head["temperature"] = request.temperature
        parts = [dump(head)[:-1]]
        if request.system.strip():
            block = dump({"type": "text", "text": request.system})
            parts += [b',"system":[', _marker(request)(block), b"]"]
        if request.tools:
            parts += [b',"tools":[', self._tools(request), b"]"]
        messages = self._history(info).pieces(request.messages, _marker(request) if request.cache else None)
        return b"".join([*parts, b',"messages":[', *messages, b"]}"])

    def unfit(self, model: str, file: Media) -> str | None:
        """Why `model` cannot be sent `file`, in one line."""
        return ANTHROPIC.unfit(file, self._target.label, WIRE, model)

    def headers(self, request: Request) -> dict[str, str]:
        headers = {"anthropic-version": VERSION}
        fields = effort.anthropic_fields(self._info(request), request.effort, 1, official=self._official)
        if "block_binding" in fields.get("thinking", ()):
            headers["anthropic-beta"] = effort.BINDING_BETA
        return headers

    def reply(self, request: Request, request_id: str | None) -> AnthropicReply:
        return AnthropicReply(self._target, request.model, request_id, own_names(request.tools))

    def _history(self, info: ModelInfo) -> HistoryCache:
        if info.name not in self._histories:
            thinks = not self._official or any(can.startswith("thinking-") for can in info.capabilities)
            self._histories[info.name] = HistoryCache(
                WIRE, _fragment, _message, info.name, thinks=thinks, unfit=partial(self.unfit, info.name)
            )
        return self._histories[info.name]

    def _info(self, request: Request) -> ModelInfo:
        return models.find(WIRE, request.model)

    def _max_tokens(self, model: str, limit: int | None) -> int:
        new = model.startswith("claude-") and not model.startswith(_OLD_MODELS)
        return min(_REPLY if new else _SMALL_REPLY, limit or _REPLY)

    def _tools(self, request: Request) -> bytes:
        tools = [_tool(tool) for tool in request.tools]
        tools[-1] = _marker(request)(tools[-1])
        return b",".join(tools)


_PREFIX = {"user": b'{"role":"user","content":[', "assistant": b'{"role":"assistant","content":['}


def _acts_without_thinking(request: Request) -> bool:
    """Whether calls are being answered that this model did not think before: another one may have made them.

    Models with a budget for thinking refuse to begin in the middle of that.
    """
    reply = next((message for message in reversed(request.messages) if message.role == "assistant"), None)
    if reply is None or not reply.calls:
        return False
    thought = any(isinstance(block, Thinking) and block.wire == WIRE for block in reply.blocks)
    return not (thought and made_by(reply, request.model))


def _marker(request: Request) -> Callable[[bytes], bytes]:
    """What puts the end of a prefix to be cached behind a block; for an hour where that is asked for."""
    if not request.cache:
        return lambda block: block
    marker = _LASTING if (request.cache.ttl_seconds or 0) >= _HOUR else _MARKER
    return lambda block: block[:-1] + marker


def _tool(tool: dict[str, Any]) -> bytes:
    described = {"description": tool["description"]} if tool.get("description") else {}
    return dump({"name": sent_name(tool["name"]), **described, "input_schema": tool["parameters"]})


def _message(role: str, contents: Sequence[bytes]) -> bytes:
    return _PREFIX[role] + b",".join(contents) + b"]}"


def _fragment(message: Message) -> Fragment:
    """The role and the joined content blocks of a message; no content when there is nothing to send."""
    blocks = [block for block in map(_block, message.blocks) if block is not None]
    if message.role == "assistant" and all(b["type"] in ("thinking", "redacted_thinking") for b in blocks):
        return "assistant", b""
    role = "assistant" if message.role == "assistant" else "user"
    return role, b",".join(map(dump, blocks))


def _block(block: Block) -> dict[str, Any] | None:
    match block:
        case Text(text=text):
            return {"type": "text", "text": text} if text.strip() else None
        case Thinking():
            return _thinking_block(block)
        case Image():
            return {"type": "image", "source": _source(block)}
        case Document():
            return {"type": "document", "source": _source(block)} | ({"title": block.name} if block.name else {})
        case Audio():
            return None  # never here: a line stands in its place
        case ToolCall():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.arguments}
        case ToolResult():
            content = block.content if block.content.strip() else NO_OUTPUT
            sent = {"type": "tool_result", "tool_use_id": block.call_id, "content": content}
            return sent | ({"is_error": True} if block.is_error else {})


def _source(file: Image | Document) -> dict[str, str]:
    return {"type": "base64", "media_type": file.media_type, "data": file.data}


def _thinking_block(block: Thinking) -> dict[str, Any] | None:
    if block.data is not None:
        return {"type": "redacted_thinking", "data": block.data}
    # Without its seal the server would refuse it; only servers that merely resemble this one send none.
    if block.signature is None:
        return None
    return {"type": "thinking", "thinking": block.text, "signature": block.signature}


@dataclass(slots=True)
class _Open:
    """A content block while it arrives."""

    type: str
    text: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    start: dict[str, Any] = field(default_factory=dict)


class AnthropicReply(ReplyBuilder):
    """Builds one reply. Nothing counts before `message_stop`: a stream that ends earlier is an error."""

    def __init__(
        self, target: Target, model: str, request_id: str | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(target, model, request_id, names)
        self._blocks: dict[int, _Open] = {}
        self._counts: dict[str, Any] = {}
        self._stop: ModelStop = "other"
        self._stop_word: str | None = None

    def _take(self, payload: dict[str, Any]) -> Iterator[StreamItem]:
        match payload["type"]:
            case "message_start":
                self._began = True
                message = payload["message"]
                self._model = said_or(message.get("model"), self._model)
                self._count(message.get("usage"))
            case "content_block_start":
                yield from _begin(self._open(payload["index"], payload["content_block"]))
            case "content_block_delta":
                yield from _grow(self._blocks[payload["index"]], payload["delta"])
            case "message_delta":
                reason = payload["delta"].get("stop_reason")
                if reason:
                    self._stop, self._stop_word = _STOPS.get(reason, "other"), whole(said(reason))
                self._count(payload.get("usage"))
            case "message_stop":
                self._done = True
                yield Done(self._message())
            case "error":
                raise errors.from_event(self._target, self._model, payload, self._request_id)

    def _open(self, index: int, start: dict[str, Any]) -> _Open:
        """A new block. What has come under its number is told already, so it can neither be replaced nor added to."""
        if index in self._blocks:
            raise ValueError(f"two blocks have the number {index}")
        opened = self._blocks[index] = _Open(said(start["type"]), start=start)
        return opened

    def _count(self, usage: Any) -> None:
        # Figures of later events are cumulative and replace earlier ones; null means "as before".
        if isinstance(usage, dict):
            self._counts |= {key: usage[key] for key in _COUNTED if usage.get(key) is not None}
            self._usage = anthropic_usage(self._counts)

    def _message(self) -> Message:
        ordered = [self._blocks[index] for index in sorted(self._blocks)]
        drafts = [_draft(block, self._names) for block in ordered if block.type == "tool_use"]
        last_is_call = bool(ordered) and ordered[-1].type == "tool_use"
        calls = iter(finish_calls(drafts, self._stop, last_is_open=last_is_call))
        blocks = [next(calls) if block.type == "tool_use" else _closed(block) for block in ordered]
        reply = self._reply(self._stop, self._stop_word, self._usage)
        return Message(role="assistant", blocks=tuple(b for b in blocks if b is not None), reply=reply)


def _begin(block: _Open) -> Iterator[StreamItem]:
    start = block.start
    if block.type == "text" and start.get("text"):
        yield from _grow(block, {"type": "text_delta", "text": start["text"]})
    elif block.type == "thinking":
        block.signature.append(start.get("signature") or "")
        if start.get("thinking"):
            yield from _grow(block, {"type": "thinking_delta", "thinking": start["thinking"]})


def _grow(block: _Open, delta: dict[str, Any]) -> Iterator[StreamItem]:
    match delta["type"]:
        case "text_delta":
            block.text.append(said(delta["text"]))
            if delta["text"]:
                yield TextPart(delta["text"])
        case "thinking_delta":
            block.text.append(said(delta["thinking"]))
            if delta["thinking"]:
                yield ThinkingPart(delta["thinking"])
        case "signature_delta":
            block.signature.append(said(delta["signature"]))
        case "input_json_delta":
            block.text.append(said(delta["partial_json"]))


def _draft(block: _Open, names: Mapping[str, str]) -> DraftCall:
    arguments = "".join(block.text)
    if not arguments and block.start.get("input"):
        arguments = json.dumps(block.start["input"], ensure_ascii=False)
    name = said(block.start.get("name") or "")
    return DraftCall(said(block.start.get("id") or ""), names.get(name, name), arguments)


def _closed(block: _Open) -> Block | None:
    text = whole("".join(block.text))
    if block.type == "text":
        return Text(text=text) if text else None
    if block.type == "thinking":
        return Thinking(text=text, signature=whole("".join(block.signature)) or None, wire=WIRE)
    if block.type == "redacted_thinking":
        return Thinking(data=whole(said(block.start["data"])), wire=WIRE)
    return None
