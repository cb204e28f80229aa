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

Delta = TextDelta | ThinkingDelta
EVERY = 1.0
"""Seconds from one piece to the next, or more."""


class Arriving:
    """Gathers the text and the thoughts of the open reply of a session's own agent.

    `settled` says how many characters of a text may be stored by now: what comes next may make a secret of its end.
    """

    def __init__(self, settled: Callable[[str], int] = len) -> None:
        self._settled = settled
        self._texts: list[str] = []
        self._last: Delta | None = None  # what came last, of whose kind all of `_texts` is
        self._stored = -1  # the number of the last event in whose place a piece was stored
        self._due = 0.0

    def heard(self, event: AnyEvent) -> Delta | None:
        """The piece that is to be stored in place of `event`, or before one that is stored; mostly there is none."""
        if event.parent_id:
            return None
        match event:
            case TextDelta() | ThinkingDelta():
                return self._came(event)
            case Waiting():  # nothing comes for a while
                return self._piece(event)
            case ToolStarted(call=call) if call.id.startswith(SHELL_ID):
                # The person runs something beside the reply: what has come of it stands above that.
                if self._last is not None and self._last.seq > self._stored:
                    return self._piece(self._last)
            case TurnEnded(status="cancelled") if isinstance(self._last, ThinkingDelta):
                rest = self._rest(self._last)
                self._forget()
                return rest
            case AttemptReset() | TurnEnded():
                self._forget()
            case MessageAdded(message=message) if message.role == "assistant":
                self._forget()
        return None

    def _forget(self) -> None:
        self._texts.clear()
        self._last = None

    def _came(self, event: Delta) -> Delta | None:
        rest = self._other(event)
        if not self._texts:
            self._due = event.at + EVERY
        self._texts.append(event.text)
        self._last = event
        if rest is not None or self._due - EVERY <= event.at < self._due:  # else it is time, or the clock was set
            return rest
        self._due = event.at + EVERY
        return self._piece(event)

    def _other(self, event: Delta) -> Delta | None:
        """What is left of the thoughts before a text, or of the text before a thought: nothing more comes of it."""
        if self._last is None or type(self._last) is type(event):
            return None
        rest = self._rest(self._last, event)
        self._texts.clear()
        return rest

    def _rest(self, last: Delta, event: AnyEvent | None = None) -> Delta | None:
        """All that is not stored yet, in place of the `last` delta, or where that is taken of `event`."""
        text = "".join(self._texts)
        place = last if last.seq > self._stored else event
        return self._as_piece(text, last, place) if text and place is not None else None

    def _piece(self, event: AnyEvent) -> Delta | None:
        text = "".join(self._texts)
        size = self._settled(text)
        if not size or self._last is None:
            return None
        self._texts = [text[size:]]
        return self._as_piece(text[:size], self._last, event)

    def _as_piece(self, text: str, kind: Delta, place: AnyEvent) -> Delta:
        """`text` as a delta of one `kind`, in place of another event."""
        self._stored = place.seq
        return kind.model_copy(update={"text": text, "seq": place.seq, "at": place.at})
