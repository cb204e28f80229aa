"""Azure OpenAI: the deployments of a resource, reached with its key or with a token of Microsoft Entra ID."""

from __future__ import annotations

import inspect
import os
import re
from asyncio import to_thread
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qs, quote, urlunsplit

from xun.messages import Media
from xun.providers.base import MissingKeyError, ModelConfigurationError, ProviderError, Request, StreamItem
from xun.providers.dialect import AZURE
from xun.providers.endpoints import bare, clean_key, read_address
from xun.providers.http import CONNECT_TIMEOUT, IDLE_TIMEOUT, HttpTransport
from xun.providers.media import OPENAI_CHAT
from xun.providers.openai_chat import OpenAIChatWire
from xun.providers.remote import RemoteProvider
from xun.providers.services import Service
from xun.providers.transport import Target, Transport

if TYPE_CHECKING:
    from xun.providers.registry import ProviderSettings

TokenProvider = Callable[[], str | Awaitable[str]]
"""Gives a valid token whenever it is called, as what `get_bearer_token_provider` of azure-identity makes."""

ENDPOINT, VERSION = "AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"
KEY, TOKEN = "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"
_UNDATED = {"v1": "", "preview": "?api-version=preview"}
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(-preview)?")


@dataclass(frozen=True, slots=True)
class Resource:
    """Where deployments are: `base` ends in /openai, `version` is the date of an API, or "v1" or "preview"."""

    base: str
    version: str

    def url(self, deployment: str) -> str:
        """Where `deployment` takes Chat Completions."""
        if self.version in _UNDATED:
            return f"{self.base}/v1/chat/completions{_UNDATED[self.version]}"
        return f"{self.base}/deployments/{quote(deployment, safe='')}/chat/completions?api-version={self.version}"


def read_resource(endpoint: str, version: str, *, used_for: str) -> Resource:
    """The resource at `endpoint`: its address alone, that of its v1 API, or one that was copied whole from a portal.

    A `version` that is empty may be a part of the address. Raises `ProviderError` (kind "config") where either is
    missing or no such thing; `used_for` says what they are wanted for.
    """
    text = bare(endpoint)
    if not text:
        example = "https://NAME.openai.azure.com"
        raise ModelConfigurationError(
            "config", f"set {ENDPOINT} to the address of the resource, {example}, to use {used_for}"
        )
    url = read_address(text, ENDPOINT)
    segments = [segment for segment in url.path.split("/") if segment]
    at = segments.index("openai") if "openai" in segments else len(segments)
    said = "v1" if segments[at + 1 : at + 2] == ["v1"] else ""
    version = bare(version) or next(iter(parse_qs(url.query).get("api-version", ())), said)
    if not version:
        raise ModelConfigurationError(
            "config", f"set {VERSION} to a date such as 2024-10-21, or to v1, to use {used_for}"
        )
    if version not in _UNDATED and not _DATED.fullmatch(version):
        raise ModelConfigurationError("config", f"{VERSION} must be a date such as 2024-10-21, or v1, or preview")
    path = "/" + "/".join([*segments[:at], "openai"])
    return Resource(urlunsplit((url.scheme, url.netloc, path, "", "")), version)


@dataclass(frozen=True, slots=True)
class Credential:
    """What opens a resource: one of the three. `place` is what to check when it is refused, in words."""

    place: str
    key: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    tokens: TokenProvider | None = None

    async def current_token(self) -> str:
        """The token to send, empty where it is a key. Raises `ProviderError` where there is none to be had."""
        if self.tokens is None:
            return self.token
        try:
            given = await to_thread(self.tokens)
            given = await given if inspect.isawaitable(given) else given
        except Exception as error:
            # Its text may quote the credential.
            line = f"the token provider for Azure OpenAI raised {type(error).__name__}"
            raise ProviderError("auth", line) from error
        token = clean_key(given, "the token of the token provider") if isinstance(given, str) else None
        if not token:
            raise ProviderError("auth", "the token provider for Azure OpenAI gave no token")
        return token


def read_credential(
    key: str | None,
    token: str | None,
    tokens: TokenProvider | None,
    env: Mapping[str, str],
    *,
    key_place: str,
    used_for: str,
) -> Credential:
    """The one that is given, else the token in `env`, else the key there. Raises `ProviderError` (kind "config")."""
    given = [one for one in (key, token, tokens) if one is not None]
    if len(given) > 1:
        raise ModelConfigurationError("config", "give one of api_key, azure_ad_token and azure_ad_token_provider")
    if tokens is not None:
        return Credential("the token provider", tokens=tokens)
    if found := clean_key(token if given else env.get(TOKEN), TOKEN):
        return Credential(TOKEN, token=found)
    if found := clean_key(key if given else env.get(KEY), KEY):
        return Credential(key_place, key=found)
    raise MissingKeyError("config", f"set {KEY} to use {used_for}")


