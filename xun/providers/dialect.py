"""What servers of Chat Completions take beyond what all of them do. Data: the table of services names these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChatDialect:
    """How one service departs from the common form. The defaults are what any compatible server takes.

    Attributes:
        reply_limit: The field with the longest reply, in tokens.
        cache_key: Whether it takes a key for the prompts that begin alike.
        known_efforts: Whether `models.toml` says which model takes which effort, else it gets what was asked for.
        reasoning_object: Whether the effort is a part of `reasoning`, else it is `reasoning_effort`.
        reasoning_details: Whether it sends sealed reasoning in `reasoning_details`, and wants it back.
    """

    reply_limit: str = "max_tokens"
    cache_key: bool = False
    known_efforts: bool = False
    reasoning_object: bool = False
    reasoning_details: bool = False


COMPATIBLE = ChatDialect()
OPENAI = ChatDialect("max_completion_tokens", cache_key=True, known_efforts=True)
AZURE = ChatDialect("max_completion_tokens", known_efforts=True)
OPENROUTER = ChatDialect(reasoning_object=True, reasoning_details=True)
