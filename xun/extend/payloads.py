"""What each hook is told, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, get_args

HookName = Literal[
    "after_initialize", "before_finalize", "run_start", "run_end", "before_execution_step", "after_execution_step",
    "model_request", "model_response", "model_retry", "before_tool_call", "tool_retry", "after_tool_call",
    "before_command", "after_command", "error",
]  # fmt: skip


class NoPayload(TypedDict):
    """Nothing but the agent."""


class RunStart(TypedDict):
    """A turn begins. `prompt` is "" where it goes on without a new one."""

    prompt: str


class RunEnd(TypedDict):
    """A turn has ended, whatever ended it."""

    result: Any  # RunResult


class Step(TypedDict):
    """A step, counted from 1: one reply of the model and its calls."""

    step: int


class ModelRequest(TypedDict):
    """The request as it is sent. `prefix_key` is that of its prompt cache, None where caching is off."""

    system: str
    model: str
    max_tokens: int | None
    temperature: float | None
    stream: bool
    message_count: int
    tool_count: int
    prefix_key: str | None


class ModelResponse(TypedDict):
    """A complete reply, and who gave it: the provider, and the model as `PROVIDER/NAME`. Fallbacks are others."""

    message: Any  # Message
    provider: str
    model: str


class ModelRetry(TypedDict):
    """A model call that failed for a passing reason and is tried again. `wait` is in seconds, `attempt` from 1.

    `provider` and `model` (`PROVIDER/NAME`) are those that failed, with fallbacks those that were asked first.
    """

    attempt: int
    reason: str
    wait: float
    provider: str
    model: str


class BeforeToolCall(TypedDict):
    """A call, under the name of its tool, that nobody has been asked about yet.

    `arguments` are values of the annotated types.
    """

    call: Any  # ToolCall
    arguments: dict[str, Any]


class ToolRetried(TypedDict):
    """A call that failed for a passing reason and is made again. `wait` is in seconds, `attempt` from 1."""

    call: Any  # ToolCall
    attempt: int
    reason: str
    wait: float


class AfterToolCall(TypedDict):
    """A call that has run, what it gave, and how long it took in seconds."""

    call: Any  # ToolCall
    result: Any  # Result
    seconds: float


class CommandGiven(TypedDict):
    """A slash command of the person's, without the slash, and its words."""

    command: str
    arguments: Sequence[str]


class Failed(TypedDict):
    """A turn that failed, and why."""

    kind: str
    message: str


HOOK_PAYLOADS: dict[HookName, type[Any]] = {
    "after_initialize": NoPayload,
    "before_finalize": NoPayload,
    "run_start": RunStart,
    "run_end": RunEnd,
    "before_execution_step": Step,
    "after_execution_step": Step,
    "model_request": ModelRequest,
    "model_response": ModelResponse,
    "model_retry": ModelRetry,
    "before_tool_call": BeforeToolCall,
    "tool_retry": ToolRetried,
    "after_tool_call": AfterToolCall,
    "before_command": CommandGiven,
    "after_command": CommandGiven,
    "error": Failed,
}
HOOKS: tuple[HookName, ...] = get_args(HookName)
GUARDING: frozenset[HookName] = frozenset({"before_tool_call"})
"""Those that deny what they are told of when they raise. A failure of any other is shown once and changes nothing."""
BOUNDED: frozenset[HookName] = frozenset({"after_initialize", "before_finalize", "run_end", "error"})
"""Those that come outside of a run, where its limits do not hold."""
