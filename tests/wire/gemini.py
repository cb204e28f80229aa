"""Replies and errors as v1beta of the Gemini API sends them, and what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.wire.streams import Say, event, pieces

_REASONS = {"end_turn": "STOP", "tool_use": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}
_STATUSES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED", 499: "CANCELLED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}  # fmt: skip
_KNOWN = {"contents", "systemInstruction", "tools", "generationConfig", "cachedContent"}
_KINDS = ("text", "inlineData", "functionCall", "functionResponse")
_NAME = re.compile(r"[a-zA-Z_][\w.:-]{0,127}\Z", re.ASCII)
_OLD = re.compile(r"/models/gemini-[12]\b")


def gemini(say: Say, number: int) -> Iterator[bytes]:
    """The chunks of `say`. A call comes whole, the first one signed; calls have an id only where the script gives one."""
    for part in _parts(say):
        yield _chunk(say, number, [part])
    sealed = {"thoughtSignature": say.signature} if say.thinking and say.text and not say.calls else {}
    yield _chunk(say, number, [{"text": ""} | sealed], _REASONS.get(say.stop_reason(), say.stop_reason()))


def _parts(say: Say) -> Iterator[dict[str, Any]]:
    yield from ({"text": piece, "thought": True} for piece in pieces(say.thinking))
    yield from ({"text": piece} for piece in pieces(say.text))
    for place, call in enumerate(say.calls):
        given = {"id": call.id} if call.id else {}
        signed = {"thoughtSignature": say.signature} if place == 0 and say.signature else {}
        yield {"functionCall": {**given, "name": call.tool, "args": _arguments(call.arguments)}} | signed


def _arguments(arguments: dict[str, Any] | str) -> Any:
    """The object that a script means. Half of one, or none, can not come here: it comes as the text that it is."""
    try:
        value = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except ValueError:
        return arguments
    return value if isinstance(value, dict) else arguments


def _chunk(say: Say, number: int, parts: list[dict[str, Any]], reason: str | None = None) -> bytes:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    candidate |= {"finishReason": reason} if reason else {}
    payload: dict[str, Any] = {"candidates": [candidate], "modelVersion": say.model, "responseId": f"resp_{number}"}
    return event(payload | ({"usageMetadata": _usage(say)} if say.usage else {}), named=False)


def _usage(say: Say) -> dict[str, Any]:
    prompt = say.input_tokens + say.cache_read + say.cache_write
    thoughts = 1 if say.thinking else 0
    counted = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": say.output_tokens - thoughts,
        "totalTokenCount": prompt + say.output_tokens,
    }
    counted |= {"thoughtsTokenCount": thoughts} if thoughts else {}
    return counted | ({"cachedContentTokenCount": say.cache_read} if say.cache_read else {})


def error_body(status: int, message: str, details: Any = None) -> bytes:
    """The body of an answer that is no stream."""
    error = {"code": status, "message": message, "status": _STATUSES.get(status, "UNKNOWN")}
    return json.dumps({"error": error | ({"details": details} if details else {})}).encode()


def quota(quota_id: str, delay: str = "") -> list[dict[str, Any]]:
    """The details of an error about the quota `quota_id`, with the wait it asks for."""
    kind = "type.googleapis.com/google.rpc"
    found: list[dict[str, Any]] = [{"@type": f"{kind}.QuotaFailure", "violations": [{"quotaId": quota_id}]}]
    return [*found, {"@type": f"{kind}.RetryInfo", "retryDelay": delay}] if delay else found


def cache_complaint(body: dict[str, Any]) -> str | None:
    """What the API refuses where an explicit cache is to be made."""
    if set(body) - {"model", "ttl", "systemInstruction", "tools"} or not body["model"].startswith("models/"):
        return "Invalid JSON payload received."
    return None if re.fullmatch(r"\d+s", body["ttl"]) else "Invalid value at 'cached_content.ttl'"


def complaint(path: str, body: dict[str, Any]) -> str | None:
    """What the API refuses in a request for a reply; None where there is nothing."""
    unknown = set(body) - _KNOWN
    if unknown:
        return f'Invalid JSON payload received. Unknown name "{min(unknown)}": Cannot find field.'
    if "cachedContent" in body and {"systemInstruction", "tools"} & set(body):
        return "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config."
    contents = body["contents"]
    problem = _contents(contents) or _turns(contents) or _declarations(body)
    return problem or (None if _OLD.search(path) else _signatures(contents))


def _contents(contents: list[dict[str, Any]]) -> str | None:
    """Each content has a role and parts, and each part is of one kind that says something."""
    for place, content in enumerate(contents):
        where = f"GenerateContentRequest.contents[{place}]"
        if content.get("role") not in ("user", "model"):
            return "Please use a valid role: user, model."
        if not content.get("parts"):
            return f"* {where}.parts: contents.parts must not be empty."
        for part in content["parts"]:
            if sum(kind in part for kind in _KINDS) != 1:
                return f"* {where}.parts: must have one initialized field"
            if not part.get("text", "x").strip() and "thoughtSignature" not in part:
                return f"* {where}.parts: text must not be empty"
    return (
        None if contents and contents[-1]["role"] == "user" else "Requests ending with a model turn are not supported."
    )


def _turns(contents: list[dict[str, Any]]) -> str | None:
    """Calls follow a turn of the user and are all answered, in order and by name, in the turn after them."""
    for place, content in enumerate(contents):
        calls = _each(content, "functionCall")
        before = contents[place - 1] if place else {"parts": []}
        answered = _each(content, "functionResponse")
        asked = _each(before, "functionCall")
        if calls and (not place or before["role"] != "user"):
            return "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
        if answered and before.get("role") != "model":
            return "Please ensure that function response turn comes immediately after a function call turn."
        if [(one.get("id"), one["name"]) for one in answered] != [(one.get("id"), one["name"]) for one in asked]:
            return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
        for one in answered:
            if not isinstance(one.get("response"), dict):
                return "Invalid value at 'contents.parts.function_response.response'"
    return None


def _declarations(body: dict[str, Any]) -> str | None:
    """Functions have valid names, each once, and parameters that are an object with properties."""
    declared = [one for tool in body.get("tools", ()) for one in tool["functionDeclarations"]]
    names = [one["name"] for one in declared]
    if len(set(names)) != len(names):
        return f"Duplicate function declaration found: {max(names, key=names.count)}"
    for one in declared:
        if not _NAME.match(one["name"]):
            return f"* GenerateContentRequest.tools[0].function_declarations: Invalid function name: {one['name']}"
        schema = one.get("parametersJsonSchema")
        if "parameters" in one or (schema is not None and not schema.get("properties")):
            return f"* GenerateContentRequest.tools[0].function_declarations: parameters of {one['name']} should be non-empty for OBJECT type"
    return None


def _signatures(contents: list[dict[str, Any]]) -> str | None:
    """Models from the third generation on want the first call of each of their turns signed."""
    for place, content in enumerate(contents):
        call = next((part for part in content["parts"] if "functionCall" in part), None)
        if call is not None and not call.get("thoughtSignature"):
            name = call["functionCall"]["name"]
            return f"Function call `{name}` in the {place}. content block is missing a `thought_signature`."
    return None


def _each(content: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [part[kind] for part in content["parts"] if kind in part]
