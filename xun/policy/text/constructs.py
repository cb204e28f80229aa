"""Which constructs of the shell are judged by their parts, where a person wants that: part of a policy's settings."""

from __future__ import annotations

from typing import NamedTuple


class Constructs(NamedTuple):
    """The settings of a policy that change how shell text is read.

    `newlines` is "ask", or "split" to read each newline as a `;`. `substitution` and `loops` are "ask", or "inner" to
    judge `$(…)` and assignments, and `for` and `if`, by the commands in them.
    """

    newlines: str = "ask"
    substitution: str = "ask"
    loops: str = "ask"

    @property
    def variables(self) -> bool:
        """Are variables followed that the text itself sets?"""
        return "inner" in (self.substitution, self.loops)


ASK = Constructs()
