"""Reaching Gemini: keys, addresses, models, what it is refused with, and what is known of its models."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

import pytest

from tests.providers.support import KEY, collect, final, request
from tests.wire.server import ModelServer, Status
from tests.wire.streams import Call, Say
from tests.wire.validators import STRICT
from xun import Agent
from xun.messages import Image
from xun.providers.base import Provider, ProviderError
from xun.providers.detect import configured
from xun.providers.gemini_provider import GeminiProvider
from xun.providers.models import default_model, find, known
from xun.providers.prices import priced
from xun.providers.registry import ProviderSettings, resolve, resolve_object

OTHER = "other-test-key-456"


def reached(url: str, model: str = "gemini-test", **env: str) -> Provider:
    variables = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url} | env
    return resolve(f"gemini/{model}", env=variables)[0]


@pytest.mark.anyio
@pytest.mark.spec("H-PRV-01", "H-PRV-09", "W22")
async def test_a_request_reaches_the_model_with_the_key_and_its_answer_comes_back() -> None:
    said = Say("Listing.", [Call("bash", {"command": "ls"})], thinking="Look.", cache_read=5)
    with ModelServer([said], validators=STRICT) as server:
        provider = reached(server.url)
        message = final(await collect(provider, request(model="gemini-test", max_tokens=9)))
        await provider.aclose()
    assert server.refusals == []
    (sent,) = server.requests
    assert sent.path == "/v1beta/models/gemini-test:streamGenerateContent?alt=sse"
    assert sent.headers["x-goog-api-key"] == KEY and "authorization" not in sent.headers
    assert sent.body["generationConfig"]["maxOutputTokens"] == 9
    assert message.calls[0].arguments == {"command": "ls"}
    assert message.reply is not None and message.reply.provider == "gemini"
    usage = message.reply.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens) == (15, 20, 5)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("env", "key"),
    [
        ({"GOOGLE_API_KEY": OTHER}, KEY),
        ({"GEMINI_API_KEY": " ", "GOOGLE_API_KEY": f" {OTHER}\n"}, OTHER),
    ],
)
async def test_the_key_may_stand_in_the_variable_of_googles_other_tools(env: dict[str, str], key: str) -> None:
    with ModelServer([Say("hi"), Status(401, message=f"no such key: {key}")]) as server:
        provider = reached(server.url, **env)
        await collect(provider)
        with pytest.raises(ProviderError) as caught:
            await collect(provider)
        await provider.aclose()
    assert server.requests[0].headers["x-goog-api-key"] == key
    variable = "GEMINI_API_KEY" if key == KEY else "GOOGLE_API_KEY"
    line = f"the model server refused the key (HTTP 401): check {variable}. It said: no such key: ***"
    assert str(caught.value) == line


def test_a_key_in_either_variable_sets_it_up_after_the_others_and_before_azure() -> None:
    for variable in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        env = {variable: KEY, "AZURE_OPENAI_API_KEY": KEY, "OPENROUTER_API_KEY": KEY, "OPENAI_API_KEY": KEY}
        assert [found.provider for found in configured(env)] == ["openai", "openrouter", "gemini", "azure"]
        provider, info = resolve(None, env={variable: KEY})
        assert (provider.name, info.name) == ("gemini", default_model("gemini"))


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("base", "model", "path"),
    [
        ("/", "gemini-x", "/v1beta/models/gemini-x"),
        ("/v1", "gemini-x", "/v1/models/gemini-x"),
        ("/proxy/v1beta/", "models/gemini-x", "/proxy/v1beta/models/gemini-x"),
        ("", "a/b?c", "/v1beta/models/a%2Fb%3Fc"),
    ],
)
async def test_the_model_is_in_the_address(base: str, model: str, path: str) -> None:
    with ModelServer([Say("hi")]) as server:
        provider = reached(f"{server.url}{base}", model)
        await collect(provider, request(model=model))
        await provider.aclose()
    assert server.requests[0].path == f"{path}:streamGenerateContent?alt=sse"


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({}, "set GEMINI_API_KEY to use gemini/x"),
        ({"GEMINI_API_KEY": "a b"}, "GEMINI_API_KEY has a blank"),
        ({"GOOGLE_API_KEY": "a\u2013b"}, "GOOGLE_API_KEY has a character that is not ASCII"),
        ({"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": "h"}, "GOOGLE_GEMINI_BASE_URL must be a URL like"),
    ],
)
def test_what_is_missing_is_one_line(env: dict[str, str], message: str) -> None:
    with pytest.raises(ProviderError, match=message) as caught:
        resolve("gemini/x", env=env)
    assert caught.value.kind == "config" and str(caught.value).isprintable()


def test_where_a_key_is_from_is_said_in_the_words_of_the_settings() -> None:
    settings = ProviderSettings(key_places={"GEMINI_API_KEY": "providers.gemini.api_key in config.toml"})
    provider, _ = resolve("gemini/x", env={"GEMINI_API_KEY": KEY}, settings=settings)
    assert isinstance(provider, GeminiProvider)
    assert provider._at("x").transport.target.key_variable == "providers.gemini.api_key in config.toml"
    assert provider._at("x").transport.target.label == "Google Gemini"
    assert KEY not in repr(vars(provider)["_reached"])


@pytest.mark.anyio
async def test_an_unknown_model_is_named_with_one_that_is_known() -> None:
    refusal = Status(404, message="models/gemini-x is not found for API version v1beta, or is not supported.")
    with ModelServer([refusal]) as server:
        provider = reached(server.url, "gemini-x")
        with pytest.raises(ProviderError, match="does not know the model gemini-x") as caught:
            await collect(provider, request(model="gemini-x"))
        await provider.aclose()
    assert caught.value.kind == "unknown_model"


@pytest.mark.anyio
@pytest.mark.spec("H-PRV-12")
async def test_one_object_reaches_every_model_of_its_key() -> None:
    with ModelServer([Say("one"), Say("two"), Say("three")], validators=STRICT) as server:
        async with GeminiProvider("gemini-a", KEY, base_url=server.url, env={}) as provider:
            assert resolve_object(provider)[1].name == "gemini-a"
            for model in ("gemini-a", "gemini-b", ""):
                await collect(provider, request(model=model))
    named = [sent.path.partition("models/")[2].partition(":")[0] for sent in server.requests]
    assert named == ["gemini-a", "gemini-b", "gemini-a"]


@pytest.mark.anyio
async def test_an_agent_runs_its_calls() -> None:
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    script = [
        Say("", [Call("add", {"a": 1, "b": 2}), Call("add", {"a": 3, "b": 4}), Call("add", {"a": 1})], thinking="Hm."),
        Say("Three and seven."),
    ]
    with ModelServer(script, validators=STRICT) as server:
        provider = GeminiProvider("gemini-test", KEY, base_url=server.url, env={})
        async with provider, Agent(provider=provider, model="gemini-test", tools=[add]) as agent:
            assert (await agent.run("Add them.")).output == "Three and seven."
    assert server.refusals == []
    model, user = server.bodies[1]["contents"][-2:]
    assert [bool(part.get("thoughtSignature")) for part in model["parts"]] == [False, True, False, False]
    answered = [part["functionResponse"] for part in user["parts"]]
    assert [one["response"].get("output") for one in answered] == ["3", "7", None]
    assert "error" in answered[2]["response"]


@pytest.mark.spec("H-IMG-03")
def test_what_it_cannot_be_sent_is_said() -> None:
    provider = GeminiProvider("gemini-3.8-flash", KEY, env={})
    film = Image(media_type="image/gif", data="R0lG")
    assert "takes no image/gif" in (provider.unfit("gemini-3.8-flash", film) or "")
    assert provider.unfit("gemini-3.8-flash", Image(media_type="image/png", data="aWNv")) is None


def test_the_table_is_whole() -> None:
    text = (resources.files("xun.providers") / "models.toml").read_text("utf-8")
    header, rows = text.partition("[defaults]")[0], tomllib.loads(text)["models"]["gemini"]
    assert default_model("gemini") == known("gemini")[0]
    for name in known("gemini"):
        info = find("gemini", name)
        assert info.context_window and info.max_output_tokens == 65_536
        # Where the row has none, the price lists do.
        found = priced(info)
        assert found.input_price and found.output_price and found.cache_read_price
        for word in rows[name]["can"]:
            assert word == "images" or word.removeprefix("thinking") in header


@pytest.mark.parametrize(
    ("name", "thinks"),
    [
        ("gemini-5-neon", {"thinking-level"}),
        ("gemini-2.5-pro-preview-06-05", {"thinking-budget", "thinking-always"}),
        ("gemini-2.5-flash-preview", {"thinking-budget"}),
        ("gemini-2.0-flash", set()),
    ],
)
def test_a_model_that_is_not_listed_is_known_by_its_generation(name: str, thinks: Any) -> None:
    info = find("gemini", name)
    assert {can for can in info.capabilities if can.startswith("thinking")} == thinks
    assert info.price_lists == ("google",)
