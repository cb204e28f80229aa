"""What every run gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic_core import to_jsonable_python

from xun.agent.telling.telemetry import RunEvent
from xun.events import ErrorDetail, Status, StopReason
from xun.messages import Message, Usage
from xun.policy.action import describe
from xun.policy.decision import Decision
from xun.result import ErrorInfo, Result, UnwrapError, XunError


@dataclass(frozen=True, slots=True)
class Denial:
    """One refusal. `by` is nobody, auto (auto-confirm took the default no), person or rule."""

    tool: str
    by: str
    decision: Decision

    def to_dict(self) -> dict[str, Any]:
        return {
            "tool": self.tool,
            "action": describe(self.decision.action),
            "by": self.by,
            "reasons": [reason.text for reason in self.decision.reasons],
            "rule": self.decision.rule,
        }


class RunFailed(XunError):
    """A run did not complete. `result` is the whole `RunResult`."""

    def __init__(self, result: RunResult) -> None:
        super().__init__(result.error.message if result.error else f"the run ended with {result.stop_reason}")
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.result,)


class RunTruncated(RunFailed):
    """The model's answer was cut off by its output limit."""


class RunCancelled(RunFailed):
    """The run was cancelled."""


class _Messages:
    """A field that may be given as a function: it is called when it is first looked at.

    Copies of a whole conversation would else be made at the end of each of its turns, for the few that look.
    """

    def __get__(self, result: RunResult | None, owner: type[Any]) -> tuple[Message, ...]:
        if result is None:
            raise AttributeError("messages")  # so that it has no default
        held = result.__dict__["messages"]
        if callable(held):
            held = result.__dict__["messages"] = held()
        return held

    def __set__(self, result: RunResult, value: tuple[Message, ...] | Callable[[], tuple[Message, ...]]) -> None:
        result.__dict__["messages"] = value


@dataclass(frozen=True)
class RunResult(Result[str]):
    """The outcome of a run; also a `Result` that holds the output or the error.

    `cost` is in dollars (None where a price is unknown), `seconds` is wall time, `data` the parsed structured output.
    `usage_incomplete` says that more was used than `usage` knows of: a reply was cut off, or came without its figures,
    its own or one of a sub-agent, or a sub-agent is still at work in the background.
    `events` is what happened, without what it was about.
    """

    status: Status
    stop_reason: StopReason
    output: str
    messages: tuple[Message, ...] = cast(Any, _Messages())
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    steps: int = 0
    tool_calls: int = 0
    seconds: float = 0.0
    denials: tuple[Denial, ...] = ()
    error: ErrorDetail | None = None
    data: Any = None
    model: str = ""
    session_id: str | None = None
    usage_incomplete: bool = False
    events: tuple[RunEvent, ...] = field(default=(), repr=False)

    @classmethod
    def never_ran(cls, why: str) -> RunResult:
        """The result of a run that could not begin."""
        error = ErrorDetail(kind="not_started", message=why)
        return cls(status="failed", stop_reason="usage", output="", messages=(), error=error)

    @property
    def ok(self) -> bool:
        """Whether the run completed."""
        return self.status == "completed"

    @property
    def failed(self) -> bool:
        """Whether it failed: neither completed nor cancelled."""
        return self.status == "failed"

    @property
    def truncated(self) -> bool:
        """Whether the model's output limit cut the answer off."""
        return self.stop_reason == "truncated"

    def is_ok(self) -> bool:
        """Whether the run completed."""
        return self.ok

    def unwrap(self) -> str:
        """The output. Raises `UnwrapError` when the run did not complete."""
        if not self.ok:
            raise UnwrapError(self.unwrap_err().error)
        return self.output

    def unwrap_err(self) -> ErrorInfo:
        """Why it did not complete. Raises `UnwrapError` when it did."""
        if self.ok:
            raise UnwrapError("no error: the run completed")
        if self.error is None:
            return ErrorInfo(error=f"the run was stopped: {self.stop_reason}", details=self.output)
        return ErrorInfo(error=self.error.message, details=self.error.kind)

    # What the patterns `Result.Ok(output)` and `Result.Err(error)` take out of it.
    @property
    def _value(self) -> str:
        return self.unwrap()

    @property
    def _error(self) -> ErrorInfo:
        return self.unwrap_err()

    def raise_for_status(self) -> RunResult:
        """Itself when completed. Raises `RunTruncated`, `RunCancelled` or `RunFailed` otherwise."""
        if self.ok:
            return self
        if self.truncated:
            raise RunTruncated(self)
        raise RunCancelled(self) if self.status == "cancelled" else RunFailed(self)

    def to_dict(self) -> dict[str, Any]:
        """JSON-serialisable, in the shape of `xun run --output json`."""
        return {
            "status": self.status,
            "stop_reason": self.stop_reason,
            "output": self.output,
            "data": to_jsonable_python(self.data),
            "session_id": self.session_id,
            "model": self.model,
            "steps": self.steps,
            "tool_calls": self.tool_calls,
            "usage": self.usage.model_dump(),
            "usage_incomplete": self.usage_incomplete,
            "cost": self.cost,
            "duration_ms": round(self.seconds * 1000),
            "denials": [denial.to_dict() for denial in self.denials],
            "error": self.error.model_dump() if self.error else None,
        }
