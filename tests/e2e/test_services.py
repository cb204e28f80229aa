"""Runs with services that have ways of their own: what reaches them, what is told, and where their keys never show."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.support import KEY, xun
from tests.wire.server import ModelServer, Status
from tests.wire.streams import Call, Say
from tests.wire.validators import STRICT
from xun import Agent

TOKEN = "eyJ0eXAi.a-token-of-entra-0123456789.sig"


@dataclass(frozen=True)
class Reached:
    """A service: the model to name, its variables ("URL" stands for the server), the path, and the headers it wants."""

    model: str
    variables: dict[str, str]
    path: str
    headers: dict[str, str]
    secret: str = KEY

    def env(self, url: str) -> dict[str, str]:
        return {name: value.replace("URL", url) for name, value in self.variables.items()}


BEARER = {"authorization": f"Bearer {KEY}"}
AZURE = {"AZURE_OPENAI_ENDPOINT": "URL", "OPENAI_API_VERSION": "2024-10-21"}
DATED = "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"
SERVICES = [
    Reached(
        "openrouter/a/b:free",
        {"OPENROUTER_API_KEY": KEY, "OPENROUTER_BASE_URL": "URL/api/v1"},
        "/api/v1/chat/completions",
        BEARER | {"x-title": "xun"},
    ),
    Reached(
        "gemini/gemini-2.5-pro",
        {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": "URL"},
        "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
        {"x-goog-api-key": KEY},
    ),
    Reached("azure/my-gpt", AZURE | {"AZURE_OPENAI_API_KEY": KEY}, DATED, {"api-key": KEY}),
    Reached(
        "azure/my-gpt", AZURE | {"AZURE_OPENAI_AD_TOKEN": TOKEN}, DATED, {"authorization": f"Bearer {TOKEN}"}, TOKEN
    ),
    Reached("ollama/qwen3:8b", {"OLLAMA_HOST": "URL", "OLLAMA_API_KEY": KEY}, "/v1/chat/completions", BEARER),
]
each = pytest.mark.parametrize("service", SERVICES, ids=["openrouter", "gemini", "azure", "azure-token", "ollama"])


def kept(log: Path) -> Iterator[str]:
    """All that a run left behind."""
    for place in (Path(os.environ["XUN_HOME"]), log.parent):
        yield from (file.read_text(errors="replace") for file in place.rglob("*") if file.is_file())


@each
@pytest.mark.spec("H-PRV-01", "W22")
def test_a_run_reaches_it_and_leaves_no_key_behind(service: Reached, tmp_path: Path) -> None:
    script = [Say(calls=[Call("bash", {"command": "printenv"})]), Say("Done.", cache_read=3)]
    with ModelServer(script, validators=STRICT) as server:
        env = service.env(server.url) | {"XUN_LOG": str(tmp_path / "log")}
        done = xun("run", "--model", service.model, "--output", "json", "--allow", "printenv", "hello", env=env)
    assert (done.code, done.result["output"], done.result["model"]) == (0, "Done.", service.model), done.err
    assert done.result["usage"]["cache_read_input_tokens"] == 3
    assert server.refusals == []
    assert [sent.path for sent in server.requests] == [service.path] * 2
    for sent in server.requests:
        assert service.headers.items() <= sent.headers.items()
        assert "prompt_cache_key" not in sent.body
        assert service.secret not in json.dumps(sent.body)
    assert any("Done." in text for text in kept(tmp_path / "log"))
    assert not any(service.secret in text for text in (done.out, done.err, *kept(tmp_path / "log")))


@each
def test_a_key_that_it_refuses_and_repeats_is_shown_nowhere(service: Reached, tmp_path: Path) -> None:
    refusal = {"error": {"code": "invalid_api_key", "message": f"Bad key {service.secret}."}}
    with ModelServer([Status(401, raw=json.dumps(refusal).encode())]) as server:
        env = service.env(server.url) | {"XUN_LOG": str(tmp_path / "log")}
        done = xun("run", "--model", service.model, "hello", env=env)
    assert (done.code, len(server.requests)) == (1, 1)
    variable = next(name for name, value in service.variables.items() if value == service.secret)
    assert f"refused the key (HTTP 401): check {variable}. It said: Bad key ***." in done.err
    assert not any(service.secret in text for text in (done.out, done.err, *kept(tmp_path / "log")))


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.anyio
@pytest.mark.spec("H-PRV-11")
async def test_one_agent_goes_from_service_to_service(streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    models = ["anthropic/claude-test", "openai/gpt-5", "openai-chat/gpt-4o", *(one.model for one in SERVICES)]
    script = [
        reply
        for number in range(len(models))
        for reply in (Say(calls=[Call("double", {"n": number})], thinking="Hm."), Say(f"It is {2 * number}."))
    ]
    with ModelServer(script, validators=STRICT) as server:
        own = {f"{name}_{item}": value for name in ("ANTHROPIC", "OPENAI") for item, value in [("API_KEY", KEY)]}
        own |= {f"{name}_BASE_URL": server.url for name in ("ANTHROPIC", "OPENAI")}
        for name, value in [*own.items(), *(pair for one in SERVICES for pair in one.env(server.url).items())]:
            monkeypatch.setenv(name, value)
        async with Agent(models[0], tools=[double]) as agent:
            for number, model in enumerate(models):
                agent.set_model(model)
                if streamed:
                    async with agent.run_stream("Double it") as stream:
                        async for _ in stream:
                            pass
                    result = stream.result
                else:
                    result = await agent.run("Double it")
                assert result is not None
                assert result.raise_for_status().output == f"It is {2 * number}."
    assert server.refusals == []


def double(n: int) -> int:
    """Twice n."""
    return 2 * n
