"""A reply on the Gemini wire: the chunks of streamGenerateContent (v1beta) to stream items. Pure."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from xun.messages import Block, Message, ModelStop, Text, Thinking, ToolCall
from xun.providers import errors
from xun.providers.base import Done, StreamItem, TextPart, ThinkingPart
from xun.providers.building import ReplyBuilder
from xun.providers.calls import DraftCall, finish_calls
from xun.providers.encoding import dump
from xun.providers.text import said, said_or, whole
from xun.providers.transport import Target
from xun.providers.usage import gemini_usage

WIRE = "gemini"

_STOPS: dict[str, ModelStop] = {"STOP": "end_turn", "MAX_TOKENS": "max_tokens", "CONTINUATION": "max_tokens"}
_REFUSALS = frozenset({
    "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "MODEL_ARMOR", "ESCALATION",
})  # fmt: skip
# A call that the server could make nothing of, and does not hand on: the model is told and may send it again.
_LOST_CALLS = {
    "MALFORMED_FUNCTION_CALL": "the call could not be read, so it was not run; send it again",
    "UNEXPECTED_TOOL_CALL": "the call is none of a tool that is offered, so it was not run; use one of those",
}


class _AsSent(dict[str, Any]):
    """An object that gives a key more than once: written out again, it still does."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self._pairs = pairs

    def items(self) -> Any:
        return self._pairs


@dataclass(slots=True)
class _Part:
    """A part while it arrives: pieces of one kind are one part, but for those that are sealed."""

    kind: Literal["text", "thought", "call"]
    seal: str = ""
    text: list[str] = field(default_factory=list)
    call: DraftCall | None = None


class GeminiReply(ReplyBuilder):
    """Builds one reply. Nothing counts before a `finishReason`: a stream that ends earlier is an error.

    The reply ends with the stream, or a `[DONE]`: parts may come behind a `finishReason`, and each chunk may have one.

    Calls mostly come without an id: they are given one. `names` maps the names tools were sent under to their own.
    """

    def __init__(
        self, target: Target, model: str, request_id: str | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(target, model, request_id, names)
        self._parts: list[_Part] = []
        self._word = ""  # the first reason to end that is no plain one, else the plain one
        self._why = ""

    @property
    def ended(self) -> bool:
        return bool(self._word)

    def _read(self, data: str) -> Iterator[StreamItem]:
        if data.strip() != "[DONE]":
            yield from self._take(json.loads(data, object_pairs_hook=_object))
        elif self._word:
            yield self._end()

    def finish(self) -> list[StreamItem]:
        """The reply. Raises `ProviderError` (protocol, transient) where the stream ended before it did."""
        if self._done or not self._word:
            return super().finish()
        try:
            return [self._end()]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise self._broken("the server sent a reply that is not understood") from None

    def _take(self, chunk: dict[str, Any]) -> Iterator[StreamItem]:
        if chunk.get("error"):
            raise errors.from_event(self._target, self._model, chunk, self._request_id)
        self._began = True
        self._model = said_or(chunk.get("modelVersion"), self._model)
        self._request_id = self._request_id or said_or(chunk.get("responseId"), "") or None
        if counted := chunk.get("usageMetadata"):
            self._usage = gemini_usage(counted)
        for candidate in chunk.get("candidates") or ():
            if candidate.get("index"):
                continue
            for part in (candidate.get("content") or {}).get("parts") or ():
                yield from self._add(part)
            if reason := candidate.get("finishReason"):
                self._ends(said(reason), said_or(candidate.get("finishMessage"), ""))
        blocked = (chunk.get("promptFeedback") or {}).get("blockReason")
        if blocked:  # not even the prompt was let in
            self._ends("PROHIBITED_CONTENT", "")

    def _ends(self, word: str, why: str) -> None:
        if self._word in ("", "STOP"):
            self._word, self._why = word, why

    def _add(self, part: dict[str, Any]) -> Iterator[StreamItem]:
        seal = said(part.get("thoughtSignature") or "")
        if "functionCall" in part:
            self._parts.append(_Part("call", seal, call=self._call(part["functionCall"])))
            return
        if "text" not in part:
            return
        kind: Literal["text", "thought"] = "thought" if part.get("thought") else "text"
        text = said(part["text"])
        last = self._parts[-1] if self._parts else None
        if seal or last is None or last.kind != kind or last.seal:
            last = _Part(kind, seal)
            self._parts.append(last)
        last.text.append(text)
        if text:
            yield TextPart(text) if kind == "text" else ThinkingPart(text)

    def _call(self, call: dict[str, Any]) -> DraftCall:
        arguments = call.get("args")
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments, ensure_ascii=False)
        name = said(call.get("name") or "")
        call_id = said(call.get("id") or "") or f"call_{uuid.uuid4().hex[:24]}"
        written = "" if arguments is None else said(arguments)
        return DraftCall(call_id, self._names.get(name, name), written, call.get("willContinue") is True)

    def _end(self) -> Done:
        self._done = True
        word, why = self._word, self._why
        lost = _LOST_CALLS.get(word)
        stop: ModelStop = "tool_use" if lost else "refused" if word in _REFUSALS else _STOPS.get(word, "other")
        drafts = [part.call for part in self._parts if part.call is not None]
        last_is_call = bool(self._parts) and self._parts[-1].kind == "call"
        calls = finish_calls(drafts, stop, last_is_open=last_is_call)
        if calls and stop == "end_turn":
            stop = "tool_use"
        waiting = iter(calls)
        blocks = [block for part in self._parts for block in _closed(part, waiting)]
        if lost:
            call_id = f"call_{uuid.uuid4().hex[:24]}"
            blocks.append(ToolCall(id=call_id, name="unknown", problem=lost, raw=whole(why)))
        reply = self._reply(stop, whole(word), self._usage)
        return Done(Message(role="assistant", blocks=tuple(blocks), reply=reply))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _AsSent(pairs)


def _closed(part: _Part, calls: Iterator[ToolCall]) -> Iterator[Block]:
    """The blocks of a part, what seals it first; see `xun.providers.gemini`."""
    seal, text = whole(part.seal), whole("".join(part.text))
    if part.kind != "call" and not text:
        if seal:
            thought = {"thought": True} if part.kind == "thought" else {}
            yield Thinking(data=dump({"text": "", **thought, "thoughtSignature": seal}).decode(), wire=WIRE)
        return
    if part.kind == "thought":
        yield Thinking(text=text, signature=seal or None, wire=WIRE)
        return
    if seal:
        yield Thinking(signature=seal, wire=WIRE)
    yield Text(text=text) if part.kind == "text" else next(calls)
