"""Which models a run can use: what the configuration and the keys that were given say, and what is set up here."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial

from xun.config.load import Config
from xun.config.models_file import load_models
from xun.config.paths import Paths
from xun.config.variables import variables
from xun.providers import detect, models
from xun.providers.base import ModelInfo, Provider, RetryPolicy
from xun.providers.registry import ProviderSettings, resolve
from xun.providers.services import main_service, main_services
from xun.run_plan import GivenKeys


@dataclass(frozen=True, slots=True)
class Offer:
    """A model, as --model takes it. `at` says whose it is or what it would take.

    `ready` says whether it can be used now, `taken` whether it is where none is named.
    """

    name: str
    info: ModelInfo
    at: str
    ready: bool = True
    taken: bool = False


def use_models(paths: Paths) -> list[str]:
    """Puts what the user's file says about models in force; returns what is odd in it. Raises `ConfigError`."""
    tables, warnings = load_models(paths.config / "models.toml")
    models.override(tables)
    return warnings


def provider_of(config: Config, given: GivenKeys, paths: Paths, model: str | None) -> tuple[Provider, ModelInfo]:
    """The provider of `model`, or of the first model there is, with the fallbacks behind it.

    Raises `ProviderError`, `ConfigError`.
    """
    settings = config.settings
    how = ProviderSettings(
        transport=settings.transport,
        idle_timeout=settings.idle_timeout,
        key_places={name: f"{key} in {paths.config_file}" for name, key in _in_file(config)} | given.places,
        models=_chosen(config),
    )
    find = partial(resolve, env=environment(config, given), settings=how)
    found = find(model)
    if not settings.fallbacks:
        return found
    from xun.providers.fallback import fallbacks_of, with_fallbacks

    return with_fallbacks(found, fallbacks_of(settings.fallbacks), retry_of(config), find), found[1]


def retry_of(config: Config) -> RetryPolicy:
    """How model calls are made again."""
    return RetryPolicy(**config.settings.retry.model_dump())


def environment(config: Config, given: GivenKeys) -> dict[str, str]:
    """The environment, with what the user's file says about providers where a variable is not set, and given keys."""
    env = dict(os.environ)
    for variable, key in _in_file(config):
        _, name, item = key.split(".")
        value = getattr(config.provider(name), item)
        if value is not None:
            env[variable] = value.get_secret_value() if item == "api_key" else value
    for service in main_services():
        if service.key_variable in given.values:  # the person's last word, also where a token would count first
            env.pop(service.token_variable, None)
    return env | given.values


def set_up(config: Config, given: GivenKeys) -> list[Offer]:
    """The known models of every service that is set up, in the order in which they are tried."""
    return [offer for way in _ways(config, given) for offer in _offers(way, way.name)]


def every_offer(config: Config, given: GivenKeys, *, missing: bool) -> list[Offer]:
    """Every model there is here, the one that is taken first; with `missing` also those that want a key or an address.

    Local servers are asked, which blocks for a third of a second at most.
    """
    local = detect.local_servers_now(environment(config, given))
    offers = set_up(config, given)
    offers += [offer for way in local for offer in _offers(way, f"{way.name} at {way.base_url}")]
    wanted = config.settings.model or next((way.model for way in [*_ways(config, given), *local]), None)
    if wanted is not None:
        known = next((offer for offer in offers if offer.name == wanted), None)
        taken = replace(known or _named(wanted, str(config.source("model"))), taken=True)
        offers = [taken, *(offer for offer in offers if offer.name != wanted)]
    lacking = missing_services(config, given) if missing else ()
    return offers + [
        offer for way in lacking for offer in _offers(way, f"{way.name} needs {way.variable}", ready=False)
    ]


def missing_services(config: Config, given: GivenKeys) -> list[detect.Found]:
    """The services that are not set up, each with the variable that it wants and the models that are known."""
    env = environment(config, given)
    ways = [service for service in main_services() if service.tried and not service.is_set_up(env)]
    return [detect.Found(way.label, way.prefix, tuple(models.known(way.prefix)), way.variable) for way in ways]


def without_model(config: Config, given: GivenKeys) -> list[str]:
    """A line for each service that is set up and of which no model is known."""
    found = [(way, main_service(way.provider)) for way in _ways(config, given) if not _offers(way, "")]
    return [
        f"{way.name} is set up, and needs a model of it: set {service.model_variable}"
        for way, service in found
        if service is not None
    ]


def about(info: ModelInfo) -> str:
    """What is known of a model, in one line."""
    window = f"{info.context_window:,} tokens" if info.context_window is not None else ""
    known = info.input_price is not None and info.output_price is not None
    price = f"${info.input_price:g} in, ${info.output_price:g} out a million" if known else "price unknown"
    return ", ".join(filter(None, (window, price)))


def _ways(config: Config, given: GivenKeys) -> list[detect.Found]:
    return detect.configured(environment(config, given), _chosen(config))


def _offers(way: detect.Found, at: str, *, ready: bool = True) -> list[Offer]:
    names = dict.fromkeys((*way.models, *models.known(way.provider)))
    return [Offer(f"{way.provider}/{name}", models.find(way.provider, name), at, ready) for name in names]


def _named(name: str, where: str) -> Offer:
    provider, _, model = name.partition("/")
    return Offer(name, models.find(provider, model), where)


def _chosen(config: Config) -> dict[str, str]:
    """The model that is wanted of each provider, where the configuration says one."""
    said = {service.prefix: config.model_of(service.prefix) for service in main_services()}
    return {prefix: model for prefix, model in said.items() if model}


def _in_file(config: Config) -> list[tuple[str, str]]:
    """What the user's file says about providers: each variable that would say the same, and the setting."""
    said = variables().items()
    return [(name, key) for name, key in said if key.startswith("providers.") and config.source(key).layer == "user"]
