"""Calls of one reply, each with an id of its own: one that has none, or shares one, is not run."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Sequence

from xun.messages import ToolCall


def with_own_ids(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """`calls` with different ids; those of which nobody knows which was meant get a `problem` that keeps them from
    being run."""
    times = Counter(call.id for call in calls)
    found: list[ToolCall] = []
    seen: set[str] = set()
    for call in calls:
        if not call.id:
            call = refused(call, "the call came without an id, so it was not run; send it again")
        elif times[call.id] > 1:
            call = refused(call, f"several calls came with the id {call.id!r}, so none of them was run; send it again")
        if not call.id or call.id in seen:
            call = call.model_copy(update={"id": f"call_{uuid.uuid4().hex[:24]}"})
        seen.add(call.id)
        found.append(call)
    return found


def refused(call: ToolCall, problem: str) -> ToolCall:
    """`call` with a `problem` in place of its arguments; `raw` keeps what arrived, as far as JSON can hold it."""
    return call.model_copy(update={"problem": problem, "raw": call.raw or _text_of(call), "arguments": {}})


def _text_of(call: ToolCall) -> str:
    try:
        return json.dumps(call.arguments, ensure_ascii=False, default=str) if call.arguments else ""
    except (ValueError, TypeError, RecursionError):  # a number of thousands of digits, a loop
        return ""
