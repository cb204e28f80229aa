"""After a turn that failed: what the person can do next."""

from __future__ import annotations

from xun.events import TurnEnded

_AGAIN = "/continue tries again · /model chooses another model"
_WAYS = {
    "auth": "/model key enters another key, then /continue tries again · /model chooses another model",
    "unknown_model": "/model chooses another model",
    "no_credit": "/model chooses another model · /continue tries again once there is credit",
    "too_long": "/compact makes the conversation shorter · /clear starts a new one",
    "context_full": "/clear starts a new conversation · /model may choose one with a larger window",
    "bad_request": "/retry asks again from your last message · /model chooses another model",
    "refused": "/revise changes your last message",
    "truncated": "/continue lets it go on",
    "max_steps": "/continue goes on with a new budget",
    "max_tool_calls": "/continue goes on with a new budget",
    "timeout": _AGAIN,
    "rate_limit": _AGAIN,
    "overloaded": _AGAIN,
    "server": _AGAIN,
    "network": _AGAIN,
    "protocol": _AGAIN,
    "empty": _AGAIN,
}


def way_on(event: TurnEnded) -> str:
    """One line with the commands that help, "" where there is nothing to say."""
    if event.status != "failed":
        return ""
    kind = event.error.kind if event.error is not None else event.stop_reason
    return _WAYS.get(kind, "")
