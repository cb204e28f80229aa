"""The other transport: a client object of the `anthropic` or `openai` package, ours or a caller's own."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from xun.providers import errors, http
from xun.providers.base import ModelConfigurationError, ProviderError
from xun.providers.sse import ServerEvent
from xun.providers.transport import Call, Target

_PATHS = {"anthropic": "/v1/messages", "openai-chat": "/chat/completions", "openai-responses": "/responses"}


class SdkTransport:
    """Posts calls through a client of an SDK, which brings its own credentials, endpoints and retries.

    Give either `client`, an asynchronous client that keeps its settings and is left open, or `make`, which is
    called once for each event loop and whose clients `aclose` closes; `relative` says that they know the way from
    their base URL to the endpoint. Timeouts are in seconds.
    """

    def __init__(
        self,
        target: Target,
        wire: str,
        *,
        client: Any = None,
        make: Callable[[], Any] | None = None,
        relative: bool = False,
        connect_timeout: float = http.CONNECT_TIMEOUT,
        idle_timeout: float = http.IDLE_TIMEOUT,
    ) -> None:
        self.target = target
        self._wire = wire
        self._connect_timeout = connect_timeout
        self._idle_timeout = idle_timeout
        self._given = client
        self._make = make
        self._url = _PATHS[wire] if make is None or relative else target.url
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = weakref.WeakKeyDictionary()

    @asynccontextmanager
    async def open(self, call: Call) -> AsyncGenerator[SdkExchange]:
        """The answer to `call`, once the client has it."""
        import httpx2

        client = self._client()
        timeout = httpx2.Timeout(self._idle_timeout, connect=self._connect_timeout)
        with (
            self._sdk_errors(call.model),
            http.network_errors(self.target, self._connect_timeout, self._idle_timeout),
        ):
            stream = await client.post(
                self._url,
                body=json.loads(call.body),
                cast_to=object,
                options={"headers": dict(call.headers), "timeout": timeout},
                stream=True,
                stream_cls=_stream_class(client),
            )
            try:
                exchange = await self._exchange(call, stream)
                yield exchange
                await exchange.drain()
            finally:
                await stream.close()

    async def _exchange(self, call: Call, stream: Any) -> SdkExchange:
        """Anthropic's events are read by the client where they come in another framing, as those of Bedrock do."""
        kind = http.content_type(stream.response.headers)
        if self._wire == "anthropic" and kind and not kind.startswith("text/") and not kind.endswith("json"):
            return SdkExchange(stream, aiter(stream), raw=False)
        return SdkExchange(stream, await http.begun(self.target, call.model, stream.response), raw=True)

    async def aclose(self) -> None:
        """Closes the running loop's client, if it was made here."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def _client(self) -> Any:
        if self._make is None:
            return self._given
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self._make()
        return client

    @contextmanager
    def _sdk_errors(self, model: str) -> Generator[None]:
        # The errors of both SDKs have the same shape, so neither needs to be imported for the other.
        try:
            yield
        except ProviderError:
            raise
        except Exception as error:
            found = self._translate(model, error)
            if found is None:
                raise
            raise found from error

    def _translate(self, model: str, error: Exception) -> ProviderError | None:
        names = {cls.__name__ for cls in type(error).__mro__}
        if "APIStatusError" in names:
            response: Any = getattr(error, "response", None)
            status = response.status_code
            body = getattr(error, "body", None)
            if status == 200:
                return errors.from_event(self.target, model, body, http.request_id(response.headers))
            return errors.from_response(self.target, model, status, response.headers, body)
        if "APITimeoutError" in names or "APIConnectionError" in names:
            cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
            return http.translate(self.target, cause, self._connect_timeout, self._idle_timeout)
        if "APIError" in names:
            return errors.from_event(self.target, model, getattr(error, "body", None))
        return None


class SdkExchange:
    """One answer in progress. `raw` says that `source` is bytes, and not the payloads that the client has read."""

    def __init__(self, stream: Any, source: AsyncIterator[Any], *, raw: bool) -> None:
        self.request_id: str | None = http.request_id(stream.response.headers)
        self._raw = raw
        self._source = source

    def events(self) -> AsyncGenerator[ServerEvent]:
        return http.read_events(self._source) if self._raw else _read_payloads(self._source)

    async def drain(self) -> None:
        await http.drain(self._source)


async def _read_payloads(payloads: AsyncIterator[Any]) -> AsyncGenerator[ServerEvent]:
    async for payload in payloads:
        yield ServerEvent(payload.get("type", ""), json.dumps(payload))


def client_kind(client: Any) -> str | None:
    """The package of an SDK's asynchronous client object, "anthropic" or "openai", or None for anything else.

    Raises `ProviderError` (kind "config") for a synchronous client: it would block the event loop.
    """
    for cls in type(client).__mro__:
        package = cls.__module__.partition(".")[0]
        if package in ("anthropic", "openai") and cls.__name__ in ("SyncAPIClient", "AsyncAPIClient"):
            if cls.__name__ == "SyncAPIClient":
                name = type(client).__name__
                raise ModelConfigurationError("config", f"pass an asynchronous client: Async{name} instead of {name}")
            return package
    return None


def new_client(package: str, base_url: str, api_key: str, headers: Mapping[str, str]) -> Any:
    """A client of ours of `package`, which never retries: the loop has the only retries there are."""
    given: dict[str, Any] = {"base_url": base_url, "max_retries": 0, "default_headers": headers}
    if package == "anthropic":
        import anthropic

        return anthropic.AsyncAnthropic(api_key=api_key, **given)
    import openai

    return openai.AsyncOpenAI(api_key=api_key, **given)


def _stream_class(client: Any) -> Any:
    if client_kind(client) == "anthropic":
        from anthropic import AsyncStream

        return AsyncStream[object]
    from openai import AsyncStream as OpenAIStream

    return OpenAIStream[object]
