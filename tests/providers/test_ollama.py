"""Ollama by its own name: no key unless there is one, and the common form of Chat Completions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.support import KEY, collect, final, request
from tests.wire.server import ModelServer
from tests.wire.streams import Call, Say
from tests.wire.validators import STRICT
from xun.providers.base import ProviderError
from xun.providers.registry import ProviderSettings, resolve

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("transport", ["http", "sdk"])
@pytest.mark.parametrize(("key", "sent_key"), [("", None), (KEY, f"Bearer {KEY}")])
async def test_a_whole_exchange(transport: Any, key: str, sent_key: str | None) -> None:
    with ModelServer(
        [Say("Listing.", [Call("bash", {"command": "ls"})], thinking="Look.")], validators=STRICT
    ) as server:
        env = {
            "OLLAMA_HOST": server.url.removeprefix("http://"),
            "OLLAMA_API_KEY": key,
            "XUN_OPENAI_API_KEY": "another",
        }
        provider, info = resolve("ollama/qwen3:8b", env=env, settings=ProviderSettings(transport=transport))
        message = final(await collect(provider, request(model=info.name, max_tokens=9, effort="low")))
        await provider.aclose()
    (sent,) = server.requests
    assert sent.path == "/v1/chat/completions"
    assert sent.headers.get("authorization") in (sent_key, "Bearer none" if transport == "sdk" else None)
    assert (sent.body["max_tokens"], sent.body["reasoning_effort"]) == (9, "low")
    assert "prompt_cache_key" not in sent.body
    assert message.calls[0].name == "bash"
    assert message.reply is not None and message.reply.provider == "ollama"
    assert (info.input_price, info.context_window) == (None, None)


async def test_when_it_does_not_run_what_to_check_is_said() -> None:
    with ModelServer([]) as server:
        address = server.url
    provider, _ = resolve("ollama/qwen3:8b", env={"OLLAMA_HOST": address})
    with pytest.raises(ProviderError, match=f"Ollama at {address}.*connection was refused; check OLLAMA_HOST"):
        await collect(provider, request(model="qwen3:8b"))
    await provider.aclose()
