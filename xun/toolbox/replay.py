"""May a call be made twice: what is said of single tools, and of all tools of an agent."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import instance, number, seconds
from xun.result import Err, XunError

if TYPE_CHECKING:
    from xun.toolbox.tool import Tool

DEFAULT_TIMEOUT = 25.0
_MOST_DOUBLINGS = 60  # beyond any bound that somebody sets, and far from what a float cannot hold


class ReplayPolicy(StrEnum):
    """What a second, equal call of a tool would do.

    - `SAFE`: no harm, since its calls change nothing.
    - `IDEMPOTENT`: no more than the first: whatever it reaches does it once.
    - `MANUAL`: nobody knows; it is never repeated unasked, and recovery stops at it.
    """

    SAFE = "safe"
    IDEMPOTENT = "idempotent"
    MANUAL = "manual"


ReplayWord = Literal["safe", "idempotent", "manual"]


class TransientToolError(XunError):
    """Raised by a tool for a failure that passes by itself: the call is made again where that does no harm."""


class Passing(Err):
    """The error of a call that raised `TransientToolError`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ToolRetry:
    """How often a call that failed for a passing reason is made again, and how long to wait before. Times in seconds.

    `attempts` counts the first one, so 1 makes none again. `backoff` doubles each time up to `max_backoff`, and up to a
    quarter of it is left out, by chance. With `retry_error_results`, also errors count whose text tells of throttling,
    overload or a time-out. Raises `ConfigurationError`.
    """

    attempts: int = 3
    backoff: float = 0.5
    max_backoff: float = 30.0
    retry_error_results: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.attempts, bool) or not isinstance(self.attempts, int):
            raise WrongTypeError(f"attempts must be a whole number, not {self.attempts!r}")
        if self.attempts < 1:
            raise ConfigurationError(f"attempts must be 1 or more, not {self.attempts}: it counts the first one")
        for name in ("backoff", "max_backoff"):
            if getattr(self, name) is None:
                raise WrongTypeError(f"{name} must be a number, not None")
            number(name, getattr(self, name))
        if not isinstance(self.retry_error_results, bool):
            raise WrongTypeError(f"retry_error_results must be True or False, not {self.retry_error_results!r}")

    def delay(self, attempt: int) -> float:
        """Seconds to wait after `attempt`, counted from 1."""
        wait = min(self.backoff * 2.0 ** min(attempt - 1, _MOST_DOUBLINGS), self.max_backoff)
        return wait * random.uniform(0.75, 1.0)  # noqa: S311 - spreads calls that failed together


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """What holds for all tools that say nothing of it themselves; None is not said.

    - `default_timeout`: seconds for a call of a tool without a limit of its own (25).
    - `dedupe_calls`: a call of a safe tool that repeats one of the same turn gives its result again, as long as nothing
      that may change something has run since (off).
    - `retry`: for tools without a `ToolRetry` of their own (`ToolRetry()`).

    A `ToolBox` goes before `AgentConfig`, and that before what stands in brackets. Raises `ConfigurationError`.
    """

    default_timeout: float | None = None
    dedupe_calls: bool | None = None
    retry: ToolRetry | None = None

    def __post_init__(self) -> None:
        seconds("default_timeout", self.default_timeout)
        instance("dedupe_calls", self.dedupe_calls, bool, "True or False")
        instance("retry", self.retry, ToolRetry, "a ToolRetry object")

    def over(self, other: ToolPolicy) -> ToolPolicy:
        """This one, with what `other` says where it says nothing."""
        return ToolPolicy(
            other.default_timeout if self.default_timeout is None else self.default_timeout,
            other.dedupe_calls if self.dedupe_calls is None else self.dedupe_calls,
            other.retry if self.retry is None else self.retry,
        )

    def limit_of(self, tool: Tool) -> float:
        """Seconds that a call of `tool` may take: its own limit is never changed."""
        return tool.attr.timeout or self.default_timeout or DEFAULT_TIMEOUT

    def retry_of(self, tool: Tool) -> ToolRetry | None:
        """How its calls are made again; None where they never are."""
        if tool.replay not in ("safe", "idempotent"):
            return None
        retry = tool.attr.retry or self.retry or _RETRY
        return retry if retry.attempts > 1 else None

    def repeats(self, tool: Tool) -> bool:
        """Whether an equal call of it may be answered with an earlier result."""
        return bool(self.dedupe_calls) and tool.replay == "safe"


_RETRY = ToolRetry()
BUILT_IN = ToolPolicy(DEFAULT_TIMEOUT, False, _RETRY)
"""What holds where nobody says anything."""
