"""The default transport: httpx2, our own event reader, the proxies and certificates of the environment."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from xun.providers import errors
from xun.providers.base import ModelConfigurationError, ProviderError
from xun.providers.sse import ServerEvent, SSEReader
from xun.providers.transport import Call, Target

if TYPE_CHECKING:
    import httpx2

CONNECT_TIMEOUT = 15.0
IDLE_TIMEOUT = 120.0

_DRAIN_SECONDS = 0.25
_ERROR_BYTES = 64 * 1024
_TELLING = 6  # bytes after which it is plain whether an event stream begins
_EVENT = re.compile(rb"(?:data|event|id|retry)(?:[:\s]|\Z)|:|\Z")
_NO_DOCUMENT = re.compile(rb"[^{\[<]|\Z")
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")


class HttpTransport:
    """Posts calls to one URL, with one client and its open connections for each event loop.

    `connect_timeout` and `idle_timeout`, the longest silence between two pieces of an answer, are in seconds.
    """

    def __init__(
        self,
        target: Target,
        headers: Mapping[str, str],
        *,
        connect_timeout: float = CONNECT_TIMEOUT,
        idle_timeout: float = IDLE_TIMEOUT,
    ) -> None:
        self.target = target
        self._headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            "accept-encoding": "identity",
            "user-agent": "xun",
            **headers,
        }
        self._connect_timeout = connect_timeout
        self._idle_timeout = idle_timeout
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, httpx2.AsyncClient] = (
            weakref.WeakKeyDictionary()
        )

    @asynccontextmanager
    async def open(self, call: Call) -> AsyncGenerator[HttpExchange]:
        """The answer to `call`, once its headers say that it is an event stream."""
        client = self._client()
        headers = {**self._headers, **call.headers}
        with network_errors(self.target, self._connect_timeout, self._idle_timeout):
            async with client.stream("POST", self.target.url, content=call.body, headers=headers) as response:
                await self._check(call, response)
                exchange = HttpExchange(response, await begun(self.target, call.model, response))
                yield exchange
                await exchange.drain()

    async def post(self, url: str, body: bytes) -> tuple[int, bytes]:
        """The status and the body of the answer to what is posted to `url`, which is no stream."""
        headers = {**self._headers, "accept": "application/json"}
        with network_errors(self.target, self._connect_timeout, self._idle_timeout):
            async with self._client().stream("POST", url, content=body, headers=headers) as response:
                return response.status_code, await _head(response.aiter_bytes())

    async def aclose(self) -> None:
        """Closes the connections of the running loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _client(self) -> httpx2.AsyncClient:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            for gone in [known for known in self._clients if known.is_closed()]:
                del self._clients[gone]
            client = self._clients[loop] = self._new_client()
        return client

    def _new_client(self) -> httpx2.AsyncClient:
        import httpx2

        timeout = httpx2.Timeout(
            connect=self._connect_timeout,
            read=self._idle_timeout,
            write=self._idle_timeout,
            pool=self._connect_timeout,
        )
        try:
            # Loading the system's certificates costs some 40 ms. Without TLS a context that trusts nobody
            # will do.
            verify = True if self._needs_tls() else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            return httpx2.AsyncClient(timeout=timeout, verify=verify)
        except OSError as error:
            detail = f"the certificates of SSL_CERT_FILE or SSL_CERT_DIR cannot be read ({error})"
            raise ModelConfigurationError("config", errors.clean(detail)) from None
        except (ValueError, ImportError, httpx2.InvalidURL) as error:
            detail = f"the proxy set by {' or '.join(_PROXIES)} cannot be used ({error})"
            raise ModelConfigurationError("config", errors.clean(detail)) from None

    def _needs_tls(self) -> bool:
        proxies = (os.environ.get(name) or os.environ.get(name.lower()) or "" for name in _PROXIES)
        return self.target.url.startswith("https:") or any(p.startswith("https:") for p in proxies)

    async def _check(self, call: Call, response: httpx2.Response) -> None:
        if response.status_code != 200:
            body = await _head(response.aiter_bytes())
            raise errors.from_response(self.target, call.model, response.status_code, response.headers, body)


class HttpExchange:
    """One answer in progress."""

    def __init__(self, response: httpx2.Response, chunks: AsyncIterator[bytes]) -> None:
        self.request_id: str | None = request_id(response.headers)
        self._chunks = chunks

    def events(self) -> AsyncGenerator[ServerEvent]:
        return read_events(self._chunks)

    async def drain(self) -> None:
        await drain(self._chunks)


