from __future__ import annotations

import email.utils
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.providers.support import KEY, TARGET
from xun.providers.errors import clean, from_event, from_response, retry_after


def anthropic(kind: str, message: str = "", **fields: Any) -> bytes:
    return json.dumps({"type": "error", "error": {"type": kind, "message": message} | fields}).encode()


def openai(message: str, code: str | None = None, kind: str = "invalid_request_error") -> bytes:
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}}).encode()


SPEND_LIMIT = {"error_code": "enforced_spend_limit_reached"}
CASES = [
    (401, anthropic("authentication_error", "invalid x-api-key"), "auth", "check ANTHROPIC_API_KEY"),
    (403, anthropic("permission_error", "Not allowed"), "auth", "check ANTHROPIC_API_KEY"),
    (401, openai("Incorrect API key provided", "invalid_api_key"), "auth", "check ANTHROPIC_API_KEY"),
    (404, anthropic("not_found_error", "model: claude-x"), "unknown_model", "anthropic/claude-sonnet-5-5"),
    (404, openai("The model `claude-x` does not exist", "model_not_found"), "unknown_model", "does not know"),
    (400, openai("no access", "model_not_found"), "unknown_model", "does not know the model claude-x"),
    (404, b"<html><body>nginx</body></html>", "unknown_model", "check ANTHROPIC_BASE_URL"),
    (404, b"404 page not found", "unknown_model", "nothing answers at https://api.test/v1/messages"),
    (400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens"), "too_long", "compact it"),
    (400, openai("maximum context length is 8192 tokens", "context_length_exceeded"), "too_long", "compact"),
    (400, openai("the request exceeds the available context size", None), "too_long", "compact it"),
    (413, anthropic("request_too_large"), "too_long", "compact it"),
    (400, anthropic("invalid_request_error", "Your credit balance is too low"), "no_credit", "add credit"),
    (402, anthropic("billing_error"), "no_credit", "behind ANTHROPIC_API_KEY"),
    (429, openai("You exceeded your current quota", "insufficient_quota"), "no_credit", "credit"),
    (429, anthropic("rate_limit_error", "limit", details=SPEND_LIMIT), "no_credit", "credit"),
    (429, anthropic("rate_limit_error", "rate limited"), "rate_limit", "limits the rate"),
    (429, openai("slow down", "rate_limit_exceeded", "requests"), "rate_limit", "slow down"),
    (529, anthropic("overloaded_error", "Overloaded"), "overloaded", "overloaded"),
    (503, b"", "overloaded", "HTTP 503"),
    (500, anthropic("api_error", "Internal server error"), "server", "failed (HTTP 500)"),
    (502, b"<html>Bad gateway</html>", "server", "HTTP 502"),
    (504, b"", "timeout", "HTTP 504"),
    (408, b"", "timeout", "HTTP 408"),
    (409, b"", "server", "HTTP 409"),
    (400, anthropic("invalid_request_error", "temperature: bad"), "bad_request", "temperature: bad"),
    (422, b'{"detail": "no"}', "bad_request", "It said: no"),
    (400, b"[]", "bad_request", "refused the request"),
    (400, b"\xff\xfe", "bad_request", "HTTP 400"),
]  # fmt: skip
PASSING = {"rate_limit", "overloaded", "server", "timeout"}


@pytest.mark.spec("H-RTY-02")
@pytest.mark.parametrize(("status", "body", "kind", "text"), CASES)
def test_each_answer_has_its_kind_and_says_what_to_do(status: int, body: bytes, kind: str, text: str) -> None:
    error = from_response(TARGET, "claude-x", status, {"request-id": "req_1"}, body)
    assert error.kind == kind
    assert text in str(error)
    assert error.transient is (kind in PASSING)
    assert (error.status, error.request_id) == (status, "req_1")
    assert len(str(error)) < 600
    assert str(error).isprintable()


def test_a_server_without_the_responses_api_is_reached_otherwise() -> None:
    target = replace(TARGET, name="openai", url="https://gw.test/v1/responses", url_variable="OPENAI_BASE_URL")
    error = from_response(target, "qwen", 404, {}, b"404 page not found")
    assert "check OPENAI_BASE_URL, or try --model openai-chat/qwen" in str(error)


def test_a_model_that_needs_another_wire_for_tools_is_said_so() -> None:
    body = openai("Function tools are not supported in /v1/chat/completions. Use /v1/responses.")
    error = from_response(replace(TARGET, name="openai-chat"), "gpt-x", 400, {}, body)
    assert "needs the Responses API; try --model openai/gpt-x" in str(error)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("overloaded_error", "overloaded"), ("api_error", "server"), ("rate_limit_error", "rate_limit"),
        ("timeout_error", "timeout"), ("authentication_error", "auth"), ("billing_error", "no_credit"),
        ("invalid_request_error", "bad_request"), ("something_new", "server"), ("server_error", "server"),
        ("rate_limit_exceeded", "rate_limit"), ("insufficient_quota", "no_credit"), ("invalid_prompt", "bad_request"),
        ("context_length_exceeded", "too_long"), ("image_too_large", "bad_request"), ("slow_down", "overloaded"),
        ("empty_image_file", "bad_request"), ("bio_policy", "bad_request"), ("model_not_found", "unknown_model"),
    ],
)  # fmt: skip
def test_an_error_inside_a_stream_has_the_same_kinds(kind: str, expected: str) -> None:
    error = from_event(TARGET, "m", json.loads(anthropic(kind, "why")), "req_1")
    assert (error.kind, error.status, error.request_id) == (expected, None, "req_1")
    assert error.transient is (expected in PASSING)


