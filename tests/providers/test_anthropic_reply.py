"""Replies on the Anthropic wire, on recorded bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers.support import TARGET, final, play
from tests.wire.streams import ANTHROPIC, Call, Say, event, render
from xun.messages import Message, Reply, Text, Thinking, ToolCall, Usage
from xun.providers.anthropic import AnthropicReply
from xun.providers.base import ProviderError
from xun.providers.calls import CUT_OFF


def reply(say: Say, *, keep: int | None = None) -> Message:
    body = b"".join(render(say, ANTHROPIC)[:keep])
    return final(play(AnthropicReply(TARGET, "claude-asked", "req_1"), body))


def blocks(*contents: tuple[dict[str, Any], list[dict[str, Any]]], stop: str = "tool_use") -> Message:
    """The message of hand-made blocks, each a start and its deltas."""
    start, *_, before_last, last = render(Say(stop=stop), ANTHROPIC)
    body = start
    for index, (block, deltas) in enumerate(contents):
        body += event({"type": "content_block_start", "index": index, "content_block": block})
        for delta in deltas:
            body += event({"type": "content_block_delta", "index": index, "delta": delta})
        body += event({"type": "content_block_stop", "index": index})
    return final(play(AnthropicReply(TARGET, "claude-asked"), body + before_last + last))


@pytest.mark.spec("H-PRV-09", "H-PCH-09")
def test_a_whole_reply() -> None:
    said = Say(
        "Listing.",
        [Call("bash", {"command": "ls"}), Call("bash", {"command": "pwd"})],
        thinking="I should list 中文 files.\n ",
        redacted="cmVkYWN0ZWQ=",
        cache_read=100,
        cache_write=30,
    )
    assert reply(said) == Message(
        role="assistant",
        blocks=(
            Thinking(text="I should list 中文 files.\n ", signature="c2lnLTEr/w==", wire="anthropic"),
            Thinking(data="cmVkYWN0ZWQ=", wire="anthropic"),
            Text(text="Listing."),
            ToolCall(id="toolu_1_1", name="bash", arguments={"command": "ls"}),
            ToolCall(id="toolu_1_2", name="bash", arguments={"command": "pwd"}),
        ),
        reply=Reply(
            provider="anthropic",
            asked="claude-asked",
            model="claude-test",
            stop_reason="tool_use",
            request_id="req_1",
            usage=Usage(
                input_tokens=140,
                output_tokens=20,
                cache_read_input_tokens=100,
                cache_creation_input_tokens=30,
            ),
        ),
    )


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("end_turn", "end_turn"), ("stop_sequence", "end_turn"), ("tool_use", "tool_use"),
        ("max_tokens", "max_tokens"), ("model_context_window_exceeded", "max_tokens"),
        ("refusal", "refused"), ("pause_turn", "other"), ("new_reason", "other"),
    ],
)  # fmt: skip
def test_stop_reasons(said: str, meant: str) -> None:
    stop = reply(Say("x", stop=said)).reply
    assert stop is not None
    assert stop.stop_reason == meant


@pytest.mark.parametrize("length", range(len(render(Say("The fix", [Call("bash")]), ANTHROPIC))))
def test_a_stream_that_ends_anywhere_before_its_end_is_an_error(length: int) -> None:
    with pytest.raises(ProviderError) as caught:
        reply(Say("The fix", [Call("bash")]), keep=length)
    assert (caught.value.kind, caught.value.transient, caught.value.request_id) == ("protocol", True, "req_1")
    assert str(caught.value)


def test_an_event_cut_in_the_middle_is_an_error() -> None:
    body = b"".join(render(Say("x"), ANTHROPIC))
    with pytest.raises(ProviderError) as caught:
        play(AnthropicReply(TARGET, "m"), body[:-12])
    assert caught.value.transient


@pytest.mark.spec("H-MAL-06")
@pytest.mark.parametrize("stop", ["max_tokens", "tool_use"])
def test_arguments_cut_off_never_become_arguments(stop: str) -> None:
    call = reply(Say(calls=[Call("write_file", '{"path":"big.py","content":"import os\\n')], stop=stop)).calls[0]
    assert (call.problem, call.arguments) == (CUT_OFF, {})


def test_only_the_call_at_the_output_limit_is_suspect() -> None:
    calls = reply(Say(calls=[Call("ls"), Call("ls")], stop="max_tokens")).calls
    assert [call.problem for call in calls] == [None, CUT_OFF]
    tool = {"type": "tool_use", "id": "t1", "name": "ls", "input": {}}
    text = {"type": "text", "text": "and then"}
    assert blocks((tool, []), (text, []), stop="max_tokens").calls[0].problem is None


def test_a_call_without_arguments_has_none() -> None:
    tool = {"type": "tool_use", "id": "t1", "name": "list_jobs", "input": {}}
    other = tool | {"id": "t2"}
    message = blocks((tool, []), (other, [{"type": "input_json_delta", "partial_json": ""}]))
    assert [(call.arguments, call.problem) for call in message.calls] == [({}, None), ({}, None)]


def test_arguments_given_at_once_are_taken() -> None:
    tool = {"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "."}}
    assert blocks((tool, [])).calls[0].arguments == {"path": "."}


@pytest.mark.spec("P-MAL-01")
def test_calls_that_share_an_id_are_refused() -> None:
    tool = {"type": "tool_use", "id": "t1", "name": "ls", "input": {}}
    first, second = blocks((tool, []), (tool, [])).calls
    assert first.problem and second.problem
    assert first.id == "t1" != second.id


def test_an_empty_reply_is_an_empty_message() -> None:
    assert reply(Say("")).blocks == ()
    assert blocks(({"type": "text", "text": ""}, []), stop="end_turn").blocks == ()


def test_text_and_thinking_given_at_the_start_of_a_block_count() -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    message = blocks((thinking, []), ({"type": "text", "text": "Yes"}, []), stop="end_turn")
    assert message.blocks == (Thinking(text="Hm.", signature="c2ln", wire="anthropic"), Text(text="Yes"))


def test_unknown_events_blocks_and_fields_are_skipped() -> None:
    start, *rest = render(Say("hi"), ANTHROPIC)
    body = start + event({"type": "news", "x": 1}) + b"".join(rest)
    assert final(play(AnthropicReply(TARGET, "m"), body)).text == "hi"
    server_tool = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    assert blocks((server_tool, []), ({"type": "text", "text": "Yes"}, []), stop="end_turn").text == "Yes"


def test_figures_of_later_events_replace_earlier_ones_and_null_does_not() -> None:
    start, *_, last = render(Say(input_tokens=5), ANTHROPIC)
    usage = {"input_tokens": 7, "output_tokens": 9, "cache_read_input_tokens": None}
    end = event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage})
    reported = final(play(AnthropicReply(TARGET, "m"), start + end + last)).reply
    assert reported is not None
    assert reported.usage == Usage(input_tokens=7, output_tokens=9)


@pytest.mark.parametrize("data", ["nonsense", "[]", '{"type": "content_block_delta", "index": 9, "delta": {}}', "{}"])
def test_an_event_that_makes_no_sense_is_an_error(data: str) -> None:
    with pytest.raises(ProviderError, match="not understood") as caught:
        play(AnthropicReply(TARGET, "m"), f"data: {data}\n\n".encode())
    assert caught.value.kind == "protocol"


@pytest.mark.parametrize("deltas", [0, 1])
@pytest.mark.spec("H-RTY-02")
def test_an_error_inside_the_stream_is_that_error(deltas: int) -> None:
    body = b"".join(render(Say("Hel"), ANTHROPIC)[: 3 + deltas])
    body += event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    with pytest.raises(ProviderError, match="overloaded") as caught:
        play(AnthropicReply(TARGET, "m", "req_1"), body)
    assert (caught.value.kind, caught.value.transient, caught.value.request_id) == (
        "overloaded",
        True,
        "req_1",
    )


def test_what_comes_after_the_end_is_ignored() -> None:
    body = b"".join(render(Say("hi"), ANTHROPIC)) + event({"type": "error", "error": {"type": "api_error"}})
    assert final(play(AnthropicReply(TARGET, "m"), body)).text == "hi"


def test_a_reply_survives_storage() -> None:
    message = reply(Say("Listing.", [Call("bash", {"command": "ls"})], thinking="中文\n ", redacted="cmVk"))
    assert Message.model_validate(json.loads(message.model_dump_json())) == message