class AzureOpenAIProvider:
    """A provider for the deployments of one resource of Azure OpenAI. The model that is asked for names the deployment.

    Args:
        azure_endpoint: The address of the resource; else `AZURE_OPENAI_ENDPOINT`.
        api_key: Its key. Without a credential here, `AZURE_OPENAI_AD_TOKEN` counts, and then `AZURE_OPENAI_API_KEY`.
        api_version: A date, or "v1" for the API without versions; else `OPENAI_API_VERSION`.
        azure_deployment: Answers whatever model is asked for.
        azure_ad_token: A token in place of the key.
        azure_ad_token_provider: Gives such a token before each request. What is synchronous runs in a thread.
        transport: "http", or "sdk" for the client of the `openai` package.
        connect_timeout, idle_timeout: In seconds.
        key_place: What to check when the key is refused, in words.
        env: Where the variables are looked up.

    Raises:
        ProviderError: (kind "config") for what is missing or unusable, in one line.
    """

    name = "azure"

    def __init__(
        self,
        azure_endpoint: str | None = None,
        api_key: str | None = None,
        api_version: str | None = None,
        azure_deployment: str | None = None,
        *,
        azure_ad_token: str | None = None,
        azure_ad_token_provider: TokenProvider | None = None,
        transport: Literal["http", "sdk"] = "http",
        connect_timeout: float = CONNECT_TIMEOUT,
        idle_timeout: float = IDLE_TIMEOUT,
        key_place: str = "",
        env: Mapping[str, str] | None = None,
    ) -> None:
        env = os.environ if env is None else env
        self.model = azure_deployment or ""
        used_for = f"azure/{azure_deployment or '…'}"
        self._credential = read_credential(
            api_key, azure_ad_token, azure_ad_token_provider, env, key_place=key_place or KEY, used_for=used_for
        )
        self.resource = read_resource(
            azure_endpoint or env.get(ENDPOINT, ""), api_version or env.get(VERSION, ""), used_for=used_for
        )
        self._sdk = transport == "sdk"
        self._times = {"connect_timeout": connect_timeout, "idle_timeout": idle_timeout}
        self._reached: dict[tuple[str, str], RemoteProvider] = {}

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        """The parts of one reply, ending with `Done`. Raises `ProviderError`."""
        deployment = self.model or request.model
        # The history may grow while a token is waited for.
        asked = replace(request, model=deployment, messages=tuple(request.messages))
        async with aclosing(self._at(deployment, await self._credential.current_token()).stream(asked)) as items:
            async for item in items:
                yield item

    def unfit(self, model: str, file: Media) -> str | None:
        """Why the deployment cannot be sent `file`, in one line; None where it can, as far as its name tells."""
        return OPENAI_CHAT.unfit(file, "Azure OpenAI", self.name, self.model or model)

    async def aclose(self) -> None:
        """Closes the connections of the running loop."""
        for reached in self._reached.values():
            await reached.aclose()

    async def __aenter__(self) -> AzureOpenAIProvider:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def _at(self, deployment: str, token: str) -> RemoteProvider:
        """What reaches `deployment`, kept as long as the token holds: an answer must never show it."""
        known = self._reached.get((deployment, token))
        if known is None:
            target = Target(
                self.name,
                "Azure OpenAI",
                self.resource.url(deployment),
                self._credential.place,
                f"{ENDPOINT} and {VERSION}",
                secret=token or self._credential.key,
            )
            wire = OpenAIChatWire(target, dialect=AZURE)
            known = self._reached[deployment, token] = RemoteProvider(wire, self._transport(target, token))
        return known

    def _transport(self, target: Target, token: str) -> Transport:
        if not self._sdk:
            headers = {"authorization": f"Bearer {token}"} if token else {"api-key": self._credential.key}
            return HttpTransport(target, headers, **self._times)
        from xun.providers.sdk import SdkTransport

        make = partial(_new_client, self.resource, self._credential.key, token)
        return SdkTransport(target, OpenAIChatWire.name, make=make, relative=True, **self._times)


def connect(service: Service, model: str, env: Mapping[str, str], settings: ProviderSettings) -> AzureOpenAIProvider:
    """The provider of `azure/MODEL`. Raises `ProviderError` (kind "config")."""
    return AzureOpenAIProvider(
        azure_deployment=model,
        transport=settings.transport,
        connect_timeout=settings.connect_timeout,
        idle_timeout=settings.idle_timeout,
        key_place=settings.key_places.get(service.key_variable, ""),
        env=env,
    )


def _new_client(resource: Resource, key: str, token: str) -> Any:
    """A client of ours, which never retries."""
    import openai

    if resource.version not in _UNDATED:
        return openai.AsyncAzureOpenAI(
            base_url=resource.base,
            api_version=resource.version,
            api_key=key or None,
            azure_ad_token=token or None,
            max_retries=0,
        )
    query = {"api-version": resource.version} if resource.version != "v1" else None
    return openai.AsyncOpenAI(
        base_url=f"{resource.base}/v1",
        api_key=token or key,
        default_headers={"api-key": key} if key else None,
        default_query=query,
        max_retries=0,
    )
