"""JSON for request bodies: safe text, safe names and ids, and each message serialised only once."""

from __future__ import annotations

import hashlib
import json
import operator
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xun.messages import Message

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")


def dump(value: Any) -> bytes:
    """`value` as compact JSON in UTF-8. Lone surrogates become U+FFFD: no server accepts them."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def is_tool_name(name: str) -> bool:
    """Whether every provider accepts `name`: 1 to 64 of the letters A-Z, a-z, digits, "_" and "-"."""
    return _TOOL_NAME.match(name) is not None


def sent_name(name: str) -> str:
    """The name of a past call as it may be sent back: models invent names that their own server refuses."""
    return name if is_tool_name(name) else re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unknown"


def sent_id(call_id: str) -> str:
    """The id of a past call as every wire accepts it: the same answer for the call and its result."""
    if _CALL_ID.match(call_id):
        return call_id
    return f"call_{hashlib.sha256(call_id.encode('utf-8', 'replace')).hexdigest()[:24]}"


Fragment = tuple[str, bytes]
"""A message on a wire: its role and its content, empty when there is nothing to send."""


@dataclass(slots=True)
class History:
    """The messages of one conversation on a wire: finished ones joined, and the last one still in its parts.

    Neighbours with the same role share one message; those with the role "" never do.
    """

    messages: list[Message]
    closed: bytearray
    role: str
    parts: list[bytes]


class HistoryCache:
    """Serialises each message once, however many requests carry it.

    A request of 500 messages then costs what its new ones cost, plus one copy of the bytes. Messages are
    immutable, so a history that begins with the same objects as one seen before begins with the same bytes.
    Only a few conversations are kept: any other one is simply serialised anew.
    """

    _KEPT = 4

    def __init__(
        self, fragment: Callable[[Message], Fragment], message: Callable[[str, Sequence[bytes]], bytes]
    ) -> None:
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
            history = History([], bytearray(), "", [])
        self._histories = [*self._histories[1 - self._KEPT :], history]
        return history

    def _append(self, history: History, message: Message) -> None:
        history.messages.append(message)
        role, content = self._fragment(message)
        if not content:
            return
        if role and role == history.role:
            history.parts.append(content)
            return
        if history.parts:
            history.closed += b"," * bool(history.closed) + self._message(history.role, history.parts)
        history.role, history.parts = role, [content]
