"""Files that a person or a tool has shown: what waits for the results of its step, and what was refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xun.events import HistoryReplaced
from xun.media import WORDS
from xun.messages import Media, Message, with_lines
from xun.providers.base import ProviderError

if TYPE_CHECKING:
    from xun.agent.turn import Turn

_REFUSED = "[An attached {} stood here. The service refused the request with it, so it is not sent again.]"
LEFT_OUT = "what was shown is left out from now on"


class Shown:
    """What the calls of a step show the model, until their results are there. Usable from their threads."""

    def __init__(self) -> None:
        self._by_call: dict[str, list[Message]] = {}

    def put(self, call_id: str, message: Message) -> None:
        """Keep what the call `call_id` shows."""
        self._by_call.setdefault(call_id, []).append(message)

    def take(self, calls: Sequence[str]) -> list[Message]:
        """Take everything out, in the order of `calls`."""
        kept, self._by_call = self._by_call, {}
        return [message for call_id in calls for message in kept.get(call_id, ())]


def leave_out(turn: Turn, error: ProviderError) -> ProviderError:
    """The error of a request that will never be taken, once files that it may have been refused for are left out.

    A file that nobody has answered would be sent with each request from now on, and spoil them all.
    """
    messages = turn.agent.messages
    start = next((at for at in range(len(messages), 0, -1) if messages[at - 1].role == "assistant"), 0)
    if error.kind != "bad_request" or not any(message.media for message in messages[start:]):
        return error
    messages[start:] = [with_lines(message, _line) for message in messages[start:]]
    turn.agent.compactor.replaced()
    turn.emit(HistoryReplaced(messages=tuple(messages), reason="refused"))
    return ProviderError(error.kind, f"{error.message} ({LEFT_OUT})", status=error.status, request_id=error.request_id)


def _line(file: Media) -> str:
    return _REFUSED.format(WORDS[file.type])
