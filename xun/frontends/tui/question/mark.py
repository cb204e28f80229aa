"""Which answer is marked, by arrows or by the beginning of a number."""

from __future__ import annotations

from xun.frontends.tui.question.choices import Choice, Menu


class Mark:
    """A mark on one of the answers of `menu`. `moved`: the person has looked for an answer."""

    def __init__(self, menu: Menu) -> None:
        self.menu = menu
        self.at = menu.default
        self.moved = False
        self._number = ""

    @property
    def choice(self) -> Choice:
        """The answer that is marked."""
        return self.menu.choices[self.at]

    def open_more(self) -> None:
        """Show the other answers too."""
        self.menu = self.menu.opened()

    def move(self, step: int) -> None:
        """Go down by `step`, or up where that is negative, and round at the ends."""
        self.put((self.at + step) % len(self.menu.choices))

    def put(self, at: int) -> None:
        """Mark the answer at `at`."""
        self.at, self.moved = at, True

    def digit(self, key: str) -> int | None:
        """The index of the answer whose number this digit is, or ends. None where there is none."""
        count = len(self.menu.choices)
        number = int(self._number + key) if int(self._number + key) <= count else int(key)
        if not 1 <= number <= count:
            return None
        self._number = str(number)
        return number - 1

    @property
    def complete(self) -> bool:
        """Whether no longer number could be meant than the one that was typed."""
        return int(self._number or 0) * 10 > len(self.menu.choices)
