"""A letter or a digit that would answer, held until it is known that it does not begin a sentence."""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Key
from textual.timer import Timer
from textual.widget import Widget

from xun.frontends.tui.question.choices import Choice
from xun.frontends.tui.timers import sure

HOLD = 0.4  # seconds without another key after which a letter or a digit counts


class Held:
    """Keys that were pressed without a pause, on the loop of `widget`, and the answer that they would give.

    After `seconds` of silence, `HOLD` by default, `then` is called with that answer, None where the keys only moved
    something.
    """

    def __init__(self, widget: Widget, then: Callable[[Choice | None], None]) -> None:
        self._widget = widget
        self._then = then
        self.seconds = HOLD
        self._timer: Timer | None = None
        self.keys: list[Key] = []
        self.choice: Choice | None = None
        self._looks = 0  # keys among them that decide nothing

    @property
    def begun(self) -> bool:
        """Whether a key is held that may decide something."""
        return len(self.keys) > self._looks

    def add(self, key: Key, choice: Choice | None = None, *, look: bool = False) -> None:
        """Hold `key` too; `choice` is the answer from now on. A `look` has done by now what it does."""
        self.keys.append(key)
        self._looks += look
        self.choice = choice
        self._stop()
        self._timer = sure(self._widget.set_timer(self.seconds, self._count))

    def goes_on(self, key: str) -> bool:
        """Whether `key` does not make a sentence of what is held: the same again, or of those that move up and down."""
        last = self.keys[-1].key if self.keys else key
        return key == last or {key, last} <= {"j", "k"}

    def drop(self) -> list[Key]:
        """Hold nothing any more: what was held, in order."""
        self._stop()
        keys, self.keys, self.choice, self._looks = self.keys, [], None, 0
        return keys

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _count(self) -> None:
        choice = self.choice
        self.drop()
        self._then(choice)
