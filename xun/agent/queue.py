"""What the person typed while the agent worked: prompts for later, and words for the running turn."""

from __future__ import annotations

from collections.abc import Callable

from xun.events import AnyEvent, QueueChanged


class Queue:
    """Prompts that wait, first in first out, and steering texts that wait for the next step of the running turn.

    Each change is told as `QueueChanged`. Blank texts are refused with `ValueError`.
    """

    def __init__(self, tell: Callable[[AnyEvent], None]) -> None:
        self._tell = tell
        self._items: list[str] = []
        self._steering: list[str] = []

    @property
    def items(self) -> tuple[str, ...]:
        """The prompts, next one first."""
        return tuple(self._items)

    @property
    def steering(self) -> tuple[str, ...]:
        """What the running turn has not taken up yet."""
        return tuple(self._steering)

    def add(self, text: str) -> None:
        """Put `text` last."""
        self._items.append(_checked(text))
        self._changed()

    def pop(self) -> str | None:
        """Take the next prompt, None where none waits."""
        return self._take(self._items, 0)

    def take_back(self) -> str | None:
        """Take what was typed last out again: the last prompt, else the last steering text."""
        return self._take(self._items or self._steering, -1)

    def clear(self) -> tuple[str, ...]:
        """Take everything out, in the order in which the model would have seen it."""
        taken = (*self._steering, *self._items)
        if taken:
            self._items, self._steering = [], []
            self._changed()
        return taken

    def steer(self, text: str) -> None:
        """Add a text for the running turn. `Agent.steer` is the way in: it knows whether a turn runs."""
        self._steering.append(_checked(text))
        self._changed()

    def take_steering(self) -> tuple[str, ...]:
        """Everything that waits for the running turn, which the turn adds to history now."""
        taken, self._steering = tuple(self._steering), []
        if taken:
            self._changed()
        return taken

    def keep_steering(self) -> None:
        """The turn ended without taking these up: they become the next prompts."""
        if self._steering:
            self._items[:0] = self._steering
            self._steering = []
            self._changed()

    def _take(self, texts: list[str], index: int) -> str | None:
        if not texts:
            return None
        text = texts.pop(index)
        self._changed()
        return text

    def _changed(self) -> None:
        self._tell(QueueChanged(queued=self.items, steering=self.steering))


def _checked(text: str) -> str:
    if not text.strip():
        raise ValueError("an empty text cannot wait for the model")
    return text
