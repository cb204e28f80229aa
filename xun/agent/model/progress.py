"""When the person is told that a model gives no sign."""

from __future__ import annotations

from dataclasses import dataclass

from xun.errors import WrongTypeError
from xun.given import seconds


@dataclass(frozen=True, slots=True)
class ProgressPolicy:
    """`Waiting` is told after `first_after` seconds without a sign of the model, then each `repeat_every` seconds.

    None for `first_after` tells nothing. It only tells: nothing is ever cancelled by it. Raises `ConfigurationError`
    for what is no positive number.
    """

    first_after: float | None = 10.0
    repeat_every: float = 10.0

    def __post_init__(self) -> None:
        for name in ("first_after", "repeat_every"):
            value = getattr(self, name)
            if value is None and name == "repeat_every":
                raise WrongTypeError("repeat_every must be a positive number of seconds, not None")
            seconds(name, value)
