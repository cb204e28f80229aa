"""Requests on the Chat Completions wire."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.providers.support import LIST_JOBS, TARGET, assistant, call, request, results
from tests.wire.recorded import Recorded
from tests.wire.validators import STRICT
from xun.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from xun.providers.base import Request
from xun.providers.openai_chat import OpenAIChatWire


def body(asked: Request, **settings: Any) -> Any:
    raw = OpenAIChatWire(TARGET, **settings).body(asked)
    recorded = Recorded(1, "/v1/chat/completions", {}, raw, 0.0, 1)
    assert [complaint for check in STRICT if (complaint := check(recorded))] == []
    return recorded.body


def messages(*history: Message, **settings: Any) -> list[Any]:
    return body(request(*history, system=""), **settings)["messages"]


@pytest.mark.spec("H-IMG-05")
def test_a_whole_request() -> None:
    history = [
        Message.user("List."),
        assistant("Listing.", call("t1", command="ls"), call("t2")),
        results(("t1", "a.txt"), ("t2", " ")),
    ]
    sent = body(request(*history, model="gpt-4o", max_tokens=100, temperature=0.5))
    assert re.fullmatch("[0-9a-f]{32}", sent.pop("prompt_cache_key"))
    assert sent == {
        "model": "gpt-4o",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 100,
        "temperature": 0.5,
        "tools": [{"type": "function", "function": LIST_JOBS}],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "List."},
            {
                "role": "assistant",
                "content": "Listing.",
                "tool_calls": [
                    {
                        "id": "t1",
                        "type": "function",
                        "function": {"name": "bash", "arguments": '{"command":"ls"}'},
                    },
                    {"id": "t2", "type": "function", "function": {"name": "bash", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "t1", "content": "a.txt"},
            {"role": "tool", "tool_call_id": "t2", "content": "(no output)"},
        ],
    }


def test_compatible_servers_get_the_older_field_and_no_cache_key() -> None:
    sent = body(request(max_tokens=100), official=False)
    assert sent["max_tokens"] == 100
    assert not {"max_completion_tokens", "prompt_cache_key"} & set(sent)


@pytest.mark.spec("H-PCH-06")
def test_the_cache_key_is_the_same_for_the_same_prefix_alone() -> None:
    def key(**changes: Any) -> str:
        return body(request(**changes))["prompt_cache_key"]

    longer = body(request(Message.user("hi"), assistant("yes"), Message.user("go")))["prompt_cache_key"]
    assert key() == longer
    assert len({key(), key(system="Other."), key(tools=[]), key(model="gpt-4o")}) == 4
    assert "prompt_cache_key" not in body(request(cache=None))


@pytest.mark.spec("H-PCH-13")
def test_each_request_begins_with_the_last_one_to_the_byte() -> None:
    wire = OpenAIChatWire(TARGET)
    history: list[Message] = [Message.user("Fix it.")]
    before = wire.body(request(*history))
    for number in range(5):
        history += [assistant("So.", call(f"t{number}", command="true")), results((f"t{number}", "done"))]
        after = wire.body(request(*history))
        assert after.startswith(before.removesuffix(b"]}"))
        before = after


@pytest.mark.parametrize("nothing", [assistant(), assistant(" "), assistant(Thinking(text="Hm", wire="anthropic"))])
def test_a_message_that_says_nothing_is_left_out(nothing: Message) -> None:
    blank = Message.user(" ")
    assert [m["content"] for m in messages(Message.user("hi"), nothing, blank, Message.user("hello?"))] == [
        "hi", "hello?",
    ]  # fmt: skip


def test_a_message_of_calls_alone_has_no_text() -> None:
    sent = messages(Message.user("go"), assistant("", call("t1")), results(("t1", "x")))
    assert sent[1]["content"] is None


def test_thinking_stays_here_unless_the_server_wants_it() -> None:
    said = assistant(
        Thinking(text="Hm.", wire="openai-chat"),
        Thinking(text="Seal", signature="s", wire="anthropic"),
        "Done.",
    )
    assert "Hm." not in str(messages(Message.user("go"), said))
    assert messages(Message.user("go"), said, send_reasoning=True)[1]["reasoning_content"] == "Hm."


def test_a_refused_call_goes_back_as_an_object() -> None:
    broken = ToolCall(id="t1", name="write_file", problem="cut off", raw='{"path": "big')
    sent = messages(Message.user("go"), assistant(broken), results(("t1", "cut off")))
    assert sent[1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_images_are_data_urls_and_those_of_tools_follow_their_results() -> None:
    image = Image(media_type="image/png", data="aWNv")
    tool = Message(role="tool", blocks=(image, ToolResult(call_id="t1", name="shot", content="taken")))
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aWNv"}}
    sent = messages(Message(role="user", blocks=(Text(text="see"), image)), assistant(call("t1")), tool)
    assert sent[0]["content"] == [{"type": "text", "text": "see"}, part]
    assert [message["role"] for message in sent[2:]] == ["tool", "user"]
    assert sent[3]["content"] == [part]


def test_lone_surrogates_are_replaced() -> None:
    sent = messages(Message.user("a\ud800b"), assistant(call("t1", text="\udcff")), results(("t1", "\udcff")))
    assert sent[0]["content"] == "a\ufffdb"
    assert sent[1]["tool_calls"][0]["function"]["arguments"] == '{"text":"\ufffd"}'
    assert sent[2]["content"] == "\ufffd"


@pytest.mark.parametrize(
    ("model", "effort", "tools", "sent"),
    [
        ("gpt-5", None, True, None),
        ("gpt-5", "high", True, "high"),
        ("gpt-5", "none", True, "low"),
        ("gpt-5.2-2025-12-11", "none", True, "none"),
        ("gpt-6-sol", None, True, "none"),
        ("gpt-6-sol", "high", True, "none"),
        ("gpt-6-sol", "high", False, "high"),
        ("gpt-5.5", "high", True, None),
        ("gpt-5.5", "high", False, "high"),
        ("gpt-4o", "high", True, None),
        ("gpt-of-tomorrow", "high", True, "high"),
    ],
)
def test_effort_is_sent_where_the_model_takes_it(model: str, effort: Any, tools: bool, sent: str | None) -> None:
    asked = request(model=model, effort=effort, tools=[LIST_JOBS] if tools else [])
    assert body(asked).get("reasoning_effort") == sent
    assert body(asked, official=False).get("reasoning_effort") == effort
