"""What the deleting keys of a shell's line editor take away, to be put back."""

from __future__ import annotations


class KillRing:
    """The last text taken away. Takings that follow each other directly are one."""

    def __init__(self) -> None:
        self.text = ""
        self._going_on = False

    def take(self, text: str, *, before: bool) -> None:
        """Keep `text`. `before` says that it stood before the cursor."""
        if not text:
            return
        if not self._going_on:
            self.text = text
        else:
            self.text = text + self.text if before else self.text + text
        self._going_on = True

    def pause(self) -> None:
        """Another key came between: the next taking starts anew."""
        self._going_on = False
