"""A reply as it may be taken from a provider or from middleware: whatever it holds, each call can be answered once."""

from __future__ import annotations

import json
from typing import Any

from xun.call_ids import refused, with_own_ids
from xun.messages import Message, ToolCall
from xun.providers.base import ProviderError


def taken(message: Any) -> Message:
    """`message` with calls that have ids of their own and arguments that are JSON; those that lacked it do not run.

    Raises `ProviderError` for what is no reply.
    """
    if not isinstance(message, Message):
        raise ProviderError("protocol", f"the provider gave a {type(message).__name__} in place of a reply")
    if message.role != "assistant":
        raise ProviderError("protocol", f"the provider gave a message of the role {message.role!r} in place of a reply")
    calls = with_own_ids([_checked(call) for call in message.calls])
    if all(new is old for new, old in zip(calls, message.calls, strict=True)):
        return message
    left = iter(calls)
    blocks = tuple(next(left) if isinstance(block, ToolCall) else block for block in message.blocks)
    return message.model_copy(update={"blocks": blocks})


def _checked(call: ToolCall) -> ToolCall:
    try:
        json.dumps(call.arguments, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:  # also a number of thousands of digits
        return refused(call, f"the arguments are no JSON ({error}), so the call was not run; send it again")
    return call
