"""What the person typed while the agent worked: prompts for later, and words for the running turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

from xun.agent.handed_in import spoken
from xun.errors import ConfigurationError
from xun.events import QueueChanged

T = TypeVar("T")


class Queue:
    """Prompts that wait, first in first out, and steering texts that wait for the next step of the running turn.

    Each change is told as `QueueChanged`, by `changed`. Blank texts are refused with `ValueError`. A line that is
    `under_way` is told along, first, until it is done: a session that is killed meanwhile still has it.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._items: list[str] = []
        self._steering: list[str] = []
        self._under_way: tuple[str, ...] = ()
        self._lock = threading.Lock()  # a tool's thread may steer while the turn takes up what waits

    @property
    def items(self) -> tuple[str, ...]:
        """The prompts, next one first."""
        return tuple(self._items)

    @property
    def steering(self) -> tuple[str, ...]:
        """What the running turn has not taken up yet."""
        return tuple(self._steering)

    def event(self) -> QueueChanged:
        """What waits now."""
        with self._lock:
            return QueueChanged(queued=(*self._under_way, *self._items), steering=self.steering)

    def restore(self, texts: Iterable[str]) -> None:
        """Let `texts` wait as they did when the session was left. Nothing is told: it is told already."""
        self._items[:0] = texts

    def under_way(self, line: str) -> None:
        """Tell that what `line` asks for has begun; with "", that it is done."""
        under_way = (line,) if line else ()
        with self._lock:
            changed, self._under_way = under_way != self._under_way, under_way
        self._told(changed)

    def add(self, text: str) -> None:
        """Put `text` last."""
        self._append(self._items, text)

    def steer(self, text: str) -> None:
        """Add a text for the running turn. `Agent.steer` is the way in: it knows whether a turn runs."""
        self._append(self._steering, text)

    def pop(self) -> str | None:
        """Take the next prompt, None where none waits."""
        with self._lock:
            text = self._items.pop(0) if self._items else None
        return self._told(text)

    def take_back(self) -> str | None:
        """Take what was typed last out again: the last prompt, else the last steering text."""
        with self._lock:
            texts = self._items or self._steering
            text = texts.pop() if texts else None
        return self._told(text)

    def clear(self) -> tuple[str, ...]:
        """Take everything out, in the order in which the model would have seen it."""
        with self._lock:
            taken = (*self._steering, *self._items)
            self._steering.clear()
            self._items.clear()
        return self._told(taken)

    def leave_out(self, unwanted: Callable[[str], bool]) -> tuple[str, ...]:
        """Take the prompts out of which `unwanted` is true; what was taken out."""
        with self._lock:
            taken = tuple(text for text in self._items if unwanted(text))
            self._items = [text for text in self._items if not unwanted(text)]
        return self._told(taken)

    def take_steering(self) -> tuple[str, ...]:
        """Everything that waits for the running turn, which the turn adds to history now."""
        with self._lock:
            taken = tuple(self._steering)
            self._steering.clear()
        return self._told(taken)

    def keep_steering(self) -> None:
        """The turn ended without taking these up: they become the next prompts."""
        with self._lock:
            kept = tuple(self._steering)
            self._steering.clear()
            self._items[:0] = kept
        self._told(kept)

    def _append(self, texts: list[str], text: str) -> None:
        text = spoken("what waits for the model", text)
        if not text.strip():
            raise ConfigurationError("an empty text cannot wait for the model")
        with self._lock:
            texts.append(text)
        self._changed()

    def _told(self, taken: T) -> T:
        """`taken`, with the change told if there is one."""
        if taken:
            self._changed()
        return taken
