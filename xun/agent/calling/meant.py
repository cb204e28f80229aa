"""Calls under the name of the tool they mean: who guards, watches or counts them sees the name that will run."""

from __future__ import annotations

from collections.abc import Sequence

from xun.messages import Message, ToolCall
from xun.toolbox.names import find


def by_tool_name(call: ToolCall, names: Sequence[str]) -> ToolCall:
    """`call` with that of `names` which its own means; as it is where it means none."""
    meant = find(call.name, names).name
    return call if meant in (None, call.name) else call.model_copy(update={"name": meant})


def with_tool_names(reply: Message, names: Sequence[str]) -> Message:
    """`reply` with such calls."""
    if all(call.name in names for call in reply.calls):
        return reply
    blocks = (by_tool_name(block, names) if isinstance(block, ToolCall) else block for block in reply.blocks)
    return reply.model_copy(update={"blocks": tuple(blocks)})
