"""Tries of a model call that failed: one row, however many there are."""

from __future__ import annotations

from xun.frontends.text import one_line
from xun.frontends.tui.transcript.item import Item, count
from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.wrap import MARGIN, wrap

_NOW = 0.05  # seconds below which nobody waits


class Retry(Item):
    """The last failed try, its number, and how long it is until the next. Once that is over only their number."""

    __slots__ = ("_over", "_reason", "_tries", "_wait")

    def __init__(self) -> None:
        super().__init__()
        self._tries = 0
        self._reason = ""
        self._wait = 0.0
        self._over = False

    def failed(self, reason: str, wait: float) -> None:
        """One more try has failed; the next one comes in `wait` seconds."""
        self._tries += 1
        self._reason = one_line(reason, 300)
        self._wait = wait
        self.changed()

    def finish(self) -> None:
        """No more will come."""
        self._over = True
        self.changed()

    def body(self, width: int) -> list[Line]:
        if self._over:
            text = f"{count(self._tries, 'attempt')} failed: {self._reason}"
            return wrap(((text, "muted"),), width, first=(("· ", "muted"),), rest=MARGIN)
        when = f"in {self._wait:.1f} s" if self._wait >= _NOW else "now"
        text = f"warning: {self._reason} (attempt {self._tries}); trying again {when}"
        return wrap(((text, "warning"),), width, first=(("! ", "warning"),), rest=MARGIN)
