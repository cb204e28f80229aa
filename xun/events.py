"""What happened, told once, by the core. A front end is a `match` over these; the session file is a list of them.

Every event has one envelope: `seq` counts from 1 within a session, `at` is Unix time in seconds.
"""

# Without the future import of annotations: pydantic would compile each of them once more at start-up.
from typing import Annotated, Any, Literal

from pydantic import Field

from xun.messages import Frozen, Message, ToolCall, ToolResult, Usage
from xun.policy.decision import Answer, Ask, Assessment, Decision, Mode

Status = Literal["completed", "failed", "cancelled"]
StopReason = Literal[
    "end_turn", "error", "truncated", "refused", "usage", "max_steps", "max_tool_calls", "timeout", "max_cost",
    "max_tokens", "denied", "invalid_output", "cancelled",
]  # fmt: skip
CallOutcome = Literal["ok", "error", "invalid", "denied", "timeout", "cancelled", "skipped"]


class _Event(Frozen):
    """The envelope. `parent_id` is the agent that `agent_id` works for, "" for the agent of the session itself."""

    seq: int = 0
    session_id: str = ""
    agent_id: str = ""
    parent_id: str = ""
    at: float = 0.0


class TurnStarted(_Event):
    type: Literal["turn_started"] = "turn_started"
    prompt: str
    model: str
    effort: str | None = None


class StepStarted(_Event):
    type: Literal["step_started"] = "step_started"
    step: int


class TextDelta(_Event):
    """A piece of the answer. Provisional until its `MessageAdded`: `AttemptReset` takes it back."""

    type: Literal["text_delta"] = "text_delta"
    text: str


class ThinkingDelta(_Event):
    type: Literal["thinking_delta"] = "thinking_delta"
    text: str


class AttemptReset(_Event):
    """A model call failed for a passing reason and is tried again: drop the deltas of this step.

    `attempt` is the number of the failed try, `wait` the seconds until the next.
    """

    type: Literal["attempt_reset"] = "attempt_reset"
    attempt: int
    reason: str
    wait: float


class Waiting(_Event):
    """Something is taking long. `seconds` is how long so far, or for a retry how long it still takes."""

    type: Literal["waiting"] = "waiting"
    on: Literal["model", "retry", "tool", "compaction"]
    seconds: float


class MessageAdded(_Event):
    type: Literal["message_added"] = "message_added"
    message: Message


class HistoryReplaced(_Event):
    type: Literal["history_replaced"] = "history_replaced"
    messages: tuple[Message, ...]
    reason: str


class ToolStarted(_Event):
    """A call that the model has made is taken up. What ends it is one `ToolEnded`, also where it is never run."""

    type: Literal["tool_started"] = "tool_started"
    call: ToolCall


class ToolProgress(_Event):
    type: Literal["tool_progress"] = "tool_progress"
    call_id: str
    text: str


class ToolEnded(_Event):
    """`seconds` is the tool's own time; waiting for its turn or for a person is not in it."""

    type: Literal["tool_ended"] = "tool_ended"
    call_id: str
    name: str
    result: ToolResult
    outcome: CallOutcome
    seconds: float


class Decided(_Event):
    """The verdict on one action of a call, silent ones too. `by` says who or what settled it.

    `auto` is auto-confirm, `nobody` a question that no one could answer, `grant` an earlier yes of the person, `risk`
    the risk assessor's yes. `assessment` is what the assessor said, where it was asked and has answered. `number`
    counts the decisions of a session from 1; `/policy why NUMBER` explains one.
    """

    type: Literal["decided"] = "decided"
    call_id: str
    tool: str
    decision: Decision
    allowed: bool
    by: Literal["rule", "person", "grant", "auto", "nobody", "risk"]
    assessment: Assessment | None = None
    number: int = 0


class Asked(_Event):
    type: Literal["asked"] = "asked"
    ask: Ask


class Answered(_Event):
    """By `risk`, `grant` or `rule` it was withdrawn: the assessor said yes, or the rules came to allow or deny it."""

    type: Literal["answered"] = "answered"
    ask_id: str
    answer: Answer
    by: Literal["person", "auto", "nobody", "risk", "grant", "rule"]


