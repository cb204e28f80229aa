"""The key of what each request of an agent begins with, by which servers find it in their prompt caches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from xun.providers.base import CacheHint, PromptCachePolicy


class PrefixKey:
    """Computes the key anew only where the model, the system prompt or the tools are others than the last time."""

    def __init__(self) -> None:
        self._of: tuple[Any, ...] = ()
        self._key = ""

    def hint(
        self, policy: PromptCachePolicy | None, model: str, system: str, tools: Sequence[dict[str, Any]]
    ) -> CacheHint | None:
        """What a provider is told of the cache, None where `policy` turns it off."""
        if policy is None:
            return None
        now = (policy, model, system, tools)
        if len(self._of) != len(now) or any(old is not new for old, new in zip(self._of, now, strict=True)):
            self._of = now
            parts = (policy.key_salt, model, system, json.dumps(tools, sort_keys=False, default=str))
            text = "\0".join(parts).encode("utf-8", "surrogatepass")
            self._key = hashlib.sha256(text).hexdigest()[:32]
        return CacheHint(self._key, policy.ttl_seconds)
