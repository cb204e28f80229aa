"""What a conversation that is handed in must be like."""

from __future__ import annotations

from collections.abc import Iterable

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import several
from xun.messages import Message

History = Iterable[Message]
"""Gone through once, so an iterator will do."""


def checked_history(messages: History) -> list[Message]:
    """A list of `messages`, in which each call has exactly one result, right after its reply and in call order.

    Raises `TypeError` for anything but messages, and `ValueError`, naming the message, where the next request would be
    refused by every provider.
    """
    wanted: tuple[str, ...] = ()
    held = several("history", messages, "messages")
    for place, message in enumerate(held):
        if not isinstance(message, Message):
            raise WrongTypeError(f"message {place} of the history is a {type(message).__name__}, not a Message")
        given = tuple(result.call_id for result in message.results)
        if given != wanted or (wanted and message.role != "tool"):
            raise ConfigurationError(_wrong(place, wanted))
        wanted = tuple(dict.fromkeys(call.id for call in message.calls))
    if wanted:
        raise ConfigurationError(_wrong(len(held), wanted))
    return list(held)


def _wrong(place: int, wanted: tuple[str, ...]) -> str:
    if not wanted:
        return f"message {place} of the history holds results of calls that the message before it does not make"
    return f"message {place} of the history must hold the results of the calls before it: {', '.join(wanted)}"
