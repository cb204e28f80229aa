"""What a conversation has cost so far, over all of its turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xun.messages import Usage
from xun.providers.base import ModelInfo

OnSpent = Callable[[Usage | None, ModelInfo, bool], None]
"""Told of what each reply has used, None where the server did not say, and whether that is all: it is not of a reply
that broke off.
"""


@dataclass(slots=True)
class Spent:
    """Tokens of one model, and dollars: `priced` is the part whose price is known, `unpriced` says there is more."""

    usage: Usage = field(default_factory=Usage)
    priced: float = 0.0
    unpriced: bool = False

    @property
    def cost(self) -> float | None:
        """Dollars, None where any part of it has no known price."""
        return None if self.unpriced else self.priced

    def add(self, usage: Usage, cost: float | None) -> None:
        self.usage = self.usage + usage
        if cost is None:
            self.unpriced = True
        else:
            self.priced += cost


@dataclass(slots=True)
class Totals:
    """Everything that was spent, by model name, and the number of steps it took."""

    models: dict[str, Spent] = field(default_factory=dict)
    steps: int = 0

    def add(self, model: str, usage: Usage, cost: float | None) -> None:
        """Count `usage` of `model`; `cost` in dollars, None where its price is unknown."""
        self.models.setdefault(model, Spent()).add(usage, cost)

    @property
    def all(self) -> Spent:
        """The sum over all models."""
        total = Spent()
        for spent in self.models.values():
            total.add(spent.usage, spent.priced)
            total.unpriced = total.unpriced or spent.unpriced
        return total
