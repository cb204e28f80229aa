"""The reply that is arriving, stored in few pieces: a xun that is killed loses no more than the last moments of it."""

from __future__ import annotations

from collections.abc import Callable

from xun.asides import SHELL_ID
from xun.events import (
    AnyEvent,
    AttemptReset,
    MessageAdded,
    TextDelta,
    ThinkingDelta,
    ToolStarted,
    TurnEnded,
    Waiting,
)

EVERY = 1.0
"""Seconds from one piece to the next, or more."""


class Arriving:
    """Gathers the text of the open reply of a session's own agent.

    `settled` says how many characters of a text may be stored by now: what comes next may make a secret of its end.
    """

    def __init__(self, settled: Callable[[str], int] = len) -> None:
        self._settled = settled
        self._texts: list[str] = []
        self._begun = False  # whether anything has come of the reply, be it that it was thought
        self._due = 0.0

    def heard(self, event: AnyEvent) -> TextDelta | None:
        """The piece that is to be stored in place of `event`, or before one that is stored; mostly there is none."""
        if event.parent_id:
            return None
        match event:
            case TextDelta():
                self._begun = True
                return self._came(event)
            case ThinkingDelta():
                self._begun = True
            case Waiting():  # nothing comes for a while
                return self._piece(event)
            case ToolStarted(call=call) if self._begun and call.id.startswith(SHELL_ID):
                # The person runs something beside the reply: what has come of it stands above that.
                return self._piece(event) or self._as_piece("", event)
            case AttemptReset() | TurnEnded():
                self._forget()
            case MessageAdded(message=message) if message.role == "assistant":
                self._forget()
        return None

    def _forget(self) -> None:
        self._texts.clear()
        self._begun = False

    def _came(self, event: TextDelta) -> TextDelta | None:
        if not self._texts:
            self._due = event.at + EVERY
        self._texts.append(event.text)
        if self._due - EVERY <= event.at < self._due:  # else it is time, or somebody has set the clock
            return None
        self._due = event.at + EVERY
        return self._piece(event)

    def _piece(self, event: AnyEvent) -> TextDelta | None:
        text = "".join(self._texts)
        size = self._settled(text)
        if not size:
            return None
        self._texts = [text[size:]]
        return self._as_piece(text[:size], event)

    def _as_piece(self, text: str, event: AnyEvent) -> TextDelta:
        return TextDelta(text=text, seq=event.seq, session_id=event.session_id, agent_id=event.agent_id, at=event.at)
