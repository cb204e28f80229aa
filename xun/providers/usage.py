"""What a server says that a reply has used. Figures that cannot be read are no reason to lose the reply."""

from __future__ import annotations

from typing import Any

from xun.messages import Usage


def count(value: Any) -> int:
    """A number of tokens, 0 where there is none. Raises `ValueError` for anything that does not count them."""
    if value is None:
        return 0
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("no number of tokens")
    return value


def openai_usage(counted: Any, prompt: str, reply: str) -> Usage | None:
    """What an OpenAI wire counts under the names `prompt` and `reply`; None where it says nothing that can be read."""
    if not counted:
        return None
    try:
        details = counted.get(f"{prompt}_details") or {}
        return Usage(
            input_tokens=count(counted.get(prompt)),
            output_tokens=count(counted.get(reply)),
            cache_read_input_tokens=count(details.get("cached_tokens")),
            cache_creation_input_tokens=count(details.get("cache_write_tokens")),
        )
    except (ValueError, AttributeError):
        return None


def anthropic_usage(counted: dict[str, Any]) -> Usage | None:
    """The same of the Anthropic wire, which counts what was cached apart from the rest of the prompt."""
    if not counted:
        return None
    try:
        read = count(counted.get("cache_read_input_tokens"))
        written = count(counted.get("cache_creation_input_tokens"))
        return Usage(
            input_tokens=count(counted.get("input_tokens")) + read + written,
            output_tokens=count(counted.get("output_tokens")),
            cache_read_input_tokens=read,
            cache_creation_input_tokens=written,
        )
    except ValueError:
        return None


def gemini_usage(counted: Any) -> Usage | None:
    """The same of the Gemini wire, which counts thinking apart from the rest of the reply."""
    try:
        return Usage(
            input_tokens=count(counted.get("promptTokenCount")) + count(counted.get("toolUsePromptTokenCount")),
            output_tokens=count(counted.get("candidatesTokenCount")) + count(counted.get("thoughtsTokenCount")),
            cache_read_input_tokens=count(counted.get("cachedContentTokenCount")),
        )
    except (ValueError, AttributeError):
        return None
