"""What exceptions that are no `ProviderError` mean for the retry loop."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from xun import ScriptedProvider
from xun.providers.base import ProviderError
from xun.providers.failures import failure_of

PLAIN = ScriptedProvider([])
GET = httpx2.Request("GET", "http://127.0.0.1/")


def of_status(status: int, **headers: str) -> Exception:
    answer = httpx2.Response(status, headers=headers, request=GET)
    return httpx2.HTTPStatusError(f"HTTP {status}", request=GET, response=answer)


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


class APIConnectionError(Exception):
    """Named as in the SDKs."""


class VendorError(Exception):
    def __init__(self, status_code: int) -> None:
        super().__init__("vendor")
        self.status_code = status_code


@pytest.mark.spec("H-RTY-02", "H-RTY-05")
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError(), "timeout"),
        (TimeoutError("slow"), "timeout"),
        (ConnectionResetError("gone"), "network"),
        (ConnectionRefusedError("no"), "network"),
        (httpx2.ReadTimeout("slow"), "timeout"),
        (httpx2.ConnectError("no"), "network"),
        (httpx2.RemoteProtocolError("odd"), "network"),
        (APIConnectionError("no"), "network"),
        (of_status(429), "rate_limit"),
        (of_status(503), "overloaded"),
        (of_status(529), "overloaded"),
        (of_status(500), "server"),
        (of_status(408), "timeout"),
        (VendorError(502), "server"),
    ],
)
def test_what_may_pass_is_known_without_its_library(error: Exception, kind: str) -> None:
    failure = failure_of(PLAIN, error)
    assert isinstance(failure, ProviderError) and failure.transient and failure.kind == kind
    assert str(failure).startswith(type(error).__name__) and "\n" not in str(failure)


@pytest.mark.spec("H-RTY-02", "H-RTY-06")
@pytest.mark.parametrize(
    "error",
    [
        ValueError("a bug"),
        OSError(2, "No such file"),
        of_status(400),
        of_status(401),
        of_status(404),
        VendorError(422),
        httpx2.ProxyError("403 policy"),
        httpx2.UnsupportedProtocol("ftp"),
        httpx2.DecodingError("odd"),
        caused(APIConnectionError("no"), httpx2.ProxyError("403 policy")),
    ],
)
def test_what_does_not_pass_stays_what_it_is(error: Exception) -> None:
    assert failure_of(PLAIN, error) is error


@pytest.mark.spec("H-RTY-05")
@pytest.mark.parametrize(
    ("headers", "wait"), [({"retry-after": "7"}, 7.0), ({"retry-after-ms": "250"}, 0.25), ({}, None)]
)
def test_the_wait_is_read_from_the_headers(headers: dict[str, str], wait: float | None) -> None:
    failure = failure_of(PLAIN, of_status(429, **headers))
    assert isinstance(failure, ProviderError) and failure.retry_after == wait and failure.status == 429


class Own(ScriptedProvider):
    """Says itself what passes."""

    def is_transient(self, error: Exception) -> bool:
        return "later" in str(error)

    def retry_after(self, error: Exception) -> Any:
        return {"later": 3, "later, never": float("nan")}.get(str(error))


@pytest.mark.spec("H-RTY-05")
def test_the_providers_own_word_goes_first() -> None:
    own = Own([])
    passing = failure_of(own, RuntimeError("later"))
    assert isinstance(passing, ProviderError) and passing.transient and passing.retry_after == 3
    odd = failure_of(own, RuntimeError("later, never"))
    assert isinstance(odd, ProviderError) and odd.retry_after is None, "no wait of any length"
    lasting = RuntimeError("no")
    assert failure_of(own, lasting) is lasting
    told = ProviderError("overloaded", "no", transient=True, retry_after=9, status=529)
    changed = failure_of(own, told)
    assert isinstance(changed, ProviderError)
    assert (changed.transient, changed.retry_after, changed.status, changed.kind) == (False, None, 529, "overloaded")
    assert failure_of(PLAIN, told) is told
