"""Replies on the Chat Completions wire, on recorded bytes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.support import TARGET, final, play, sse
from tests.wire.streams import OPENAI, Call, Say, render
from xun.messages import Message, Reply, Text, Thinking, ToolCall, Usage
from xun.providers.base import ProviderError
from xun.providers.calls import CUT_OFF
from xun.providers.openai_chat import OpenAIChatReply

DONE = "[DONE]"


def reply(*payloads: dict[str, Any] | str) -> Message:
    return final(play(OpenAIChatReply(TARGET, "gpt-asked", "req_1"), sse(*payloads)))


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "c", "object": "chat.completion.chunk", "model": "gpt-test", "choices": choices} | fields


def fragment(index: int | None, arguments: Any = "", call_id: str | None = None, name: str | None = None) -> Any:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    place = {} if index is None else {"index": index}
    return place | ({"id": call_id, "type": "function"} if call_id else {}) | {"function": function}


def calls(*fragments: Any, finish: str = "tool_calls") -> tuple[ToolCall, ...]:
    return reply(*(chunk({"tool_calls": [f]}) for f in fragments), chunk({}, finish), DONE).calls


@pytest.mark.spec("H-PRV-09", "H-PCH-09")
def test_a_whole_reply() -> None:
    said = Say(
        "Listing.",
        [Call("bash", {"command": "ls"}), Call("bash", {"command": "pwd"})],
        thinking="Look at 中文.",
        cache_read=100,
    )
    message = final(play(OpenAIChatReply(TARGET, "gpt-asked", "req_1"), b"".join(render(said, OPENAI))))
    assert message == Message(
        role="assistant",
        blocks=(
            Thinking(text="Look at 中文.", wire="openai-chat"),
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
            usage=Usage(input_tokens=110, output_tokens=20, cache_read_input_tokens=100),
        ),
    )


@pytest.mark.parametrize(
    ("finish", "meant"),
    [
        ("stop", "end_turn"), ("length", "max_tokens"), ("content_filter", "refused"),
        ("tool_calls", "tool_use"), ("new_reason", "other"), ("max_tokens", "max_tokens"), ("abort", "other"),
        ("error", "other"), ("insufficient_system_resource", "other"),
    ],
)  # fmt: skip
def test_stop_reasons(finish: str, meant: str) -> None:
    stop = reply(chunk({"content": "x"}), chunk({}, finish), DONE).reply
    assert stop is not None
    assert stop.stop_reason == meant
    assert stop.stop_word == (finish if meant == "other" else None)


def test_a_server_that_broke_off_does_not_make_a_step_of_the_calls_that_came() -> None:
    message = reply(chunk({"tool_calls": [fragment(0, "{}", "a", "ls")]}), chunk({}, "error"), DONE)
    assert message.reply is not None
    assert message.reply.stop_reason == "other"


def test_calls_make_it_a_step_whatever_the_server_says() -> None:
    message = reply(chunk({"tool_calls": [fragment(0, "{}", "a", "ls")]}), chunk({}, "stop"), DONE)
    assert message.reply is not None
    assert message.reply.stop_reason == "tool_use"


@pytest.mark.parametrize("ending", [[chunk({}, "stop")], [DONE], [chunk({}, "stop"), DONE]])
def test_a_finish_reason_or_done_ends_a_reply(ending: list[Any]) -> None:
    assert reply(chunk({"content": "hi"}), *ending).text == "hi"


@pytest.mark.parametrize("payloads", [[], [chunk({"content": "The fix"})], [DONE], [chunk(usage={"prompt_tokens": 1})]])
def test_a_stream_without_either_or_without_content_is_an_error(payloads: list[Any]) -> None:
    with pytest.raises(ProviderError) as caught:
        reply(*payloads)
    assert (caught.value.kind, caught.value.transient, caught.value.request_id) == ("protocol", True, "req_1")


def test_usage_may_be_missing_or_come_before_the_end() -> None:
    missing = reply(chunk({"content": "x"}, "stop"), DONE).reply
    early = reply(chunk({"content": "x"}, usage={"prompt_tokens": 3, "completion_tokens": 2}), chunk({}, "stop"))
    assert missing is not None
    assert early.reply is not None
    assert (missing.usage, early.reply.usage) == (None, Usage(input_tokens=3, output_tokens=2))


READ_A = ToolCall(id="call_a", name="read_file", arguments={"path": "a.txt"})
READ_B = ToolCall(id="call_b", name="read_file", arguments={"path": "b.txt"})


def test_two_whole_calls_with_the_same_index_are_two() -> None:
    assert calls(
        fragment(0, '{"path":"a.txt"}', "call_a", "read_file"),
        fragment(0, '{"path":"b.txt"}', "call_b", "read_file"),
    ) == (READ_A, READ_B)


def test_interleaved_fragments_go_to_their_own_calls() -> None:
    assert calls(
        fragment(0, "", "call_a", "read_file"),
        fragment(1, "", "call_b", "read_file"),
        fragment(1, '{"path":'),
        fragment(0, '{"path":"a.t'),
        fragment(1, '"b.txt"}'),
        fragment(0, 'xt"}'),
    ) == (READ_A, READ_B)


def test_fragments_after_a_repeated_index_go_to_the_later_call() -> None:
    assert calls(
        fragment(0, '{"path":"a.txt"}', "call_a", "read_file"),
        fragment(0, '{"path":', "call_b", "read_file"),
        fragment(0, '"b.txt"}'),
    ) == (READ_A, READ_B)


def test_an_id_and_a_name_repeated_in_every_fragment_are_one_call() -> None:
    assert calls(
        fragment(0, '{"path":', "call_a", "read_file"),
        fragment(0, '"a.txt"}', "call_a", "read_file"),
        fragment(0, "", "call_a", "read_file"),
    ) == (READ_A,)


def test_fragments_without_an_index_follow_their_start() -> None:
    assert calls(
        fragment(None, "", "call_a", "read_file"),
        fragment(None, '{"path":"a.txt"}'),
        fragment(None, '{"path":"b.txt"}', "call_b", "read_file"),
    ) == (READ_A, READ_B)


@pytest.mark.spec("P-MAL-01")
def test_whole_calls_that_share_an_id_are_not_merged_and_are_refused() -> None:
    first, second = calls(
        fragment(0, '{"path":"a.txt"}', "x", "read_file"), fragment(0, '{"path":"b"}', "x", "read_file")
    )
    assert (first.raw, second.raw) == ('{"path":"a.txt"}', '{"path":"b"}')
    assert first.problem and second.problem
    assert first.id == "x" != second.id


@pytest.mark.parametrize("arguments", ["", None, {}])
def test_a_call_without_arguments_has_none(arguments: Any) -> None:
    (call,) = calls(fragment(0, arguments, "call_1", "list_jobs"))
    assert (call.arguments, call.problem) == ({}, None)


def test_arguments_given_as_an_object_are_taken() -> None:
    assert calls(fragment(0, {"path": "a.txt"}, "call_a", "read_file")) == (READ_A,)


@pytest.mark.parametrize("text", ["[]", "null", '"x"', '{"a":'])
def test_arguments_that_are_no_object_are_refused(text: str) -> None:
    (call,) = calls(fragment(0, text, "call_1", "list_jobs"))
    assert call.problem
    assert (call.arguments, call.raw) == ({}, text)


@pytest.mark.spec("H-MAL-06")
@pytest.mark.parametrize("finish", ["length", "tool_calls"])
def test_arguments_cut_off_never_become_arguments(finish: str) -> None:
    start = fragment(0, '{"path":"big.py","con', "call_1", "write_file")
    (call,) = calls(start, fragment(0, 'tent":"imp'), finish=finish)
    assert (call.problem, call.arguments) == (CUT_OFF, {})


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_thinking(field: str) -> None:
    message = reply(chunk({field: "Hm."}), chunk({"content": "Yes"}, "stop"))
    assert message.blocks == (Thinking(text="Hm.", wire="openai-chat"), Text(text="Yes"))


def test_a_refusal_is_shown_and_told() -> None:
    message = reply(chunk({"refusal": "I can't "}), chunk({"refusal": "do that."}), chunk({}, "stop"), DONE)
    assert message.text == "I can't do that."
    assert message.reply is not None
    assert message.reply.stop_reason == "refused"


def test_content_in_parts_is_joined_and_other_choices_are_skipped() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "stop"}]}
    assert reply(chunk({"content": [{"type": "text", "text": "hi"}]}), other, chunk({}, "stop")).text == "hi"


def test_an_error_inside_the_stream_is_that_error() -> None:
    error = {"error": {"message": "The engine is overloaded", "type": "server_error", "code": None}}
    with pytest.raises(ProviderError, match="engine is overloaded") as caught:
        reply(chunk({"content": "Hel"}), error)
    assert (caught.value.kind, caught.value.transient) == ("overloaded", True)


@pytest.mark.parametrize("data", ["nonsense", "[1]", '{"choices": [{"index": 0, "delta": {"tool_calls": [3]}}]}'])
def test_an_event_that_makes_no_sense_is_an_error(data: str) -> None:
    with pytest.raises(ProviderError, match="not understood"):
        reply(data)
