"""The services at which models are reached: a row each, in the order in which they are tried.

A service that speaks a known wire is a row here and nothing else; one with a wire of its own is a file, a line in
`WIRES` and a row. Settings, variables, the first screen and `xun models` are made from this table. It loads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xun.providers.dialect import AZURE, COMPATIBLE, OPENROUTER, ChatDialect

WIRES = {
    "anthropic": "xun.providers.anthropic:AnthropicWire",
    "gemini": "xun.providers.gemini:GeminiWire",
    "openai-chat": "xun.providers.openai_chat:OpenAIChatWire",
    "openai-responses": "xun.providers.openai_responses:OpenAIResponsesWire",
}
"""Where each wire is. Only the one that is spoken is loaded: start-up is the sum of such things."""


@dataclass(frozen=True, slots=True)
class Service:
    """One service, and the words in which a person speaks of it.

    Attributes:
        prefix: What stands before the slash in --model.
        label: Its name for people.
        wire: A key of `WIRES`.
        path: Of its endpoint, after the base URL.
        key_variable: The variable with its key.
        url_variable: The variable with its base URL.
        model_variable: The variable with the model to use when none is named, where there is one.
        other_key_variable: Another variable with its key, which counts where the first is unset.
        token_variable: The variable with a token that counts before the key, where there may be one.
        version_variable: The variable with the version of its API, where a person has to say it.
        url: Its own base URL; empty where a person has to say it.
        port: Where it listens, if the variable with its address may name a host alone.
        key_header: Where the key goes: as "Bearer KEY" in `authorization`, else as it is.
        headers: What it is told in every request besides.
        key_needed: Whether it answers nobody without a key.
        tried: Whether it is taken by itself when no model is named.
        local: Whether it may be a server of this machine that `xun.providers.detect` finds.
        dialect: What is known of its Chat Completions. Such a service is the same at any address.
        sdk: The package whose client reaches it too: "anthropic" or "openai".
        facts: The table of `models.toml` that knows the service's own models, where it is not that of the prefix.
        makers: Whose models it serves at prices of its own: a table of `models.toml`, or "*" for the one that a
            model's name begins with. Limits and capabilities are taken from there.
        price_list: Where prices of its models may be looked up; see `xun.providers.prices`.
        module: Reaches it where a row does not say enough: `connect(service, model, env, settings)` gives the provider.
    """

    prefix: str
    label: str
    wire: str
    path: str
    key_variable: str
    url_variable: str
    model_variable: str = ""
    other_key_variable: str = ""
    token_variable: str = ""
    version_variable: str = ""
    url: str = ""
    port: int | None = None
    key_header: str = "authorization"
    headers: Mapping[str, str] = field(default_factory=dict)
    key_needed: bool = True
    tried: bool = True
    local: bool = False
    dialect: ChatDialect | None = None
    sdk: str = ""
    facts: str = ""
    makers: str = ""
    price_list: str = ""
    module: str = ""

    @property
    def variable(self) -> str:
        """The variable that says that a person has set it up."""
        return self.key_variable if self.key_needed else self.url_variable

    @property
    def settings(self) -> dict[str, str]:
        """Its settings, by the last part of their keys, and the variables that say the same."""
        named = {
            "api_key": self.key_variable,
            "base_url": self.url_variable,
            "model": self.model_variable,
            "api_version": self.version_variable,
        }
        return {item: variable for item, variable in named.items() if variable}

    @property
    def table(self) -> str:
        """The table of `models.toml` that knows its models."""
        return self.facts or self.prefix

    def is_set_up(self, env: Mapping[str, str]) -> bool:
        """Whether `env` has its key or a token, or its address where it needs no key."""
        variables = (self.variable, self.other_key_variable, self.token_variable)
        return any(env.get(variable, "").strip() for variable in variables)

    def request_headers(self, key: str | None) -> dict[str, str]:
        """What every request carries, the key among it."""
        if key is None:
            return dict(self.headers)
        return {**self.headers, self.key_header: f"Bearer {key}" if self.key_header == "authorization" else key}


SERVICES = (
    Service(
        "anthropic", "Anthropic", "anthropic", "/messages",
        "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", url="https://api.anthropic.com/v1",
        key_header="x-api-key", sdk="anthropic", price_list="anthropic",
    ),
    Service(
        "openai", "OpenAI", "openai-responses", "/responses",
        "OPENAI_API_KEY", "OPENAI_BASE_URL", url="https://api.openai.com/v1",
        sdk="openai", price_list="openai",
    ),
    Service(
        "openai-chat", "OpenAI-compatible server", "openai-chat", "/chat/completions",
        "XUN_OPENAI_API_KEY", "XUN_OPENAI_BASE_URL", "XUN_OPENAI_MODEL", key_needed=False, local=True, sdk="openai",
    ),
    Service(
        "openrouter", "OpenRouter", "openai-chat", "/chat/completions",
        "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", url="https://openrouter.ai/api/v1",
        headers={"x-title": "xun"}, dialect=OPENROUTER, sdk="openai", makers="*", price_list="openrouter",
    ),
    Service(
        "gemini", "Google Gemini", "gemini", "",
        "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", other_key_variable="GOOGLE_API_KEY",
        url="https://generativelanguage.googleapis.com/v1beta", key_header="x-goog-api-key",
        price_list="google", module="xun.providers.gemini_provider",
    ),
    Service(
        "azure", "Azure OpenAI", "openai-chat", "",
        "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_DEPLOYMENT",
        token_variable="AZURE_OPENAI_AD_TOKEN",  # noqa: S106 - the name of a variable
        version_variable="OPENAI_API_VERSION",
        dialect=AZURE, makers="openai", price_list="azure", module="xun.providers.azure",
    ),
    # Without a server of its own this prefix is OpenAI's Chat Completions, with the key that is tried as `openai`.
    Service(
        "openai-chat", "OpenAI", "openai-chat", "/chat/completions",
        "OPENAI_API_KEY", "OPENAI_BASE_URL", url="https://api.openai.com/v1", tried=False, sdk="openai", facts="openai",
    ),
    Service(
        "ollama", "Ollama", "openai-chat", "/chat/completions",
        "OLLAMA_API_KEY", "OLLAMA_HOST", url="http://127.0.0.1:11434/v1", port=11434,
        key_needed=False, tried=False, local=True, dialect=COMPATIBLE, sdk="openai",
    ),
)  # fmt: skip


def main_services() -> tuple[Service, ...]:
    """The first row of each prefix: the one whose settings stand under `providers.PREFIX`."""
    first: dict[str, Service] = {}
    for service in SERVICES:
        first.setdefault(service.prefix, service)
    return tuple(first.values())


def main_service(prefix: str) -> Service | None:
    """The first row of `prefix`; None where it is unknown."""
    return next((service for service in SERVICES if service.prefix == prefix), None)


def prefixes() -> tuple[str, ...]:
    """Every prefix, once."""
    return tuple(service.prefix for service in main_services())


def keyed() -> tuple[str, ...]:
    """The prefixes that stand for a service that answers nobody without a key."""
    return tuple(dict.fromkeys(service.prefix for service in SERVICES if service.key_needed))


def service_of(prefix: str, env: Mapping[str, str]) -> Service | None:
    """The service that `prefix` means where `env` is set: of several the first that is set up, else the last."""
    rows = [service for service in SERVICES if service.prefix == prefix]
    return next((service for service in rows if service.is_set_up(env)), rows[-1] if rows else None)