class PlanUpdated(_Event):
    type: Literal["plan_updated"] = "plan_updated"
    todos: tuple[dict[str, Any], ...]


class QueueChanged(_Event):
    """What waits: prompts for later, next one first, and texts that the running turn will take up.

    A compaction that runs stands first, as the line that asked for it.
    """

    type: Literal["queue_changed"] = "queue_changed"
    queued: tuple[str, ...]
    steering: tuple[str, ...] = ()


class ModeChanged(_Event):
    type: Literal["mode_changed"] = "mode_changed"
    mode: Mode


class Compacted(_Event):
    """The history was made smaller; the `HistoryReplaced` before it has the new one.

    `before_tokens` and `after_tokens` are the sizes of the next request, as best known. `removed_messages` are gone, or
    are there in a shorter form where `summary` is empty: old results were left out then, and no model was asked.
    `automatic` is false where a person asked for it. `usage` and `cost` (dollars, None where the price is unknown) are
    what the summary took; within a turn they are in the turn's totals too.
    """

    type: Literal["compacted"] = "compacted"
    before_tokens: int
    after_tokens: int
    removed_messages: int
    automatic: bool
    summary: str = ""
    usage: Usage = Usage()
    cost: float | None = 0.0


class UsageUpdated(_Event):
    """Totals of the turn so far. `cost` is in dollars, None where a price is unknown."""

    type: Literal["usage_updated"] = "usage_updated"
    usage: Usage
    cost: float | None = None


class SubAgentStarted(_Event):
    """An agent begins with the `task` that another one, `parent_id`, has given it by the call `call_id`.

    The envelope is its own, as in whatever is told of its calls.
    """

    type: Literal["sub_agent_started"] = "sub_agent_started"
    name: str
    task: str
    model: str = ""
    call_id: str = ""


class SubAgentUpdated(_Event):
    """How far a sub-agent has come. `usage` and `cost` are totals, as in `UsageUpdated`."""

    type: Literal["sub_agent_updated"] = "sub_agent_updated"
    steps: int
    usage: Usage = Usage()
    cost: float | None = 0.0


class Notice(_Event):
    type: Literal["notice"] = "notice"
    level: Literal["info", "warning", "error"]
    text: str


class ErrorDetail(Frozen):
    """Why a run failed. `kind` is stable; `status` is an HTTP status."""

    kind: str
    message: str
    status: int | None = None
    request_id: str | None = None


class SubAgentEnded(_Event):
    """The end of a sub-agent's task, exactly one for each that has started.

    `seconds` is its own time; waiting for a person is not in it.
    """

    type: Literal["sub_agent_ended"] = "sub_agent_ended"
    status: Status
    stop_reason: StopReason
    error: ErrorDetail | None = None
    steps: int = 0
    tool_calls: int = 0
    usage: Usage = Usage()
    cost: float | None = None
    seconds: float = 0.0


class TurnEnded(_Event):
    """The last event of every turn, exactly one. `seconds` is wall time.

    `broken` is what had come of a reply that failed for good: it is no part of the conversation.
    """

    type: Literal["turn_ended"] = "turn_ended"
    status: Status
    stop_reason: StopReason
    output: str = ""
    error: ErrorDetail | None = None
    steps: int = 0
    tool_calls: int = 0
    usage: Usage = Usage()
    cost: float | None = None
    seconds: float = 0.0
    broken: str = ""


AnyEvent = (
    TurnStarted | StepStarted | TextDelta | ThinkingDelta | AttemptReset | Waiting | MessageAdded | HistoryReplaced
    | ToolStarted | ToolProgress | ToolEnded | Decided | Asked | Answered | PlanUpdated | QueueChanged
    | ModeChanged | Compacted | UsageUpdated | SubAgentStarted | SubAgentUpdated | SubAgentEnded | Notice | TurnEnded
)  # fmt: skip
Event = Annotated[AnyEvent, Field(discriminator="type")]

# What only shows progress: a slow front end may lose it, and sessions keep no more of it than pieces of the last reply
# and how far sub-agents have come.
PROVISIONAL = (TextDelta, ThinkingDelta, ToolProgress, SubAgentUpdated, Waiting)
