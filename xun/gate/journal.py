"""The decisions of one session by number, so that each can be explained later."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from xun.events import Decided

KEPT = 1000
"""How many decisions are kept in memory; older ones are read from the stored session, where there is one."""

Stored = Callable[[], Iterable[Decided]]


def _nothing() -> Iterable[Decided]:
    return ()


@dataclass(slots=True)
class Journal:
    """Numbers decisions from 1, `before` of which an earlier run of the session has made. `stored` reads them all."""

    before: int = 0
    stored: Stored = _nothing
    _made: int = 0
    _kept: deque[Decided] = field(default_factory=lambda: deque(maxlen=KEPT))

    @property
    def count(self) -> int:
        return self.before + self._made

    def add(self, event: Decided) -> Decided:
        """`event` with the next number, which it keeps."""
        self._made += 1
        event = event.model_copy(update={"number": self.count})
        self._kept.append(event)
        return event

    def find(self, number: int) -> Decided | None:
        """The decision of that number, or None. May read the stored session."""
        if not 0 < number <= self.count:
            return None
        return next((event for event in self._from(number) if event.number == number), None)

    def last(self, count: int) -> list[Decided]:
        """The last `count` decisions, oldest first. May read the stored session."""
        first = max(self.count - count, 0) + 1
        return [event for event in self._from(first) if event.number >= first]

    def _from(self, first: int) -> Iterable[Decided]:
        if self._kept and self._kept[0].number <= first:
            return tuple(self._kept)
        held = {event.number: event for event in numbered(self.stored())}
        return list((held | {event.number: event for event in self._kept}).values())


def numbered(events: Iterable[Decided]) -> Iterable[Decided]:
    """Decisions in their order, those of sessions from before numbers counted through."""
    for count, event in enumerate(events, 1):
        yield event if event.number else event.model_copy(update={"number": count})
