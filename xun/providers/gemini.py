"""The Gemini wire, as v1beta of the Gemini API speaks it: a `Request` to the bytes of streamGenerateContent. Pure.

A signature stands before what it seals: as a `Thinking` without text before a text or a call, as one with `data`, the
whole part, where it seals nothing that can be read. So each goes back on the very part on which it came.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from xun.messages import Audio, Block, Document, Image, Media, Message, Text, Thinking, ToolCall, ToolResult
from xun.providers import effort, models
from xun.providers.base import CacheHint, ModelInfo, Request
from xun.providers.encoding import dump, own_names, sent_name
from xun.providers.gemini_reply import WIRE, GeminiReply
from xun.providers.history import Fragment, HistoryCache
from xun.providers.media import GEMINI, refuse_unfit
from xun.providers.transport import Target

NO_OUTPUT = "(no output)"
# What the API has for a call that its model did not make: without any signature it refuses the request.
UNSIGNED = "skip_thought_signature_validator"

_SAYS_NOTHING = frozenset({"type", "title", "description", "$schema"})  # of parameters, where there are no others
_MEDIA_TYPES = {"audio/mpeg": "audio/mp3", "audio/x-wav": "audio/wav"}  # those that go by another name here


@dataclass(frozen=True, slots=True)
class Uploaded(CacheHint):
    """The hint of a request whose system prompt and tools are in the explicit cache `name` already."""

    name: str = ""


class GeminiWire:
    """The wire of one target. Holds nothing but the serialised form of messages that are still in use."""

    name = WIRE

    def __init__(self, target: Target, *, official: bool = True) -> None:
        self._target = target
        self._official = official
        self._histories: dict[str, HistoryCache] = {}

    def body(self, request: Request) -> bytes:
        """The request body, which does not name the model. Contents come last: a longer history only appends.

        Raises `ProviderError` (kind bad_request) for a file that cannot be sent.
        """
        refuse_unfit(request, partial(self.unfit, request.model))
        info = models.find(WIRE, request.model)
        settings = _settings(request, info)
        fields = [b'"generationConfig":' + dump(settings)] if settings else []
        if isinstance(request.cache, Uploaded):
            fields.append(b'"cachedContent":' + dump(request.cache.name))
        elif start := prefix(request):
            fields.append(start)
        fields.append(b'"contents":[')
        return b"".join([b"{", b",".join(fields), *self._history(info).pieces(request.messages), b"]}"])

    def unfit(self, model: str, file: Media) -> str | None:
        """Why `model` cannot be sent `file`, in one line."""
        return GEMINI.unfit(file, self._target.label, WIRE, model)

    def headers(self, request: Request) -> dict[str, str]:
        return {}

    def reply(self, request: Request, request_id: str | None) -> GeminiReply:
        return GeminiReply(self._target, request.model, request_id, own_names(request.tools))

    def _history(self, info: ModelInfo) -> HistoryCache:
        if info.name not in self._histories:
            thinks = any(can.startswith("thinking-") for can in info.capabilities)
            fragment = partial(_fragment, "thinking-level" in info.capabilities)
            self._histories[info.name] = HistoryCache(
                WIRE, fragment, _content, info.name, thinks=thinks, unfit=partial(self.unfit, info.name)
            )
        return self._histories[info.name]


def prefix(request: Request) -> bytes:
    """The fields with what each request begins with, the system prompt and the tools; empty where there are none."""
    fields: list[bytes] = []
    if request.system.strip():
        fields.append(b'"systemInstruction":' + dump({"parts": [{"text": request.system}]}))
    if request.tools:
        fields.append(b'"tools":[{"functionDeclarations":[' + b",".join(map(_tool, request.tools)) + b"]}]")
    return b",".join(fields)


def _settings(request: Request, info: ModelInfo) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    if request.max_tokens is not None:
        settings["maxOutputTokens"] = request.max_tokens
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    return settings | effort.gemini_fields(info, request.effort, request.max_tokens)


def _tool(tool: dict[str, Any]) -> bytes:
    described = {"description": tool["description"]} if tool.get("description") else {}
    # A function without parameters says nothing of them: an object without properties may be refused.
    schema: dict[str, Any] = tool["parameters"]
    says = any(value for key, value in schema.items() if key not in _SAYS_NOTHING)
    parameters = {"parametersJsonSchema": schema} if says else {}
    return dump({"name": sent_name(tool["name"]), **described, **parameters})


def _content(role: str, parts: Sequence[bytes]) -> bytes:
    return b'{"role":"%s","parts":[%s]}' % (b"model" if role == "assistant" else b"user", b",".join(parts))


def _fragment(signs: bool, message: Message) -> Fragment:
    """The role and the joined parts of a message; no parts when there is nothing to send.

    Results stay apart from what the person says after them. `signs` says whether the model signs its calls.
    """
    parts = _parts(message.blocks)
    if message.role == "assistant":
        if not any("functionCall" in part or (part["text"].strip() and not part.get("thought")) for part in parts):
            return "assistant", b""
        call = next((part for part in parts if "functionCall" in part), None)
        if signs and call is not None:
            call.setdefault("thoughtSignature", UNSIGNED)
    return message.role, b",".join(map(dump, parts))


def _parts(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """`blocks` as parts, each under the signature that stands before it."""
    parts: list[dict[str, Any]] = []
    seal: str | None = None
    for block in blocks:
        if isinstance(block, Thinking) and not block.text and block.data is None:
            seal = block.signature
            continue
        part = _part(block)
        if seal and isinstance(block, Text | ToolCall):
            part = (part or {"text": block.text if isinstance(block, Text) else ""}) | {"thoughtSignature": seal}
        seal = None
        if part is not None:
            parts.append(part)
    return parts


def _part(block: Block) -> dict[str, Any] | None:
    """One block as a part, None where it says nothing."""
    match block:
        case Text(text=text):
            return {"text": text} if text.strip() else None
        case Thinking():
            return _thought(block)
        case Image() | Document() | Audio():
            media_type = _MEDIA_TYPES.get(block.media_type, block.media_type)
            return {"inlineData": {"mimeType": media_type, "data": block.data}}
        case ToolCall():
            return {"functionCall": {"id": block.id, "name": block.name, "args": block.arguments}}
        case ToolResult():
            content = block.content if block.content.strip() else NO_OUTPUT
            response = {"error" if block.is_error else "output": content}
            return {"functionResponse": {"id": block.call_id, "name": block.name, "response": response}}


def _thought(thinking: Thinking) -> dict[str, Any] | None:
    if thinking.data is None:
        signed = {"thoughtSignature": thinking.signature} if thinking.signature else {}
        return {"text": thinking.text, "thought": True, **signed}
    try:
        part = json.loads(thinking.data)
    except ValueError:
        return None
    return part if isinstance(part, dict) and isinstance(part.get("text"), str) else None
