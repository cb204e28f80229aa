"""How many rows lie above each item, kept so that a change anywhere costs a few additions (a Fenwick tree)."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """A list of row counts with sums. Reading or changing one is O(log n)."""

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values: list[int] = []
        self._sums: list[int] = []  # _sums[i] is the sum of the 2**k values that end at i, 2**k dividing i + 1
        self.reset(values)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    def __setitem__(self, index: int, value: int) -> None:
        change = value - self._values[index]
        if not change:
            return
        self._values[index] = value
        while index < len(self._sums):
            self._sums[index] += change
            index |= index + 1

    def reset(self, values: Iterable[int]) -> None:
        """Take other values, at a cost of O(n)."""
        self._values = list(values)
        self._sums = list(self._values)
        for index in range(len(self._sums)):
            parent = index | (index + 1)
            if parent < len(self._sums):
                self._sums[parent] += self._sums[index]

    def append(self, value: int) -> None:
        index = len(self._values)
        self._values.append(value)
        self._sums.append(self.before(index) + value - self.before(index & (index + 1)))

    def truncate(self, length: int) -> None:
        """Drop all from `length` on. A sum covers only what lies before it, so those that stay are right."""
        del self._values[length:]
        del self._sums[length:]

    def before(self, index: int) -> int:
        """Rows above item `index`."""
        total = 0
        index -= 1
        while index >= 0:
            total += self._sums[index]
            index = (index & (index + 1)) - 1
        return total

    @property
    def total(self) -> int:
        return self.before(len(self._values))

    def find(self, row: int) -> tuple[int, int]:
        """The item that `row` lies in, and the row within it. Beyond the end: the last item and what is left."""
        position, step = 0, 1 << len(self._values).bit_length()
        while step:
            after = position + step
            if after <= len(self._values) and self._sums[after - 1] <= row:
                position = after
                row -= self._sums[after - 1]
            step >>= 1
        if position == len(self._values) and position:
            return position - 1, row + self._values[-1]
        return position, row
