"""Requests on the Anthropic wire: what is sent, byte for byte where that matters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers.support import TARGET, assistant, call, request, results
from tests.wire.recorded import Recorded
from tests.wire.validators import STRICT
from xun.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from xun.providers.anthropic import AnthropicWire
from xun.providers.base import Request
from xun.providers.effort import BINDING_BETA


def body(asked: Request, *, official: bool = True) -> Any:
    raw = AnthropicWire(TARGET, official=official).body(asked)
    recorded = Recorded(1, "/v1/messages", {}, raw, 0.0, 1)
    assert [complaint for check in STRICT if (complaint := check(recorded))] == []
    return recorded.body


def messages(*history: Message) -> list[Any]:
    return body(request(*history, cache=None))["messages"]


def test_a_whole_request() -> None:
    history = [
        Message.user("List."),
        assistant("Listing.", call("t1", command="ls"), call("t2", command="pwd")),
        results(("t1", "a.txt"), ("t2", "/work")),
    ]
    assert body(request(*history, max_tokens=100, temperature=0.5)) == {
        "model": "claude-sonnet-4-6",
        "max_tokens": 100,
        "stream": True,
        "temperature": 0.5,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "tools": [
            {
                "name": "list_jobs",
                "description": "Lists jobs.",
                "input_schema": {"type": "object", "properties": {}},
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "List."}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Listing."},
                    {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}},
                    {"type": "tool_use", "id": "t2", "name": "bash", "input": {"command": "pwd"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "a.txt"},
                    {
                        "type": "tool_result",
                        "tool_use_id": "t2",
                        "content": "/work",
                        "cache_control": {"type": "ephemeral"},
                    },
                ],
            },
        ],
    }


@pytest.mark.spec("H-PCH-05", "H-PCH-14")
def test_markers_follow_system_last_tool_and_last_message_and_can_be_left_out() -> None:
    with_markers, without = body(request()), body(request(cache=None))
    marker = {"cache_control": {"type": "ephemeral"}}
    assert json.dumps(with_markers).count("cache_control") == 3
    for block in (
        with_markers["system"][-1],
        with_markers["tools"][-1],
        with_markers["messages"][-1]["content"][-1],
    ):
        assert block.items() >= marker.items()
    assert "cache_control" not in json.dumps(without)


@pytest.mark.spec("H-PCH-13")
def test_each_request_begins_with_the_last_one_to_the_byte() -> None:
    wire = AnthropicWire(TARGET)
    history: list[Message] = [Message.user("Fix it.")]
    before = wire.body(request(*history, cache=None))
    for number in range(5):
        history += [assistant("So.", call(f"t{number}", command="true")), results((f"t{number}", "done"))]
        after = wire.body(request(*history, cache=None))
        assert after.startswith(before.removesuffix(b"]}"))
        before = after


def test_blank_text_is_never_sent() -> None:
    history = [
        Message.user("hi"),
        assistant("", call("t1")),
        results(("t1", " \n")),
        assistant("  ", "There."),
        Message(role="user", blocks=(Text(text=""), Text(text="Go on."))),
    ]
    sent = messages(*history)
    assert [block["type"] for message in sent for block in message["content"]] == [
        "text", "tool_use", "tool_result", "text", "text",
    ]  # fmt: skip
    assert sent[2]["content"][0]["content"] == "(no output)"


@pytest.mark.parametrize("nothing", [assistant(), assistant(" "), assistant(Thinking(text="Hm", wire="openai-chat"))])
def test_an_assistant_message_that_says_nothing_is_left_out(nothing: Message) -> None:
    sent = messages(Message.user("hi"), nothing, Message.user("hello?"))
    assert [block["text"] for block in sent[0]["content"]] == ["hi", "hello?"]
    assert len(sent) == 1


def test_a_message_of_thinking_alone_is_left_out() -> None:
    sent = messages(Message.user("hi"), assistant(Thinking(text="Hm", signature="s", wire="anthropic")))
    assert [message["role"] for message in sent] == ["user"]


def test_a_prompt_after_results_joins_their_message_behind_them() -> None:
    history = [Message.user("go"), assistant(call("t1")), results(("t1", "stopped")), Message.user("go on")]
    sent = messages(*history)
    assert [block["type"] for block in sent[-1]["content"]] == ["tool_result", "text"]


def test_thinking_goes_back_unchanged_and_in_order() -> None:
    thought = Thinking(text="I should list 中文 files.\n ", signature="c2lnLTEr/w==", wire="anthropic")
    hidden = Thinking(data="cmVkYWN0ZWQtMQ==", wire="anthropic")
    sealed = Thinking(text="", signature="c2Vj", wire="anthropic")
    sent = messages(
        Message.user("go"), assistant(thought, hidden, sealed, "Listing.", call("t1")), results(("t1", "x"))
    )
    assert sent[1]["content"][:4] == [
        {"type": "thinking", "thinking": "I should list 中文 files.\n ", "signature": "c2lnLTEr/w=="},
        {"type": "redacted_thinking", "data": "cmVkYWN0ZWQtMQ=="},
        {"type": "thinking", "thinking": "", "signature": "c2Vj"},
        {"type": "text", "text": "Listing."},
    ]


def test_thinking_of_another_wire_or_without_its_seal_stays_here() -> None:
    foreign = Thinking(text="Hm", wire="openai-chat"), Thinking(text="Hm", wire="anthropic")
    sent = messages(Message.user("go"), assistant(*foreign, "Done."))
    assert [block["type"] for block in sent[1]["content"]] == ["text"]


def test_a_refused_call_goes_back_as_an_object_with_its_error() -> None:
    broken = ToolCall(id="t1", name="write_file", problem="cut off", raw='{"path": "big')
    answer = ToolResult(call_id="t1", name="write_file", content="cut off", is_error=True)
    sent = messages(Message.user("go"), assistant(broken), Message(role="tool", blocks=(answer,)))
    assert sent[1]["content"][0]["input"] == {}
    assert sent[2]["content"][0]["is_error"] is True


def test_ids_and_names_that_the_server_would_refuse_are_replaced_alike() -> None:
    odd = ToolCall(id="functions.ls:0", name="functions.ls", arguments={})
    sent = messages(Message.user("go"), assistant(odd), results(("functions.ls:0", "x")))
    used, answered = sent[1]["content"][0], sent[2]["content"][0]
    assert used["id"] == answered["tool_use_id"] != "functions.ls:0"
    assert used["name"].startswith("functions_ls__x")


def test_images_of_people_and_of_tools_are_sent() -> None:
    image = Image(media_type="image/png", data="aWNv")
    tool = Message(role="tool", blocks=(ToolResult(call_id="t1", name="shot", content="taken"), image))
    sent = messages(Message(role="user", blocks=(Text(text="see"), image)), assistant(call("t1")), tool)
    source = {"type": "base64", "media_type": "image/png", "data": "aWNv"}
    assert sent[0]["content"][1] == {"type": "image", "source": source}
    assert sent[2]["content"][1] == {"type": "image", "source": source}


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    sent = messages(Message.user("a\ud800b"), assistant(call("t1", text="\ud83d\ude00")), results(("t1", "\udcff")))
    assert sent[0]["content"][0]["text"] == "a\ufffdb"
    assert sent[1]["content"][0]["input"] == {"text": "😀"}
    assert sent[2]["content"][0]["content"] == "\ufffd"


def test_results_come_before_whatever_else_a_tool_gave() -> None:
    image = Image(media_type="image/png", data="aWNv")
    tool = Message(role="tool", blocks=(image, ToolResult(call_id="t1", name="shot", content="taken")))
    sent = messages(Message.user("go"), assistant(call("t1")), tool)
    assert [block["type"] for block in sent[2]["content"]] == ["tool_result", "image"]


@pytest.mark.spec("H-PRV-10")
def test_what_is_not_asked_for_is_left_out() -> None:
    assert set(body(Request("claude-x", "", [Message.user("hi")]))) == {
        "model",
        "max_tokens",
        "stream",
        "messages",
    }


@pytest.mark.spec("H-LOP-03")
@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-4-5", 20_000), ("claude-sonnet-5-5", 20_000), ("claude-9", 20_000),
        ("claude-3-5-sonnet-20241022", 8_192), ("local-model", 8_192),
    ],
)  # fmt: skip
def test_the_length_of_a_reply_depends_on_the_model(model: str, tokens: int) -> None:
    assert body(request(model=model))["max_tokens"] == tokens


SUMMARY = {"type": "adaptive", "display": "summarized"}
BOUND = SUMMARY | {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}


@pytest.mark.parametrize(
    ("model", "effort", "thinking", "level"),
    [
        ("claude-haiku-4-5", None, None, None),
        ("claude-haiku-4-5", "none", None, None),
        ("claude-haiku-4-5-20251001", "medium", {"type": "enabled", "budget_tokens": 8_192}, None),
        ("claude-haiku-4-5", "high", {"type": "enabled", "budget_tokens": 16_000}, None),
        ("claude-sonnet-4-6", None, None, None),
        ("claude-sonnet-4-6", "high", SUMMARY, "high"),
        ("claude-sonnet-4-6", "none", None, None),
        ("claude-sonnet-5", None, SUMMARY, None),
        ("claude-sonnet-5", "none", {"type": "disabled"}, None),
        ("claude-sonnet-5-5", "none", {"type": "between_tools"}, None),
        ("claude-opus-5-5", None, BOUND, None),
        ("claude-opus-5-5", "none", BOUND, "low"),
        ("claude-of-tomorrow", None, None, None),
        ("claude-of-tomorrow", "low", SUMMARY, "low"),
        ("local-model", "high", None, None),
    ],
)
def test_effort_is_said_in_the_words_of_the_model(model: str, effort: Any, thinking: Any, level: str | None) -> None:
    sent = body(request(model=model, effort=effort, temperature=0.2))
    assert sent.get("thinking") == thinking
    assert sent.get("output_config") == ({"effort": level} if level else None)
    assert ("temperature" in sent) is (thinking is None)


@pytest.mark.parametrize(("max_tokens", "budget"), [(10_000, 8_976), (2_500, 1_476), (2_000, None)])
def test_a_budget_stays_below_the_length_of_the_reply(max_tokens: int, budget: int | None) -> None:
    sent = body(request(model="claude-haiku-4-5", effort="high", max_tokens=max_tokens))
    assert sent.get("thinking", {}).get("budget_tokens") == budget


@pytest.mark.parametrize(
    ("thought", "then", "thinks"),
    [
        (Thinking(text="Hm", wire="openai-responses"), [], False),
        (Thinking(text="Hm", wire="openai-responses"), [Message.user("and?")], False),
        (Thinking(text="Hm", wire="openai-responses"), [assistant("Done."), Message.user("next")], True),
        (Thinking(text="Hm", signature="s", wire="anthropic"), [], True),
    ],
)
def test_a_model_with_a_budget_does_not_begin_to_think_between_a_call_and_its_reply(
    thought: Thinking, then: list[Message], thinks: bool
) -> None:
    history = [Message.user("go"), assistant(thought, call("t1")), results(("t1", "x")), *then]
    sent = body(request(*history, model="claude-haiku-4-5", effort="high"))
    assert ("thinking" in sent) is thinks
    assert "thinking" in body(request(*history, model="claude-sonnet-4-6", effort="high"))


def test_only_the_provider_itself_gets_beta_fields() -> None:
    asked = request(model="claude-opus-5-5")
    assert AnthropicWire(TARGET).headers(asked)["anthropic-beta"] == BINDING_BETA
    assert "anthropic-beta" not in AnthropicWire(TARGET, official=False).headers(asked)
    assert body(asked, official=False)["thinking"] == SUMMARY
    assert "anthropic-beta" not in AnthropicWire(TARGET).headers(request(model="claude-sonnet-4-6"))
