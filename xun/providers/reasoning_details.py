"""Reasoning that comes in pieces beside its text, partly sealed, and goes back as it came: `reasoning_details`.

Some models refuse the results of their calls without it.
"""

from __future__ import annotations

import json
from typing import Any

from xun.messages import Message, Thinking

_TEXTS = {"reasoning.text": "text", "reasoning.summary": "summary"}


class ReasoningDetails:
    """Joins the pieces of one reply. What is no piece is left out: it is no reason to lose the reply."""

    def __init__(self) -> None:
        self._details: list[dict[str, Any]] = []

    def add(self, pieces: Any) -> None:
        """Take what one chunk brought."""
        for piece in pieces if isinstance(pieces, list) else ():
            if not isinstance(piece, dict) or not isinstance(piece.get("type"), str):
                continue
            if self._details and _continues(self._details[-1], piece):
                _extend(self._details[-1], piece)
            else:
                self._details.append(dict(piece))

    def data(self) -> str | None:
        """All of it as JSON in ASCII; None where nothing came."""
        return json.dumps(self._details) if self._details else None


def details_of(message: Message) -> list[Any]:
    """What goes back with `message`, empty where it has none."""
    found: list[Any] = []
    for block in message.blocks:
        if isinstance(block, Thinking) and block.data is not None:
            try:
                kept = json.loads(block.data)
            except ValueError:
                continue
            found += kept if isinstance(kept, list) else []
    return found


def _continues(last: dict[str, Any], piece: dict[str, Any]) -> bool:
    """Whether `piece` is more of the same text. A seal ends a text; the seal itself may come in a piece without one."""
    name = _TEXTS.get(piece["type"])
    if name is None or (last["type"], last.get("index")) != (piece["type"], piece.get("index")):
        return False
    return not (last.get("signature") and piece.get(name))


def _extend(last: dict[str, Any], piece: dict[str, Any]) -> None:
    name = _TEXTS[piece["type"]]
    text = "".join(part for part in (last.get(name), piece.get(name)) if isinstance(part, str))
    last |= {key: value for key, value in piece.items() if value is not None}
    if text or name in last:
        last[name] = text
