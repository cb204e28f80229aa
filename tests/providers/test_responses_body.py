"""Requests on the Responses wire."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.providers.support import LIST_JOBS, TARGET, assistant, call, request, results
from tests.wire.recorded import Recorded
from tests.wire.validators import STRICT
from xun.messages import Image, Message, Reply, Text, Thinking, ToolCall, ToolResult
from xun.providers.base import Request
from xun.providers.openai_responses import OpenAIResponsesWire


def body(asked: Request, **settings: Any) -> Any:
    raw = OpenAIResponsesWire(TARGET, **settings).body(asked)
    recorded = Recorded(1, "/v1/responses", {}, raw, 0.0, 1)
    assert [complaint for check in STRICT if (complaint := check(recorded))] == []
    return recorded.body


def items(*history: Message, **settings: Any) -> list[Any]:
    return body(request(*history, system="", model="gpt-5"), **settings)["input"]


def said(text: str) -> dict[str, str]:
    return {"type": "message", "role": "assistant", "content": text}


def asked(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def reasoning(summary: str = "Hm.", seal: str | None = "c2VhbA==", item_id: str = "rs_1") -> Thinking:
    parts = [{"type": "summary_text", "text": summary}] if summary else []
    item = {"type": "reasoning", "id": item_id, "summary": parts} | ({"encrypted_content": seal} if seal else {})
    return Thinking(text=summary, data=json.dumps(item), wire="openai-responses")


def test_a_whole_request() -> None:
    history = [
        Message.user("List."),
        assistant(reasoning(), "Listing.", call("t1", command="ls"), call("t2")),
        results(("t1", "a.txt"), ("t2", " ")),
    ]
    sent = body(request(*history, model="gpt-5", max_tokens=100, temperature=0.5, effort="high"))
    assert re.fullmatch("[0-9a-f]{32}", sent.pop("prompt_cache_key"))
    assert sent == {
        "model": "gpt-5",
        "stream": True,
        "store": False,
        "max_output_tokens": 100,
        "temperature": 0.5,
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "instructions": "Be brief.",
        "tools": [{"type": "function", "strict": False, **LIST_JOBS}],
        "input": [
            asked("List."),
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Hm."}],
                "encrypted_content": "c2VhbA==",
            },
            said("Listing."),
            {"type": "function_call", "call_id": "t1", "name": "bash", "arguments": '{"command":"ls"}'},
            {"type": "function_call", "call_id": "t2", "name": "bash", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "t1", "output": "a.txt"},
            {"type": "function_call_output", "call_id": "t2", "output": "(no output)"},
        ],
    }


@pytest.mark.spec("H-PCH-06")
def test_the_cache_key_is_the_same_for_the_same_prefix_alone() -> None:
    def key(**changes: Any) -> str:
        return body(request(**changes))["prompt_cache_key"]

    longer = body(request(Message.user("hi"), assistant("yes"), Message.user("go")))["prompt_cache_key"]
    assert key() == longer
    assert len({key(), key(system="Other."), key(tools=[]), key(model="gpt-4o")}) == 4
    assert "prompt_cache_key" not in body(request(cache=None))
    assert "prompt_cache_key" not in body(request(), official=False)


@pytest.mark.spec("H-PCH-13")
def test_each_request_begins_with_the_last_one_to_the_byte() -> None:
    wire = OpenAIResponsesWire(TARGET)
    history: list[Message] = [Message.user("Fix it.")]
    before = wire.body(request(*history))
    for number in range(5):
        history += [assistant(reasoning(), "So.", call(f"t{number}", command="true")), results((f"t{number}", "done"))]
        after = wire.body(request(*history))
        assert after.startswith(before.removesuffix(b"]}"))
        before = after


@pytest.mark.bug("api-empty-text-block")
@pytest.mark.parametrize(
    "nothing", [assistant(), assistant(" "), assistant(reasoning()), assistant(Thinking(text="Hm", wire="anthropic"))]
)
def test_a_message_that_says_nothing_is_left_out(nothing: Message) -> None:
    sent = items(Message.user("hi"), nothing, Message.user(" "), Message.user("hello?"))
    assert sent == [asked("hi"), asked("hello?")]


@pytest.mark.bug("api-thinking-signature-returned")
def test_reasoning_stays_where_it_was_and_without_what_followed_stays_out() -> None:
    first, second, last = (reasoning(item_id=f"rs_{number}") for number in (1, 2, 3))
    sent = items(Message.user("go"), assistant(first, "A.", second, call("t1"), last), results(("t1", "x")))
    kinds = [(item["type"], item.get("id")) for item in sent]
    assert kinds == [
        ("message", None), ("reasoning", "rs_1"), ("message", None), ("reasoning", "rs_2"), ("function_call", None),
        ("function_call_output", None),
    ]  # fmt: skip


@pytest.mark.parametrize("lost",
    [
        reasoning(seal=None), Thinking(text="Hm", wire="openai-responses"),
        Thinking(data="[]", wire="openai-responses"), Thinking(data="{", wire="openai-responses"),
    ],
)  # fmt: skip
def test_reasoning_without_its_seal_is_unknown_where_nothing_is_stored(lost: Thinking) -> None:
    assert items(Message.user("go"), assistant(lost, "Done.")) == [asked("go"), said("Done.")]


def test_other_servers_get_their_reasoning_back_as_it_came() -> None:
    raw = OpenAIResponsesWire(TARGET, official=False).body(
        request(Message.user("go"), assistant(reasoning(seal=None), "Done."))
    )
    assert json.loads(raw)["input"][1]["id"] == "rs_1"


@pytest.mark.parametrize(
    ("maker", "model", "labelled"),
    [
        ("gpt-6-sol", "gpt-6-sol", True),
        ("gpt-5.5-2026-04-01", "gpt-6-sol", True),
        ("gpt-4o", "gpt-4o", False),
        ("gpt-4o", "gpt-6-sol", False),
        ("gpt-6-sol", "gpt-4o", False),
    ],
)
def test_models_that_label_what_they_say_see_the_labels_again(maker: str, model: str, labelled: bool) -> None:
    reply = Reply(provider="openai", model=maker)
    step = Message(role="assistant", blocks=(Text(text="I look."), ToolCall(id="t1", name="bash")), reply=reply)
    end = Message(role="assistant", blocks=(Text(text="So."), Text(text="Done.")), reply=reply)
    sent = body(request(Message.user("go"), step, results(("t1", "x")), end, model=model))["input"]
    phases = [item.get("phase") for item in sent if item.get("role") == "assistant"]
    assert phases == (["commentary", "commentary", "final_answer"] if labelled else [None] * 3)


def test_a_refused_call_goes_back_as_an_object() -> None:
    broken = ToolCall(id="t1", name="write_file", problem="cut off", raw='{"path": "big')
    sent = items(Message.user("go"), assistant(broken), results(("t1", "cut off")))
    assert sent[1]["arguments"] == "{}"


def test_images_are_data_urls_and_those_of_tools_follow_their_results() -> None:
    image = Image(media_type="image/png", data="aWNv")
    tool = Message(role="tool", blocks=(image, ToolResult(call_id="t1", name="shot", content="taken")))
    part = {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,aWNv"}
    sent = items(Message(role="user", blocks=(Text(text="see"), image)), assistant(call("t1")), tool)
    assert sent[0]["content"] == [{"type": "input_text", "text": "see"}, part]
    assert [item["type"] for item in sent[1:]] == ["function_call", "function_call_output", "message"]
    assert sent[3]["content"] == [part]


def test_lone_surrogates_are_replaced() -> None:
    sent = items(Message.user("a\ud800b"), assistant(call("t1", text="\udcff")), results(("t1", "\udcff")))
    assert sent[0]["content"][0]["text"] == "a\ufffdb"
    assert sent[1]["arguments"] == '{"text":"\ufffd"}'
    assert sent[2]["output"] == "\ufffd"


AUTO = {"summary": "auto"}


@pytest.mark.parametrize(
    ("model", "effort", "official", "sent"),
    [
        ("gpt-5", None, True, AUTO),
        ("gpt-5", "high", True, AUTO | {"effort": "high"}),
        ("gpt-5", "none", True, {"effort": "low"}),
        ("gpt-5.2-2025-12-11", "none", True, {"effort": "none"}),
        ("gpt-6-sol", "high", True, AUTO | {"effort": "high"}),
        ("gpt-6-sol", "high", False, {"effort": "high"}),
        ("gpt-4o", "high", True, None),
        ("gpt-of-tomorrow", "low", True, AUTO | {"effort": "low"}),
        ("qwen", None, False, None),
        ("qwen", "high", False, {"effort": "high"}),
    ],
)
def test_effort_and_reasoning_are_asked_for_where_the_model_has_them(
    model: str, effort: Any, official: bool, sent: Any
) -> None:
    whole = body(request(model=model, effort=effort), official=official)
    assert whole.get("reasoning") == sent
    assert ("include" in whole) is (sent is not None and official)


def test_a_reply_is_never_asked_to_be_shorter_than_the_service_allows() -> None:
    assert body(request(max_tokens=5))["max_output_tokens"] == 16


def test_what_is_not_asked_for_is_left_out() -> None:
    assert set(body(Request("gpt-4o", "", [Message.user("hi")], cache=None))) == {"model", "stream", "store", "input"}
