"""The history of a conversation on a wire: made to fit, and each message serialised only once."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from xun.messages import Message
from xun.providers.carry import Carrier
from xun.providers.media import Unfit

Fragment = tuple[str, bytes]
"""A message on a wire: its role and its content, empty when there is nothing to send."""


@dataclass(slots=True)
class History:
    """The messages of one conversation on a wire: finished ones joined, and the last one still in its parts.

    Neighbours with the same role share one message; those with the role "" never do.
    """

    carrier: Carrier
    messages: list[Message] = field(default_factory=list)
    closed: bytearray = field(default_factory=bytearray)
    role: str = ""
    parts: list[bytes] = field(default_factory=list)


class HistoryCache:
    """Serialises each message once, however many requests carry it.

    A request of 500 messages then costs what its new ones cost, plus one copy of the bytes. Messages are
    immutable, so a history that begins with the same objects as one seen before begins with the same bytes.
    Only a few conversations are kept: any other one is simply serialised anew.
    """

    _KEPT = 4

    def __init__(
        self,
        wire: str,
        fragment: Callable[[Message], Fragment],
        message: Callable[[str, Sequence[bytes]], bytes],
        model: str = "",
        *,
        thinks: bool = True,
        unfit: Unfit = lambda file: None,
    ) -> None:
        """For requests to `model`; see `Carrier` for it, for `thinks` and for `unfit`."""
        self._carrier = partial(Carrier, wire, model, thinks=thinks, unfit=unfit)
        self._fragment = fragment
        self._message = message
        self._histories: list[History] = []
        self._lock = threading.Lock()

    def pieces(
        self, messages: Sequence[Message], mark: Callable[[bytes], bytes] | None = None
    ) -> list[bytes | bytearray]:
        """`messages` as they are sent, commas included, in few pieces to be joined at once.

        `mark` is applied to the last part of a last message of the user. The pieces hold until the next call.
        """
        with self._lock:
            history = self._find(messages)
            for message in messages[len(history.messages) :]:
                self._append(history, message)
            parts = history.parts
            if mark is not None and history.role == "user":
                parts = [*parts[:-1], mark(parts[-1])]
            last = self._message(history.role, parts) if parts else b""
            return [history.closed, b",", last] if history.closed else [last]

    def _find(self, messages: Sequence[Message]) -> History:
        for history in sorted(self._histories, key=lambda history: -len(history.messages)):
            known = history.messages
            # Identity: comparing messages would cost what the cache saves.
            if len(known) <= len(messages) and all(map(operator.is_, known, messages)):
                self._histories.remove(history)
                break
        else:
            history = History(self._carrier())
        self._histories = [*self._histories[1 - self._KEPT :], history]
        return history

    def _append(self, history: History, message: Message) -> None:
        history.messages.append(message)
        for carried in history.carrier.take(message):
            role, content = self._fragment(carried)
            if content:
                self._add(history, role, content)

    def _add(self, history: History, role: str, content: bytes) -> None:
        if role and role == history.role:
            history.parts.append(content)
            return
        if history.parts:
            history.closed += b"," * bool(history.closed) + self._message(history.role, history.parts)
        history.role, history.parts = role, [content]
