"""A reply as it may be taken from a provider or from middleware: whatever it holds, each call can be answered once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xun.call_ids import refused, with_own_ids
from xun.errors import WrongTypeError
from xun.messages import Message, Text, Thinking, ToolCall
from xun.providers.base import ProviderError
from xun.whole import json_arguments, whole


def taken(message: Any) -> Message:
    """`message` with calls that have ids of their own and arguments that are JSON; those that lacked it do not run.

    Raises `ProviderError` for what is no reply.
    """
    try:
        return fitting(message)
    except WrongTypeError as error:
        raise ProviderError("protocol", f"the provider gave {error}") from None


def fitting(message: Any) -> Message:
    """The same. Raises `WrongTypeError`, whose one line reads on from "gave", for what is no reply."""
    if not isinstance(message, Message):
        raise WrongTypeError(f"a {type(message).__name__} in place of a reply")
    if message.role != "assistant":
        raise WrongTypeError(f"a message of another role in place of a reply: the role {message.role!r}")
    if not isinstance(message.blocks, tuple | list):
        raise WrongTypeError(f"a reply with a {type(message.blocks).__name__} in place of its blocks")
    for block in message.blocks:
        if not isinstance(block, Text | Thinking | ToolCall):
            raise WrongTypeError(f"a reply with a {type(block).__name__} in it: it has texts, thinking and calls alone")
    given = [_checked(block) for block in message.blocks if isinstance(block, ToolCall)]
    reply = whole(Message, _with(message, [call.model_copy(update={"arguments": {}}) for call in given]))
    arguments = (call.arguments for call in given)
    calls = [call.model_copy(update={"arguments": next(arguments)}) for call in reply.calls]
    return _with(reply, with_own_ids(calls)) if calls else reply


def changed(message: Any) -> Message:
    """The same for a reply that was changed: one that has nothing left is none. Raises `WrongTypeError`."""
    if empty(reply := fitting(message)):
        raise WrongTypeError("an empty reply: leave a text or a call in it")
    return reply


def empty(message: Message) -> bool:
    """Whether a reply is no answer, whatever it ends with but a limit or a refusal, which have errors of their own.

    Sending it back would make the next request invalid.
    """
    stop = message.reply.stop_reason if message.reply else "end_turn"
    return not message.calls and not message.text.strip() and stop not in ("max_tokens", "refused")


def _with(message: Message, calls: Sequence[ToolCall]) -> Message:
    """`message` with `calls` in place of its own."""
    left = iter(calls)
    blocks = tuple(next(left) if isinstance(block, ToolCall) else block for block in message.blocks)
    return message.model_copy(update={"blocks": blocks})


def _checked(call: ToolCall) -> ToolCall:
    try:
        arguments = json_arguments(call.arguments)
    except WrongTypeError as error:
        return refused(call, f"the {error}, so the call was not run; send it again")
    return call.model_copy(update={"arguments": arguments})