async def begun(target: Target, model: str, response: Any) -> AsyncIterator[bytes]:
    """The body of `response`, whose status is 200, once it begins as an event stream does.

    What it is called does not decide: servers exist that call a stream anything, and an error a stream. Raises
    `ProviderError` with what it says where it is none.
    """
    chunks: AsyncIterator[bytes] = response.aiter_bytes()
    kind = content_type(response.headers)
    head = b""
    async for chunk in chunks:
        head += chunk
        if len(_text_of(head)) >= _TELLING:
            break
    looks = _EVENT if kind not in ("", "text/event-stream") else _NO_DOCUMENT
    if looks.match(_text_of(head)):
        return _chained(head, chunks)
    body = head + await _head(chunks, _ERROR_BYTES - len(head))
    raise errors.not_a_stream(target, model, kind, body, request_id(response.headers))


def _text_of(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


async def _chained(head: bytes, rest: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    if head:
        yield head
    async for chunk in rest:
        yield chunk


async def drain(source: AsyncIterator[Any]) -> None:
    """Reads what is left of an answer, nearly always its mere end: only then is the connection kept.

    The reply is complete by now, so nothing that happens here can spoil it.
    """
    with suppress(Exception):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in source:
                pass


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[ServerEvent]:
    """The events of a body, in order."""
    reader = SSEReader()
    async for chunk in chunks:
        for event in reader.feed(chunk):
            yield event
    for event in reader.close():
        yield event


def content_type(headers: Mapping[str, str]) -> str:
    """What an answer is called, in lower case and without parameters; empty where it is called nothing."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def request_id(headers: Mapping[str, str]) -> str | None:
    return headers.get("request-id") or headers.get("x-request-id")


async def _head(chunks: AsyncIterator[bytes], limit: int = _ERROR_BYTES) -> bytes:
    body = b""
    async for chunk in chunks:
        body += chunk
        if len(body) >= limit:
            break
    return body


@contextmanager
def network_errors(target: Target, connect_timeout: float, idle_timeout: float) -> Generator[None]:
    """Turns what httpx2 raises into `ProviderError`."""
    import httpx2

    try:
        yield
    except (httpx2.RequestError, httpx2.InvalidURL) as error:
        raise translate(target, error, connect_timeout, idle_timeout) from error


def translate(target: Target, error: Exception, connect_timeout: float, idle_timeout: float) -> ProviderError:
    """The `ProviderError` for an exception of httpx2, whose own text may quote a header and so the key."""
    import httpx2

    match error:
        case httpx2.ConnectTimeout() | httpx2.PoolTimeout():
            return errors.timed_out(target, connect_timeout, connecting=True)
        case httpx2.TimeoutException():
            return errors.timed_out(target, idle_timeout)
        case httpx2.ProxyError():
            # A proxy that refuses on policy will refuse again; one that fails to reach the server may not.
            status = str(error)[:3]
            return errors.network(
                target, f"the proxy refused the connection ({status})", transient=status.startswith("5")
            )
        case httpx2.UnsupportedProtocol() | httpx2.InvalidURL():
            return ModelConfigurationError(
                "config", f"{target.url} is not a usable address: check {target.url_variable}"
            )
        case httpx2.ConnectError():
            return _connect_error(target, error)
        case httpx2.DecodingError() | httpx2.TooManyRedirects():
            return ProviderError("protocol", f"{target.label} at {target.url}: the answer cannot be read")
        case _:
            return errors.network(target, "the connection broke before the reply was complete")


def _connect_error(target: Target, error: BaseException) -> ProviderError:
    cause: BaseException | None = error
    while cause is not None:
        match cause:
            case ssl.SSLError():
                detail = "no secure connection, the certificate is not accepted; SSL_CERT_FILE names further ones"
                return errors.network(target, f"{detail} ({cause.reason or 'TLS error'})", transient=False)
            case socket.gaierror():
                return errors.network(target, f"the host name is not known; {_checks(target)}")
            case ConnectionRefusedError():
                return errors.network(target, f"the connection was refused; {_checks(target)}")
        cause = cause.__cause__ or cause.__context__
    return errors.network(target, f"no connection; {_checks(target)}")


def _checks(target: Target) -> str:
    proxies = [name for name in _PROXIES if os.environ.get(name) or os.environ.get(name.lower())]
    return f"check {', '.join([target.url_variable, *proxies])} and the network"
