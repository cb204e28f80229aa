"""The SDK transport: the contract, and what only it does.

The one module that imports the SDKs. They take seconds, so tests do it where they run, not each process that collects.
"""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from pydantic import TypeAdapter

from tests.providers.contract import TransportContract
from tests.providers.support import KEY, WIRES, collect, final, request
from tests.wire.responses import failed
from tests.wire.server import ModelServer, Status
from tests.wire.streams import ANTHROPIC, OPENAI, RESPONSES, Call, Say, render
from xun.providers.base import ProviderError
from xun.providers.registry import resolve_object


class TestSdk(TransportContract):
    transport = "sdk"


def client(wire: str, url: str, **settings: Any) -> Any:
    import anthropic
    import openai

    if wire == ANTHROPIC:
        return anthropic.AsyncAnthropic(api_key=KEY, base_url=url, **settings)
    return openai.AsyncOpenAI(api_key=KEY, base_url=f"{url}/v1", **settings)


class _Elsewhere(httpx2.AsyncHTTPTransport):
    """Carries the requests for any host to a loopback server."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = httpx2.URL(url)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(scheme="http", host=self._url.host, port=self._url.port)
        return await super().handle_async_request(request)


@pytest.mark.anyio
async def test_a_client_of_openai_itself_speaks_responses() -> None:
    import openai

    with ModelServer([Say("hi")]) as server:
        own = openai.AsyncOpenAI(api_key=KEY, http_client=httpx2.AsyncClient(transport=_Elsewhere(server.url)))
        provider, info = resolve_object(own, "gpt-5")
        assert final(await collect(provider, request(model="gpt-5"))).text == "hi"
        await own.close()
    assert (server.requests[0].path, info.provider) == ("/v1/responses", "openai")


@pytest.mark.parametrize("wire", [ANTHROPIC, OPENAI])
@pytest.mark.anyio
async def test_a_client_of_the_caller_is_used_and_left_open(wire: str) -> None:
    with ModelServer([Say("hi"), Say("still here")]) as server, _closing(client(wire, server.url)) as own:
        provider, info = resolve_object(own.client, "claude-haiku-4-5")
        for text in ("hi", "still here"):
            assert final(await collect(provider, request(model=info.name))).text == text
            await provider.aclose()
        await own.client.close()
    assert server.bodies[0]["model"] == "claude-haiku-4-5"
    assert info.provider == {ANTHROPIC: "anthropic", OPENAI: "openai"}[wire]


def test_a_prefix_is_no_part_of_a_name_at_the_makers_own_service() -> None:
    import anthropic
    import openai

    own = anthropic.AsyncAnthropic(api_key=KEY)
    assert resolve_object(own, "anthropic/claude-sonnet-4-6")[1].full_name == "anthropic/claude-sonnet-4-6"
    assert resolve_object(openai.AsyncOpenAI(api_key=KEY), "openai/gpt-5")[1].full_name == "openai/gpt-5"
    gateway = openai.AsyncOpenAI(api_key=KEY, base_url="https://gateway.example/v1")
    assert resolve_object(gateway, "openai/gpt-5")[1].name == "openai/gpt-5"
    with pytest.raises(ProviderError, match="name the model to use with this AsyncAnthropic"):
        resolve_object(own, "anthropic/")


class _closing:  # noqa: N801 - reads as contextlib.closing
    def __init__(self, given: Any) -> None:
        self.client = given

    def __enter__(self) -> _closing:
        return self

    def __exit__(self, *exc: object) -> None:
        assert self.client.is_closed()


@pytest.mark.anyio
@pytest.mark.spec("H-RTY-03")
async def test_a_client_of_the_caller_keeps_its_retries() -> None:
    with ModelServer([Status(500, headers={"retry-after-ms": "1"}), Say("second try")]) as server:
        own = client(ANTHROPIC, server.url, max_retries=1)
        provider, _ = resolve_object(own, "claude-test")
        assert final(await collect(provider)).text == "second try"
        await own.close()


def test_a_synchronous_client_is_refused() -> None:
    import anthropic
    import openai

    for own in (anthropic.Anthropic(api_key=KEY), openai.OpenAI(api_key=KEY)):
        with pytest.raises(ProviderError, match=f"Async{type(own).__name__} instead of"):
            resolve_object(own, "claude-test")
        own.close()


@pytest.mark.anyio
async def test_a_client_needs_the_name_of_a_model() -> None:
    own = client(ANTHROPIC, "http://127.0.0.1:1")
    with pytest.raises(ProviderError, match="name the model"):
        resolve_object(own)
    await own.close()


@pytest.mark.anyio
async def test_an_azure_client_reaches_its_deployment() -> None:
    import openai

    with ModelServer([Say("from azure")]) as server:
        own = openai.AsyncAzureOpenAI(api_key=KEY, azure_endpoint=server.url, api_version="2026-01-01")
        provider, _ = resolve_object(own, "my-deployment")
        assert final(await collect(provider, request(model="my-deployment"))).text == "from azure"
        await own.close()
    path = server.requests[0].path
    assert path == "/openai/deployments/my-deployment/chat/completions?api-version=2026-01-01"


SAYS = [
    Say("hi"),
    Say("Listing.", [Call("bash", {"command": "ls"}), Call("pwd")], thinking="Look.", redacted="cmVk"),
    Say(calls=[Call("write", '{"path":"cut')], stop="max_tokens", cache_read=3, cache_write=4),
    Say("no", stop="refusal", usage=False),
]


@pytest.mark.parametrize("say", SAYS)
def test_what_the_fake_server_sends_is_what_anthropic_defines(say: Say) -> None:
    from anthropic.types import RawMessageStreamEvent

    adapter: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
    payloads = [json.loads(event.split(b"data: ")[1]) for event in render(say, ANTHROPIC)]
    for payload in payloads:
        if payload["type"] != "ping":
            assert adapter.validate_python(payload, strict=True).type == payload["type"]
    assert payloads[-1] == {"type": "message_stop"}


@pytest.mark.parametrize("say", SAYS)
def test_what_the_fake_server_sends_is_what_openai_defines(say: Say) -> None:
    from openai.types.chat import ChatCompletionChunk

    *events, done = render(say, OPENAI)
    assert done == b"data: [DONE]\n\n"
    for event in events:
        chunk = ChatCompletionChunk.model_validate_json(event.removeprefix(b"data: "), strict=True)
        assert chunk.object == "chat.completion.chunk"


@pytest.mark.parametrize("say", SAYS)
def test_what_the_fake_server_sends_is_what_openai_defines_for_responses(say: Say) -> None:
    from openai.types.responses import ResponseStreamEvent

    adapter: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    events = [*render(say, RESPONSES), failed(say, 1, "server_error", "broken")]
    payloads = [json.loads(event.split(b"data: ")[1]) for event in events]
    for payload in payloads:
        assert adapter.validate_python(payload, strict=True).type == payload["type"]
    assert payloads[-2]["type"] == ("response.incomplete" if say.stop == "max_tokens" else "response.completed")


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.anyio
async def test_the_sdks_read_the_fake_server_as_we_do(wire: str) -> None:
    said = Say("Listing.", [Call("bash", {"command": "ls"})])
    ask: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    with ModelServer([said]) as server:
        own = client(wire, server.url, max_retries=0)
        if wire == ANTHROPIC:
            async with own.messages.stream(max_tokens=9, **ask) as stream:
                message = await stream.get_final_message()
            text, tool = message.content
            assert (text.text, tool.input, message.stop_reason) == ("Listing.", {"command": "ls"}, "tool_use")
        elif wire == RESPONSES:
            async with own.responses.stream(model="m", input="hi") as stream:
                answer = await stream.get_final_response()
            message, tool = answer.output
            assert (message.content[0].text, tool.arguments) == ("Listing.", '{"command": "ls"}')
        else:
            async with own.chat.completions.stream(**ask) as stream:
                completion = await stream.get_final_completion()
            (choice,) = completion.choices
            assert choice.message.content == "Listing."
            assert choice.message.tool_calls[0].function.arguments == '{"command": "ls"}'
        await own.close()
