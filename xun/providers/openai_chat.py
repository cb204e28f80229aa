"""The OpenAI Chat Completions wire, as OpenAI and many compatible servers speak it. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
    ToolResult,
)
from xun.providers import effort, errors, models
from xun.providers.base import Done, Request, StreamItem, TextPart, ThinkingPart
from xun.providers.building import ReplyBuilder
from xun.providers.calls import DraftCall, finish_calls, parse_arguments
from xun.providers.dialect import COMPATIBLE, OPENAI, ChatDialect
from xun.providers.encoding import data_url, dump, file_name, own_names, prefix_key, sent_name
from xun.providers.history import Fragment, HistoryCache
from xun.providers.media import OPENAI_CHAT, SOUND_FORMATS, refuse_unfit
from xun.providers.reasoning_details import ReasoningDetails, details_of
from xun.providers.text import said, said_or, whole
from xun.providers.transport import Target
from xun.providers.usage import openai_usage

WIRE = "openai-chat"
NO_OUTPUT = "(no output)"

_STOPS: dict[str, ModelStop] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "content_filter": "refused",
    # Words of compatible servers.
    "eos": "end_turn",
    "max_tokens": "max_tokens",
    "model_length": "max_tokens",
}
# With these a server says that it broke off: calls that came before may be half of what was meant.
_BROKEN_OFF = frozenset({"abort", "cancelled", "error", "insufficient_system_resource"})


class OpenAIChatWire:
    """The wire of one target.

    `official` is OpenAI's own service, which knows fields that compatible servers may refuse; `dialect` is that of
    another service whose ways are known.
    `send_reasoning` returns a model's reasoning to it as `reasoning_content`, as a few servers require in
    tool loops.
    """

    name = WIRE

    def __init__(
        self,
        target: Target,
        *,
        official: bool = True,
        dialect: ChatDialect | None = None,
        send_reasoning: bool = False,
    ) -> None:
        self._target = target
        self._dialect = dialect or (OPENAI if official else COMPATIBLE)
        self._table = "openai" if self._dialect is OPENAI else target.name
        self._send_reasoning = send_reasoning
        self._histories: dict[str, HistoryCache] = {}

    def body(self, request: Request) -> bytes:
        """The request body. Settings and tools come first, so that a longer history only appends.

        Raises `ProviderError` (kind bad_request) for a file that cannot be sent.
        """
        refuse_unfit(request, partial(self.unfit, request.model))
        info = models.find(self._table, request.model)
        head: dict[str, Any] = {
            "model": request.model,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.max_tokens is not None:
            head[self._dialect.reply_limit] = request.max_tokens
        if request.temperature is not None:
            head["temperature"] = request.temperature
        head |= effort.chat_fields(info, request.effort, tools=bool(request.tools), dialect=self._dialect)
        tools = b"[" + b",".join(map(_tool, request.tools)) + b"]" if request.tools else b""
        if request.cache and self._dialect.cache_key:
            head["prompt_cache_key"] = request.cache.key or prefix_key(request.model, request.system, tools)
        parts: list[bytes] = [dump(head)[:-1]]
        if tools:
            parts += [b',"tools":', tools]
        parts.append(b',"messages":[')
        messages = self._history(request.model).pieces(request.messages)
        if request.system.strip():
            parts += [dump({"role": "system", "content": request.system}), b"," if any(messages) else b""]
        return b"".join([*parts, *messages, b"]}"])

    def unfit(self, model: str, file: Media) -> str | None:
        """Why `model` cannot be sent `file`, in one line."""
        return OPENAI_CHAT.unfit(file, self._target.label, self._table, model)

    def headers(self, request: Request) -> dict[str, str]:
        return {}

    def reply(self, request: Request, request_id: str | None) -> OpenAIChatReply:
        return OpenAIChatReply(self._target, request.model, request_id, own_names(request.tools))

    def _history(self, model: str) -> HistoryCache:
        if model not in self._histories:
            unfit = partial(self.unfit, model)
            self._histories[model] = HistoryCache(
                WIRE, self._fragment, lambda _, parts: b",".join(parts), model, unfit=unfit
            )
        return self._histories[model]

    def _fragment(self, message: Message) -> Fragment:
        """A message as it is sent: several for the results of several calls, none when it says nothing."""
        if message.role == "assistant":
            sent = self._assistant(message)
        elif message.role == "tool":
            sent = _tool_messages(message)
        else:
            sent = _user(message.blocks)
        return "", b",".join(map(dump, sent))

    def _assistant(self, message: Message) -> list[dict[str, Any]]:
        sent: dict[str, Any] = {
            "role": "assistant",
            "content": message.text if message.text.strip() else None,
        }
        if self._send_reasoning:
            reasoning = "".join(b.text for b in message.blocks if isinstance(b, Thinking))
            sent |= {"reasoning_content": reasoning} if reasoning else {}
        if self._dialect.reasoning_details and (details := details_of(message)):
            sent["reasoning_details"] = details
        if message.calls:
            sent["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": dump(call.arguments).decode()},
                }
                for call in message.calls
            ]
        return [sent] if message.calls or sent["content"] else []


def _tool(tool: dict[str, Any]) -> bytes:
    described = {"description": tool["description"]} if tool.get("description") else {}
    function = {"name": sent_name(tool["name"]), **described, "parameters": tool["parameters"]}
    return dump({"type": "function", "function": function})


def _tool_messages(message: Message) -> list[dict[str, Any]]:
    results = [
        {
            "role": "tool",
            "tool_call_id": result.call_id,
            "content": result.content if result.content.strip() else NO_OUTPUT,
        }
        for result in message.results
    ]
    # Results are text on this wire: what else a tool returned follows as a message of the user.
    return results + _user([block for block in message.blocks if not isinstance(block, ToolResult)])


def _user(blocks: tuple[Block, ...] | list[Block]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, Text) and block.text.strip():
            parts.append({"type": "text", "text": block.text})
        elif isinstance(block, Media):
            parts.append(_file(block))
    if not parts:
        return []
    only_text = len(parts) == 1 and parts[0]["type"] == "text"
    return [{"role": "user", "content": parts[0]["text"] if only_text else parts}]


def _file(file: Media) -> dict[str, Any]:
    match file:
        case Image():
            return {"type": "image_url", "image_url": {"url": data_url(file)}}
        case Document():
            return {"type": "file", "file": {"filename": file_name(file), "file_data": data_url(file)}}
        case Audio():
            sound = {"data": file.data, "format": SOUND_FORMATS[file.media_type]}
            return {"type": "input_audio", "input_audio": sound}


class OpenAIChatReply(ReplyBuilder):
    """Builds one reply from chunks. A stream that brings neither `finish_reason` nor `[DONE]` is an error.

    Usage may come after the finish reason or not at all, so the reply is handed over at `[DONE]` or at the
    end.
    """

    def __init__(
        self, target: Target, model: str, request_id: str | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(target, model, request_id, names)
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._details = ReasoningDetails()
        self._refused = False
        self._calls: list[DraftCall] = []
        self._latest: dict[int, DraftCall] = {}
        self._open_call = False
        self._finish_reason: str | None = None

    def _read(self, data: str) -> Iterator[StreamItem]:
        if data.strip() != "[DONE]":
            yield from self._take(json.loads(data))
        elif self._began:
            yield from self._complete()

    def finish(self) -> list[StreamItem]:
        """The reply, when no `[DONE]` came. Raises `ProviderError` (protocol, transient) when it is cut."""
        if self._done:
            return []
        if self._finish_reason is None:
            raise self._broken("the reply ended early" if self._began else "the reply was empty")
        try:
            return self._complete()
        except (ValueError, TypeError):
            raise self._broken("the server sent a reply that is not understood") from None

    def _take(self, chunk: dict[str, Any]) -> Iterator[StreamItem]:
        if chunk.get("error"):
            raise errors.from_event(self._target, self._model, chunk, self._request_id)
        self._model = said_or(chunk.get("model"), self._model)
        if counted := chunk.get("usage"):
            self._usage = openai_usage(counted, "prompt_tokens", "completion_tokens")
        for choice in chunk.get("choices") or ():
            if choice.get("index"):
                continue
            self._began = True
            yield from self._grow(choice.get("delta") or {})
            self._finish_reason = choice.get("finish_reason") or self._finish_reason

    def _grow(self, delta: dict[str, Any]) -> Iterator[StreamItem]:
        self._details.add(delta.get("reasoning_details"))
        thinking = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thinking, str) and thinking:
            self._thinking.append(thinking)
            yield ThinkingPart(thinking)
        refusal = delta.get("refusal")
        self._refused = self._refused or bool(refusal)
        for text in (_plain(delta.get("content")), refusal):
            if text:
                self._text.append(said(text))
                self._open_call = False
                yield TextPart(text)
        for fragment in delta.get("tool_calls") or ():
            self._add(fragment)

    def _add(self, fragment: dict[str, Any]) -> None:
        """Appends to the call that `fragment` belongs to. Servers exist that number every call 0."""
        function = fragment.get("function") or {}
        call_id, name = said(fragment.get("id") or ""), said(function.get("name") or "")
        arguments = function.get("arguments") or ""
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments, ensure_ascii=False)
        index = fragment.get("index")
        if index is None:
            index = max(self._latest, default=-1) + (1 if name or not self._latest else 0)
        call = self._latest.get(index)
        if call is None or _begins_another(call, call_id, name, arguments):
            call = self._latest[index] = DraftCall(call_id, name)
            self._calls.append(call)
        call.id = call.id or call_id
        call.name = call.name or name
        call.arguments += said(arguments)
        self._open_call = True

    def _complete(self) -> list[StreamItem]:
        self._done = True
        # Where a server gives no reason, its `[DONE]` is the end.
        word = whole(said(self._finish_reason or "stop"))
        stop = "refused" if self._refused else _STOPS.get(word.lower(), "other")
        for draft in self._calls:
            draft.name = self._names.get(draft.name, draft.name)
        calls = finish_calls(self._calls, stop, last_is_open=self._open_call)
        if calls and (stop == "end_turn" or (stop == "other" and word.lower() not in _BROKEN_OFF)):
            stop = "tool_use"
        thinking, text = whole("".join(self._thinking)), whole("".join(self._text))
        sealed = self._details.data()
        blocks: list[Block] = [Thinking(text=thinking, data=sealed, wire=WIRE)] if thinking or sealed else []
        blocks += [Text(text=text)] if text else []
        reply = self._reply(stop, word, self._usage)
        return [Done(Message(role="assistant", blocks=(*blocks, *calls), reply=reply))]


def _begins_another(call: DraftCall, call_id: str, name: str, arguments: str) -> bool:
    if call_id and call.id and call_id != call.id:
        return True
    if not name or not call.name or not arguments or not call.arguments:
        return False
    # The same id, or none, named again after complete arguments: some servers repeat both in every fragment.
    try:
        parse_arguments(call.arguments)
    except ValueError:
        return False
    return True


def _plain(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") == "text")
    return content or ""
