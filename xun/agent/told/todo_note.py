"""The todos as they stand, on the newest message of each request.

A copy belongs to the message that it was added with and is never changed: each request begins with the last one, byte
for byte, and prompt caches go on to hold it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from xun.agent.compaction.note import plan_lines
from xun.agent.told import planning
from xun.messages import Block, Message, Text

if TYPE_CHECKING:
    from xun.agent.turn import Turn

HEAD = "[The todos as they stand now:"
"""How each copy begins, by which it is known again."""


def with_todos(message: Message, turn: Turn) -> Message:
    """`message`, about to be added, with the list, as long as anything on it is open and xun's own tool keeps it."""
    todos = _unfinished(turn.agent.state.get("todos"))
    if not todos or not planning.plans(turn.tools):
        return message
    note = Text(text="\n".join((HEAD, *plan_lines(todos))) + "]", note=True)
    last = turn.agent.messages[-1] if turn.agent.messages else None
    if last is not None and last.role != "assistant" and note in last.blocks:
        return message  # the same request has it
    return Message(role=message.role, blocks=(*message.blocks, note), reply=message.reply)


def is_todo_note(block: Block) -> TypeGuard[Text]:
    """Whether `block` is such a copy."""
    return isinstance(block, Text) and block.note and block.text.startswith(HEAD)


def _unfinished(todos: Any) -> list[Any]:
    """`todos` where anything on it is open, else nothing."""
    items = todos if isinstance(todos, list) else []
    return items if any(isinstance(item, dict) and item.get("status") != "completed" for item in items) else []
