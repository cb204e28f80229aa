"""What goes to Gemini: each request as v1beta of its API documents it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tests.providers.support import LIST_JOBS, TARGET, assistant, call, request, results
from tests.wire.gemini import complaint
from xun.media import TYPES
from xun.messages import Audio, Document, Image, Message, Reply, Text, Thinking, ToolCall, ToolResult
from xun.providers.base import CacheHint, Effort, ProviderError
from xun.providers.gemini import UNSIGNED, GeminiWire, Uploaded

MODEL = "gemini-3.8-flash"
OLD = "gemini-2.5-flash"
SHOT = Image(media_type="image/png", data="aWNv")


def body(*history: Message, **changes: Any) -> dict[str, Any]:
    """The body of a request, which the API would take."""
    asked = request(*history, **{"model": MODEL, **changes})
    sent = json.loads(GeminiWire(TARGET).body(asked))
    assert complaint(f"/v1beta/models/{asked.model}:streamGenerateContent", sent) is None
    return sent


def contents(*history: Message, **changes: Any) -> list[Any]:
    return body(*history, **changes)["contents"]


def made(*blocks: Any, model: str = MODEL) -> Message:
    """A reply of `model`, with the blocks that one of its own has."""
    message = assistant(*blocks)
    return message.model_copy(update={"reply": Reply(provider="gemini", model=model)})


def sealed(signature: str) -> Thinking:
    return Thinking(signature=signature, wire="gemini")


def test_a_request_has_the_fields_of_the_api_and_its_contents_last() -> None:
    sent = body(Message.user("hi"), max_tokens=32_768, temperature=0.5)
    assert list(sent) == ["generationConfig", "systemInstruction", "tools", "contents"]
    assert sent == {
        "generationConfig": {
            "maxOutputTokens": 32_768,
            "temperature": 0.5,
            "thinkingConfig": {"includeThoughts": True},
        },
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "list_jobs", "description": "Lists jobs."}]}],
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    }


def test_what_is_not_said_is_not_sent() -> None:
    assert list(body(Message.user("hi"), system=" ", tools=[], model="gemini-2.0-flash")) == ["contents"]


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"type": "object", "properties": {}}, None),
        ({"type": "object", "properties": {}, "additionalProperties": False, "title": "Nothing"}, None),
        ({"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema", "required": []}, None),
        ({"type": "object", "properties": {"a": {"type": "integer", "exclusiveMinimum": 0}}}, "as it is"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"enum": [1]}}}, "as it is"),
    ],
)
def test_parameters_are_json_schema_as_they_are_and_none_where_there_are_none(schema: Any, sent: str | None) -> None:
    tools = [{**LIST_JOBS, "parameters": schema}]
    [declared] = body(Message.user("hi"), tools=tools)["tools"][0]["functionDeclarations"]
    assert declared.get("parametersJsonSchema") == (schema if sent else None)
    assert "parameters" not in declared


def test_calls_and_results_go_back_in_order_under_their_ids() -> None:
    history = [
        Message.user("go"),
        made("Both.", sealed("c2ln"), call("c1", n=1), call("c2", "read_file", path="é")),
        Message(
            role="tool",
            blocks=(
                ToolResult(call_id="c2", name="read_file", content="no such file", is_error=True),
                ToolResult(call_id="c1", name="bash", content=" "),
            ),
        ),
    ]
    with pytest.raises(AssertionError, match="equal to the number of function call parts"):
        contents(*history)
    history[2] = Message(role="tool", blocks=tuple(reversed(history[2].blocks)))
    assert contents(*history)[1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "Both."},
                {"functionCall": {"id": "c1", "name": "bash", "args": {"n": 1}}, "thoughtSignature": "c2ln"},
                {"functionCall": {"id": "c2", "name": "read_file", "args": {"path": "é"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c1", "name": "bash", "response": {"output": "(no output)"}}},
                {"functionResponse": {"id": "c2", "name": "read_file", "response": {"error": "no such file"}}},
            ],
        },
    ]


def test_what_a_person_says_after_results_is_a_turn_of_its_own() -> None:
    sent = contents(Message.user("go"), made(call("c1")), results(("c1", "x")), Message.user("stop"), Message.user("!"))
    assert [content["role"] for content in sent] == ["user", "model", "user", "user"]
    assert sent[3]["parts"] == [{"text": "stop"}, {"text": "!"}]


def test_a_signature_goes_back_on_the_part_on_which_it_came() -> None:
    alone = {"text": "", "thoughtSignature": "YWxvbmU="}
    said = made(
        Thinking(text="Hm.", signature="dGhvdWdodA==", wire="gemini"),
        "One, ",
        sealed("dGV4dA=="),
        "two",
        Thinking(data=json.dumps(alone), wire="gemini"),
        sealed("Y2FsbA=="),
        call("c1"),
        call("c2"),
    )
    assert contents(Message.user("go"), said, results(("c1", "x"), ("c2", "y")))[1]["parts"] == [
        {"text": "Hm.", "thought": True, "thoughtSignature": "dGhvdWdodA=="},
        {"text": "One, "},
        {"text": "two", "thoughtSignature": "dGV4dA=="},
        alone,
        {"functionCall": {"id": "c1", "name": "bash", "args": {}}, "thoughtSignature": "Y2FsbA=="},
        {"functionCall": {"id": "c2", "name": "bash", "args": {}}},
    ]


def test_a_blank_text_is_sent_where_it_is_signed_and_only_there() -> None:
    said = made(sealed("YQ=="), "\n", " ", "Done.")
    parts = contents(Message.user("go"), said, Message.user("thanks"))[1]["parts"]
    assert parts == [{"text": "\n", "thoughtSignature": "YQ=="}, {"text": "Done."}]


@pytest.mark.spec("H-PRV-11")
@pytest.mark.parametrize(("model", "signature"), [(MODEL, UNSIGNED), ("gemini-4-argon", UNSIGNED), (OLD, None)])
@pytest.mark.parametrize("maker", ["claude-sonnet-5-5", "gemini-3.6-flash", None])
def test_a_call_of_another_model_is_marked_as_such_for_models_that_sign(
    model: str, signature: str | None, maker: str | None
) -> None:
    other = assistant(sealed("b3RoZXI="), Thinking(text="Other.", wire="gemini"), call("c1"), call("c2"))
    other = other.model_copy(update={"reply": Reply(provider="p", model=maker)}) if maker else assistant(*other.calls)
    parts = contents(Message.user("go"), other, results(("c1", "x"), ("c2", "y")), model=model)[1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [signature, None]
    assert len(parts) == 2


@pytest.mark.parametrize(
    ("model", "effort", "max_tokens", "thinking"),
    [
        (MODEL, None, None, {"includeThoughts": True}),
        (MODEL, "none", None, {"includeThoughts": False, "thinkingLevel": "LOW"}),
        (MODEL, "medium", None, {"includeThoughts": True, "thinkingLevel": "MEDIUM"}),
        ("gemini-3.6-flash", "none", None, {"includeThoughts": False, "thinkingLevel": "MINIMAL"}),
        ("gemini-of-tomorrow", "high", 100, {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        (OLD, None, None, {"includeThoughts": True}),
        (MODEL, None, 32_768, {"includeThoughts": True}),
        (MODEL, None, 4_000, {"includeThoughts": True, "thinkingLevel": "LOW"}),
        (OLD, None, 4_000, {"includeThoughts": True, "thinkingBudget": 2_048}),
        (OLD, "none", None, {"includeThoughts": False, "thinkingBudget": 0}),
        (OLD, "medium", None, {"includeThoughts": True, "thinkingBudget": 8_192}),
        (OLD, "high", 5_024, {"includeThoughts": True, "thinkingBudget": 4_000}),
        (OLD, "high", 500, {"includeThoughts": False, "thinkingBudget": 0}),
        ("gemini-2.5-pro", "none", None, {"includeThoughts": True, "thinkingBudget": 128}),
        ("gemini-2.0-flash", "high", None, None),
    ],
)
def test_effort_is_a_level_or_a_budget_by_the_model(
    model: str, effort: Effort | None, max_tokens: int | None, thinking: Any
) -> None:
    sent = body(Message.user("hi"), model=model, effort=effort, max_tokens=max_tokens)
    assert sent.get("generationConfig", {}).get("thinkingConfig") == thinking


@pytest.mark.parametrize("nothing", [made(), made(" "), made(Thinking(text="Hm", wire="gemini"), sealed("YQ=="))])
def test_a_message_that_says_nothing_is_left_out(nothing: Message) -> None:
    sent = contents(Message.user("hi"), nothing, Message.user(" "), Message.user("hello?"))
    assert sent == [{"role": "user", "parts": [{"text": "hi"}, {"text": "hello?"}]}]


@pytest.mark.spec("H-IMG-03")
def test_images_documents_and_sounds_are_sent_under_the_names_that_are_known_here() -> None:
    shown = [SHOT, Document(media_type="application/pdf", data="JVBERi0="), Audio(media_type="audio/mpeg", data="SUQz")]
    [sent] = contents(Message(role="user", blocks=(Text(text="Compare."), *shown)))
    assert sent["parts"] == [
        {"text": "Compare."},
        {"inlineData": {"mimeType": "image/png", "data": "aWNv"}},
        {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0="}},
        {"inlineData": {"mimeType": "audio/mp3", "data": "SUQz"}},
    ]
    for kind in TYPES["audio"]:
        assert contents(Message(role="user", blocks=(Audio(media_type=kind, data="SUQz"),)))


@pytest.mark.spec("H-IMG-03")
def test_what_is_not_taken_is_said_before_any_request() -> None:
    film = Image(media_type="image/gif", data="R0lG")
    with pytest.raises(ProviderError, match="takes no image/gif, only image/png, image/jpeg, image/webp") as caught:
        body(Message(role="user", blocks=(film,)))
    assert caught.value.kind == "bad_request"


@pytest.mark.spec("H-PCH-13")
def test_each_request_begins_with_the_last_one_to_the_byte() -> None:
    wire = GeminiWire(TARGET)
    history: list[Message] = [Message.user("Fix it.")]
    before = wire.body(request(*history, model=MODEL))
    for number in range(5):
        said = made("So.", sealed("c2ln"), call(f"t{number}", command="true"))
        history += [said, results((f"t{number}", "done"))]
        after = wire.body(request(*history, model=MODEL))
        assert after.startswith(before.removesuffix(b"]}"))
        before = after


def calls_of(work: Callable[[], object]) -> int:
    """How many Python functions `work` calls."""
    count = 0

    def seen(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_a_step_at_five_hundred_does_no_more_than_one_at_ten() -> None:
    wire, history, calls = GeminiWire(TARGET), [Message.user("Fix it.")], {}
    for number in range(501):
        history += [made("So.", sealed("c2ln"), call(f"t{number}", n=number)), results((f"t{number}", "done"))]
        asked = request(*history, model=MODEL)
        calls[number] = calls_of(lambda asked=asked: wire.body(asked))
    assert 0 < calls[500] <= 1.2 * calls[10]


@pytest.mark.spec("H-PCH-08")
def test_what_is_in_a_cache_is_not_sent_again() -> None:
    asked = request(Message.user("hi"), model=MODEL, cache=Uploaded("k", 300, "cachedContents/abc"))
    sent = json.loads(GeminiWire(TARGET).body(asked))
    assert list(sent) == ["generationConfig", "cachedContent", "contents"]
    assert sent["cachedContent"] == "cachedContents/abc"
    for hint in (None, CacheHint("k"), CacheHint("k", 300)):
        assert "systemInstruction" in body(Message.user("hi"), cache=hint)


def test_a_refused_call_goes_back_as_an_object() -> None:
    broken = ToolCall(id="t1", name="unknown", problem="cut off", raw='{"path": "big')
    sent = contents(Message.user("go"), assistant(broken), results(("t1", "cut off")))
    assert sent[1]["parts"][0]["functionCall"]["args"] == {}
