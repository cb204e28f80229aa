"""The reply that is arriving, stored in few pieces: a xun that is killed loses no more than the last moments of it."""

from __future__ import annotations

from collections.abc import Callable

from xun.events import AnyEvent, AttemptReset, MessageAdded, TextDelta, TurnEnded, Waiting

EVERY = 1.0
"""Seconds from one piece to the next, or more."""


class Arriving:
    """Gathers the text of the open reply of a session's own agent.

    `settled` says how many characters of a text may be stored by now: what comes next may make a secret of its end.
    """

    def __init__(self, settled: Callable[[str], int] = len) -> None:
        self._settled = settled
        self._texts: list[str] = []
        self._due = 0.0

    def heard(self, event: AnyEvent) -> TextDelta | None:
        """The piece that is to be stored in place of `event`; mostly there is none."""
        if event.parent_id:
            return None
        if isinstance(event, TextDelta):
            return self._came(event)
        if isinstance(event, Waiting):  # nothing comes for a while
            return self._piece(event)
        if isinstance(event, AttemptReset | TurnEnded) or _is_reply(event):
            self._texts.clear()
        return None

    def _came(self, event: TextDelta) -> TextDelta | None:
        if not self._texts:
            self._due = event.at + EVERY
        self._texts.append(event.text)
        if self._due - EVERY <= event.at < self._due:  # else it is time, or somebody has set the clock
            return None
        self._due = event.at + EVERY
        return self._piece(event)

    def _piece(self, event: TextDelta | Waiting) -> TextDelta | None:
        text = "".join(self._texts)
        size = self._settled(text)
        if not size:
            return None
        self._texts = [text[size:]]
        return TextDelta(
            text=text[:size], seq=event.seq, session_id=event.session_id, agent_id=event.agent_id, at=event.at
        )


def _is_reply(event: AnyEvent) -> bool:
    return isinstance(event, MessageAdded) and event.message.role == "assistant"
