"""What the APIs of Google say in the details of an error: what it is about, and how long to wait."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from xun.providers.base import ErrorKind

_SECONDS = re.compile(r"(\d+(?:\.\d+)?)s\Z")
_BAD_KEY = ("API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED", "API_KEY_IP_ADDRESS_BLOCKED")


def meaning(error: Mapping[str, Any]) -> ErrorKind | None:
    """What `error` is about, where its details say more than its status, which is 400 for a key that is none.

    A quota for a day is no rate: it is used up, whatever wait is named besides. One for a minute is.
    """
    found = [*_typed(error.get("details"))]
    if any(detail.get("reason") in _BAD_KEY for detail in found):
        return "auth"
    quotas = [one for detail in found for one in _list(detail.get("violations")) if isinstance(one, Mapping)]
    if any(_is_used_up(quota) for quota in quotas):
        return "no_credit"
    exhausted = error.get("code") == 429 or error.get("status") == "RESOURCE_EXHAUSTED"
    return "rate_limit" if exhausted and (quotas or wait(error) is not None) else None


def wait(error: Mapping[str, Any]) -> float | None:
    """The wait that `error` asks for, in seconds."""
    for detail in _typed(error.get("details")):
        delay = detail.get("retryDelay")
        if isinstance(delay, str) and (match := _SECONDS.match(delay)):
            return float(match[1])
    return None


def _is_used_up(quota: Mapping[str, Any]) -> bool:
    # A quota of none at all is that of an account which may not use the model.
    return "PerDay" in str(quota.get("quotaId") or "") or str(quota.get("quotaValue") or "") == "0"


def _typed(details: Any) -> Iterator[Mapping[str, Any]]:
    """The details that say what they are, as those of Google do."""
    return (detail for detail in _list(details) if isinstance(detail, Mapping) and "@type" in detail)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
