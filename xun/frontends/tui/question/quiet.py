"""The moment of quiet: a question takes the keys only when nobody has typed for a while."""

from __future__ import annotations

from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget

GRACE = 0.6  # seconds without a key before the question takes the keys
GRACE_WITH_DRAFT = 1.5  # the same while something half typed stands in the prompt


class Quiet:
    """Waits for quiet on the loop of `widget`, and then calls `then`, unless that is not `wanted` any more.

    `idle` tells the seconds since the last key, `draft` whether the prompt holds text, `engaged` whether a list or a
    search is open there.
    """

    def __init__(
        self,
        widget: Widget,
        then: Callable[[], None],
        *,
        wanted: Callable[[], bool],
        idle: Callable[[], float],
        draft: Callable[[], bool],
        engaged: Callable[[], bool],
    ) -> None:
        self._widget = widget
        self._then = then
        self._wanted, self._idle, self._draft, self._engaged = wanted, idle, draft, engaged
        self._timer: Timer | None = None

    def wait(self) -> None:
        """Begin to wait, anew where it waits already."""
        self.stop()
        grace = self._grace
        # At least half of it, however long ago the last key was: the next one may be on its way to the prompt.
        self._timer = self._widget.set_timer(max(grace - self._idle(), grace / 2), self._look)

    def stop(self) -> None:
        """Wait no longer."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    @property
    def _grace(self) -> float:
        return GRACE_WITH_DRAFT if self._draft() else GRACE

    def _look(self) -> None:
        self._timer = None
        if not self._wanted():
            return
        grace = self._grace
        left = grace if self._engaged() else grace - self._idle()
        if left > 0:
            self._timer = self._widget.set_timer(left, self._look)
        else:
            self._then()
