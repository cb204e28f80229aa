from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.providers.support import KEY, collect, final
from xun.providers import registry
from xun.providers.base import ModelInfo, ProviderError
from xun.providers.models import default_model
from xun.providers.registry import ProviderSettings, register_provider, resolve, resolve_object
from xun.providers.remote import RemoteProvider
from xun.providers.scripted import ScriptedProvider

ALL = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}
ROUTED = {"OPENROUTER_API_KEY": KEY}
AZURE = {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_DEPLOYMENT": "my-gpt"}
CHAT = "/v1/chat/completions"
NOTHING = {"XUN_LOCAL_SERVERS": "off"}
COMPATIBLE = {"XUN_OPENAI_BASE_URL": "http://localhost:8080", "XUN_OPENAI_MODEL": "local/qwen"}


def found(model: str | None, env: Mapping[str, str]) -> tuple[str, ModelInfo]:
    """The URL a model is reached at, and what is known about it."""
    provider, info = resolve(model, env=env)
    assert isinstance(provider, RemoteProvider)
    return provider.transport.target.url, info


@pytest.mark.spec("H-PRV-01", "H-PRV-02")
@pytest.mark.parametrize(
    ("model", "env", "url", "provider", "name"),
    [
        ("anthropic/claude-x", ALL, "https://api.anthropic.com/v1/messages", "anthropic", "claude-x"),
        ("openai/gpt-x", ALL, "https://api.openai.com/v1/responses", "openai", "gpt-x"),
        ("openai-chat/gpt-x", ALL, "https://api.openai.com/v1/chat/completions", "openai-chat", "gpt-x"),
        ("openai-chat/a/b", ALL | COMPATIBLE, "http://localhost:8080/v1/chat/completions", "openai-chat", "a/b"),
        ("anthropic/c", ALL | {"ANTHROPIC_BASE_URL": "https://gw/x/"}, "https://gw/x/v1/messages", "anthropic", "c"),
        ("openai/g", ALL | {"OPENAI_BASE_URL": "https://gw/v2"}, "https://gw/v2/responses", "openai", "g"),
        ("openrouter/a/b:free", ROUTED, "https://openrouter.ai/api/v1/chat/completions", "openrouter", "a/b:free"),
        ("openrouter/a/b", ROUTED | {"OPENROUTER_BASE_URL": "https://gw"}, f"https://gw{CHAT}", "openrouter", "a/b"),
        ("ollama/qwen3:8b", {}, f"http://127.0.0.1:11434{CHAT}", "ollama", "qwen3:8b"),
        ("ollama/q", {"OLLAMA_HOST": "box"}, f"http://box:11434{CHAT}", "ollama", "q"),
        ("ollama/q", {"OLLAMA_HOST": "0.0.0.0:80"}, f"http://127.0.0.1:80{CHAT}", "ollama", "q"),
        ("ollama/q", {"OLLAMA_HOST": ":80"}, f"http://127.0.0.1:80{CHAT}", "ollama", "q"),
        ("ollama/q", {"OLLAMA_HOST": "[::1]"}, f"http://[::1]:11434{CHAT}", "ollama", "q"),
        ("ollama/q", {"OLLAMA_HOST": "[::1]:9"}, f"http://[::1]:9{CHAT}", "ollama", "q"),
        ("ollama/q", {"OLLAMA_HOST": "https://box/"}, f"https://box{CHAT}", "ollama", "q"),
        ("ollama/q", {"OLLAMA_HOST": "box/ollama"}, f"http://box:11434/ollama{CHAT}", "ollama", "q"),
        (" openai/g\n", ALL, "https://api.openai.com/v1/responses", "openai", "g"),
    ],
)
def test_a_name_becomes_a_provider(model: str, env: dict[str, str], url: str, provider: str, name: str) -> None:
    address, info = found(model, env)
    assert (address, info.provider, info.name) == (url, provider, name)


@pytest.mark.parametrize(
    ("env", "name"),
    [
        (ALL | COMPATIBLE, f"anthropic/{default_model('anthropic')}"),
        ({"OPENAI_API_KEY": KEY} | COMPATIBLE, f"openai/{default_model('openai')}"),
        ({"ANTHROPIC_API_KEY": " \n", "OPENAI_API_KEY": KEY}, f"openai/{default_model('openai')}"),
        (COMPATIBLE, "openai-chat/local/qwen"),
        (ROUTED | COMPATIBLE, "openai-chat/local/qwen"),
        (ROUTED, f"openrouter/{default_model('openrouter')}"),
        (AZURE | ROUTED, f"openrouter/{default_model('openrouter')}"),
    ],
)
def test_without_a_name_the_first_provider_with_a_key_is_taken(env: dict[str, str], name: str) -> None:
    _, info = found(None, env)
    assert f"{info.provider}/{info.name}" == name


@pytest.mark.parametrize(
    ("model", "env", "message"),
    [
        (None, NOTHING, "no model is set up: set ANTHROPIC_API_KEY, OPENAI_API_KEY,.* such as Ollama"),
        ("", NOTHING, "no model is set up"),
        (None, {"XUN_OPENAI_BASE_URL": "http://localhost:8080"}, "set XUN_OPENAI_MODEL to a model of the server"),
        (None, AZURE | {"AZURE_OPENAI_DEPLOYMENT": ""}, "set AZURE_OPENAI_DEPLOYMENT to a model of the server"),
        (None, {"AZURE_OPENAI_AD_TOKEN": KEY}, "set AZURE_OPENAI_DEPLOYMENT to a model of the server"),
        (None, AZURE, "set AZURE_OPENAI_ENDPOINT"),
        ("anthropic/claude-x", {}, "set ANTHROPIC_API_KEY to use anthropic/claude-x"),
        ("openai/gpt-x", {"OPENAI_API_KEY": '""'}, "set OPENAI_API_KEY"),
        ("openrouter/x", ALL, "set OPENROUTER_API_KEY to use openrouter/x"),
        ("gemini/x", ALL, "set GEMINI_API_KEY to use gemini/x"),
        ("gemini-3.8-flash", ALL, "needs its provider: gemini/gemini-3.8-flash"),
        ("azure/x", ALL, "set AZURE_OPENAI_API_KEY to use azure/x"),
        ("ollama/x", {"OLLAMA_HOST": "http://u:p@h"}, "OLLAMA_HOST must be a plain URL"),
        ("nobody/x", ALL, "no provider is called 'nobody'"),
        ("claude-sonnet-5-5", ALL, "needs its provider: anthropic/claude-sonnet-5-5"),
        ("gpt-5", ALL, "needs its provider: openai/gpt-5"),
        ("anthropic/", ALL, "names no model: write anthropic/NAME"),
        ("anthropic/claude test", ALL, "'anthropic/claude test' names no model: there is a blank in it"),
        ("openai/gpt-5\tx", ALL, "names no model: there is a blank in it"),
        ("what?", ALL, "does not name a model"),
        ("scripted:none.json", {}, "none.json: cannot be read"),
    ],
)
def test_what_cannot_be_used_is_one_line_that_says_what_to_do(model: Any, env: dict[str, str], message: str) -> None:
    with pytest.raises(ProviderError, match=message) as caught:
        resolve(model, env=env)
    assert caught.value.kind == "config"
    assert KEY not in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.anyio
async def test_scripted_and_demo_need_no_key(work: Path) -> None:
    (work / "deep").mkdir()
    (work / "deep" / "s.json").write_text('[{"text": "hi"}]')
    provider, info = resolve("scripted:deep/s.json", env={})
    elsewhere, _ = resolve("scripted:s.json", env={}, settings=ProviderSettings(cwd=work / "deep"))
    assert final(await collect(provider)).text == final(await collect(elsewhere)).text == "hi"
    assert (info.provider, info.name) == ("scripted", "s.json")
    demo, info = resolve("demo", env={})
    assert (demo.name, info.provider) == ("demo", "demo")


def test_a_registered_provider_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    register_provider("mine", lambda model, env, settings: ScriptedProvider([{"text": model}], name=env["NAME"]))
    provider, info = resolve("mine/a/b", env={"NAME": "of the env"})
    assert (provider.name, info.provider, info.name) == ("of the env", "mine", "a/b")
    with pytest.raises(ProviderError, match="mine/NAME"):
        resolve("nobody/x", env={})
    for name in ("mine", "anthropic", "demo", "gemini", "a/b", "scripted:x", ""):
        with pytest.raises(ValueError, match="provider name"):
            register_provider(name, lambda model, env, settings: ScriptedProvider([]))


def test_a_provider_object_is_itself() -> None:
    own = ScriptedProvider([])
    assert resolve_object(own) == (own, ModelInfo("scripted", "scripted", capabilities=frozenset({"tools"})))
    assert resolve_object(own, "m")[1].name == "m"
    with pytest.raises(ProviderError, match="int is neither a provider nor a client"):
        resolve_object(3)


@pytest.mark.anyio
@pytest.mark.spec("H-PRV-12")
async def test_a_provider_is_a_context_manager() -> None:
    provider, _ = resolve("anthropic/claude-x", env=ALL)
    assert isinstance(provider, RemoteProvider)
    async with provider as entered:
        assert entered is provider
