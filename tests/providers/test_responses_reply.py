"""Replies on the Responses wire, on recorded bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers.support import TARGET, final, play
from tests.wire.responses import failed
from tests.wire.streams import RESPONSES, Call, Say, render
from xun.messages import Message, ModelStop, Reply, Text, Thinking, ToolCall, Usage
from xun.providers.base import ProviderError
from xun.providers.calls import CUT_OFF
from xun.providers.openai_responses_reply import ResponsesReply


def read(body: bytes) -> Message:
    return final(play(ResponsesReply(TARGET, "gpt-asked", "req_1"), body))


def said(say: Say) -> Message:
    return read(b"".join(render(say, RESPONSES)))


def reply(*payloads: dict[str, Any]) -> Message:
    return read(b"".join(f"data: {json.dumps(payload)}\n\n".encode() for payload in payloads))


def ended(*output: Any, kind: str = "completed", **fields: Any) -> dict[str, Any]:
    response = {"id": "resp_1", "model": "gpt-test", "status": kind, "output": list(output)} | fields
    return {"type": f"response.{kind}", "response": response}


def at(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "output_index": index} | fields


def function_call(arguments: str, call_id: str = "call_a", name: str = "read_file") -> dict[str, Any]:
    return {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": arguments}


def message(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": list(parts)}


HELLO = {"type": "output_text", "text": "Hello."}


@pytest.mark.spec("H-PRV-09", "H-PCH-09")
def test_a_whole_reply() -> None:
    calls = [Call("bash", {"command": "ls"}), Call("bash", {"command": "pwd"})]
    whole = said(Say("Listing.", calls, thinking="Look at 中文.", cache_read=100, cache_write=5))
    summary = [{"type": "summary_text", "text": "Look at 中文."}]
    item = {"type": "reasoning", "id": "rs_1_0", "summary": summary, "encrypted_content": "c2lnLTEr/w=="}
    assert whole == Message(
        role="assistant",
        blocks=(
            Thinking(text="Look at 中文.", data=_compact(item), wire=RESPONSES),
            Text(text="Listing."),
            ToolCall(id="toolu_1_1", name="bash", arguments={"command": "ls"}),
            ToolCall(id="toolu_1_2", name="bash", arguments={"command": "pwd"}),
        ),
        reply=Reply(
            provider="anthropic",
            asked="gpt-asked",
            model="claude-test",
            stop_reason="tool_use",
            request_id="req_1",
            usage=Usage(input_tokens=115, output_tokens=20, cache_read_input_tokens=100, cache_creation_input_tokens=5),
        ),
    )


def _compact(item: Any) -> str:
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize(
    ("end", "meant"),
    [
        (ended(), "end_turn"),
        (ended(kind="incomplete", incomplete_details={"reason": "max_output_tokens"}), "max_tokens"),
        (ended(kind="incomplete", incomplete_details={"reason": "content_filter"}), "refused"),
        (ended(kind="incomplete", incomplete_details={"reason": "steered"}), "other"),
        (ended(kind="incomplete", incomplete_details=None), "other"),
        (ended(kind="incomplete", status=None), "other"),
    ],
)
def test_stop_reasons(end: dict[str, Any], meant: ModelStop) -> None:
    stop = reply(at(0, "output_text.delta", delta="x"), end).reply
    assert stop is not None
    assert stop.stop_reason == meant


@pytest.mark.bug("api-stream-ends-early")
@pytest.mark.parametrize("say", [Say("The fix is ready."), Say(calls=[Call("bash", {"command": "ls"})], thinking="So")])
def test_a_reply_that_stops_anywhere_before_its_end_is_an_error(say: Say) -> None:
    events = render(say, RESPONSES)
    for kept in range(len(events)):
        with pytest.raises(ProviderError) as caught:
            read(b"".join(events[:kept]))
        assert (caught.value.kind, caught.value.transient, caught.value.request_id) == ("protocol", True, "req_1")
    assert read(b"".join(events))


@pytest.mark.bug("api-overloaded-inside-stream")
@pytest.mark.parametrize(
    ("code", "kind", "transient"),
    [
        ("server_error", "server", True), ("rate_limit_exceeded", "rate_limit", True),
        ("invalid_prompt", "bad_request", False), ("context_length_exceeded", "too_long", False),
        ("insufficient_quota", "no_credit", False),
    ],
)  # fmt: skip
def test_a_failure_inside_the_stream_is_that_error(code: str, kind: str, transient: bool) -> None:
    begin = b"".join(render(Say("Hel"), RESPONSES)[:5])
    named = json.dumps({"type": "error", "code": code, "message": "why", "param": None, "sequence_number": 3})
    for event in (failed(Say(), 1, code, "why"), f"event: error\ndata: {named}\n\n".encode()):
        with pytest.raises(ProviderError, match="It said: why") as caught:
            read(begin + event)
        error = caught.value
        assert (error.kind, error.transient, error.request_id) == (kind, transient, "req_1")


def test_an_error_without_details_is_still_an_error() -> None:
    with pytest.raises(ProviderError) as caught:
        reply({"type": "response.failed", "response": {"status": "failed", "error": None}})
    assert (caught.value.kind, caught.value.transient) == ("server", True)


@pytest.mark.bug("api-tool-json-cut-by-max-tokens")
@pytest.mark.spec("H-MAL-06")
@pytest.mark.parametrize("stop", ["max_tokens", ""])
def test_arguments_cut_off_never_become_arguments(stop: str) -> None:
    (call,) = said(Say(calls=[Call("write_file", '{"path":"big.py","content":"imp')], stop=stop)).calls
    assert (call.problem, call.arguments) == (CUT_OFF, {})


def test_with_the_output_limit_reached_the_last_call_is_suspect_and_those_before_are_not() -> None:
    first, last = said(Say(calls=[Call("a", {"x": 1}), Call("b", {"x": 2})], stop="max_tokens")).calls
    assert (first.arguments, first.problem) == ({"x": 1}, None)
    assert (last.arguments, last.problem) == ({}, CUT_OFF)


@pytest.mark.bug("api-no-argument-tool-call")
@pytest.mark.parametrize("arguments", ["", "{}"])
def test_a_call_without_arguments_has_none(arguments: str) -> None:
    (call,) = said(Say(calls=[Call("list_jobs", arguments)])).calls
    assert (call.arguments, call.problem) == ({}, None)


@pytest.mark.bug("api-parallel-calls-same-index")
def test_interleaved_calls_are_kept_apart() -> None:
    a, b = function_call("", "call_a"), function_call("", "call_b")
    whole = reply(
        at(0, "output_item.added", item=a),
        at(1, "output_item.added", item=b),
        at(1, "function_call_arguments.delta", delta='{"path":'),
        at(0, "function_call_arguments.delta", delta='{"path":"a.t'),
        at(1, "function_call_arguments.delta", delta='"b.txt"}'),
        at(0, "function_call_arguments.delta", delta='xt"}'),
        ended(),
    )
    assert whole.calls == (
        ToolCall(id="call_a", name="read_file", arguments={"path": "a.txt"}),
        ToolCall(id="call_b", name="read_file", arguments={"path": "b.txt"}),
    )
    assert whole.reply is not None
    assert whole.reply.stop_reason == "tool_use"


@pytest.mark.spec("P-MAL-01")
def test_calls_that_share_an_id_are_refused() -> None:
    items = [at(n, "output_item.done", item=function_call("{}")) for n in (0, 1)]
    first, second = reply(*items, ended()).calls
    assert first.problem and second.problem and second.id != first.id


def test_several_parts_of_a_summary_are_set_apart_and_all_of_the_item_is_kept() -> None:
    parts = [{"type": "summary_text", "text": text} for text in ("First.", "Then.")]
    item = {"type": "reasoning", "id": "rs_1", "summary": parts, "encrypted_content": "c2VhbA==", "status": None}
    events = [at(0, "output_item.added", item={"type": "reasoning", "id": "rs_1", "summary": []})]
    for number, part in enumerate(parts):
        events.append(at(0, "reasoning_summary_part.added", summary_index=number, part={}))
        events.append(at(0, "reasoning_summary_text.delta", summary_index=number, delta=part["text"]))
    (thinking,) = reply(*events, at(0, "output_item.done", item=item), ended()).blocks
    assert isinstance(thinking, Thinking)
    assert thinking.text == "First.\n\nThen."
    del item["status"]
    assert json.loads(thinking.data or "") == item


def test_reasoning_in_the_open_is_thinking_too() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}
    (thinking,) = reply(
        at(0, "reasoning_text.delta", delta="Hm."), at(0, "output_item.done", item=item), ended()
    ).blocks
    assert isinstance(thinking, Thinking)
    assert (thinking.text, json.loads(thinking.data or "")) == ("Hm.", item)


def test_reasoning_that_was_cut_is_shown_and_never_sent() -> None:
    (thinking,) = reply(at(0, "reasoning_summary_text.delta", delta="Hm"), ended(kind="incomplete")).blocks
    assert thinking == Thinking(text="Hm", wire=RESPONSES)


@pytest.mark.parametrize("say", [Say("I can't do that.", stop="refusal")])
def test_a_refusal_is_shown_and_told(say: Say) -> None:
    whole = said(say)
    assert whole.text == "I can't do that."
    assert whole.reply is not None
    assert whole.reply.stop_reason == "refused"


@pytest.mark.parametrize(
    "payloads",
    [
        [ended(message(HELLO))],
        [at(0, "output_item.done", item=message(HELLO)), ended()],
        [at(0, "output_item.done", item=message(HELLO)), ended(message(HELLO))],
        [at(0, "output_text.delta", delta="Hello."), ended(message(HELLO))],
        [at(0, "output_text.delta", delta="Hello."), at(0, "output_item.done", item=message(HELLO)), ended()],
    ],
)
def test_text_is_taken_once_wherever_a_server_says_it(payloads: list[Any]) -> None:
    assert reply(*payloads).text == "Hello."


def test_a_call_told_only_at_the_end_is_taken() -> None:
    (call,) = reply(ended(function_call('{"path":"a.txt"}'))).calls
    assert call == ToolCall(id="call_a", name="read_file", arguments={"path": "a.txt"})


def test_arguments_given_as_an_object_are_taken() -> None:
    (call,) = reply(ended({**function_call(""), "arguments": {"path": "a.txt"}})).calls
    assert (call.arguments, call.problem) == ({"path": "a.txt"}, None)


def test_what_is_unknown_is_skipped() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    whole = reply(
        {"type": "response.created", "response": {"model": "gpt-test", "usage": None}},
        at(0, "output_item.added", item=search),
        at(0, "web_search_call.searching"),
        at(0, "output_item.done", item=search),
        {"type": "keepalive"},
        at(1, "output_text.delta", delta="Found."),
        ended(usage=None),
    )
    assert whole.blocks == (Text(text="Found."),)
    assert whole.reply == Reply(provider="anthropic", model="gpt-test", asked="gpt-asked", request_id="req_1")


@pytest.mark.parametrize("data", ["nonsense", "[1]", '{"no": "type"}', '{"type": "response.completed"}'])
def test_an_event_that_makes_no_sense_is_an_error(data: str) -> None:
    with pytest.raises(ProviderError, match="not understood"):
        read(f"data: {data}\n\n".encode())
