"""What comes from Gemini: chunks as recorded, read into one reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers.support import TARGET, final, play, request, sse
from tests.wire.gemini import quota
from tests.wire.streams import GEMINI, Call, Say, render
from xun.messages import Message, Text, Thinking, ToolCall, Usage
from xun.providers import errors
from xun.providers.base import Done, ProviderError
from xun.providers.gemini import GeminiWire
from xun.providers.gemini_reply import GeminiReply

MODEL = "gemini-3.8-flash"
PARALLEL = [
    {"functionCall": {"name": "read_file", "args": {"path": "a"}}, "thoughtSignature": "c2lnLTE="},
    {"functionCall": {"name": "read_file", "args": {"path": "b"}}},
]


def chunk(*parts: dict[str, Any], reason: str = "", **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    candidate |= {"finishReason": reason} if reason else {}
    return {"candidates": [candidate], "modelVersion": MODEL, "responseId": "r-1"} | more


def reply(*chunks: dict[str, Any] | str, **how: Any) -> Message:
    return final(play(GeminiReply(TARGET, MODEL, **how), sse(*chunks)))


def failure(*chunks: dict[str, Any]) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        reply(*chunks)
    return caught.value


def test_pieces_of_a_kind_are_one_block_and_the_last_figures_count() -> None:
    early = {"promptTokenCount": 40, "candidatesTokenCount": 1}
    late = {
        "promptTokenCount": 40, "candidatesTokenCount": 7, "thoughtsTokenCount": 100, "cachedContentTokenCount": 32,
        "totalTokenCount": 147, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 40}],
    }  # fmt: skip
    message = reply(
        chunk({"text": "First ", "thought": True}, usageMetadata=early),
        chunk({"text": "look.", "thought": True}),
        chunk({"text": "I see"}),
        chunk({"text": " it."}, reason="STOP", usageMetadata=late),
    )
    assert message.blocks == (Thinking(text="First look.", wire="gemini"), Text(text="I see it."))
    assert message.reply is not None
    assert message.reply.usage == Usage(input_tokens=40, output_tokens=107, cache_read_input_tokens=32)
    assert (message.reply.stop_reason, message.reply.model, message.reply.request_id) == ("end_turn", MODEL, "r-1")


def test_parallel_calls_without_ids_get_some_and_keep_their_order_and_their_signature() -> None:
    message = reply(chunk(*PARALLEL, reason="STOP"))
    assert [type(block) for block in message.blocks] == [Thinking, ToolCall, ToolCall]
    one, two = message.calls
    assert [one.arguments, two.arguments] == [{"path": "a"}, {"path": "b"}]
    assert one.id != two.id and all(call.id.startswith("call_") and not call.problem for call in (one, two))
    assert message.reply is not None and message.reply.stop_reason == "tool_use"


def test_what_comes_behind_the_reason_to_end_is_no_less_a_part_of_the_reply() -> None:
    late = {"promptTokenCount": 40, "candidatesTokenCount": 7}
    message = reply(chunk({"text": "I look."}, reason="STOP"), chunk(PARALLEL[0], reason="STOP", usageMetadata=late))
    assert message.text == "I look." and [call.arguments for call in message.calls] == [{"path": "a"}]
    assert message.reply is not None and message.reply.stop_reason == "tool_use"
    assert message.reply.usage is not None and message.reply.usage.output_tokens == 7


def test_a_plain_end_takes_nothing_back_of_one_that_is_not() -> None:
    message = reply(chunk({"text": "I lo"}, reason="MAX_TOKENS"), chunk(PARALLEL[0], reason="STOP"))
    assert message.reply is not None and message.reply.stop_reason == "max_tokens"
    assert [bool(call.problem) for call in message.calls] == [True]


def test_ids_that_come_are_kept_and_one_that_comes_twice_runs_nothing() -> None:
    called = [{"functionCall": {"id": name, "name": "act", "args": {}}} for name in ("a1", "b2", "b2")]
    first, *others = reply(chunk(*called, reason="STOP")).calls
    assert (first.id, first.problem) == ("a1", None)
    assert all(call.problem and "several calls came with the id 'b2'" in call.problem for call in others)


def test_names_and_arguments_are_those_of_the_tools() -> None:
    parts = [{"functionCall": {"name": "sent"}}, {"functionCall": {"name": "act", "args": '{"a": 1}'}}]
    one, two = reply(chunk(*parts, reason="STOP"), names={"sent": "its.own"}).calls
    assert (one.name, one.arguments, two.arguments) == ("its.own", {}, {"a": 1})


def test_a_key_that_an_object_has_twice_is_seen() -> None:
    twice = '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"act","args":{"a":{"b":1,"b":2}}}}]},"finishReason":"STOP"}]}'
    [call] = reply(twice).calls
    assert call.problem is not None and "the key 'b' twice" in call.problem
    assert call.arguments == {}
    text = '{"candidates":[{"content":{"parts":[{"text":"hi","text":"hi"}]},"finishReason":"STOP"}],"modelVersion":"m"}'
    assert reply(text).text == "hi"


@pytest.mark.parametrize(
    "parts",
    [
        PARALLEL,
        [{"text": "Done."}, {"text": "", "thoughtSignature": "ZW5k"}],
        [{"text": "Do"}, {"text": "ne.", "thoughtSignature": "ZW5k"}],
        [{"text": "A", "thoughtSignature": "YQ=="}, {"text": "B", "thoughtSignature": "Yg=="}, {"text": "C"}],
        [{"text": "Hm.", "thought": True, "thoughtSignature": "aG0="}, {"text": "Yes."}, *PARALLEL],
        [{"text": "", "thoughtSignature": "YQ=="}, {"functionCall": {"name": "act", "args": {}}}],
        [{"text": "", "thought": True, "thoughtSignature": "YQ=="}, {"text": "Yes."}],
    ],
)
def test_every_signature_goes_back_unchanged_on_its_own_part(parts: list[dict[str, Any]]) -> None:
    message = reply(*(chunk(part) for part in parts), chunk({"text": ""}, reason="STOP"))
    history = [Message.user("go"), Message.model_validate_json(message.model_dump_json()), Message.user("on")]
    sent = json.loads(GeminiWire(TARGET).body(request(*history, model=MODEL)))["contents"][1]["parts"]
    signed = [(part["thoughtSignature"], *_said(part)) for part in parts if "thoughtSignature" in part]
    returned = [(part["thoughtSignature"], *_said(part)) for part in sent if "thoughtSignature" in part]
    assert [one for one in returned if one[0] != "skip_thought_signature_validator"] == signed
    assert "".join(part.get("text", "") for part in sent) == "".join(part.get("text", "") for part in parts)


def _said(part: dict[str, Any]) -> tuple[Any, ...]:
    return part.get("text"), bool(part.get("thought")), part.get("functionCall", {}).get("args")


@pytest.mark.parametrize(
    ("word", "stop", "told"),
    [
        ("STOP", "end_turn", None),
        ("MAX_TOKENS", "max_tokens", None),
        ("CONTINUATION", "max_tokens", None),
        ("SAFETY", "refused", None),
        ("RECITATION", "refused", None),
        ("BLOCKLIST", "refused", None),
        ("PROHIBITED_CONTENT", "refused", None),
        ("SPII", "refused", None),
        ("OTHER", "other", "OTHER"),
        ("MALFORMED_RESPONSE", "other", "MALFORMED_RESPONSE"),
        ("A_REASON_OF_TOMORROW", "other", "A_REASON_OF_TOMORROW"),
    ],
)
def test_ends_are_told_in_our_words(word: str, stop: str, told: str | None) -> None:
    got = reply(chunk({"text": "So"}, reason=word)).reply
    assert got is not None and (got.stop_reason, got.stop_word) == (stop, told)


@pytest.mark.parametrize(
    ("word", "problem"), [("MALFORMED_FUNCTION_CALL", "could not be read"), ("UNEXPECTED_TOOL_CALL", "none of a tool")]
)
def test_a_call_that_the_server_keeps_to_itself_is_answered_so_that_the_model_can_send_it_again(
    word: str, problem: str
) -> None:
    why = "Malformed function call: print(default_api.read_file(path="
    ended = {"candidates": [{"finishReason": word, "finishMessage": why}]}
    message = reply(chunk({"text": "Reading."}), chunk(PARALLEL[0]), ended)
    done, lost = message.calls
    assert done.problem is None
    assert lost.problem is not None and problem in lost.problem
    assert (lost.name, lost.raw, message.reply and message.reply.stop_reason) == ("unknown", why, "tool_use")


def test_the_last_call_at_an_output_limit_is_not_run() -> None:
    one, two = reply(chunk(*PARALLEL, reason="MAX_TOKENS")).calls
    assert (one.problem, two.arguments) == (None, {})
    assert two.problem is not None and "output limit" in two.problem


def test_a_prompt_that_is_not_let_in_is_a_refusal() -> None:
    got = reply({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}})
    assert got.blocks == () and got.reply is not None
    assert (got.reply.stop_reason, got.reply.usage) == ("refused", Usage(input_tokens=3))


def test_what_is_not_known_is_skipped() -> None:
    odd = [{"executableCode": {"code": "1"}}, {"inlineData": {"mimeType": "image/png", "data": ""}}, {}]
    second = {"candidates": [{"index": 1, "content": {"parts": [{"text": "another"}]}, "finishReason": "STOP"}]}
    message = reply({"usageMetadata": None}, chunk(*odd, {"text": "hi"}), second, chunk(reason="STOP"), "[DONE]")
    assert message.blocks == (Text(text="hi"),)


@pytest.mark.parametrize(
    "parts", [[], [{"text": "half"}], PARALLEL, [{"text": "", "thoughtSignature": "YQ=="}]], ids=repr
)
def test_without_its_end_there_is_no_reply(parts: list[dict[str, Any]]) -> None:
    error = failure(*(chunk(part) for part in parts))
    assert (error.kind, error.transient) == ("protocol", True)
    assert ("empty" if not parts else "ended early") in str(error)


def test_a_call_that_is_cut_at_any_byte_is_no_call() -> None:
    body = b"".join(render(Say("Look.", [Call("bash", {"command": "touch RAN"})], thinking="Hm."), GEMINI))
    whole = len(body.rstrip())
    for end in range(whole):
        items = []
        with pytest.raises(ProviderError) as caught:
            items = play(GeminiReply(TARGET, MODEL), body[:end])
        assert caught.value.transient and not any(isinstance(item, Done) for item in items)
    assert final(play(GeminiReply(TARGET, MODEL), body[:whole])).calls[0].arguments == {"command": "touch RAN"}


def test_an_error_in_a_stream_that_began_well_is_that_error() -> None:
    overloaded = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    error = failure(chunk({"text": "So"}), overloaded)
    assert (error.kind, error.transient) == ("overloaded", True)


KEY_IS_NONE = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
USED_UP = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("status", "message", "details", "kind", "wait"),
    [
        (400, "API key not valid. Please pass a valid API key.", KEY_IS_NONE, "auth", None),
        (403, "Method doesn't allow unregistered callers.", None, "auth", None),
        (400, "The input token count (1234567) exceeds the maximum number of tokens allowed (1048576).", None,
         "too_long", None),
        (404, "models/gemini-3.8-flash is not found for API version v1beta.", None, "unknown_model", None),
        (429, USED_UP, quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "34s"), "rate_limit", 34.0),
        (429, USED_UP, quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "18s"), "no_credit", 18.0),
        (429, USED_UP, [RETRY], "rate_limit", 34.5),
        (429, USED_UP, None, "no_credit", None),
        (429, "Resource has been exhausted (e.g. check quota).", None, "rate_limit", None),
        (503, "The model is overloaded. Please try again later.", [RETRY], "overloaded", 34.5),
        (500, "An internal error has occurred.", None, "server", None),
        (504, "The request timed out.", None, "timeout", None),
        (400, "User location is not supported for the API use.", [{"@type": "x", "violations": 5}, 5], "bad_request",
         None),
    ],
)  # fmt: skip
def test_errors_are_what_their_details_say(
    status: int, message: str, details: Any, kind: str, wait: float | None
) -> None:
    words = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED"}
    told = {"code": status, "message": message, "status": words.get(status, "X")} | (
        {"details": details} if details else {}
    )
    for payload in ({"error": told}, [{"error": told}]):
        error = errors.from_response(TARGET, MODEL, status, {}, json.dumps(payload).encode())
        assert (error.kind, error.retry_after, error.status) == (kind, wait, status)
        assert message in str(error)
    if details and status == 429:
        assert errors.from_event(TARGET, MODEL, {"error": told}).kind == kind
