"""How a call is named to people."""

from __future__ import annotations

from xun.frontends.text import one_line
from xun.messages import ToolCall

_TELLING = ("command", "question", "pattern", "path", "url")  # the arguments that say most, most telling first


def title(call: ToolCall, width: int = 100) -> str:
    """A call in one line of about `width` characters: the tool and the argument that says most."""
    for name in _TELLING:
        value = call.arguments.get(name)
        if isinstance(value, str) and value:
            return f"{call.name} {one_line(value, width)}"
    return call.name
