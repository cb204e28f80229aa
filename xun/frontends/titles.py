"""How a call is named to people, and which of several is meant."""

from __future__ import annotations

from xun.frontends.text import one_line
from xun.messages import ToolCall

_TELLING = ("command", "question", "pattern", "path", "url", "id")  # the arguments that say most, most telling first


def title(call: ToolCall, width: int = 100) -> str:
    """A call in one line of about `width` characters: the tool and the argument that says most."""
    for name in _TELLING:
        value = call.arguments.get(name)
        if isinstance(value, str) and value:
            return f"{call.name} {one_line(value, width)}"
    return call.name


class OpenCalls:
    """The calls that go on, so that what is said of one can name it where there are several."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._several = False

    def begin(self, call: ToolCall) -> str:
        """The name of `call`; one that goes on under the same name already gets a number behind it."""
        plain = name = title(call)
        number = 1
        while name in self._names.values():
            number += 1
            name = f"{plain} ({number})"
        self._names[call.id] = name
        self._several = len(self._names) > 1
        return name

    def name(self, call_id: str) -> str:
        """Its name, or nothing where only one goes on: then it is plain which one is meant."""
        return self._names.get(call_id, "") if self._several else ""

    def end(self, call_id: str) -> None:
        """It goes on no more. The last one of several still needs its name until it ends."""
        self._names.pop(call_id, None)
        self._several = self._several and bool(self._names)
