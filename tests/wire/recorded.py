"""A request as the server got it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Recorded:
    """`headers` have lower-case names; `at` is in seconds (monotonic), `connection` counts connections."""

    number: int
    path: str
    headers: dict[str, str]
    raw: bytes
    at: float
    connection: int

    @cached_property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def history(self) -> list[dict[str, Any]]:
        """The conversation: messages, items on Responses, contents on Gemini."""
        return self.body[{"openai-responses": "input", "gemini": "contents"}.get(self.wire, "messages")]

    @property
    def is_anthropic(self) -> bool:
        return self.path.endswith("/messages")

    @property
    def wire(self) -> str:
        """The wire that asks, by its path."""
        if self.is_anthropic:
            return "anthropic"
        if ":streamGenerateContent" in self.path or self.path.endswith("/cachedContents"):
            return "gemini"
        return "openai-responses" if self.path.partition("?")[0].endswith("/responses") else "openai-chat"
