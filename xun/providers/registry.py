"""From the name of a model, or an object that can reach one, to a provider."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from xun.providers import detect, errors, models
from xun.providers.base import ModelInfo, Provider, ProviderError
from xun.providers.endpoints import is_official, read_base_url, read_key
from xun.providers.http import CONNECT_TIMEOUT, IDLE_TIMEOUT, HttpTransport
from xun.providers.remote import RemoteProvider
from xun.providers.transport import Target, Transport, Wire


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """How to reach models. Times in seconds; a relative `scripted:FILE` starts at `cwd` (default: here).

    `key_places` says where keys are from, by variable, where that is not the environment: errors name it.
    """

    transport: Literal["http", "sdk"] = "http"
    connect_timeout: float = CONNECT_TIMEOUT
    idle_timeout: float = IDLE_TIMEOUT
    cwd: Path | None = None
    key_places: Mapping[str, str] = field(default_factory=dict)


Factory = Callable[[str, Mapping[str, str], ProviderSettings], Provider]

_DEFAULTS = ProviderSettings()
_NOT_BUILT = ("openrouter", "azure", "gemini", "ollama")
_BUILT_IN = ("anthropic", "openai", "openai-chat")
_registered: dict[str, Factory] = {}


def register_provider(name: str, factory: Factory) -> None:
    """Makes `name/MODEL` mean `factory(MODEL, env, settings)`. Raises `ValueError` for a taken name."""
    if "/" in name or ":" in name or not name:
        raise ValueError(f"a provider name has no '/' or ':' and is not empty, unlike {name!r}")
    if name in (*_BUILT_IN, *_NOT_BUILT, *_registered, "scripted", "demo"):
        raise ValueError(f"the provider name {name!r} is taken")
    _registered[name] = factory


def resolve(
    model: str | None, *, env: Mapping[str, str], settings: ProviderSettings = _DEFAULTS
) -> tuple[Provider, ModelInfo]:
    """The provider for `model`, or for the first that `env` has a key for, and the facts about the model.

    Where there is neither, a local server that answers is taken: looking for one blocks for a third of a second
    at most. Else nothing is sent, and no client is opened. Raises `ProviderError` (kind "config") in one line
    that says what to set.
    """
    name = (model or "").strip()
    if not name:
        name, env = _first(env)
    if name == "demo" or name.startswith("scripted:"):
        return _scripted(name, settings)
    prefix, _, rest = name.partition("/")
    if not rest:
        raise ProviderError("config", _no_prefix(name))
    if re.search(r"\s", name):
        raise ProviderError("config", f"{errors.clean(name, 80)!r} names no model: there is a blank in it")
    if prefix in _registered:
        return _registered[prefix](rest, env, settings), models.find(prefix, rest)
    if prefix in _NOT_BUILT:
        raise ProviderError("config", f"{prefix}/… is not built yet; {_known()}")
    if prefix not in _BUILT_IN:
        raise ProviderError("config", f"no provider is called {errors.clean(prefix, 60)!r}; {_known()}")
    if prefix == "openai-chat" and not any(env.get(variable, "").strip() for variable in _CHAT_VARIABLES):
        env = _served_locally(rest, env)
    return _remote(prefix, rest, env, settings)


def _scripted(name: str, settings: ProviderSettings) -> tuple[Provider, ModelInfo]:
    from xun.providers.scripted import ScriptedProvider

    if name == "demo":
        return ScriptedProvider.demo(), _free("demo", "demo")
    file = name.removeprefix("scripted:").strip()
    if not file:
        raise ProviderError("config", "scripted: names no file; give one with replies, such as scripted:replies.json")
    path = (settings.cwd or Path()) / os.path.expanduser(file)  # noqa: PTH111 - it never raises, even for nobody's home
    return ScriptedProvider.from_file(path), _free("scripted", path.name)


def _free(provider: str, name: str) -> ModelInfo:
    return ModelInfo(provider, name, capabilities=frozenset({"tools"}), input_price=0.0, output_price=0.0)


def resolve_object(
    provider: Any, model: str | None = None, *, settings: ProviderSettings = _DEFAULTS
) -> tuple[Provider, ModelInfo]:
    """The same for an object: a `Provider`, or an asynchronous client of the `anthropic` or `openai` package.

    `model` is the plain name, required with a client. Raises `ProviderError` (kind "config").
    """
    from xun.providers.sdk import SdkTransport, client_kind

    prefix = client_kind(provider)
    if prefix is None:
        if not callable(getattr(provider, "stream", None)):
            kind = type(provider).__name__
            raise ProviderError("config", f"{kind} is neither a provider nor a client of anthropic or openai")
        name = model or provider.name
        return cast(Provider, provider), models.find(provider.name, name)
    if not model:
        raise ProviderError("config", f"name the model to use with this {type(provider).__name__}")
    url = str(getattr(provider, "base_url", "")).rstrip("/")
    official = is_official(url, _OFFICIAL[prefix][0])
    # Who serves an OpenAI client elsewhere (Azure, a local server) surely knows Chat Completions, perhaps no more.
    spoken = prefix if prefix == "anthropic" or official else "openai-chat"
    secret = getattr(provider, "api_key", None)
    target = Target(
        prefix,
        type(provider).__name__,
        url,
        "the client's key",
        "the client's base URL",
        secret=secret if isinstance(secret, str) else "",
    )
    transport = SdkTransport(
        target,
        _WIRES[spoken],
        client=provider,
        connect_timeout=settings.connect_timeout,
        idle_timeout=settings.idle_timeout,
    )
    info = _priced_at(url, models.find(prefix, model))
    return RemoteProvider(_wire(spoken, target, official), transport), info


_OFFICIAL = {
    "anthropic": ("api.anthropic.com", "https://api.anthropic.com"),
    "openai": ("api.openai.com", "https://api.openai.com/v1"),
}


def _first(env: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    """The name of the first model there is, and the environment in which it is reached."""
    for found in detect.configured(env):
        if found.model is None:
            detail = "set XUN_OPENAI_MODEL to a model of the server at XUN_OPENAI_BASE_URL"
            raise ProviderError("config", detail)
        return found.model, env
    for found in detect.local_servers_now(env):
        if found.model is not None:
            return found.model, _reaching(found, env)
    raise ProviderError(
        "config",
        "no model is set up: set ANTHROPIC_API_KEY, OPENAI_API_KEY,"
        " or XUN_OPENAI_BASE_URL and XUN_OPENAI_MODEL; or start a local server, such as Ollama; or try --model demo",
    )


def _served_locally(model: str, env: Mapping[str, str]) -> Mapping[str, str]:
    """`env`, with the address of the local server that has `model`, where there is one: a session may name it."""
    servers = detect.local_servers_now(env)
    return next((_reaching(found, env) for found in servers if model in found.models), env)


def _reaching(found: detect.Found, env: Mapping[str, str]) -> dict[str, str]:
    # A key that is set was meant for another server.
    return {**env, "XUN_OPENAI_BASE_URL": found.base_url, "XUN_OPENAI_API_KEY": ""}


_CHAT_VARIABLES = ("XUN_OPENAI_BASE_URL", "OPENAI_API_KEY")


def _no_prefix(name: str) -> str:
    shown = errors.clean(name, 80)
    for prefix, starts in (("anthropic", ("claude",)), ("openai", ("gpt", "o1", "o3", "o4"))):
        if name.startswith(starts):
            return f"the model {shown!r} needs its provider: --model {prefix}/{shown}"
    return f"{shown!r} does not name a model; {_known()}"


def _known() -> str:
    names = [f"{name}/NAME" for name in (*_BUILT_IN, *_registered)]
    return f"use one of {', '.join(names)}, scripted:FILE, demo"


def _remote(prefix: str, model: str, env: Mapping[str, str], settings: ProviderSettings) -> tuple[Provider, ModelInfo]:
    compatible = prefix == "openai-chat" and bool(env.get("XUN_OPENAI_BASE_URL", "").strip())
    service = "anthropic" if prefix == "anthropic" else "openai"
    variables = "ANTHROPIC" if prefix == "anthropic" else "XUN_OPENAI" if compatible else "OPENAI"
    key_variable, url_variable = f"{variables}_API_KEY", f"{variables}_BASE_URL"
    host, default_url = _OFFICIAL[service]
    base = read_base_url(env, url_variable, default_url)
    key = read_key(env, key_variable)
    if key is None and not compatible:
        raise ProviderError("config", f"set {key_variable} to use {prefix}/{model}, or try --model demo")
    official = is_official(base, host)
    target = Target(
        name=prefix,
        label={"anthropic": "Anthropic", "openai": "OpenAI"}[service] if official else "the model server",
        url=f"{base}{_PATHS[prefix]}",
        key_variable=settings.key_places.get(key_variable, key_variable),
        url_variable=url_variable,
        suggestion=models.default_model(service) if official else "",
        secret=key or "",
    )
    provider = RemoteProvider(_wire(prefix, target, official), _transport(target, prefix, base, key, settings))
    info = _priced_at(base, models.find(service if official else prefix, model))
    return provider, replace(info, provider=prefix)


def _priced_at(url: str, info: ModelInfo) -> ModelInfo:
    """`info`, which may have its price from whoever serves it at `url`, if nothing nearer knows it."""
    return info if info.input_price is not None else replace(info, price_lists=(url, *info.price_lists))


_PATHS = {"anthropic": "/messages", "openai": "/responses", "openai-chat": "/chat/completions"}
_WIRES = {"anthropic": "anthropic", "openai": "openai-responses", "openai-chat": "openai-chat"}


def _wire(prefix: str, target: Target, official: bool) -> Wire:
    # Only the wire that is spoken is loaded: start-up is the sum of such things.
    if prefix == "anthropic":
        from xun.providers.anthropic import AnthropicWire

        return AnthropicWire(target, official=official)
    if prefix == "openai":
        from xun.providers.openai_responses import OpenAIResponsesWire

        return OpenAIResponsesWire(target, official=official)
    from xun.providers.openai_chat import OpenAIChatWire

    return OpenAIChatWire(target, official=official)


def _transport(target: Target, prefix: str, base: str, key: str | None, settings: ProviderSettings) -> Transport:
    times = {"connect_timeout": settings.connect_timeout, "idle_timeout": settings.idle_timeout}
    if settings.transport == "sdk":
        from xun.providers.sdk import SdkTransport, new_client

        # Servers without a key exist, but the SDKs insist on one.
        return SdkTransport(target, _WIRES[prefix], make=lambda: new_client(prefix, base, key or "none"), **times)
    if key is None:
        return HttpTransport(target, {}, **times)
    headers = {"x-api-key": key} if prefix == "anthropic" else {"authorization": f"Bearer {key}"}
    return HttpTransport(target, headers, **times)
