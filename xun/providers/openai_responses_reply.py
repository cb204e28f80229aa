"""A reply on the OpenAI Responses wire: server events to stream items. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from xun.messages import Block, Message, ModelStop, Text, Thinking
from xun.providers import errors
from xun.providers.base import Done, StreamItem, TextPart, ThinkingPart
from xun.providers.building import ReplyBuilder
from xun.providers.calls import DraftCall, finish_calls
from xun.providers.encoding import dump
from xun.providers.text import said, said_or, whole
from xun.providers.transport import Target
from xun.providers.usage import openai_usage

WIRE = "openai-responses"

_INCOMPLETE: dict[str, ModelStop] = {"max_output_tokens": "max_tokens", "content_filter": "refused"}
_REASONING_KEYS = ("type", "id", "summary", "content", "encrypted_content")
_PARTS_APART = "\n\n"


@dataclass(slots=True)
class _Item:
    """An output item while it arrives; `text` is what was streamed of it, `final` the whole once it is there."""

    type: str
    start: dict[str, Any] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    final: dict[str, Any] | None = None

    @property
    def known(self) -> dict[str, Any]:
        return self.final or self.start


class ResponsesReply(ReplyBuilder):
    """Builds one reply. Only `response.completed` and `response.incomplete` end it well.

    `names` maps the names tools were sent under to their own.
    """

    def __init__(
        self, target: Target, model: str, request_id: str | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(target, model, request_id, names)
        self._items: dict[int, _Item] = {}
        self._refused = False

    def _take(self, payload: dict[str, Any]) -> Iterator[StreamItem]:
        match payload["type"]:
            case "response.created" | "response.in_progress":
                self._began = True
                self._model = said_or(payload["response"].get("model"), self._model)
            case "response.completed" | "response.incomplete" as kind:
                yield from self._end(payload["response"], completed=kind == "response.completed")
            case "response.failed":
                self._count(payload["response"])
                raise errors.from_event(self._target, self._model, payload["response"], self._request_id)
            case "error":
                raise errors.from_event(self._target, self._model, payload, self._request_id)
            case kind if "output_index" in payload:
                self._began = True
                yield from self._grow(kind, payload)

    def _grow(self, kind: str, payload: dict[str, Any]) -> Iterator[StreamItem]:
        index = payload["output_index"]
        match kind:
            case "response.output_item.added":
                self._items[index] = _Item(payload["item"]["type"], payload["item"])
            case "response.output_item.done":
                yield from self._close(index, payload["item"])
            case "response.output_text.delta":
                yield from self._say(self._item(index, "message"), payload["delta"])
            case "response.refusal.delta":
                self._refused = True
                yield from self._say(self._item(index, "message"), payload["delta"])
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield from self._think(self._item(index, "reasoning"), payload["delta"])
            case "response.reasoning_summary_part.added" if self._item(index, "reasoning").text:
                yield from self._think(self._item(index, "reasoning"), _PARTS_APART)
            case "response.function_call_arguments.delta":
                self._item(index, "function_call").text.append(payload["delta"])
            case "response.function_call_arguments.done":
                self._item(index, "function_call").text = [payload["arguments"]]

    def _item(self, index: int, kind: str) -> _Item:
        return self._items.setdefault(index, _Item(kind))

    def _say(self, item: _Item, text: str) -> Iterator[StreamItem]:
        item.text.append(said(text))
        if text:
            yield TextPart(text)

    def _think(self, item: _Item, text: str) -> Iterator[StreamItem]:
        item.text.append(said(text))
        if text:
            yield ThinkingPart(text)

    def _close(self, index: int, whole: dict[str, Any]) -> Iterator[StreamItem]:
        """Takes the final form of an item, and gives out what was not streamed of it."""
        item = self._items.setdefault(index, _Item(whole["type"]))
        if item.final is not None or item.type != whole["type"]:
            return
        item.final = whole
        if item.type == "message":
            self._refused = self._refused or any(part["type"] == "refusal" for part in whole["content"])
            if not item.text:
                said = (part.get("text") or part.get("refusal") or "" for part in whole["content"])
                yield from self._say(item, "".join(said))
        elif item.type == "reasoning" and not item.text:
            parts = whole.get("summary") or whole.get("content") or ()
            yield from self._think(item, _PARTS_APART.join(part["text"] for part in parts))

    def _end(self, response: dict[str, Any], *, completed: bool) -> Iterator[StreamItem]:
        self._model = said_or(response.get("model"), self._model)
        if not self._items or any(item.final is None for item in self._items.values()):
            # Some servers tell the whole of an item only here.
            for index, item in enumerate(response.get("output") or ()):
                yield from self._close(index, item)
        reason = (response.get("incomplete_details") or {}).get("reason")
        stop: ModelStop = "end_turn"
        if reason or not completed or response.get("status") in ("incomplete", "failed", "cancelled"):
            stop = _INCOMPLETE.get(reason, "other")
        if self._refused:
            stop = "refused"
        self._done = True
        self._count(response)
        yield Done(self._message(stop, whole(said(reason)) if reason else None))

    def _count(self, response: dict[str, Any]) -> None:
        self._usage = openai_usage(response.get("usage"), "input_tokens", "output_tokens")

    def _message(self, stop: ModelStop, word: str | None) -> Message:
        items = [self._items[index] for index in sorted(self._items)]
        drafts = [self._draft(item) for item in items if item.type == "function_call"]
        last_is_call = bool(items) and items[-1].type == "function_call"
        calls = finish_calls(drafts, stop, last_is_open=last_is_call)
        if calls and stop == "end_turn":
            stop = "tool_use"
        waiting = iter(calls)
        blocks = [next(waiting) if item.type == "function_call" else _closed(item) for item in items]
        reply = self._reply(stop, word, self._usage)
        return Message(role="assistant", blocks=tuple(b for b in blocks if b is not None), reply=reply)

    def _draft(self, item: _Item) -> DraftCall:
        known = item.known
        name = said(known.get("name") or "")
        arguments = (item.final or {}).get("arguments") or "".join(item.text)
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments, ensure_ascii=False)
        partial = known.get("status") == "incomplete"
        return DraftCall(said(known.get("call_id") or ""), self._names.get(name, name), said(arguments), partial)


def _closed(item: _Item) -> Block | None:
    text = whole("".join(item.text))
    if item.type == "message":
        return Text(text=text) if text else None
    if item.type != "reasoning":
        return None
    if item.final is None:
        return Thinking(text=text, wire=WIRE) if text else None
    # The item goes back as it came, so all of it is kept; nulls and states are not input.
    kept = {key: item.final[key] for key in _REASONING_KEYS if item.final.get(key) is not None}
    return Thinking(text=text, data=dump(kept).decode(), wire=WIRE)
