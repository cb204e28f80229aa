"""Google Gemini: the models of the Gemini API (v1beta), each at an address of its own, and their explicit caches."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from xun.messages import Media
from xun.providers import models
from xun.providers.base import MissingKeyError, ModelConfigurationError, ProviderError, Request, StreamItem
from xun.providers.endpoints import clean_key, is_official, read_base_url, read_key
from xun.providers.gemini import GeminiWire, Uploaded
from xun.providers.gemini_cache import ExplicitCaches
from xun.providers.http import CONNECT_TIMEOUT, IDLE_TIMEOUT, HttpTransport
from xun.providers.remote import RemoteProvider
from xun.providers.services import Service, main_service
from xun.providers.transport import Target

if TYPE_CHECKING:
    from xun.providers.registry import ProviderSettings

TTL = "GEMINI_PROMPT_CACHE_TTL"
_LONGEST = 7 * 24 * 3600  # seconds: nobody means to pay for more


class GeminiProvider:
    """A provider for the models that one key opens.

    Args:
        model: Answers where a request names none, and names the provider in messages.
        api_key: The key; else `GEMINI_API_KEY`, and then `GOOGLE_API_KEY`.
        base_url: Where the API is; else `GOOGLE_GEMINI_BASE_URL`, or Google's own address.
        connect_timeout, idle_timeout: In seconds.
        key_places: Where keys are from, by variable, where that is not the environment.
        env: Where the variables are looked up.

    With `ttl_seconds` in the hint of a request, or `GEMINI_PROMPT_CACHE_TTL` in seconds, the system prompt and the
    tools are kept in an explicit cache of the service, for that long; else caching is left to the service.

    Raises:
        ProviderError: (kind "config") for what is missing or unusable, in one line.
    """

    name = "gemini"

    def __init__(
        self,
        model: str = "",
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        connect_timeout: float = CONNECT_TIMEOUT,
        idle_timeout: float = IDLE_TIMEOUT,
        key_places: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        env = os.environ if env is None else env
        service = main_service(self.name)
        assert service is not None
        self.model = model
        self._service = service
        variable, self._key = _read_key(service, api_key, env, f"{self.name}/{model or '…'}")
        self._key_place = (key_places or {}).get(variable, variable)
        place = env if base_url is None else {service.url_variable: base_url}
        self._base = read_base_url(place, service.url_variable, service.url, version="v1beta")
        self._official = is_official(self._base, service.url)
        self._ttl = _read_ttl(env)
        self._times = {"connect_timeout": connect_timeout, "idle_timeout": idle_timeout}
        self._reached: dict[str, RemoteProvider] = {}
        self._uploads = HttpTransport(self._target(f"{self._base}/cachedContents"), self._headers(), **self._times)
        self._caches = ExplicitCaches(self._uploads, self._uploads.target.url)

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        """The parts of one reply, ending with `Done`. Raises `ProviderError`."""
        model = _plain(request.model or self.model)
        remote = self._at(model)
        request = replace(request, model=model)
        uploaded = None
        if ttl := (request.cache.ttl_seconds or self._ttl) if request.cache else None:
            # The history may grow while a cache is made.
            request = replace(request, messages=tuple(request.messages))
            uploaded = await self._caches.hint(request, model, ttl)
        if uploaded is not None:
            try:
                async with aclosing(remote.stream(replace(request, cache=uploaded))) as items:
                    async for item in items:
                        yield item
                return
            except ProviderError as error:
                if not _refuses(error, uploaded):
                    raise
            self._caches.refuse(uploaded.name)
        async with aclosing(remote.stream(request)) as items:
            async for item in items:
                yield item

    def unfit(self, model: str, file: Media) -> str | None:
        """Why `model` cannot be sent `file`, in one line; None where it can."""
        return self._at(_plain(model or self.model)).unfit(model, file)

    async def aclose(self) -> None:
        """Closes the connections of the running loop. Explicit caches end by themselves, at the end of their time."""
        await self._uploads.aclose()
        for reached in self._reached.values():
            await reached.aclose()

    async def __aenter__(self) -> GeminiProvider:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def _at(self, model: str) -> RemoteProvider:
        """What reaches `model`."""
        if model not in self._reached:
            target = self._target(f"{self._base}/models/{quote(model, safe='')}:streamGenerateContent?alt=sse")
            transport = HttpTransport(target, self._headers(), **self._times)
            self._reached[model] = RemoteProvider(GeminiWire(target, official=self._official), transport)
        return self._reached[model]

    def _target(self, url: str) -> Target:
        return Target(
            name=self.name,
            label=self._service.label if self._official else "the model server",
            url=url,
            key_variable=self._key_place,
            url_variable=self._service.url_variable,
            suggestion=models.default_model(self._service.table) or "" if self._official else "",
            secret=self._key,
        )

    def _headers(self) -> dict[str, str]:
        return self._service.request_headers(self._key)


def connect(service: Service, model: str, env: Mapping[str, str], settings: ProviderSettings) -> GeminiProvider:
    """The provider of `gemini/MODEL`. Raises `ProviderError` (kind "config")."""
    return GeminiProvider(
        model,
        connect_timeout=settings.connect_timeout,
        idle_timeout=settings.idle_timeout,
        key_places=settings.key_places,
        env=env,
    )


def _plain(model: str) -> str:
    """The name of a model as the service lists it, without the words that its addresses begin with."""
    return model.removeprefix("models/")


def _read_key(service: Service, given: str | None, env: Mapping[str, str], used_for: str) -> tuple[str, str]:
    """The key, and the variable that it is from."""
    if given is not None and (key := clean_key(given, "the key of Google Gemini")):
        return "the key that was given", key
    for variable in (service.key_variable, service.other_key_variable):
        if key := read_key(env, variable):
            return variable, key
    raise MissingKeyError("config", f"set {service.key_variable} to use {used_for}")


def _read_ttl(env: Mapping[str, str]) -> int | None:
    """How long an explicit cache is kept, in seconds, where the environment says so."""
    text = env.get(TTL, "").strip().removesuffix("s")
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= _LONGEST:
        raise ModelConfigurationError("config", f"{TTL} must be a whole number of seconds from 1 to {_LONGEST}")
    return int(text)


def _refuses(error: ProviderError, uploaded: Uploaded) -> bool:
    """Whether a request was refused for the cache that it names: it is gone, or another key's, or another model's."""
    said = error.message.replace(" ", "").lower()
    return error.status in (400, 403, 404) and ("cachedcontent" in said or uploaded.name.lower() in said)
