"""From the name of a model, or an object that can reach one, to a provider."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, cast

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import is_async, text
from xun.providers import detect, errors, models, services
from xun.providers.base import MissingKeyError, ModelConfigurationError, ModelInfo, Provider
from xun.providers.dialect import ChatDialect
from xun.providers.endpoints import is_official, read_base_url, read_key
from xun.providers.http import CONNECT_TIMEOUT, IDLE_TIMEOUT, HttpTransport
from xun.providers.remote import RemoteProvider
from xun.providers.services import Service
from xun.providers.transport import Target, Transport, Wire


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """How to reach models. Times in seconds; a relative `scripted:FILE` starts at `cwd` (default: here).

    `key_places` says where keys are from, by variable, where that is not the environment: errors name it. `models`
    are those to take of a provider when none is named, by prefix, where they are not its usual ones.
    """

    transport: Literal["http", "sdk"] = "http"
    connect_timeout: float = CONNECT_TIMEOUT
    idle_timeout: float = IDLE_TIMEOUT
    cwd: Path | None = None
    key_places: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)


Factory = Callable[[str, Mapping[str, str], ProviderSettings], Provider]

_DEFAULTS = ProviderSettings()
_registered: dict[str, Factory] = {}


def register_provider(name: str, factory: Factory) -> None:
    """Makes `name/MODEL` mean `factory(MODEL, env, settings)`, in this process.

    `env` are the variables, with what the configuration says in place of unset ones. Raises `ConfigurationError`, a
    `ValueError`, for a name that is taken or none.
    """
    if not re.fullmatch(r"[^\s/:]+", text("the name of a provider", name)):
        raise ConfigurationError(f"a provider name has no '/' or ':', no blanks and is not empty, unlike {name!r}")
    if not callable(factory) or is_async(factory):
        raise WrongTypeError(f"the factory of a provider must be a function without async, not {factory!r}")
    if name in (*services.prefixes(), *_registered, "scripted", "demo"):
        raise ConfigurationError(f"the provider name {name!r} is taken")
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
        name, env = _first(env, settings)
    if name == "demo" or name.startswith("scripted:"):
        return _scripted(name, settings)
    prefix, _, rest = name.partition("/")
    if not rest:
        raise ModelConfigurationError("config", _no_prefix(name))
    if re.search(r"\s", name):
        raise ModelConfigurationError("config", f"{errors.clean(name, 80)!r} names no model: there is a blank in it")
    if prefix in _registered:
        return _made(prefix, rest, env, settings), models.find(prefix, rest)
    service = services.service_of(prefix, env)
    if service is None:
        raise ModelConfigurationError("config", f"no provider is called {errors.clean(prefix, 60)!r}; {_known()}")
    if _may_be_local(service, env):
        env = _served_locally(prefix, rest, env)
        service = services.service_of(prefix, env) or service
    return _remote(service, rest, env, settings)


def _made(prefix: str, model: str, env: Mapping[str, str], settings: ProviderSettings) -> Provider:
    """What the factory that is registered for `prefix` gives."""
    try:
        made = _registered[prefix](model, env, settings)
    except ConfigurationError:
        raise
    except Exception as error:
        said = f"the factory of the provider {prefix!r} failed: {type(error).__name__}: {errors.clean(str(error))}"
        raise ModelConfigurationError("config", said) from error
    _check_provider(made, f"the factory of the provider {prefix!r} gave")
    return made


def _check_provider(given: Any, told: str) -> None:
    """Raises `ModelConfigurationError`, which begins with `told`, for what cannot be used as a provider."""
    lacks = [name for name in ("stream", "aclose") if not callable(getattr(given, name, None))]
    kind = "None" if given is None else f"a {type(given).__name__}"
    if lacks:
        raise ModelConfigurationError("config", f"{told} {kind}, which has no method {' and no '.join(lacks)}")
    name = getattr(given, "name", None)
    if not (isinstance(name, str) and name.strip()):
        raise ModelConfigurationError(
            "config", f"{told} {kind} whose name is {name!r}: a provider needs a text as its name"
        )


def _scripted(name: str, settings: ProviderSettings) -> tuple[Provider, ModelInfo]:
    from xun.providers.scripted import ScriptedProvider

    if name == "demo":
        return ScriptedProvider.demo(), _free("demo", "demo")
    file = name.removeprefix("scripted:").strip()
    if not file:
        raise ModelConfigurationError(
            "config", "scripted: names no file; give one with replies, such as scripted:replies.json"
        )
    path = (settings.cwd or Path()) / os.path.expanduser(file)  # noqa: PTH111 - it never raises, even for nobody's home
    return ScriptedProvider.from_file(path), _free("scripted", path.name)


def _free(provider: str, name: str) -> ModelInfo:
    return ModelInfo(provider, name, capabilities=frozenset({"tools"}), input_price=0.0, output_price=0.0)


def resolve_object(
    provider: Any, model: str | None = None, *, settings: ProviderSettings = _DEFAULTS
) -> tuple[Provider, ModelInfo]:
    """The same for an object: a `Provider`, or an asynchronous client of the `anthropic` or `openai` package.

    `model` is the plain name, required with a client; of a maker's own service it may have the prefix of that before
    it. Raises `ProviderError` (kind "config").
    """
    from xun.providers.sdk import SdkTransport, client_kind

    prefix = client_kind(provider)
    if prefix is None:
        if not callable(getattr(provider, "stream", None)):
            kind = type(provider).__name__
            raise ModelConfigurationError("config", f"{kind} is neither a provider nor a client of anthropic or openai")
        _check_provider(provider, "the provider is")
        known = getattr(provider, "info", None)
        if isinstance(known, ModelInfo) and model in (None, known.name):
            return cast(Provider, provider), known
        name = model or getattr(provider, "model", "") or provider.name
        return cast(Provider, provider), models.find(provider.name, name)
    url = str(getattr(provider, "base_url", "")).rstrip("/")
    service = services.service_of(prefix, {})
    assert service is not None
    official = is_official(url, service.url)
    if model and official:  # elsewhere, at a gateway, the prefix may be a part of the name
        model = model.removeprefix(f"{prefix}/")
    if not model:
        raise ModelConfigurationError("config", f"name the model to use with this {type(provider).__name__}")
    # Who serves an OpenAI client elsewhere (Azure, a local server) surely knows Chat Completions, perhaps no more.
    wire = service.wire if prefix == "anthropic" or official else "openai-chat"
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
        wire,
        client=provider,
        connect_timeout=settings.connect_timeout,
        idle_timeout=settings.idle_timeout,
    )
    info = _priced_at(url, models.find(prefix, model))
    return RemoteProvider(_wire(wire, target, official), transport), info


def _first(env: Mapping[str, str], settings: ProviderSettings) -> tuple[str, Mapping[str, str]]:
    """The name of the first model there is, and the environment in which it is reached."""
    for found in detect.configured(env, settings.models):
        if found.model is None:
            raise ModelConfigurationError("config", _no_model(found.provider))
        return found.model, env
    for found in detect.local_servers_now(env):
        if found.model is not None:
            return found.model, _reaching(found, env)
    keys = [service.variable for service in services.SERVICES if service.tried and service.key_needed]
    raise MissingKeyError(
        "config",
        f"no model is set up: set {', '.join(keys)},"
        " or XUN_OPENAI_BASE_URL and XUN_OPENAI_MODEL; or start a local server, such as Ollama",
    )


def _no_model(prefix: str) -> str:
    service = services.main_service(prefix)
    assert service is not None
    return f"set {service.model_variable} to a model of the server at {service.url_variable}"


def _may_be_local(service: Service, env: Mapping[str, str]) -> bool:
    """Whether a server of this machine may be meant, whose address nobody says and which has no usual one."""
    main = services.main_service(service.prefix)
    assert main is not None
    anywhere = not main.url or bool(env.get(detect.SERVERS_VARIABLE, "").strip())
    return main.local and anywhere and not service.is_set_up(env)


def _served_locally(prefix: str, model: str, env: Mapping[str, str]) -> Mapping[str, str]:
    """`env`, with the address of the local server that has `model`, where there is one: a session may name it."""
    servers = detect.local_servers_now(env)
    return next((_reaching(found, env, prefix) for found in servers if model in found.models), env)


def _reaching(found: detect.Found, env: Mapping[str, str], prefix: str = "") -> dict[str, str]:
    service = services.main_service(prefix or found.provider)
    assert service is not None
    # A key that is set was meant for another server.
    return {**env, service.url_variable: found.base_url, service.key_variable: ""}


def _no_prefix(name: str) -> str:
    shown = errors.clean(name, 80)
    if name.endswith("/"):
        return f"{shown!r} names no model: write {shown}NAME"
    for prefix, starts in (
        ("anthropic", ("claude",)),
        ("openai", ("gpt", "o1", "o3", "o4")),
        ("gemini", ("gemini",)),
    ):
        if name.startswith(starts):
            return f"the model {shown!r} needs its provider: {prefix}/{shown}"
    return f"{shown!r} does not name a model; {_known()}"


def _known() -> str:
    names = [f"{name}/NAME" for name in (*services.prefixes(), *_registered)]
    return f"use one of {', '.join(names)}, scripted:FILE, demo"


def _remote(
    service: Service, model: str, env: Mapping[str, str], settings: ProviderSettings
) -> tuple[Provider, ModelInfo]:
    if service.module:
        made: Provider = import_module(service.module).connect(service, model, env, settings)
        return made, models.find(service.prefix, model)
    base = read_base_url(env, service.url_variable, service.url, service.port)
    key = read_key(env, service.key_variable)
    if key is None and service.key_needed:
        name = f"{service.prefix}/{model}"
        raise MissingKeyError("config", f"set {service.key_variable} to use {name}")
    official = service.dialect is not None or is_official(base, service.url)
    target = Target(
        name=service.prefix,
        label=service.label if official else "the model server",
        url=f"{base}{service.path}",
        key_variable=settings.key_places.get(service.key_variable, service.key_variable),
        url_variable=service.url_variable,
        suggestion=models.default_model(service.table) or "" if official else "",
        secret=key or "",
    )
    provider = RemoteProvider(
        _wire(service.wire, target, official, service.dialect), _transport(target, service, base, key, settings)
    )
    info = _priced_at(base, models.find(service.table if official else service.prefix, model))
    return provider, replace(info, provider=service.prefix)


def _priced_at(url: str, info: ModelInfo) -> ModelInfo:
    """`info`, which may have its price from whoever serves it at `url`, if nothing nearer knows it."""
    return info if info.input_price is not None else replace(info, price_lists=(url, *info.price_lists))


def _wire(name: str, target: Target, official: bool, dialect: ChatDialect | None = None) -> Wire:
    module, _, wire = services.WIRES[name].partition(":")
    ways = {"official": official} if dialect is None else {"dialect": dialect}
    made: Wire = getattr(import_module(module), wire)(target, **ways)
    return made


def _transport(target: Target, service: Service, base: str, key: str | None, settings: ProviderSettings) -> Transport:
    times = {"connect_timeout": settings.connect_timeout, "idle_timeout": settings.idle_timeout}
    if settings.transport == "sdk" and service.sdk:
        from xun.providers.sdk import SdkTransport, new_client

        # Servers without a key exist, but the SDKs insist on one.
        make = partial(new_client, service.sdk, base, key or "none", service.headers)
        return SdkTransport(target, service.wire, make=make, relative=False, **times)
    return HttpTransport(target, service.request_headers(key), **times)
