"""Which answer is marked, by arrows or by the beginning of a number."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from xun.frontends.tui.question.choices import Choice, Menu

LOOK = "e"
"""The key that shows the decision or hides it."""


class Mark:
    """A mark on one of the answers of `menu`. `moved`: the person has looked for an answer."""

    def __init__(self, menu: Menu) -> None:
        self.menu = menu
        self.at = menu.default
        self.moved = False
        self.explained = False  # whether the decision is shown whole
        self.filter = ""  # what stands in all answers of `menu`, of a list that was narrowed
        self.nothing = False  # whether it stands in none; then `menu` is that of before
        self._whole = menu
        self._number = ""
        self._before = (menu, self.at, False, False)

    @property
    def choice(self) -> Choice:
        """The answer that is marked."""
        return self.menu.choices[self.at]

    def move(self, step: int) -> None:
        """Go down by `step`, or up where that is negative, and round at the ends."""
        self.put((self.at + step) % len(self.menu.choices))

    def put(self, at: int) -> None:
        """Mark the answer at `at`."""
        self.at, self.moved = at, True

    def narrow(self, text: str) -> None:
        """Of a list, leave the answers with `text` in them or in what stands beside them, in whatever case."""
        wanted = text.casefold()
        found = [one for one in self._whole.choices if wanted in f"{one.label} {one.keeps}".casefold()]
        self.filter, self.nothing, self._number = text, not found, ""
        if found:
            self.menu = replace(self._whole, choices=tuple(found), numbered=not text)
            self.put(0 if text else self._whole.default)

    def remember(self) -> None:
        """Keep how it stands now, for `go_back`."""
        self._before = (self.menu, self.at, self.moved, self.explained)

    def go_back(self) -> None:
        """Stand again as it did at `remember`."""
        self.menu, self.at, self.moved, self.explained = self._before
        self._number = ""

    def press(self, key: str) -> Choice | Literal["moved"] | None:
        """The answer that `key` names, "moved" where it moved the mark or showed more, else None."""
        if key.isdecimal():
            return self._digit(key) if self.menu.numbered else None
        named = next((choice for choice in self.menu.choices if choice.key == key), None)
        if named is None and key in ("j", "k"):
            self.move(1 if key == "j" else -1)
            return "moved"
        if named is None and key == "m" and self.menu.more:
            self.menu = self.menu.opened()
            return "moved"
        if named is None and key == LOOK and self.menu.explains:
            self.explained = not self.explained
            return "moved"
        return named

    def step(self, by: int) -> None:
        """Go down by `by`, or up where that is negative, to the ends and no further."""
        self.put(min(max(self.at + by, 0), len(self.menu.choices) - 1))

    @property
    def numbered(self) -> bool:
        """Whether the number of the answer that is marked has just been typed."""
        return self._number == str(self.at + 1)

    def names(self, key: str) -> bool:
        """Whether `key` names an answer, or begins its number."""
        if key.isdecimal():
            return self.menu.numbered and 1 <= int(key) <= len(self.menu.choices)
        return any(choice.key == key for choice in self.menu.choices if choice.key)

    def begun(self, key: str) -> bool:
        """Whether `key` may be the next digit of a number that was begun."""
        return key.isdecimal() and bool(self._number) and int(self._number + key) <= len(self.menu.choices)

    def _digit(self, key: str) -> Choice | Literal["moved"] | None:
        """A number is an answer as soon as no longer one could be meant; until then it moves the mark."""
        count = len(self.menu.choices)
        number = int(self._number + key) if int(self._number + key) <= count else int(key)
        if not 1 <= number <= count:
            return None
        self._number = str(number)
        if number * 10 > count:
            return self.menu.choices[number - 1]
        self.put(number - 1)
        return "moved"
