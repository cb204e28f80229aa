"""The OpenAI Responses wire: a `Request` to bytes, without anything stored at the server. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from xun.messages import Block, Document, Image, Media, Message, Text, Thinking, ToolCall, ToolResult
from xun.providers import effort, models
from xun.providers.base import ModelInfo, Request
from xun.providers.encoding import data_url, dump, file_name, own_names, prefix_key, sent_name
from xun.providers.history import Fragment, HistoryCache
from xun.providers.media import OPENAI_RESPONSES, refuse_unfit
from xun.providers.openai_responses_reply import WIRE, ResponsesReply
from xun.providers.transport import Target

NO_OUTPUT = "(no output)"

_SHORTEST_REPLY = 16  # tokens: less is refused


class OpenAIResponsesWire:
    """The wire of one target. `official` is OpenAI's own service, whose models are known to reason or not."""

    name = WIRE

    def __init__(self, target: Target, *, official: bool = True) -> None:
        self._target = target
        self._official = official
        self._table = "openai" if official else target.name
        self._histories: dict[str, HistoryCache] = {}

    def body(self, request: Request) -> bytes:
        """The request body. Settings, instructions and tools come first: a longer history only appends.

        Raises `ProviderError` (kind bad_request) for a file that cannot be sent.
        """
        refuse_unfit(request, partial(self.unfit, request.model))
        info = models.find(self._table, request.model)
        head: dict[str, Any] = {"model": request.model, "stream": True, "store": False}
        if request.max_tokens is not None:
            head["max_output_tokens"] = max(request.max_tokens, _SHORTEST_REPLY)
        if request.temperature is not None:
            head["temperature"] = request.temperature
        head |= effort.responses_fields(info, request.effort, official=self._official)
        tools = b"[" + b",".join(map(_tool, request.tools)) + b"]" if request.tools else b""
        if request.cache and self._official:
            head["prompt_cache_key"] = request.cache.key or prefix_key(request.model, request.system, tools)
        if request.system.strip():
            head["instructions"] = request.system
        parts: list[bytes] = [dump(head)[:-1]]
        if tools:
            parts += [b',"tools":', tools]
        return b"".join([*parts, b',"input":[', *self._history(info).pieces(request.messages), b"]}"])

    def unfit(self, model: str, file: Media) -> str | None:
        """Why `model` cannot be sent `file`, in one line."""
        return OPENAI_RESPONSES.unfit(file, self._target.label, self._table, model)

    def headers(self, request: Request) -> dict[str, str]:
        return {}

    def reply(self, request: Request, request_id: str | None) -> ResponsesReply:
        return ResponsesReply(self._target, request.model, request_id, own_names(request.tools))

    def _history(self, info: ModelInfo) -> HistoryCache:
        if info.name not in self._histories:
            labels = self._official and "phase" in info.capabilities
            self._histories[info.name] = HistoryCache(
                WIRE,
                partial(self._fragment, labels),
                lambda _, parts: b",".join(parts),
                info.name,
                thinks=not self._official or "effort" in info.capabilities,
                unfit=partial(self.unfit, info.name),
            )
        return self._histories[info.name]

    def _fragment(self, labels: bool, message: Message) -> Fragment:
        """The items of a message, none when it says nothing. `labels` says whether the model knows labels of texts."""
        if message.role == "assistant":
            items = self._reply_items(message, labels)
        else:
            items = [*map(_output, message.results), *_user(message.blocks)]
        return "", b",".join(map(dump, items))

    def _reply_items(self, message: Message, labels: bool) -> list[dict[str, Any]]:
        """Text, calls and reasoning in their order. Reasoning that led to nothing is refused, so it stays out."""
        items: list[dict[str, Any]] = []
        for place, block in enumerate(message.blocks):
            match block:
                case Text(text=text) if text.strip():
                    items.append(_said(message, place, text, labels))
                case ToolCall():
                    arguments = dump(block.arguments).decode()
                    items.append(
                        {"type": "function_call", "call_id": block.id, "name": block.name, "arguments": arguments}
                    )
                case Thinking() if item := _reasoning(block, sealed=self._official):
                    items.append(item)
        while items and items[-1]["type"] == "reasoning":
            items.pop()
        return items


def _said(message: Message, place: int, text: str, labels: bool) -> dict[str, Any]:
    item = {"type": "message", "role": "assistant", "content": text}
    if labels and message.reply and "phase" in models.find("openai", message.reply.model).capabilities:
        # These models label what they say and want to see the labels again.
        is_last = not any(isinstance(block, Text | ToolCall) for block in message.blocks[place + 1 :])
        item["phase"] = "final_answer" if is_last else "commentary"
    return item


def _tool(tool: dict[str, Any]) -> bytes:
    described = {"description": tool["description"]} if tool.get("description") else {}
    # Strict is the default of this API and would refuse schemas with optional parameters.
    rest = {"parameters": tool["parameters"], "strict": False}
    return dump({"type": "function", "name": sent_name(tool["name"]), **described, **rest})


def _reasoning(thinking: Thinking, *, sealed: bool) -> dict[str, Any] | None:
    """The item as it came. Nothing is stored at OpenAI, so there an item without its seal is unknown."""
    if thinking.data is None:
        return None
    try:
        item = json.loads(thinking.data)
    except ValueError:
        return None
    if not isinstance(item, dict):
        return None
    return item if item.get("encrypted_content") or not sealed else None


def _output(result: ToolResult) -> dict[str, Any]:
    output = result.content if result.content.strip() else NO_OUTPUT
    return {"type": "function_call_output", "call_id": result.call_id, "output": output}


def _user(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, Text) and block.text.strip():
            parts.append({"type": "input_text", "text": block.text})
        elif isinstance(block, Image):
            parts.append({"type": "input_image", "detail": "auto", "image_url": data_url(block)})
        elif isinstance(block, Document):
            parts.append({"type": "input_file", "filename": file_name(block), "file_data": data_url(block)})
    return [{"type": "message", "role": "user", "content": parts}] if parts else []
