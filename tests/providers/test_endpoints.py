from __future__ import annotations

import pytest

from tests.providers.support import KEY, WIRES, collect, connect, final
from tests.wire.server import ModelServer
from tests.wire.streams import Say
from xun.providers.base import ProviderError
from xun.providers.endpoints import is_official, read_base_url, read_key


@pytest.mark.parametrize("text", [f"{KEY}\n", f" {KEY} ", f'"{KEY}"', f"'{KEY}'\r\n", f'" {KEY}"', f"{KEY}\r"])
def test_what_surrounds_a_key_is_taken_off(text: str) -> None:
    assert read_key({"K": text}, "K") == KEY


@pytest.mark.parametrize("text", ["", " \n", '""', "' '"])
def test_an_empty_key_is_none(text: str) -> None:
    assert read_key({"K": text}, "K") is None
    assert read_key({}, "K") is None


@pytest.mark.bug("config-key-with-newline")
@pytest.mark.parametrize("text", [f"test\u2013{KEY}", f"{KEY} {KEY}", f"{KEY}\n{KEY}", f"{KEY}\x00x", f"{KEY}\tx"])
def test_a_key_that_no_header_can_carry_is_named_and_never_shown(text: str) -> None:
    with pytest.raises(ProviderError, match=r"^SOME_KEY has a") as caught:
        read_key({"SOME_KEY": text}, "SOME_KEY")
    assert KEY not in str(caught.value)
    assert caught.value.kind == "config"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.anyio
async def test_a_cleaned_key_is_what_is_sent(wire: str) -> None:
    with ModelServer([Say("hi")]) as server:
        keys = {"ANTHROPIC_API_KEY": f'"{KEY}"\n', "OPENAI_API_KEY": f" {KEY}\n", "GEMINI_API_KEY": f"{KEY} "}
        provider = connect(wire, f" {server.url}/ \n", env=keys)
        assert final(await collect(provider)).text == "hi"
        await provider.aclose()
    headers = server.requests[0].headers
    sent = [headers[name] for name in ("x-api-key", "x-goog-api-key", "authorization") if name in headers]
    assert sent in ([KEY], [f"Bearer {KEY}"])


@pytest.mark.bug("config-key-with-newline")
@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://h", "http://h/v1"),
        ("http://h/", "http://h/v1"),
        ("http://h:8080/v1", "http://h:8080/v1"),
        ("http://h/v1/", "http://h/v1"),
        ("https://h/api/v3", "https://h/api/v3"),
        ("https://h/v1beta/openai", "https://h/v1beta/openai"),
        ("https://h/proxy", "https://h/proxy/v1"),
        ("https://h/v1/chat/completions", "https://h/v1"),
        ("https://h/v1/messages/", "https://h/v1"),
        ("https://h/vault", "https://h/vault/v1"),
        ('"http://h"\n', "http://h/v1"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1"),
        ("", "https://default/v1"),
        (" ", "https://default/v1"),
    ],
)
def test_base_urls(text: str, url: str) -> None:
    assert read_base_url({"U": text}, "U", "https://default") == url


@pytest.mark.bug("config-key-with-newline")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("localhost:8080", "must be a URL like"),
        ("h", "must be a URL like"),
        ("ftp://h", "must be a URL like"),
        ("http://", "must be a URL like"),
        ("http://[", "must be a URL like"),
        ("http://h:port", "must be a URL like"),
        ("http://h/a b", "blank or control character"),
        ("http://h\x07/", "blank or control character"),
        ("http://h/v1/v1", "/v1 twice"),
        ("http://user:secret@h/v1", "plain URL"),
        ("http://h/v1?x=1", "plain URL"),
    ],
)
def test_a_base_url_that_cannot_be_used_is_named(text: str, problem: str) -> None:
    with pytest.raises(ProviderError, match=problem) as caught:
        read_base_url({"SOME_URL": text}, "SOME_URL")
    assert str(caught.value).startswith("SOME_URL ")
    assert "secret" not in str(caught.value)


def test_only_the_very_host_is_official() -> None:
    assert is_official("https://api.openai.com/v1", "https://api.openai.com/v1")
    assert not is_official("https://api.openai.com.evil.example/v1", "https://api.openai.com/v1")
    assert not is_official("http://localhost:1/v1", "")
