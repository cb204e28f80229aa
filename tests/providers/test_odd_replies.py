"""Values of the wrong kind, halves of characters and figures that count nothing, on every wire."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from tests.providers.support import TARGET, WIRES, collect, connect, final, play, request, sse
from tests.wire.server import ModelServer, Stream
from tests.wire.streams import ANTHROPIC, GEMINI, OPENAI, RESPONSES
from xun.messages import Message, Text, Thinking, Usage
from xun.providers.anthropic import AnthropicReply
from xun.providers.base import ProviderError, TextPart, ThinkingPart
from xun.providers.calls import parse_arguments
from xun.providers.gemini_reply import GeminiReply
from xun.providers.openai_chat import OpenAIChatReply
from xun.providers.openai_responses_reply import ResponsesReply
from xun.providers.scripted import ScriptedProvider
from xun.providers.text import WholeParts, whole

Payload = dict[str, Any]
REPLIES: dict[str, Callable[..., Any]] = {
    ANTHROPIC: AnthropicReply,
    OPENAI: OpenAIChatReply,
    RESPONSES: ResponsesReply,
    GEMINI: GeminiReply,
}
each = pytest.mark.parametrize("wire", WIRES)


def anthropic(*blocks: tuple[Payload, Sequence[Payload]], stop: str = "end_turn", usage: Any = None) -> list[Payload]:
    events: list[Payload] = [{"type": "message_start", "message": {"model": "claude-test"}}]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    return [
        *events,
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage},
        {"type": "message_stop"},
    ]


def chat(*deltas: Payload, finish: str = "stop", usage: Any = None) -> list[Payload]:
    events = [{"model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return [*events, {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}, {"choices": [], "usage": usage}]


def responses(*events: Payload, usage: Any = None) -> list[Payload]:
    return [*events, {"type": "response.completed", "response": {"model": "m", "usage": usage, "output": []}}]


def gemini(*parts: Payload, usage: Any = None) -> list[Payload]:
    events = [{"modelVersion": "m", "candidates": [{"content": {"parts": [part]}}]} for part in parts]
    return [*events, {"candidates": [{"content": {}, "finishReason": "STOP"}], "usageMetadata": usage}]


def counts(wire: str, prompt: Any, reply: Any) -> Payload:
    """What a server says that a reply has used, in its words."""
    if wire == GEMINI:
        return {"promptTokenCount": prompt, "candidatesTokenCount": reply}
    words = ("prompt", "completion") if wire == OPENAI else ("input", "output")
    return {f"{words[0]}_tokens": prompt, f"{words[1]}_tokens": reply, f"{words[0]}_tokens_details": None}


def said(wire: str, *texts: Any, thinking: bool = False, usage: Any = None) -> list[Payload]:
    """A reply that says `texts`, one a piece."""
    if wire == ANTHROPIC:
        kind = "thinking" if thinking else "text"
        deltas = [{"type": f"{kind}_delta", kind: text} for text in texts]
        return anthropic(({"type": kind, kind: ""}, deltas), usage=usage)
    if wire == OPENAI:
        return chat(*({"reasoning_content" if thinking else "content": text} for text in texts), usage=usage)
    if wire == GEMINI:
        return gemini(*({"text": text, "thought": thinking} for text in texts), usage=usage)
    kind = "response.reasoning_text.delta" if thinking else "response.output_text.delta"
    return responses(*({"type": kind, "output_index": 0, "delta": text} for text in texts), usage=usage)


def called(wire: str, arguments: Any, call_id: Any = "c1", name: Any = "act") -> list[Payload]:
    """A reply that makes one call."""
    if wire == ANTHROPIC:
        block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        return anthropic((block, [{"type": "input_json_delta", "partial_json": arguments}]), stop="tool_use")
    if wire == OPENAI:
        call = {"index": 0, "id": call_id, "function": {"name": name, "arguments": arguments}}
        return chat({"tool_calls": [call]}, finish="tool_calls")
    if wire == GEMINI:
        return gemini({"functionCall": {"id": call_id, "name": name, "args": arguments}})
    item = {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
    return responses({"type": "response.output_item.done", "output_index": 0, "item": item})


def read(wire: str, payloads: Iterable[Payload]) -> Message:
    return final(play(REPLIES[wire](TARGET, "asked", "req_1"), sse(*payloads, "[DONE]")))


async def streamed(wire: str, payloads: Iterable[Payload]) -> Message:
    """The same over HTTP, where the parts of the stream are checked against the message."""
    with ModelServer([Stream(events=[sse(payload) for payload in (*payloads, "[DONE]")])]) as server:
        provider = connect(wire, server.url)
        try:
            return final(await collect(provider))
        finally:
            await provider.aclose()


# Halves of characters.


@each
@pytest.mark.parametrize("thinking", [False, True], ids=["text", "thinking"])
@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (("hi \ud83d", "\ude00 there"), "hi \U0001f600 there"),
        (("\ud83d", "\ude00", "\ud83d", "\ude01"), "\U0001f600\U0001f601"),
        (("a\ud83d\ude00b",), "a\U0001f600b"),
        (("a\ud83d", "b"), "a\ufffdb"),
        (("a\ud83d", "\ud83d", "\ude00"), "a\ufffd\U0001f600"),
        (("a\ude00", "b\ud83d"), "a\ufffdb\ufffd"),
        (("\ude00\ud83d",), "\ufffd\ufffd"),
    ],
)
@pytest.mark.anyio
async def test_halves_of_a_character_are_joined_and_lone_ones_marked(
    wire: str, thinking: bool, pieces: tuple[str, ...], text: str
) -> None:
    message = await streamed(wire, said(wire, *pieces, thinking=thinking))
    assert "".join(block.text for block in message.blocks if isinstance(block, Text | Thinking)) == text
    assert message.model_dump_json()


@each
@pytest.mark.anyio
async def test_what_a_call_holds_is_whole_too(wire: str) -> None:
    arguments = '{"a\\ud83d\\ude00": ["\\ud83d\\ude00", {"b": "x\\ud83d"}], "c": "\\ude00"}'
    message = await streamed(wire, called(wire, arguments, call_id="c\ud800", name="act\udfff"))
    (call,) = message.calls
    assert call.arguments == {"a\U0001f600": ["\U0001f600", {"b": "x\ufffd"}], "c": "\ufffd"}
    assert (call.id, call.name) == ("c\ufffd", "act\ufffd")
    broken = await streamed(wire, called(wire, '{"a": "\ud83d'))
    assert broken.calls[0].problem is not None
    for one in (message, broken):
        assert json.loads(one.model_dump_json())


@pytest.mark.anyio
async def test_a_script_may_hold_halves_too() -> None:
    step = {"text": "x\ud83d\ude00\ud83d", "thinking": "\ude00", "calls": [{"tool": "a", "arguments": {"b": "\ud800"}}]}
    items = [item async for item in ScriptedProvider([step]).stream(request())]
    message = final(items)
    assert (message.text, message.calls[0].arguments) == ("x\U0001f600\ufffd", {"b": "\ufffd"})
    assert message.model_dump_json()


def test_a_half_waits_for_the_next_piece_of_its_kind_alone() -> None:

    parts = WholeParts()
    told = [part for item in (TextPart("a\ud83d"), ThinkingPart("b"), TextPart("\ude00")) for part in parts.take(item)]
    assert told == [TextPart("a"), TextPart("\ufffd"), ThinkingPart("b"), TextPart("\ufffd")]
    assert whole("plain") == "plain"


# Values of the wrong kind.

ODD = [5, 1.5, True, ["x"], {"a": 1}]


@each
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_text_that_is_none_is_no_reply(wire: str, odd: Any) -> None:
    if wire == OPENAI and odd == ["x"]:
        pytest.skip("a list is parts on this wire")
    for payloads in (
        said(wire, odd),
        said(wire, "good", odd),
        called(wire, "{}", call_id=odd),
        called(wire, "{}", name=odd),
    ):
        with pytest.raises(ProviderError, match="an event that is not understood") as caught:
            read(wire, payloads)
        assert caught.value.kind == "protocol"


@each
@pytest.mark.parametrize("odd", [5, 1.5, True, ["x"]], ids=repr)
def test_arguments_that_are_neither_text_nor_an_object_are_no_reply(wire: str, odd: Any) -> None:
    with pytest.raises(ProviderError) as caught:
        read(wire, called(wire, odd))
    assert caught.value.kind == "protocol"


@pytest.mark.parametrize("odd", [True, 5, {"a": 1}], ids=repr)
def test_a_refusal_that_is_no_text_is_no_reply(odd: Any) -> None:
    with pytest.raises(ProviderError) as caught:
        read(OPENAI, chat({"refusal": odd}))
    assert caught.value.kind == "protocol"
    with pytest.raises(ProviderError) as caught:
        read(RESPONSES, responses({"type": "response.refusal.delta", "output_index": 0, "delta": odd}))
    assert caught.value.kind == "protocol"


@pytest.mark.parametrize(
    ("block", "deltas"),
    [
        ({"type": "text", "text": 5}, []),
        ({"type": "thinking", "thinking": 5}, []),
        ({"type": "thinking", "thinking": ""}, [{"type": "signature_delta", "signature": 5}]),
        ({"type": "redacted_thinking", "data": 5}, []),
        ({"type": 5}, []),
    ],
)
def test_a_block_of_the_wrong_kind_is_no_reply(block: Payload, deltas: list[Payload]) -> None:
    with pytest.raises(ProviderError) as caught:
        read(ANTHROPIC, anthropic((block, deltas)))
    assert caught.value.kind == "protocol"


@each
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_a_model_of_an_odd_name_is_the_one_that_was_asked_for(wire: str, odd: Any) -> None:
    payloads = said(wire, "hi")
    for payload in payloads:
        for holder in (payload, payload.get("message"), payload.get("response")):
            for name in ("model", "modelVersion"):
                if isinstance(holder, dict) and name in holder:
                    holder[name] = odd
    reply = read(wire, payloads).reply
    assert reply is not None and reply.model == "asked"


def test_a_block_that_comes_under_a_number_already_taken_is_no_reply() -> None:
    one, two = said(ANTHROPIC, "one"), said(ANTHROPIC, "two")
    with pytest.raises(ProviderError, match="not understood") as caught:
        read(ANTHROPIC, [*one[:-2], *two[1:]])
    assert caught.value.kind == "protocol"


# Figures.


@each
@pytest.mark.parametrize("odd", [1.5, "12", -5, True, [1], {"a": 1}], ids=repr)
def test_figures_that_count_nothing_leave_the_answer(wire: str, odd: Any) -> None:
    for usage in (counts(wire, 12, odd), counts(wire, odd, 3)):
        message = read(wire, said(wire, "whole", usage=usage))
        assert message.text == "whole"
        assert message.reply is not None and message.reply.usage is None


@each
@pytest.mark.parametrize("odd", [5, "many", [1], True], ids=repr)
def test_usage_that_is_no_object_leaves_the_answer(wire: str, odd: Any) -> None:
    message = read(wire, said(wire, "whole", usage=odd))
    assert (message.text, message.reply and message.reply.usage) == ("whole", None)


@each
def test_whole_figures_count_however_they_are_written(wire: str) -> None:
    message = read(wire, said(wire, "whole", usage=counts(wire, 12.0, 3)))
    assert message.reply is not None and message.reply.usage == Usage(input_tokens=12, output_tokens=3)


# Keys that come twice.


@each
@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ('{"command": "echo 1", "command": "echo 2"}', "'command'"),
        ('{"a": {"b": 1, "b": 1}}', "'b'"),
        ('{"a": [{"b": 1, "\\u0062": 2}]}', "'b'"),
        ('{"\\ud800": 1, "\\udfff": 2}', "'\ufffd'"),
    ],
)
def test_a_call_that_gives_a_key_twice_is_not_run(wire: str, arguments: str, key: str) -> None:
    (call,) = read(wire, called(wire, arguments)).calls
    assert call.problem == f"the arguments give the key {key} twice, so the call was not run; send it again"
    assert (call.arguments, call.raw) == ({}, arguments)
    with pytest.raises(ValueError, match="twice"):
        parse_arguments(arguments)
