"""What went wrong with a model call, as one line a person can act on, without keys or control characters."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xun.providers import google_status
from xun.providers.base import ErrorKind, ProviderError
from xun.providers.transport import Target

_TEXT_LIMIT = 300
# A key has a digit or is long: "invalid x-api-key header" and "a Bearer certificate" hold none.
_KEY = r"(?=[\w.~+/=-]*\d|[\w.~+/=-]{20})[\w.~+/=-]{6,}"
_SECRETS = re.compile(rf"\b((?:sk|pk|rk)-|AIza|Bearer +|x-api-key[\"']?\s*[:= ]\s*[\"']?){_KEY}", re.IGNORECASE)
_PICTURES = 0x2400  # where Unicode has pictures of the control characters
_TRANSIENT: frozenset[ErrorKind] = frozenset({"rate_limit", "overloaded", "server", "network", "timeout", "protocol"})

# What a type or code means as an HTTP status: inside a stream there is no other.
_BY_CODE: dict[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
    "rate_limit_exceeded": 429,
    "server_is_overloaded": 503,
    "slow_down": 503,
    "vector_store_timeout": 504,
    "bio_policy": 400,
    "data_residency_mismatch": 400,
    "misalignment_policy_violation": 400,
}
_BAD_REQUEST = ("invalid_", "image_", "unsupported_", "empty_", "failed_to_download_")
_BAD_KEY = ("api key provided", "invalid api key", "invalid x-api-key", "api key not valid")
_STATUS = re.compile(r"[45]\d\d")
_NO_CREDIT = (
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
    "enforced_spend_limit_reached",
    "credit balance is too low",
    "exceeded your current quota",
)
_TOO_LONG = (
    "context_length_exceeded",
    "prompt is too long",
    "maximum context length",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the available context",
    "context window of this model",
    "request_too_large",
    "string_above_max_length",
    "exceeds the maximum number of tokens allowed",
)
_NO_MODEL = (
    "model_not_found",
    "model:",
    "does not exist",
    "no such model",
    "unknown model",
    "model not found",
    "no endpoints found",
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server said: the HTTP status (None inside a stream), its type and codes, and the message.

    `meaning` and `wait`, in seconds, are what it says outright, where it does.
    """

    status: int | None
    codes: str
    message: str
    meaning: ErrorKind | None = None
    wait: float | None = None


