"""The httpx2 transport: the contract, and what only it does."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import require
from tests.providers.contract import TransportContract
from tests.providers.support import collect, connect, final, request
from tests.wire.server import ModelServer, Status, Stream
from tests.wire.streams import ANTHROPIC, Say
from xun.providers.base import Done, ProviderError


class TestHttp(TransportContract):
    transport = "http"


@pytest.mark.anyio
async def test_a_server_that_never_ends_the_body_delays_the_reply_only_a_moment() -> None:
    with ModelServer([Stream(Say("hi"), end="hang")]) as server:
        provider = connect(ANTHROPIC, server.url)
        start = time.monotonic()
        assert final(await collect(provider)).text == "hi"
        assert time.monotonic() - start < 1
        await provider.aclose()


@pytest.mark.anyio
async def test_a_consumer_that_leaves_at_the_end_keeps_the_connection() -> None:
    with ModelServer([Say("a"), Say("b")]) as server:
        provider = connect(ANTHROPIC, server.url)
        for _ in range(2):
            async for item in provider.stream(request(model="claude-test")):
                if isinstance(item, Done):
                    break
        await provider.aclose()
        assert {sent.connection for sent in server.requests} == {1}


@pytest.mark.anyio
async def test_a_redirection_is_not_followed_with_the_key() -> None:
    with ModelServer([Say("stolen")]) as other:
        redirect = Status(307, headers={"location": f"{other.url}/v1/messages"})
        with ModelServer([redirect]) as server:
            provider = connect(ANTHROPIC, server.url)
            with pytest.raises(ProviderError, match="check ANTHROPIC_BASE_URL"):
                await collect(provider)
            await provider.aclose()
        assert other.requests == []


@pytest.mark.anyio
async def test_each_event_loop_has_connections_of_its_own() -> None:
    with ModelServer([Say("a"), Say("b")]) as server:
        provider = connect(ANTHROPIC, server.url)

        async def once() -> str:
            try:
                return final(await collect(provider)).text
            finally:
                await provider.aclose()

        assert await once() == "a"
        assert await asyncio.to_thread(asyncio.run, once()) == "b"


@pytest.mark.anyio
async def test_a_proxy_of_the_environment_is_used_and_no_proxy_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([Say("by proxy")]) as proxy, ModelServer([Say("direct")]) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        provider = connect(ANTHROPIC, "http://models.invalid")
        assert final(await collect(provider)).text == "by proxy"
        assert proxy.requests[0].path == "http://models.invalid/v1/messages"
        await provider.aclose()
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        direct = connect(ANTHROPIC, server.url)
        assert final(await collect(direct)).text == "direct"
        await direct.aclose()


@pytest.mark.anyio
@pytest.mark.spec("H-RTY-06")
async def test_a_proxy_that_refuses_on_policy_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([]) as proxy:
        # This server knows no CONNECT, which it answers with 501.
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        provider = connect(ANTHROPIC, "https://models.invalid")
        with pytest.raises(ProviderError, match="the proxy refused the connection") as caught:
            await collect(provider)
        await provider.aclose()
    assert caught.value.kind == "network"


@pytest.mark.parametrize("proxy", ["ftp://x", "socks5://127.0.0.1:1"])
@pytest.mark.anyio
async def test_a_proxy_that_cannot_be_used_is_named(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    with pytest.raises(ProviderError, match="HTTP_PROXY") as caught:
        await collect(connect(ANTHROPIC, "http://models.invalid"))
    assert caught.value.kind == "config"


@pytest.mark.anyio
async def test_a_proxy_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "garbage.invalid")
    provider = connect(ANTHROPIC, "http://models.invalid")
    with pytest.raises(ProviderError, match="check ANTHROPIC_BASE_URL, HTTP_PROXY and the network"):
        await collect(provider)
    await provider.aclose()


@pytest.mark.anyio
async def test_an_unknown_host_is_said_so() -> None:
    provider = connect(ANTHROPIC, "http://models.invalid")
    with pytest.raises(ProviderError, match="host name is not known; check ANTHROPIC_BASE_URL"):
        await collect(provider)
    await provider.aclose()


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and its key."""
    openssl = shutil.which("openssl")
    require("openssl", openssl is not None)
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    arguments = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([openssl or "", *arguments, *names], check=True, capture_output=True)
    return cert, key


@pytest.mark.anyio
async def test_certificates_of_the_environment_are_trusted_and_others_are_not(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cert, key = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with ModelServer([Say("safe")], tls=context) as server:
        stranger = connect(ANTHROPIC, server.url)
        with pytest.raises(ProviderError, match="certificate is not accepted; SSL_CERT_FILE") as caught:
            await collect(stranger)
        await stranger.aclose()
        assert not caught.value.transient
        monkeypatch.setenv("SSL_CERT_FILE", str(cert))
        friend = connect(ANTHROPIC, server.url)
        assert final(await collect(friend)).text == "safe"
        await friend.aclose()


@pytest.mark.anyio
async def test_certificates_that_cannot_be_read_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with pytest.raises(ProviderError, match="SSL_CERT_FILE") as caught:
        await collect(connect(ANTHROPIC, "https://models.invalid"))
    assert caught.value.kind == "config"


def test_finding_a_provider_loads_no_sdk_and_no_http_library() -> None:
    code = (
        "import sys; from xun.providers.registry import resolve;"
        "resolve('anthropic/claude-test', env={'ANTHROPIC_API_KEY': 'k'});"
        "print([m for m in ('anthropic', 'openai', 'httpx2', 'genai_prices') if m in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "[]"
