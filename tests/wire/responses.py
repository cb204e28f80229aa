"""Replies as OpenAI's Responses API streams them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.wire.streams import Call, Say, event, pieces

_ENDS = {
    "end_turn": ("completed", None),
    "tool_use": ("completed", None),
    "max_tokens": ("incomplete", "max_output_tokens"),
    "refusal": ("completed", None),
}


def responses(say: Say, number: int) -> Iterator[bytes]:
    """The events of `say`, in order and numbered. A refusal is a refusal part, as the service sends it."""
    status, reason = _ENDS[say.stop_reason()]
    output = [item for item, _ in _items(say, number, status)]
    events: list[dict[str, Any]] = [
        {"type": f"response.{word}", "response": _response(say, number, "in_progress")} for word in _BEGIN
    ]
    for index, (item, inner) in enumerate(_items(say, number, status)):
        at = {"output_index": index}
        events.append({"type": "response.output_item.added", "item": _begun(item)} | at)
        events += [one | at | {"item_id": item["id"]} for one in inner]
        events.append({"type": "response.output_item.done", "item": item} | at)
    ended = _response(say, number, status) | {"output": output, "usage": _usage(say) if say.usage else None}
    ended |= {"incomplete_details": {"reason": reason} if reason else None}
    events.append({"type": f"response.{status}", "response": ended})
    for place, one in enumerate(events):
        yield event(one | {"sequence_number": place})


_BEGIN = ("created", "in_progress")


def failed(say: Say, number: int, code: str, message: str) -> bytes:
    """The last event of a reply that failed."""
    response = _response(say, number, "failed") | {"error": {"code": code, "message": message}}
    return event({"type": "response.failed", "sequence_number": 9, "response": response})


def _response(say: Say, number: int, status: str) -> dict[str, Any]:
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1.0,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": say.model,
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None,
    }


def _usage(say: Say) -> dict[str, Any]:
    prompt = say.input_tokens + say.cache_read + say.cache_write
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": say.cache_read, "cache_write_tokens": say.cache_write},
        "output_tokens": say.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + say.output_tokens,
    }


def _items(say: Say, number: int, status: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each output item as it is in the end, and the events between its beginning and its end."""
    for place, (summary, seal) in enumerate(((say.thinking, say.signature), ("", say.redacted))):
        if summary or (place and seal):
            yield _reasoning(f"rs_{number}_{place}", summary, seal)
    if say.text:
        yield _message(f"msg_{number}", say.text, refused=say.stop_reason() == "refusal")
    calls = say.named_calls(number)
    for place, call in enumerate(calls, 1):
        yield _call(f"fc_{number}_{place}", call, status if place == len(calls) else "completed")


def _reasoning(item_id: str, summary: str, seal: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    part = {"type": "summary_text", "text": summary}
    item = {"type": "reasoning", "id": item_id, "summary": [part] if summary else [], "encrypted_content": seal}
    if not summary:
        return item, []
    where = {"summary_index": 0}
    name = "response.reasoning_summary"
    return item, [
        {"type": f"{name}_part.added", "part": part | {"text": ""}} | where,
        *({"type": f"{name}_text.delta", "delta": piece} | where for piece in pieces(summary)),
        {"type": f"{name}_text.done", "text": summary} | where,
        {"type": f"{name}_part.done", "part": part} | where,
    ]


def _message(item_id: str, text: str, *, refused: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    kind, key = ("refusal", "refusal") if refused else ("output_text", "text")
    extra: dict[str, Any] = {} if refused else {"annotations": [], "logprobs": []}
    part = {"type": kind, key: text} | extra
    item = {"type": "message", "id": item_id, "role": "assistant", "status": "completed", "content": [part]}
    where = {"content_index": 0}
    probabilities: dict[str, Any] = {} if refused else {"logprobs": []}
    return item, [
        {"type": "response.content_part.added", "part": part | {key: ""}} | where,
        *({"type": f"response.{kind}.delta", "delta": piece} | where | probabilities for piece in pieces(text)),
        {"type": f"response.{kind}.done", key: text} | where | probabilities,
        {"type": "response.content_part.done", "part": part} | where,
    ]


def _call(item_id: str, call: Call, status: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    arguments = call.json()
    item = {"type": "function_call", "id": item_id, "call_id": call.id, "name": call.tool, "arguments": arguments}
    name = "response.function_call_arguments"
    return item | {"status": status}, [
        *({"type": f"{name}.delta", "delta": piece} for piece in pieces(arguments)),
        {"type": f"{name}.done", "arguments": arguments, "name": call.tool},
    ]


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    """An item as it is when it begins: nothing in it yet."""
    empty: dict[str, dict[str, Any]] = {
        "message": {"content": [], "status": "in_progress"},
        "reasoning": {"summary": [], "encrypted_content": ""},
        "function_call": {"arguments": "", "status": "in_progress"},
    }
    return item | empty[item["type"]]