def clean(text: str, limit: int = _TEXT_LIMIT, secret: str = "") -> str:
    """Server text fit for one line: what is not printed made visible, no keys, at most `limit` characters."""
    if secret:
        text = text.replace(secret, "***")
    line = "".join(char if char.isprintable() else _shown(char) for char in " ".join(text[: limit * 8].split()))
    line = _SECRETS.sub(r"\1***", line)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _shown(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(_PICTURES + code)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def from_response(
    target: Target, model: str, status: int, headers: Mapping[str, str], body: bytes | str | Any
) -> ProviderError:
    """The error of an HTTP answer. `body` is what came, parsed or not; `headers` have lower-case names."""
    payload = parse(body)
    request_id = headers.get("request-id") or headers.get("x-request-id")
    if request_id is None and isinstance(payload, dict):
        request_id = payload.get("request_id")
    return _build(target, model, _read(payload, status, target.secret), request_id, retry_after(headers))


def from_event(target: Target, model: str, payload: Any, request_id: str | None = None) -> ProviderError:
    """The error a server sent inside a stream that began with HTTP 200."""
    return _build(target, model, _read(payload, None, target.secret), request_id, None)


def not_a_stream(target: Target, model: str, kind: str, body: bytes, request_id: str | None = None) -> ProviderError:
    """An answer with status 200 that is no event stream: the error that it holds, or what it is, and what it says.

    Nothing says that it would go another way the next time, so only an error that is known to pass is transient.
    """
    payload = parse(body)
    refusal = _read(payload, None, target.secret)
    if isinstance(payload, dict | list) and (refusal.message or (isinstance(payload, dict) and payload.get("error"))):
        return _build(target, model, refusal, request_id, None, otherwise=400)
    where = f"{target.label} at {target.url} answered with {clean(kind, 60) or 'something'} instead of an event stream"
    told = f". It said: {refusal.message}" if refusal.message else ""
    line = f"{where}: check {target.url_variable}{told}"
    return ProviderError("protocol", line, status=200, request_id=request_id)


def network(target: Target, detail: str, *, transient: bool = True) -> ProviderError:
    """The request did not get through, or the connection broke."""
    return ProviderError("network", f"{target.label} at {target.url}: {clean(detail)}", transient=transient)


def timed_out(target: Target, seconds: float, *, connecting: bool = False) -> ProviderError:
    what = "no connection" if connecting else "no answer"
    line = f"{target.label} at {target.url}: {what} for {seconds:g} s; try again"
    return ProviderError("timeout", line, transient=True, uncounted=not connecting)


def incomplete(target_label: str, detail: str) -> ProviderError:
    """A stream that ended, cleanly or not, before the reply was complete."""
    return ProviderError("protocol", f"{target_label}: {detail}; the partial reply was dropped", transient=True)


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """The wait a server asks for, in seconds: `retry-after-ms`, else `retry-after` (seconds or a date)."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        when = email.utils.parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, when - (time.time() if now is None else now))


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def parse(body: Any) -> Any:
    """The body of an answer as JSON, or as text where it is none."""
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    if not isinstance(body, str):
        return body
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body


def _read(payload: Any, status: int | None, secret: str) -> Refusal:
    if isinstance(payload, list) and payload:
        payload = payload[0]
    error = payload.get("error", payload) if isinstance(payload, dict) else payload
    if not isinstance(error, dict):
        text = error if isinstance(error, str) else ""
        return Refusal(status, "", "" if "<html" in text[:2000].lower() else clean(text, secret=secret))
    details = error.get("details")
    codes = [
        error.get("type"),
        error.get("code"),
        details.get("error_code") if isinstance(details, dict) else None,
        error.get("status") if isinstance(error.get("status"), int) else None,
    ]
    message = error.get("message") or error.get("detail") or error.get("title") or ""
    said = clean(f"{message}{_passed_on(error)}", secret=secret)
    told = (google_status.meaning(error), google_status.wait(error))
    return Refusal(status, " ".join(str(c) for c in codes if c), said, *told)


def _passed_on(error: Mapping[str, Any]) -> str:
    """What another server said to the one that passes its words on, as OpenRouter does."""
    metadata = error.get("metadata")
    said = metadata.get("raw") if isinstance(metadata, dict) else None
    return f": {said}" if isinstance(said, str) and said.strip() else ""


def _kind(refusal: Refusal, otherwise: int = 500) -> ErrorKind:
    """What was refused; `otherwise` is the status of a code that is not known."""
    status = refusal.status or _status(refusal, otherwise)
    said = f"{refusal.codes} {refusal.message}".lower()
    if refusal.meaning is not None:
        return refusal.meaning
    if status == 402 or any(mark in said for mark in _NO_CREDIT):
        return "no_credit"
    if status == 413 or any(mark in said for mark in _TOO_LONG):
        return "too_long"
    if status in (401, 403):
        return "auth"
    if status == 404 or "model_not_found" in said:
        return "unknown_model"
    return server_kind(status, said)


def _status(refusal: Refusal, otherwise: int) -> int:
    """The status that an error means which came without one."""
    codes = refusal.codes.split()
    if known := [_BY_CODE[code] for code in codes if code in _BY_CODE]:
        return known[0]
    if figures := [int(code) for code in codes if _STATUS.fullmatch(code)]:
        return figures[0]
    if any(mark in refusal.message.lower() for mark in _BAD_KEY):
        return 401
    return 400 if any(code.startswith(_BAD_REQUEST) for code in codes) else otherwise


def server_kind(status: int, said: str = "") -> ErrorKind:
    """What a server means that fails with `status`, where it is not about the key, the model or the account."""
    if status == 429:
        return "rate_limit"
    if status in (503, 529) or "overloaded" in said:
        return "overloaded"
    if status in (408, 504):
        return "timeout"
    if status in (409, 425) or status >= 500:
        return "server"
    return "bad_request"


def _build(
    target: Target, model: str, refusal: Refusal, request_id: str | None, wait: float | None, otherwise: int = 500
) -> ProviderError:
    kind = _kind(refusal, otherwise)
    code = f" (HTTP {refusal.status})" if refusal.status else ""
    lines: dict[ErrorKind, str] = {
        "auth": f"{target.label} refused the key{code}: check {target.key_variable}",
        "unknown_model": _unknown_model(target, model, refusal, code),
        "too_long": f"the conversation is too long for {clean(model, 80)}{code}: compact it, start a new session,"
        " or use a model with a larger context window",
        "no_credit": f"{target.label} says that there is no credit left{code}: add credit or raise the"
        f" spending limit of the account behind {target.key_variable}",
        "rate_limit": f"{target.label} limits the rate of requests{code}: try again later",
        "overloaded": f"{target.label} is overloaded{code}: try again later",
        "timeout": f"{target.label} gave up waiting{code}: try again",
        "server": f"{target.label} failed{code}: try again later",
        "bad_request": f"{target.label} refused the request{code}{_hint(target, model, refusal)}",
    }
    message = lines[kind] + (f". It said: {refusal.message}" if refusal.message else "")
    return ProviderError(
        kind,
        message,
        transient=kind in _TRANSIENT,
        status=refusal.status,
        request_id=request_id,
        retry_after=refusal.wait if wait is None else wait,
    )


def _unknown_model(target: Target, model: str, refusal: Refusal, code: str) -> str:
    said = f"{refusal.codes} {refusal.message}".lower()
    if not any(mark in said for mark in (*_NO_MODEL, model.lower())):
        other = f", or try --model openai-chat/{clean(model, 80)}" if target.url.endswith("/responses") else ""
        return f"nothing answers at {target.url}{code}: check {target.url_variable}{other}"
    known = f", for example --model {target.name}/{target.suggestion}" if target.suggestion else ""
    return f"{target.label} does not know the model {clean(model, 80)}{code}: choose another{known}"


def _hint(target: Target, model: str, refusal: Refusal) -> str:
    if "/v1/responses" in refusal.message and target.name == "openai-chat":
        return f": this model needs the Responses API; try --model openai/{clean(model, 80)}"
    if 300 <= (refusal.status or 0) < 400:
        return f": it sends requests to another address; check {target.url_variable}"
    return ""


def is_transient(kind: ErrorKind) -> bool:
    """Whether a failure of this kind may pass by itself."""
    return kind in _TRANSIENT


def refuses_cache(error: ProviderError) -> bool:
    """Whether a server has refused a request for what it says of the prompt cache."""
    return error.status in (400, 422) and any(field in error.message for field in ("cache_control", "prompt_cache"))
