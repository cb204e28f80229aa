"""What a run may spend before it stops."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets of one run; None means unlimited. A *step* is one model reply and its calls.

    `max_time` is in seconds, `max_cost` in dollars by the prices of `ModelInfo`; `max_tokens` counts those of requests
    and replies together, sub-agents included. `max_result_chars` bounds one tool result and is always set. Raises
    `ConfigurationError` for a budget that is no positive number (a whole one where something is counted).
    """

    max_steps: int | None = 50
    max_tool_calls: int | None = None
    max_time: float | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    max_result_chars: int = 12_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.name != "max_result_chars":
                continue
            wanted, what = (
                ((int, float), "a number") if field.name in ("max_time", "max_cost") else (int, "a whole number")
            )
            if isinstance(value, bool) or not isinstance(value, wanted):
                raise WrongTypeError(f"{field.name} must be {what}, not {clipped(value)}")
            if not value > 0:
                raise ConfigurationError(f"{field.name} must be positive, not {value}")
            if not math.isfinite(value):
                raise ConfigurationError(f"{field.name} must be a number that ends, not {value}; None is unlimited")

    @classmethod
    def strict(cls) -> Limits:
        """20 steps, 100 calls, 16,000 characters a result."""
        return cls(max_steps=20, max_tool_calls=100, max_result_chars=16_000)