def test_server_text_is_one_short_line_without_keys() -> None:
    text = f"bad key sk-ant-{KEY}\r\n\x1b[31mred\x1b[0m Authorization: Bearer {KEY} " + "x" * 1000
    shown = clean(text)
    assert KEY not in shown
    assert "***" in shown
    assert shown.isprintable()
    assert len(shown) == 300


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("invalid x-api-key [red] \x1b[31m", "invalid x-api-key [red] ␛[31m"),
        ("x-api-key header is required; a Bearer certificate is not", None),
        ("a risk-averse model with sk-short names", None),
        ("x-api-key: abc12345 refused", "x-api-key: *** refused"),
        ('{"x-api-key":"abc12345"}', '{"x-api-key":"***"}'),
        ("Bearer abc.def12 and sk-ant-abc123def", "Bearer *** and sk-***"),
        ("Bearer " + "a" * 24, "Bearer ***"),
        ("AIzaSyA1_b2-c3d4e5 is none, and AIzawa Village is no key", "AIza*** is none, and AIzawa Village is no key"),
        ("a\r\n\tb\u2028c \x00\x9b\u202e\U000e0041", "a b c ␀\\u009b\\u202e\\U000e0041"),
    ],
)
def test_only_keys_are_masked_in_what_a_server_says_and_what_commands_a_terminal_is_shown(
    text: str, shown: str | None
) -> None:
    assert clean(text) == (text if shown is None else shown)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "3600"}, 3600.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": email.utils.formatdate(1_000_010, usegmt=True)}, 10.0),
        ({"retry-after": email.utils.formatdate(999_000, usegmt=True)}, 0.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_the_wait_a_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=1_000_000) == seconds


def test_the_id_of_a_request_may_stand_in_the_body_alone() -> None:
    body = json.dumps({"error": {"type": "api_error", "message": "x"}, "request_id": "req_b"})
    assert from_response(TARGET, "m", 500, {}, body).request_id == "req_b"


def test_the_wait_goes_with_the_error() -> None:
    error = from_response(TARGET, "m", 429, {"retry-after": "7"}, anthropic("rate_limit_error"))
    assert error.retry_after == 7.0
    assert re.search("limits the rate", str(error))
