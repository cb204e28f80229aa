"""Telling a line that a person sends from one that a program, or a paste without marks, types."""

from __future__ import annotations

GAP = 0.03  # seconds: keys that follow each other faster are no person's
_SOME = 3  # keys that one person presses as fast as that, when fingers overlap, are fewer
SETTLE = 0.08  # seconds of silence after which a burst is over


class Burst:
    """Watches the times of keys.

    A terminal without bracketed paste sends pasted lines as keys, each line end as Enter. Such an Enter is a new line.
    Only a burst with a single Enter, at its very end, is a line that was sent: so do programs that type.
    """

    def __init__(self) -> None:
        self._last = float("-inf")
        self._enters = 0
        self._keys = 0
        self._pasted = False

    def key(self, at: float) -> bool:
        """Note a key at `at` seconds. Is it part of a burst?"""
        fast = at - self._last < GAP
        if not fast:
            self._enters, self._keys, self._pasted = 0, 0, False
        self._last = at
        self._keys += 1
        return fast

    def types_on(self, at: float) -> bool:
        """Would a key at `at` seconds be part of a burst that no person's fingers make?"""
        return self._keys >= _SOME and at - self._last < GAP

    def paste(self, at: float) -> None:
        """Note a paste: what follows at once belongs to it."""
        self._last = at
        self._pasted = True

    def enter(self, at: float) -> bool:
        """Note Enter. True when it must wait for silence: what it means is not known yet."""
        fast = self.key(at)
        self._enters += 1
        return fast

    def sends(self) -> bool:
        """After silence: was the last Enter meant to send?"""
        return self._enters == 1 and not self._pasted
