"""Text as servers send it, made such that JSON and a screen can carry it.

JSON can spell one half of a character beyond U+FFFF, as the escape of a surrogate. Two halves are a character, also
where they come in two pieces of a stream; a half that stays alone becomes U+FFFD.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xun.providers.base import StreamItem, TextPart, ThinkingPart


def said(value: Any) -> str:
    """`value`, which must be text. Raises `TypeError`."""
    if not isinstance(value, str):
        raise TypeError(f"a {type(value).__name__} in place of text")
    return value


def said_or(value: Any, otherwise: str) -> str:
    """`value` where it is text that says something, else `otherwise`."""
    return whole(value) if isinstance(value, str) and value else otherwise


def whole(text: str) -> str:
    """`text` with halves joined, and U+FFFD for each that is alone."""
    try:
        text.encode()  # many times as fast as looking for one
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def whole_value(value: Any) -> Any:
    """A JSON value, but for the objects in it, in whole characters."""
    if isinstance(value, str):
        return whole(value)
    return [whole_value(item) for item in value] if isinstance(value, list) else value


class WholeParts:
    """The parts of a stream in whole characters: half of one at the end of a part waits for the next of its kind."""

    def __init__(self) -> None:
        self._half = ""
        self._kind: type[TextPart | ThinkingPart] = TextPart

    def take(self, item: StreamItem) -> Iterator[StreamItem]:
        """`item`, and what waited where nothing of its kind follows."""
        if not isinstance(item, TextPart | ThinkingPart):
            yield from self._alone()
            yield item
            return
        if not isinstance(item, self._kind):
            yield from self._alone()
        self._kind = type(item)
        text = self._half + item.text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        if text := text[: len(text) - len(self._half)]:
            yield self._kind(whole(text))

    def _alone(self) -> Iterator[StreamItem]:
        if self._half:
            self._half = ""
            yield self._kind("\ufffd")
