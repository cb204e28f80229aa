"""Azure OpenAI: where deployments are, what opens them, and that neither key nor token is ever shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.providers.support import KEY, collect, final, request
from tests.wire.server import ModelServer, Status, Stream
from tests.wire.streams import Call, Say, render
from tests.wire.validators import STRICT
from xun import Agent
from xun.providers.azure import AzureOpenAIProvider, read_resource
from xun.providers.base import Provider, ProviderError
from xun.providers.models import find
from xun.providers.prices import priced
from xun.providers.registry import ProviderSettings, resolve, resolve_object

TRANSPORTS = ["http", "sdk"]
OVER_EACH = pytest.mark.parametrize("transport", TRANSPORTS)
DATED = "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"
V1 = "/openai/v1/chat/completions"
TOKEN = "eyJ0eXAi.0123456789abcdefghij.sig"


def reached(url: str, transport: Any = "http", **changes: str) -> Provider:
    env = {"AZURE_OPENAI_ENDPOINT": url, "AZURE_OPENAI_API_KEY": KEY, "OPENAI_API_VERSION": "2024-10-21"} | changes
    return resolve("azure/my-gpt", env=env, settings=ProviderSettings(transport=transport))[0]


@OVER_EACH
@pytest.mark.parametrize(
    ("version", "path"), [("2024-10-21", DATED), ("v1", V1), ("preview", f"{V1}?api-version=preview")]
)
@pytest.mark.anyio
@pytest.mark.spec("H-PRV-01", "H-PRV-03", "H-PRV-04", "H-PCH-07")
async def test_the_environment_names_the_resource_its_key_and_a_version(
    transport: str, version: str, path: str
) -> None:
    said = Say("Listing.", [Call("bash", {"command": "ls"})], thinking="Look.", cache_read=5)
    with ModelServer([said], validators=STRICT) as server:
        provider = reached(f"{server.url}/", transport, OPENAI_API_VERSION=version)
        message = final(await collect(provider, request(model="my-gpt", max_tokens=9)))
        await provider.aclose()
    (sent,) = server.requests
    assert sent.path == path
    assert sent.headers["api-key"] == KEY
    assert sent.headers.get("authorization", f"Bearer {KEY}") == f"Bearer {KEY}"
    assert (sent.body["model"], sent.body["max_completion_tokens"]) == ("my-gpt", 9)
    assert "prompt_cache_key" not in sent.body
    assert message.calls[0].arguments == {"command": "ls"}
    assert message.reply is not None and message.reply.provider == "azure"
    assert message.reply.usage is not None and message.reply.usage.input_tokens == 15


@OVER_EACH
@pytest.mark.parametrize(("version", "path"), [("2024-10-21", DATED), ("v1", V1)])
@pytest.mark.anyio
@pytest.mark.spec("H-PRV-05")
async def test_what_is_said_in_code_goes_before_the_environment_and_a_deployment_before_the_model(
    transport: Any, version: str, path: str
) -> None:
    wrong = {"AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:1", "AZURE_OPENAI_AD_TOKEN": TOKEN, "OPENAI_API_VERSION": "v1"}
    with ModelServer([Say("one"), Say("two")], validators=STRICT) as server:
        provider = AzureOpenAIProvider(
            azure_endpoint=server.url,
            api_key=KEY,
            api_version=version,
            azure_deployment="my-gpt",
            transport=transport,
            env=wrong,
        )
        async with provider:
            for text in ("one", "two"):
                assert final(await collect(provider, request(model="another"))).text == text
    assert [(sent.path, sent.body["model"], sent.headers["api-key"]) for sent in server.requests] == [
        (path, "my-gpt", KEY)
    ] * 2


@pytest.mark.anyio
async def test_without_a_deployment_the_model_names_it() -> None:
    with ModelServer([Say("one"), Say("two")]) as server:
        async with AzureOpenAIProvider(server.url, KEY, "2024-10-21", env={}) as provider:
            for model in ("my-gpt", "a/b?c"):
                await collect(provider, request(model=model))
    assert [sent.path for sent in server.requests] == [
        DATED,
        "/openai/deployments/a%2Fb%3Fc/chat/completions?api-version=2024-10-21",
    ]


@pytest.mark.anyio
async def test_an_agent_takes_it_with_a_model_and_with_a_deployment_alone() -> None:
    with ModelServer([Say("one"), Say("two")]) as server:
        cases: list[dict[str, Any]] = [{"model": "my-gpt"}, {}]
        for given in cases:
            provider = AzureOpenAIProvider(server.url, KEY, "v1", azure_deployment="my-gpt", env={})
            assert resolve_object(provider, given.get("model"))[1].name == "my-gpt"
            async with provider, Agent(provider=provider, **given) as agent:
                assert (await agent.run("hi")).ok
    assert [body["model"] for body in server.bodies] == ["my-gpt", "my-gpt"]


def synchronous() -> str:
    return TOKEN


async def asynchronous() -> str:
    return TOKEN


@OVER_EACH
@pytest.mark.parametrize("version", ["2024-10-21", "v1"])
@pytest.mark.parametrize(
    "given",
    [
        {"azure_ad_token": TOKEN},
        {"azure_ad_token_provider": synchronous},
        {"azure_ad_token_provider": asynchronous},
        {},
    ],
)
@pytest.mark.anyio
@pytest.mark.spec("H-PRV-06")
async def test_a_token_takes_the_place_of_the_key(transport: Any, version: str, given: Any) -> None:
    env = {} if given else {"AZURE_OPENAI_AD_TOKEN": f" {TOKEN}\n", "AZURE_OPENAI_API_KEY": KEY}
    with ModelServer([Say("hi")]) as server:
        provider = AzureOpenAIProvider(server.url, api_version=version, transport=transport, env=env, **given)
        async with provider:
            await collect(provider, request(model="my-gpt"))
    (sent,) = server.requests
    assert sent.headers["authorization"] == f"Bearer {TOKEN}"
    assert "api-key" not in sent.headers


@pytest.mark.anyio
async def test_a_token_is_asked_for_before_each_request_and_the_new_one_is_sent() -> None:
    tokens = iter(["first-token-1", "first-token-1", "second-token-2"])
    with ModelServer([Say("hi")] * 3) as server:
        provider = AzureOpenAIProvider(
            server.url, api_version="v1", azure_ad_token_provider=lambda: next(tokens), env={}
        )
        async with provider:
            for _ in range(3):
                await collect(provider, request(model="my-gpt"))
    assert [sent.headers["authorization"][-1] for sent in server.requests] == ["1", "1", "2"]
    assert [sent.connection for sent in server.requests] == [1, 1, 2]


def failing() -> str:
    raise RuntimeError(f"no login with {TOKEN}")


@pytest.mark.parametrize(
    ("provider", "said"),
    [(failing, "raised RuntimeError"), (lambda: "", "gave no token"), (lambda: None, "gave no token")],
)
@pytest.mark.anyio
async def test_a_token_that_cannot_be_had_sends_nothing_and_tells_no_secret(
    provider: Callable[[], Any], said: str
) -> None:
    with ModelServer([]) as server:
        async with AzureOpenAIProvider(server.url, api_version="v1", azure_ad_token_provider=provider, env={}) as azure:
            with pytest.raises(ProviderError, match=said) as caught:
                await collect(azure, request(model="my-gpt"))
    assert (caught.value.kind, caught.value.transient, server.requests) == ("auth", False, [])
    assert TOKEN not in str(caught.value)


@OVER_EACH
@pytest.mark.parametrize(
    ("given", "secret", "checks"),
    [
        ({"api_key": KEY}, KEY, "AZURE_OPENAI_API_KEY"),
        ({"azure_ad_token": TOKEN}, TOKEN, "AZURE_OPENAI_AD_TOKEN"),
        ({"azure_ad_token_provider": synchronous}, TOKEN, "the token provider"),
    ],
)
@pytest.mark.anyio
async def test_a_refused_secret_is_not_repeated_and_where_to_look_is_said(
    transport: Any, given: Any, secret: str, checks: str
) -> None:
    refusal = {"error": {"code": "401", "message": f"Access denied due to {secret}."}}
    with ModelServer([Status(401, raw=json.dumps(refusal).encode())]) as server:
        async with AzureOpenAIProvider(server.url, api_version="v1", transport=transport, env={}, **given) as provider:
            with pytest.raises(ProviderError) as caught:
                await collect(provider, request(model="my-gpt"))
            assert secret not in repr(provider)
    line = str(caught.value)
    assert line == f"Azure OpenAI refused the key (HTTP 401): check {checks}. It said: Access denied due to ***."


@OVER_EACH
@pytest.mark.parametrize(
    ("status", "error", "kind", "said"),
    [
        (
            404,
            {"code": "DeploymentNotFound", "message": "The API deployment does not exist."},
            "unknown_model",
            "my-gpt",
        ),
        (
            404,
            {"code": "404", "message": "Resource not found"},
            "unknown_model",
            "AZURE_OPENAI_ENDPOINT and OPENAI_API_V",
        ),
        (429, {"code": "429", "message": "retry after 6 seconds"}, "rate_limit", "limits the rate"),
        (400, {"code": "content_filter", "message": "filtered"}, "bad_request", "filtered"),
        (
            400,
            {"code": "context_length_exceeded", "message": "This model's maximum"},
            "too_long",
            "too long for my-gpt",
        ),
        (500, {"code": "InternalServerError", "message": "x"}, "server", "try again later"),
    ],
)
@pytest.mark.anyio
async def test_its_errors_are_told(transport: Any, status: int, error: Any, kind: str, said: str) -> None:
    with ModelServer([Status(status, raw=json.dumps({"error": error}).encode())]) as server:
        provider = reached(server.url, transport)
        with pytest.raises(ProviderError) as caught:
            await collect(provider, request(model="my-gpt"))
        await provider.aclose()
    assert (caught.value.kind, len(server.requests)) == (kind, 1)
    assert said in str(caught.value)


@pytest.mark.anyio
async def test_what_it_tells_of_its_filters_is_no_part_of_the_reply() -> None:
    filters = {"choices": [], "model": "", "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}
    events = [f"data: {json.dumps(filters)}\n\n".encode(), *render(Say("hi"), "openai-chat")]
    with ModelServer([Stream(events=events)]) as server:
        provider = reached(server.url)
        message = final(await collect(provider, request(model="my-gpt")))
        await provider.aclose()
    assert message.text == "hi"


@pytest.mark.parametrize(
    ("endpoint", "version", "url"),
    [
        ("https://r.openai.azure.com", "2024-10-21", f"https://r.openai.azure.com{DATED}"),
        ("https://r.openai.azure.com/openai/v1/", "", f"https://r.openai.azure.com{V1}"),
        ("https://r.openai.azure.com/openai/v1", "2024-10-21", f"https://r.openai.azure.com{DATED}"),
        (
            "https://r.services.ai.azure.com/api/projects/p/openai/v1",
            "",
            f"https://r.services.ai.azure.com/api/projects/p{V1}",
        ),
        (f"https://r.openai.azure.com{DATED.replace('my-gpt', 'x')}", "", f"https://r.openai.azure.com{DATED}"),
        (' "https://gw/team/openai"\n', "v1", f"https://gw/team{V1}"),
        (
            "http://localhost:8/",
            "2025-04-01-preview",
            "http://localhost:8" + DATED.replace("2024-10-21", "2025-04-01-preview"),
        ),
    ],
)
def test_an_address_may_be_written_as_any_page_shows_it(endpoint: str, version: str, url: str) -> None:
    assert read_resource(endpoint, version, used_for="azure/x").url("my-gpt") == url


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"AZURE_OPENAI_API_KEY": ""}, "set AZURE_OPENAI_API_KEY to use azure/my-gpt"),
        ({"AZURE_OPENAI_API_KEY": "a b"}, "AZURE_OPENAI_API_KEY has a blank"),
        ({"AZURE_OPENAI_ENDPOINT": " "}, "set AZURE_OPENAI_ENDPOINT to the address of the resource, https://NAME"),
        ({"AZURE_OPENAI_ENDPOINT": "r.openai.azure.com"}, "AZURE_OPENAI_ENDPOINT must be a URL like"),
        ({"AZURE_OPENAI_ENDPOINT": f"https://u:{KEY}@r.openai.azure.com"}, "AZURE_OPENAI_ENDPOINT must be a plain URL"),
        (
            {"OPENAI_API_VERSION": ""},
            "set OPENAI_API_VERSION to a date such as 2024-10-21, or to v1, to use azure/my-gpt",
        ),
        ({"OPENAI_API_VERSION": "latest&x=1"}, "OPENAI_API_VERSION must be a date such as"),
    ],
)
@pytest.mark.spec("H-PRV-03", "H-PRV-04")
def test_what_is_missing_is_one_line(changes: Mapping[str, str], message: str) -> None:
    with pytest.raises(ProviderError, match=message) as caught:
        reached("https://r.openai.azure.com", **changes)
    assert caught.value.kind == "config"
    assert KEY not in str(caught.value) and str(caught.value).isprintable()


def test_one_credential_is_given_and_a_blank_one_is_none() -> None:
    both: list[dict[str, Any]] = [{"azure_ad_token": TOKEN}, {"azure_ad_token_provider": synchronous}]
    for given in both:
        with pytest.raises(ProviderError, match="give one of api_key, azure_ad_token and azure_ad_token_provider"):
            AzureOpenAIProvider("https://h", KEY, "v1", env={}, **given)
    with pytest.raises(ProviderError, match="set AZURE_OPENAI_API_KEY"):
        AzureOpenAIProvider("https://h", "", "v1", env={"AZURE_OPENAI_API_KEY": KEY})
    reached("https://h", AZURE_OPENAI_AD_TOKEN=" ")


def test_a_deployment_that_is_named_as_its_model_has_that_models_limits_and_azures_price() -> None:
    ours, makers = find("azure", "gpt-4o"), find("openai", "gpt-4o")
    assert (ours.context_window, ours.capabilities) == (makers.context_window, makers.capabilities)
    assert (ours.input_price, ours.price_lists, priced(ours).input_price) == (None, ("azure",), 2.5)
    unknown = find("azure", "our-chat")
    assert (unknown.context_window, priced(unknown).input_price) == (None, None)


@pytest.mark.parametrize(("model", "effort"), [("gpt-5.6-sol", "none"), ("our-chat", "high"), ("gpt-4o", None)])
@pytest.mark.anyio
async def test_a_model_that_is_known_by_its_name_is_asked_in_its_way(model: str, effort: str | None) -> None:
    with ModelServer([Say("hi")]) as server:
        async with AzureOpenAIProvider(server.url, KEY, "v1", env={}) as provider:
            await collect(provider, request(model=model, effort="high"))
    assert server.bodies[0].get("reasoning_effort") == effort
