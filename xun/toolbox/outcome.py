"""What a person chose, and whether it was a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, NoReturn, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChoiceOutcome(Generic[T]):
    """The answer to `get_choice` or `get_confirm`. `source` is "auto" where auto-confirm took the default.

    It has no truth value: an outcome is never a yes by itself.
    """

    choice: T
    source: Literal["user", "auto"]

    def __bool__(self) -> NoReturn:
        raise TypeError("a ChoiceOutcome has no truth value; use its .choice")
