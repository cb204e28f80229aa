"""The moment of quiet: a question takes the keys only when nobody has typed for a while, or is at something else."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget

from xun.frontends.tui.timers import sure

GRACE = 0.6  # seconds without a key before the question takes the keys
AFTER_LEAVING = 3.0  # the same once the person has gone back to the prompt


class Quiet:
    """Waits for quiet on the loop of `widget`, and then calls `then`, unless that is not `wanted` any more.

    `idle` tells the seconds since the last key, wherever it was typed; `busy` whether the person is at something else,
    a draft, a list or the transcript, for as long as it takes. `still` is called now and then while that goes on.
    """

    def __init__(
        self,
        widget: Widget,
        then: Callable[[], None],
        *,
        wanted: Callable[[], bool],
        idle: Callable[[], float],
        busy: Callable[[], bool],
        still: Callable[[], None],
    ) -> None:
        self._widget = widget
        self._then = then
        self._wanted, self._idle, self._busy, self._still = wanted, idle, busy, still
        self._timer: Timer | None = None
        self._held = float("-inf")  # no question takes the keys before, whichever comes

    def hold(self, seconds: float = AFTER_LEAVING) -> None:
        """Let no wait end sooner than in `seconds`, also one that has not begun."""
        self._held = time.monotonic() + seconds

    def wait(self) -> None:
        """Begin to wait, anew where it waits already."""
        self.stop()
        # However long ago the last key was: the next one may be on its way to the prompt.
        seconds = max(GRACE - self._idle(), GRACE / 2, self._held - time.monotonic())
        self._timer = sure(self._widget.set_timer(seconds, self._look))

    def stop(self) -> None:
        """Wait no longer."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        if not self._wanted():
            return
        left = GRACE if self._busy() else GRACE - self._idle()
        if left > 0:
            self._still()
            self._timer = sure(self._widget.set_timer(left, self._look))
        else:
            self._then()
