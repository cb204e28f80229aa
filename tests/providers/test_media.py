"""Images, documents and sounds on each wire: what is sent, and what is said of what cannot be, before any request."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionUserMessageParam
from openai.types.responses import EasyInputMessageParam
from pydantic import TypeAdapter

from tests.providers.support import TARGET, assistant, call, request, results
from tests.wire.recorded import Recorded
from xun.media import MB
from xun.messages import Audio, Document, Image, Message, Text
from xun.providers.anthropic import AnthropicWire
from xun.providers.azure import AzureOpenAIProvider
from xun.providers.base import Fallback, ProviderError, RetryPolicy
from xun.providers.fallback import FallbackProvider
from xun.providers.http import HttpTransport
from xun.providers.openai_chat import OpenAIChatWire
from xun.providers.openai_responses import OpenAIResponsesWire
from xun.providers.remote import RemoteProvider
from xun.providers.scripted import ScriptedProvider
from xun.providers.transport import Target

SHOT = Image(media_type="image/png", data="aWNv")
PAPER = Document(media_type="application/pdf", data="JVBERi0=", name="plan.pdf")
CLIP = Audio(media_type="audio/mpeg", data="SUQz")
OPENAI = Target("openai", "OpenAI", "https://api.test/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL")
WIRES: dict[str, Any] = {
    "anthropic": (AnthropicWire(TARGET), "claude-sonnet-4-6"),
    "openai-chat": (OpenAIChatWire(OPENAI), "gpt-audio"),
    "openai-responses": (OpenAIResponsesWire(OPENAI), "gpt-5"),
}


def user(*blocks: Any) -> Message:
    return Message(role="user", blocks=tuple(Text(text=b) if isinstance(b, str) else b for b in blocks))


def sent(wire: str, *history: Message, model: str = "") -> list[Any]:
    """The messages of a request as they are sent."""
    spoken, known = WIRES[wire]
    path = {"anthropic": "/v1/messages", "openai-chat": "/v1/chat/completions"}.get(wire, "/v1/responses")
    raw = spoken.body(request(*history, system="", model=model or known, cache=None))
    body = Recorded(1, path, {}, raw, 0.0, 1).body
    return body["input"] if wire == "openai-responses" else body["messages"]


def refused(wire: str, *blocks: Any, model: str = "") -> str:
    with pytest.raises(ProviderError) as caught:
        sent(wire, user(*blocks), model=model)
    assert (caught.value.kind, caught.value.transient) == ("bad_request", False)
    return str(caught.value)


@pytest.mark.spec("H-IMG-03")
def test_anthropic_is_sent_images_and_documents() -> None:
    [message] = sent("anthropic", user("Compare.", SHOT, PAPER))
    assert message["content"] == [
        {"type": "text", "text": "Compare."},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aWNv"}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
            "title": "plan.pdf",
        },
    ]
    TypeAdapter(MessageParam).validate_python(message)


@pytest.mark.spec("H-IMG-03")
def test_chat_completions_is_sent_all_three() -> None:
    [message] = sent("openai-chat", user("Compare.", SHOT, PAPER, CLIP))
    assert message["content"] == [
        {"type": "text", "text": "Compare."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aWNv"}},
        {"type": "file", "file": {"filename": "plan.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
        {"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}},
    ]
    TypeAdapter(ChatCompletionUserMessageParam).validate_python(message)


@pytest.mark.spec("H-IMG-03")
def test_responses_is_sent_images_and_documents() -> None:
    [message] = sent("openai-responses", user("Compare.", SHOT, PAPER.model_copy(update={"name": ""})))
    assert message["content"] == [
        {"type": "input_text", "text": "Compare."},
        {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,aWNv"},
        {"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
    ]
    TypeAdapter(EasyInputMessageParam).validate_python(message)


@pytest.mark.spec("H-IMG-04")
@pytest.mark.parametrize(
    ("wire", "why"),
    [
        ("anthropic", "Anthropic takes no audio clips: transcribe it first, or ask a model that takes sound"),
        (
            "openai-responses",
            "OpenAI takes no audio clips: Chat Completions do (openai-chat/MODEL), or transcribe it first",
        ),
    ],
)
def test_a_kind_that_is_not_taken_is_refused_and_never_left_out(wire: str, why: str) -> None:
    assert refused(wire, "What is said here?", CLIP) == why


def test_what_a_listed_model_lacks_is_refused_and_an_unknown_one_is_trusted() -> None:
    assert refused("openai-chat", CLIP, model="gpt-5") == "gpt-5 takes no audio clips: choose a model that does"
    assert sent("openai-chat", user(CLIP), model="house-model")[0]["content"][0]["type"] == "input_audio"


def test_a_sound_in_another_form_is_refused_with_those_that_are_taken() -> None:
    flac = Audio(media_type="audio/flac", data="ZkxhQw==")
    assert refused("openai-chat", flac) == (
        "OpenAI takes no audio/flac, only audio/wav, audio/x-wav, audio/mpeg, audio/mp3"
    )


def test_what_is_too_large_for_this_service_alone_is_refused_with_both_sizes() -> None:
    large = Image(media_type="image/png", data=base64.b64encode(b"x" * 8 * MB).decode())
    assert refused("anthropic", large) == (
        "Anthropic takes images of at most 7.5 MB, and this one has 8 MB: make it smaller"
    )
    assert len(sent("openai-chat", user(large), model="gpt-4o")) == 1


def test_what_another_model_was_shown_and_has_answered_becomes_a_line() -> None:
    past = [user("What is said?", CLIP), assistant("A name."), user("Which one?")]
    told = sent("anthropic", *past)
    assert told[0]["content"][1] == {
        "type": "text",
        "text": "[Here stood an audio clip that you cannot be sent: Anthropic takes no audio clips: transcribe it first, "
        "or ask a model that takes sound.]",
    }
    assert sent("openai-chat", *past)[0]["content"][1]["type"] == "input_audio"


def test_the_requests_after_it_begin_with_the_same_bytes() -> None:
    wire = AnthropicWire(TARGET)
    past = [user("What is said?", CLIP), assistant("A name.", call()), results(("toolu_1", "done"))]
    first = wire.body(request(*past, cache=None))
    second = wire.body(request(*past, user("And here?", SHOT), cache=None))
    assert second.startswith(first[: first.rindex(b"]}]}")])


@pytest.mark.parametrize("wire", WIRES)
def test_what_a_tool_shows_comes_after_the_results(wire: str) -> None:
    shown = user(SHOT.model_copy(update={"note": True}), Text(text="[what a tool shows]", note=True))
    told = sent(wire, Message.user("Look."), assistant(call()), results(("toolu_1", "done")), shown)
    last = told[-1]["content"]
    kinds = [part["type"] for part in last]
    assert (
        kinds[-2:]
        == {
            "anthropic": ["image", "text"],
            "openai-chat": ["image_url", "text"],
            "openai-responses": ["input_image", "input_text"],
        }[wire]
    )
    assert kinds[0] == "tool_result" or wire != "anthropic"


def test_azure_and_a_chain_say_it_before_they_are_asked() -> None:
    azure = AzureOpenAIProvider(azure_endpoint="https://house.test", api_version="v1", api_key="k")
    chain = FallbackProvider(RemoteProvider(AnthropicWire(TARGET), HttpTransport(TARGET, {})), [], model="claude-new")
    flac = Audio(media_type="audio/flac", data="ZkxhQw==")
    assert azure.unfit("my-deployment", CLIP) is None
    assert str(azure.unfit("my-deployment", flac)).startswith("Azure OpenAI takes no audio/flac, only")
    assert chain.unfit("claude-new", SHOT) is None
    assert str(chain.unfit("claude-new", CLIP)).startswith("Anthropic takes no audio clips")


@pytest.mark.anyio
async def test_a_chain_leaves_out_who_cannot_be_sent_what_is_shown() -> None:
    busy: Any = {"error": {"kind": "overloaded", "message": "busy"}}
    blind = RemoteProvider(AnthropicWire(TARGET), HttpTransport(TARGET, {}))
    first, last = ScriptedProvider([busy]), ScriptedProvider([{"text": "A name."}])
    members = [Fallback(blind, "claude-new"), Fallback(last, "hears")]
    chain = FallbackProvider(first, members, model="own", retry=RetryPolicy(switch_after=1))
    items = [item async for item in chain.stream(request(user("What is said?", CLIP), model="own"))]
    assert [type(item).__name__ for item in items] == ["InPlace", "TextPart", "Done"]
    assert (len(first.requests), len(last.requests)) == (1, 1)
