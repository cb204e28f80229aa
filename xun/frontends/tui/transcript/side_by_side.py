"""What sub-agents answered that worked side by side, task by task."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xun.events import SubAgentStarted
from xun.frontends.tui.transcript.line import Line, Piece
from xun.frontends.tui.transcript.live import BAR, MARKS
from xun.frontends.tui.transcript.wrap import clean, wrap
from xun.messages import ToolCall

_TASK = 500  # characters of a task that are shown
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Answered:
    """What one of them said, or why it did not finish. `state` is one of those that rows have."""

    name: str
    task: str
    state: str
    text: str

    def head(self, width: int) -> list[Line]:
        """Whose answer it is and how its task ended, in the words that its row has."""
        mark, style, word = MARKS[self.state]
        task = " ".join(clean(self.task[:_TASK]).split())
        pieces: list[Piece] = [(f"{mark} ", style), (clean(self.name), "tool")]
        if task:
            pieces.append((f" {task}", "text"))
        if word:
            pieces.append((f"  {word}", style))
        return wrap(pieces, width, first=BAR, rest=BAR)


def answers_of(call: ToolCall, result: str, begun: Sequence[SubAgentStarted]) -> tuple[list[Answered], str]:
    """The answers in the result of `call`, by whom it has `begun`, and what is left of a result that was cut.

    None and all of `result` for that of any other call.
    """
    tasks = call.arguments.get("tasks")
    if call.name != "agent_run_parallel" or not isinstance(tasks, list) or not result.startswith("["):
        return [], result
    found, rest = _items(result)
    names = _names(tasks, call.arguments.get("names"), begun)
    return [_answered(item, *whose) for item, whose in zip(found, names, strict=False)], rest


def _items(result: str) -> tuple[list[dict[str, Any]], str]:
    """The items that are whole, and as text what comes behind them."""
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    at = 1
    try:
        while result[at : at + 1] == "{":
            item, end = decoder.raw_decode(result, at)
            if not isinstance(item.get("is_ok"), bool):
                break
            found.append(item)
            at = end + 2  # a comma and a blank
    except ValueError:
        pass
    rest = result[at:]
    return found, _ESCAPED.sub(_unescaped, rest) if found else result


def _unescaped(found: re.Match[str]) -> str:
    try:
        return json.loads(f'"{found[0]}"')
    except ValueError:
        return found[0]


def _names(tasks: list[Any], given: Any, begun: Sequence[SubAgentStarted]) -> Iterator[tuple[str, str]]:
    """The name and the task of each. One that could not begin has the name that it was to have, or its number."""
    left = [*begun]
    for number, task in enumerate(tasks):
        started = next((each for each in left if each.task == task), None)
        if started is not None:
            left.remove(started)
            yield started.name, started.task
        elif isinstance(given, list) and number < len(given):
            yield str(given[number]), str(task)
        else:
            yield f"task {number + 1}", str(task)


def _answered(item: dict[str, Any], name: str, task: str) -> Answered:
    value = item.get("value")
    if item["is_ok"]:
        return Answered(name, task, "ok", str(value))
    error = value if isinstance(value, dict) else {}
    state = "cancelled" if error.get("details") == "cancelled" else "error"
    return Answered(name, task, state, str(error.get("error", value)))
