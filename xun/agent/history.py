"""What a conversation that is handed in must be like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from xun.errors import ConfigurationError, WrongTypeError
from xun.messages import Message

_MADE = "Message.user makes one of text, Message.model_validate of what was JSON"

History = Iterable[Message]
"""Gone through once, so an iterator will do."""


def checked_history(messages: History) -> list[Message]:
    """A list of `messages`, in which each call has exactly one result, right after its reply and in call order.

    Raises `TypeError` for anything but messages, and `ValueError`, naming the message, where the next request would be
    refused by every provider.
    """
    wanted: tuple[str, ...] = ()
    held = _several(messages)
    for place, message in enumerate(held):
        if not isinstance(message, Message):
            kind = type(message).__name__
            raise WrongTypeError(f"message {place} of the history is a {kind}, not a Message: {_MADE}")
        given = tuple(result.call_id for result in message.results)
        if given != wanted or (wanted and message.role != "tool"):
            raise ConfigurationError(_wrong(place, wanted))
        wanted = tuple(dict.fromkeys(call.id for call in message.calls))
    if wanted:
        raise ConfigurationError(_wrong(len(held), wanted))
    return list(held)


def _several(given: Any) -> tuple[Any, ...]:
    """What a history that is given is made of. None of it is quoted in errors: it may be a whole conversation."""
    kind = type(given).__name__
    if isinstance(given, str | bytes):
        raise WrongTypeError(f"history must be a list of messages, not one text: {_MADE}")
    if isinstance(given, Message):
        raise WrongTypeError("history must be a list of messages, not one Message: write [message]")
    if hasattr(given, "messages"):
        raise WrongTypeError(f"history must be a list of messages, not a {kind}: give its messages")
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise WrongTypeError(f"history must be a list of messages, not a value of type {kind}")
    return tuple(given)


def _wrong(place: int, wanted: tuple[str, ...]) -> str:
    if not wanted:
        return f"message {place} of the history holds results of calls that the message before it does not make"
    return f"message {place} of the history must hold the results of the calls before it: {', '.join(wanted)}"
