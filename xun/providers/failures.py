"""What an exception that a provider raised means for the retry loop, whatever its kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from xun.providers.base import ErrorKind, Provider, ProviderError
from xun.providers.errors import clean, is_transient, retry_after, server_kind

# Exceptions of HTTP libraries and SDKs by name: none of them needs to be imported to know its errors.
_TIMEOUTS = frozenset({"TimeoutException", "APITimeoutError", "ServerTimeoutError", "ReadTimeoutError"})
_NETWORK = frozenset({"TransportError", "APIConnectionError", "ClientConnectionError", "EndpointConnectionError"})
_DECIDED = frozenset({"ProxyError", "UnsupportedProtocol"})  # they say no, and say it again


def failure_of(provider: Provider, error: Exception) -> Exception:
    """`error` as a `ProviderError` where it may pass or the provider says so, else as it is.

    What the provider's own `is_transient` and `retry_after` say goes first. Without them a time-out, a lost
    connection, and an HTTP status such as 429 or 503 in `status_code` or `response.status_code` pass.
    """
    failure = error if isinstance(error, ProviderError) else _read(error)
    changes: dict[str, Any] = {}
    if callable(passing := getattr(provider, "is_transient", None)):
        changes["transient"] = bool(passing(error))
    if callable(wait := getattr(provider, "retry_after", None)):
        changes["retry_after"] = _seconds(wait(error))
    if failure is None:
        if not changes.get("transient"):
            return error
        failure = ProviderError("server", _line(error))
    return (
        failure.but(**changes) if any(getattr(failure, name) != value for name, value in changes.items()) else failure
    )


def _read(error: Exception) -> ProviderError | None:
    """What `error` is known to mean, where that may pass."""
    response = getattr(error, "response", None)
    status = _status(error, response)
    kind = server_kind(status) if status is not None else _kind(error)
    if kind is None or not is_transient(kind):
        return None
    headers = getattr(response, "headers", None)
    named = {str(name).lower(): str(value) for name, value in headers.items()} if isinstance(headers, Mapping) else {}
    return ProviderError(kind, _line(error), transient=True, status=status, retry_after=retry_after(named))


def _status(*said: Any) -> int | None:
    found = (getattr(one, "status_code", None) for one in said)
    return next((status for status in found if isinstance(status, int)), None)


def _kind(error: Exception) -> ErrorKind | None:
    names = {cls.__name__ for each in (error, error.__cause__) for cls in type(each).__mro__}
    if names & _DECIDED:
        return None
    if isinstance(error, TimeoutError) or names & _TIMEOUTS:
        return "timeout"
    return "network" if isinstance(error, ConnectionError) or names & _NETWORK else None


def _seconds(wait: Any) -> float | None:
    usable = isinstance(wait, int | float) and not isinstance(wait, bool) and math.isfinite(wait) and wait >= 0
    return wait if usable else None


def _line(error: Exception) -> str:
    said = clean(str(error))
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
