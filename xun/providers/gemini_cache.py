"""Explicit caches of the Gemini API: a system prompt and tools that are uploaded once, and then only named.

What they cost to keep is not in the figures of any reply. Nothing depends on them: where one is not to be had, requests
go as they are.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from xun.providers.base import ProviderError, Request
from xun.providers.encoding import dump
from xun.providers.errors import clean
from xun.providers.gemini import Uploaded, prefix
from xun.providers.http import HttpTransport

REFUSED_FOR = 600.0  # seconds for which a prefix that was refused is not offered again
_UPLOAD = 30.0  # seconds for one upload
_MARGIN = 30.0  # seconds before its end from which a cache is not used any more; a tenth of its life at most

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What became of a prefix, until the time `until`: the cache that holds it, or "" where it is not to be had."""

    name: str
    until: float


class ExplicitCaches:
    """The explicit caches that one provider has made at `url`. `clock` tells the time, in seconds."""

    def __init__(self, transport: HttpTransport, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._transport = transport
        self._url = url
        self._clock = clock
        self._kept: dict[str, _Kept] = {}

    async def hint(self, request: Request, model: str, ttl_seconds: int) -> Uploaded | None:
        """The cache that holds how `request` begins, uploaded now if need be; None where there is none to be had.

        Whoever asks while another one uploads goes without. Never raises.
        """
        start = prefix(request)
        if not start or request.cache is None:
            return None
        key = _key(model, request.cache.key, ttl_seconds, start)
        kept = self._kept.get(key)
        if kept is None or kept.until <= self._clock():
            kept = await self._upload(key, model, ttl_seconds, start)
        return Uploaded(request.cache.key, ttl_seconds, kept.name) if kept.name else None

    def refuse(self, name: str) -> None:
        """Takes down that the server will not use the cache `name`, whatever the reason."""
        until = self._clock() + REFUSED_FOR
        self._kept = {key: _Kept("", until) if kept.name == name else kept for key, kept in self._kept.items()}

    async def _upload(self, key: str, model: str, ttl_seconds: int, start: bytes) -> _Kept:
        now = self._clock()
        self._kept = {known: kept for known, kept in self._kept.items() if kept.until > now}
        # Until it is there it counts as refused, for others too.
        self._kept[key] = _Kept("", now + REFUSED_FOR)
        settled = False
        try:
            name = await self._create(model, ttl_seconds, start)
            settled = True
        finally:
            if not settled:  # given up by whoever asked, not refused
                self._kept.pop(key, None)
        if name:
            self._kept[key] = _Kept(name, now + ttl_seconds - min(_MARGIN, ttl_seconds / 10))
        return self._kept[key]

    async def _create(self, model: str, ttl_seconds: int, start: bytes) -> str:
        head = dump({"model": f"models/{model}", "ttl": f"{ttl_seconds}s"})
        try:
            async with asyncio.timeout(_UPLOAD):
                status, answer = await self._transport.post(self._url, b"%s,%s}" % (head[:-1], start))
        except (ProviderError, TimeoutError) as error:
            _log.info("no explicit cache for %s: %s", model, error or "no answer in time")
            return ""
        try:
            name = json.loads(answer)["name"] if status == 200 else ""
        except (ValueError, TypeError, KeyError):
            name = ""
        if not isinstance(name, str) or not name:
            said = clean(answer.decode("utf-8", "replace"), secret=self._transport.target.secret)
            _log.info("no explicit cache for %s: HTTP %s: %s", model, status, said)
            return ""
        return name


def _key(model: str, key: str, ttl_seconds: int, start: bytes) -> str:
    parts = (model.encode(), key.encode("utf-8", "surrogatepass"), str(ttl_seconds).encode(), start)
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
