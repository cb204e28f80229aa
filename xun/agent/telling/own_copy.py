"""Events that share nothing that can be changed: what a listener does to one changes nothing for anybody else."""

from __future__ import annotations

from xun.events import AnyEvent, Asked, Decided, HistoryReplaced, MessageAdded, PlanUpdated, ToolStarted
from xun.messages import call_of_its_own, copied, of_its_own
from xun.policy.action import UseTool
from xun.policy.decision import Decision

_SHARING = (ToolStarted, MessageAdded, Decided, Asked, PlanUpdated, HistoryReplaced)


def own_copy(event: AnyEvent) -> AnyEvent:
    """`event` with arguments of its own; itself where there are none."""
    if not isinstance(event, _SHARING):
        return event
    match event:
        case ToolStarted(call=call):
            return event.model_copy(update={"call": call_of_its_own(call)})
        case MessageAdded(message=message):
            return event.model_copy(update={"message": of_its_own(message)}) if message.calls else event
        case HistoryReplaced(messages=messages):
            return event.model_copy(update={"messages": tuple(map(of_its_own, messages))})
        case Decided(decision=decision):
            return event.model_copy(update={"decision": _decision(decision)})
        case Asked(ask=ask):
            decisions = tuple(map(_decision, ask.decisions))
            return event.model_copy(update={"ask": ask.model_copy(update={"decisions": decisions})})
        case PlanUpdated(todos=todos):
            return event.model_copy(update={"todos": tuple(map(copied, todos))})


def _decision(decision: Decision) -> Decision:
    action = decision.action
    if not isinstance(action, UseTool):
        return decision
    own = action.model_copy(update={"arguments": copied(action.arguments)})
    return decision.model_copy(update={"action": own})
