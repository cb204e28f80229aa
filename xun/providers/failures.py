"""What an exception that a provider raised means for the retry loop, whatever its kind."""

from __future__ import annotations

import inspect
import logging
import math
from collections.abc import Mapping
from typing import Any, get_args

from xun.errors import text_of
from xun.providers.base import ErrorKind, Provider, ProviderError
from xun.providers.errors import clean, is_transient, retry_after, server_kind

_log = logging.getLogger("xun.providers")

# Exceptions of HTTP libraries and SDKs by name: none of them needs to be imported to know its errors.
_TIMEOUTS = frozenset({"TimeoutException", "APITimeoutError", "ServerTimeoutError", "ReadTimeoutError"})
_NETWORK = frozenset({"TransportError", "APIConnectionError", "ClientConnectionError", "EndpointConnectionError"})
_DECIDED = frozenset({"ProxyError", "UnsupportedProtocol"})  # they say no, and say it again


def failure_of(provider: Provider, error: Exception) -> Exception:
    """`error` as a `ProviderError` where it may pass or the provider says so, else as it is.

    What the provider's own `is_transient` and `retry_after` say goes first. Without them a time-out, a lost
    connection, and an HTTP status such as 429 or 503 in `status_code` or `response.status_code` pass.
    """
    failure = _whole(error) if isinstance(error, ProviderError) else _read(error)
    changes: dict[str, Any] = {}
    if (passing := _said(provider, "is_transient", error)) is not None:
        changes["transient"] = bool(passing)
    if callable(getattr(provider, "retry_after", None)):
        changes["retry_after"] = _seconds(_said(provider, "retry_after", error))
    if failure is None:
        if not changes.get("transient"):
            return error
        failure = ProviderError("server", _line(error))
    return (
        failure.but(**changes) if any(getattr(failure, name) != value for name, value in changes.items()) else failure
    )


def _said(provider: Provider, method: str, error: Exception) -> Any:
    """What the provider says of its `error`, None where it does not, or fails: what is known stands then."""
    asks = getattr(provider, method, None)
    if not callable(asks):
        return None
    try:
        said = asks(error)
    except Exception:  # noqa: BLE001 - the failure of the call is what is to be told
        _log.info("%s of the provider failed", method, exc_info=True)
        return None
    if inspect.iscoroutine(said):
        said.close()
        return None
    return said


def _whole(error: ProviderError) -> ProviderError:
    """`error` with parts of the types that they should be: others may have made it."""
    fit: dict[str, Any] = {
        "kind": error.kind if error.kind in get_args(ErrorKind) else "server",
        "message": error.message if isinstance(error.message, str) else clean(str(error.message)),
        "transient": bool(error.transient),
        "uncounted": bool(error.uncounted),
        "status": error.status if isinstance(error.status, int) else None,
        "retry_after": _seconds(error.retry_after),
        "request_id": error.request_id if isinstance(error.request_id, str) else None,
        "model": error.model if isinstance(error.model, str) else None,
    }
    changes = {name: value for name, value in fit.items() if getattr(error, name) is not value}
    return error.but(**changes) if changes else error


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
    said = clean("" if (said := text_of(error)) == type(error).__name__ else said)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
