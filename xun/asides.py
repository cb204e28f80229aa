"""Shell lines of the person, as the stored events show them, and what the model is told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xun.messages import Message, Text, ToolCall, ToolResult

SHELL_ID = "shell-"
"""How the ids of such calls begin, by which they can be told from the model's."""
QUIET_ID = f"{SHELL_ID}quiet-"
"""How they begin where the model is not to be told."""
_APART = "\n\n"
_HEAD = "I ran this command myself; what follows is its output, not my words:"
_SIGN, _MARK = ">", "$ "


def quotation(command: str, output: str) -> str:
    """What the model is told of a shell line: a quotation, so that no output can pass for the person's words."""
    lines = [f"{_MARK}{first}" if place == 0 else first for place, first in enumerate(command.splitlines())]
    quoted = "\n".join(f"{_SIGN} {line}".rstrip() for line in (*lines, *output.splitlines()))
    return f"{_HEAD}{_APART}{quoted}"


def unquoted(aside: str, begins: Callable[[str], bool]) -> tuple[str, str]:
    """The command and the output of a quotation. `begins` tells whether a line is the first of an output.

    Without such a line the command is taken to be its first one.
    """
    lines = [line.removeprefix(_SIGN).removeprefix(" ") for line in aside.removeprefix(_HEAD + _APART).splitlines()]
    end = next((at for at, line in enumerate(lines) if at and begins(line)), 1)
    return "\n".join(lines[:end]).removeprefix(_MARK), "\n".join(lines[end:])


def aside_of(call: ToolCall, result: ToolResult) -> str:
    """What the model is to be told of a call that has ended, "" where it is no shell line, or a quiet one."""
    if not call.id.startswith(SHELL_ID) or call.id.startswith(QUIET_ID):
        return ""
    return quotation(str(call.arguments.get("command", "")), result.content)


def as_block(aside: str) -> Text:
    """A quotation as it goes with the person's words, which it is none of."""
    return Text(text=f"{_APART}{aside}", quoted=True)


def asides_in(messages: Iterable[Message]) -> list[str]:
    """The quotations that went with `messages`, in their order."""
    return [
        block.text.removeprefix(_APART)
        for message in messages
        for block in message.blocks
        if isinstance(block, Text) and block.quoted
    ]
