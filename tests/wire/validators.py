"""What real servers refuse. A validator takes a recorded request and returns their complaint, or None."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.wire.gemini import cache_complaint, complaint
from tests.wire.recorded import Recorded
from tests.wire.streams import GEMINI, RESPONSES

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_ID_LIMITS = {"anthropic": 64, "openai-chat": 40, RESPONSES: 64}

Check = Callable[[Recorded], str | None]


def calls_are_answered(request: Recorded) -> str | None:
    """Every call has its result directly after it, and every result its call."""
    if request.wire == RESPONSES:
        return _items_are_answered(request.body["input"])
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


def _items_are_answered(items: list[dict[str, Any]]) -> str | None:
    open_calls: set[str] = set()
    for item in items:
        if item["type"] == "function_call":
            open_calls.add(item["call_id"])
        elif item["type"] == "function_call_output":
            if item["call_id"] not in open_calls:
                return f"No tool call found for function call output with call_id {item['call_id']}."
            open_calls.discard(item["call_id"])
        elif item.get("role") == "user" and open_calls:
            break
    return f"No tool output found for function call {min(open_calls)}." if open_calls else None


def ids_are_valid(request: Recorded) -> str | None:
    """Ids of calls have the letters and the length that the server takes, and none is used for two calls."""
    ids = [*_call_ids(request)]
    limit = _ID_LIMITS[request.wire]
    for call_id in ids:
        if not re.fullmatch(rf"[a-zA-Z0-9_-]{{1,{limit}}}", call_id):
            return f"the id {call_id!r} of a call should match pattern '^[a-zA-Z0-9_-]{{1,{limit}}}$'"
    return "ids of calls must be unique" if len(set(ids)) != len(ids) else None


def roles_alternate(request: Recorded) -> str | None:
    """Anthropic's history begins with the user and alternates."""
    if not request.is_anthropic:
        return None
    roles = [message["role"] for message in request.body["messages"]]
    if roles != [("user", "assistant")[place % 2] for place in range(len(roles))]:
        return f"messages: roles must alternate, got {roles}"
    return None


def results_come_first(request: Recorded) -> str | None:
    """Anthropic wants the results before whatever else the user says."""
    for message in request.body["messages"] if request.is_anthropic else ():
        is_result = [block["type"] == "tool_result" for block in _content(message)]
        if is_result != sorted(is_result, reverse=True):
            return "messages: `tool_result` blocks must come first in the content"
    return None


def reasoning_is_complete(request: Recorded) -> str | None:
    """Responses: nothing is stored, so reasoning comes sealed, and directly before what it led to."""
    if request.wire != RESPONSES:
        return None
    items = request.body["input"]
    for item, following in zip(items, [*items[1:], {}], strict=True):
        if item["type"] != "reasoning":
            continue
        if not item.get("encrypted_content"):
            return f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false."
        made = following.get("type") in ("reasoning", "function_call") or following.get("role") == "assistant"
        if not made:
            return f"Item '{item['id']}' of type 'reasoning' was provided without its required following item."
    return None


def fields_are_known(request: Recorded) -> str | None:
    """Responses refuses unknown parameters, and stores what it is not told to leave."""
    if request.wire != RESPONSES:
        return None
    unknown = set(request.body) - _KNOWN
    if unknown:
        return f"Unknown parameter: '{min(unknown)}'."
    if request.body.get("store") is not False:
        return "`store` must be false"
    if any(tool.get("strict") is not False for tool in request.body.get("tools", ())):
        return "Invalid schema for function: 'additionalProperties' is required to be supplied and to be false."
    return None


_KNOWN = {
    "model", "stream", "store", "include", "reasoning", "max_output_tokens", "temperature", "prompt_cache_key",
    "instructions", "tools", "input",
}  # fmt: skip


def no_empty_text(request: Recorded) -> str | None:
    """No text is blank, also inside results, and no message is empty."""
    if request.wire == RESPONSES:
        blank = any(not text.strip() for item in request.body["input"] for text in _item_texts(item))
        return "input: text must be non-empty" if blank else None
    for message in request.body["messages"]:
        if not message.get("content") and not message.get("tool_calls"):
            return "messages: all messages must have non-empty content"
        if any(not text.strip() for text in _texts(message)):
            return "messages: text content blocks must be non-empty"
    return None


def names_are_valid(request: Recorded) -> str | None:
    """Names, of tools and of past calls, fit the stricter of the servers' rules; those of tools are unique."""
    tools = request.body.get("tools", [])
    names = [tool["function"]["name"] if "function" in tool else tool["name"] for tool in tools]
    if len(set(names)) != len(names):
        return "tools: tool names must be unique"
    bad = [name for name in (*names, *_called(request)) if not _NAME.match(name)]
    return f"tools: name {bad[0]!r} should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'" if bad else None


def arguments_are_objects(request: Recorded) -> str | None:
    try:
        inputs = [*_inputs(request)]
    except ValueError:
        return "the arguments of a past call are not JSON"
    if not all(isinstance(value, dict) for value in inputs):
        return "the arguments of a past call are not an object"
    return None


def thinking_unchanged(*blocks: dict[str, Any]) -> Any:
    """The last assistant message begins with exactly these thinking blocks; on Responses these are items."""

    def check(request: Recorded) -> str | None:
        if request.wire == RESPONSES:
            kept = [item for item in request.body["input"] if item["type"] == "reasoning"]
            return None if kept[-len(blocks) :] == list(blocks) else "input: reasoning items cannot be modified"
        past = [message for message in request.body["messages"] if message["role"] == "assistant"]
        if past and _content(past[-1])[: len(blocks)] != list(blocks):
            return "messages: `thinking` or `redacted_thinking` blocks cannot be modified"
        return None

    return check


def gemini_accepts(request: Recorded) -> str | None:
    """All that the Gemini API checks; none of the others is about it."""
    if request.wire != GEMINI:
        return None
    if request.path.endswith("/cachedContents"):
        return cache_complaint(request.body)
    return complaint(request.path, request.body)


def _elsewhere(check: Check) -> Check:
    return lambda request: None if request.wire == GEMINI else check(request)


_OTHERS = (
    calls_are_answered, ids_are_valid, roles_alternate, results_come_first, reasoning_is_complete, fields_are_known,
    no_empty_text, names_are_valid, arguments_are_objects,
)  # fmt: skip
STRICT = (*map(_elsewhere, _OTHERS), gemini_accepts)


def _calls(request: Recorded) -> Iterator[dict[str, Any]]:
    """The past calls as the wire has them."""
    if request.wire == RESPONSES:
        yield from (item for item in request.body["input"] if item["type"] == "function_call")
        return
    for message in request.body["messages"]:
        yield from (block for block in _content(message) if block["type"] == "tool_use")
        yield from message.get("tool_calls") or ()


def _call_ids(request: Recorded) -> Iterator[str]:
    yield from (call["call_id"] if request.wire == RESPONSES else call["id"] for call in _calls(request))


def _called(request: Recorded) -> Iterator[str]:
    yield from (call.get("function", call)["name"] for call in _calls(request))


def _inputs(request: Recorded) -> Iterator[Any]:
    for call in _calls(request):
        yield call["input"] if "input" in call else json.loads(call.get("function", call)["arguments"])


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


def _item_texts(item: dict[str, Any]) -> Iterator[str]:
    content = item.get("content") if item["type"] == "message" else item.get("output")
    if isinstance(content, str):
        yield content
    else:
        yield from (part["text"] for part in content or () if "text" in part)
