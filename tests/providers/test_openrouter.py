"""OpenRouter: Chat Completions with ways of its own of asking for reasoning, and of taking it back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.providers.support import KEY, TARGET, assistant, call, collect, final, play, request, results, sse
from tests.wire.server import ModelServer, Status, Stream
from tests.wire.streams import Say
from tests.wire.validators import STRICT
from xun.messages import Message, Thinking
from xun.providers.base import Effort, ModelInfo, ProviderError
from xun.providers.dialect import OPENROUTER
from xun.providers.models import default_model, find, known
from xun.providers.openai_chat import OpenAIChatReply, OpenAIChatWire
from xun.providers.prices import priced
from xun.providers.registry import ProviderSettings, resolve
from xun.providers.remote import RemoteProvider

MODEL = "anthropic/claude-sonnet-4.6"
DETAILS = [
    {"type": "reasoning.text", "text": "Look first.", "signature": "c2ln", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.encrypted", "data": "cmVk", "format": "anthropic-claude-v1", "index": 1},
]


def body(*history: Message, **changes: Any) -> Any:
    return json.loads(OpenAIChatWire(TARGET, dialect=OPENROUTER).body(request(*history, model=MODEL, **changes)))


def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"model": MODEL, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def reply(*deltas: Mapping[str, Any]) -> Message:
    recorded = sse(*(chunk(delta) for delta in deltas), chunk({}, "stop"), "[DONE]")
    return final(play(OpenAIChatReply(TARGET, MODEL), recorded))


@pytest.mark.parametrize("transport", ["http", "sdk"])
@pytest.mark.anyio
@pytest.mark.spec("H-PRV-01", "H-PCH-07")
async def test_a_request_reaches_it_with_the_key_and_no_cache_key(transport: Any) -> None:
    with ModelServer([Say("hi")], validators=STRICT) as server:
        env = {"OPENROUTER_API_KEY": KEY, "OPENROUTER_BASE_URL": f"{server.url}/api/v1"}
        provider, info = resolve(f"openrouter/{MODEL}", env=env, settings=ProviderSettings(transport=transport))
        message = final(await collect(provider, request(model=info.name)))
        await provider.aclose()
    (sent,) = server.requests
    assert sent.path == "/api/v1/chat/completions"
    assert (sent.headers["authorization"], sent.headers["x-title"]) == (f"Bearer {KEY}", "xun")
    assert sent.body["model"] == MODEL and "prompt_cache_key" not in sent.body
    assert message.reply is not None and message.reply.provider == info.provider == "openrouter"


def test_its_own_address_is_known() -> None:
    provider, _ = resolve("openrouter/x/y", env={"OPENROUTER_API_KEY": KEY})
    assert isinstance(provider, RemoteProvider)
    assert provider.transport.target.url == "https://openrouter.ai/api/v1/chat/completions"


@pytest.mark.parametrize("effort", ["none", "low", "high"])
def test_an_effort_is_asked_for_in_its_words(effort: Effort) -> None:
    sent = body(effort=effort)
    assert sent["reasoning"] == {"effort": effort} and "reasoning_effort" not in sent
    assert not {"reasoning", "reasoning_effort"} & set(body())


def test_sealed_reasoning_is_joined_from_its_pieces_and_goes_back_as_it_came() -> None:
    first, second = DETAILS
    message = reply(
        {"reasoning": "Look ", "reasoning_details": [{**first, "text": "Look ", "signature": None}]},
        {"reasoning": "first.", "reasoning_details": [{"type": "reasoning.text", "text": "first.", "index": 0}]},
        {"reasoning_details": [{"type": "reasoning.text", "signature": "c2ln", "index": 0}]},
        {"reasoning_details": [second, "what?", {"no": "type"}]},
        {"content": "Done."},
    )
    (thinking,) = (block for block in message.blocks if isinstance(block, Thinking))
    assert thinking.text == "Look first."
    history = [Message.user("go"), message, Message.user("and?")]
    assert body(*history)["messages"][2] == {"role": "assistant", "content": "Done.", "reasoning_details": DETAILS}


def test_texts_are_kept_apart_by_their_place_and_by_their_seal() -> None:
    pieces = [
        {"type": "reasoning.summary", "summary": "One", "index": 0},
        {"type": "reasoning.summary", "summary": "Two", "index": 1},
        {"type": "reasoning.text", "text": "a", "signature": "s", "index": 2},
        {"type": "reasoning.text", "text": "b", "index": 2},
    ]
    message = reply({"reasoning_details": pieces}, {"content": "Done."})
    assert body(Message.user("go"), message, Message.user("x"))["messages"][2]["reasoning_details"] == pieces


def test_reasoning_of_another_model_or_of_another_kind_stays_behind() -> None:
    thoughts = [
        Thinking(text="t", data=json.dumps(DETAILS), wire="openai-responses"),
        Thinking(text="t", data="no JSON", wire="openai-chat"),
        Thinking(text="t", wire="openai-chat"),
    ]
    history = [Message.user("go"), assistant(*thoughts, call("t1")), results(("t1", "x"))]
    assert "reasoning_details" not in body(*history)["messages"][2]
    compatible = OpenAIChatWire(TARGET, official=False).body(
        request(Message.user("go"), reply({"reasoning_details": DETAILS}, {"content": "."}), Message.user("x"))
    )
    assert b"reasoning_details" not in compatible


@pytest.mark.anyio
async def test_comments_while_it_waits_are_no_part_of_the_reply() -> None:
    waiting = b": OPENROUTER PROCESSING\n\n"
    told = sse(chunk({"content": "hi"}), chunk({}, "stop"), "[DONE]")
    with ModelServer([Stream(events=[waiting, waiting, told, waiting])]) as server:
        env = {"OPENROUTER_API_KEY": KEY, "OPENROUTER_BASE_URL": server.url}
        provider, _ = resolve(f"openrouter/{MODEL}", env=env)
        assert final(await collect(provider)).text == "hi"
        await provider.aclose()


@pytest.mark.parametrize(
    ("status", "error", "kind", "said"),
    [
        (402, {"code": 402, "message": "Insufficient credits"}, "no_credit", "OPENROUTER_API_KEY"),
        (404, {"code": 404, "message": "No endpoints found that support tool use."}, "unknown_model", "choose another"),
        (
            429,
            {"code": 429, "message": "Provider returned error", "metadata": {"raw": "busy upstream", "n": 1}},
            "rate_limit",
            "It said: Provider returned error: busy upstream",
        ),
        (401, {"code": 401, "message": f"bad {KEY}", "metadata": {"raw": KEY}}, "auth", "bad ***: ***"),
    ],
)
@pytest.mark.anyio
async def test_its_errors_are_told_with_what_the_server_behind_it_said(
    status: int, error: Any, kind: str, said: str
) -> None:
    with ModelServer([Status(status, raw=json.dumps({"error": error}).encode())]) as server:
        env = {"OPENROUTER_API_KEY": KEY, "OPENROUTER_BASE_URL": server.url}
        provider, _ = resolve(f"openrouter/{MODEL}", env=env)
        with pytest.raises(ProviderError) as caught:
            await collect(provider, request(model=MODEL))
        await provider.aclose()
    assert caught.value.kind == kind
    assert said in str(caught.value) and "OpenRouter" in str(caught.value) and KEY not in str(caught.value)


@pytest.mark.anyio
async def test_an_error_in_the_middle_of_a_stream_is_that_error() -> None:
    broken = {**chunk({"content": ""}, "error"), "error": {"code": 429, "message": "slow down"}}
    with ModelServer([Stream(events=[sse(chunk({"content": "h"}), broken)])]) as server:
        env = {"OPENROUTER_API_KEY": KEY, "OPENROUTER_BASE_URL": server.url}
        provider, _ = resolve(f"openrouter/{MODEL}", env=env)
        with pytest.raises(ProviderError, match="limits the rate") as caught:
            await collect(provider)
        await provider.aclose()
    assert (caught.value.kind, caught.value.transient) == ("rate_limit", True)


def test_a_model_has_the_limits_of_its_maker_and_the_prices_of_its_own_list() -> None:
    ours, makers = find("openrouter", MODEL), find("anthropic", "claude-sonnet-4-6")
    assert (ours.context_window, ours.max_output_tokens) == (makers.context_window, makers.max_output_tokens)
    assert ours.capabilities == {"tools", "images"}
    assert (ours.input_price, ours.price_lists) == (None, ("openrouter",))
    assert priced(ours).input_price == 3.0
    assert find("openrouter", "openai/gpt-5:nitro").context_window == find("openai", "gpt-5").context_window
    assert find("openrouter", "nobody/nothing").context_window is None


@pytest.mark.parametrize("name", known("openrouter"))
def test_a_listed_model_is_listed_as_it_is_sold(name: str) -> None:
    info = find("openrouter", name)
    sold = priced(ModelInfo("openrouter", name, price_lists=("openrouter",)))
    assert replace(info, capabilities=frozenset(), context_window=None, max_output_tokens=None) == replace(
        sold, context_window=None
    )
    assert info.context_window and info.context_window >= 200_000
    assert default_model("openrouter") == known("openrouter")[0]
