"""Shell lines of the person that are in history alone: as the rows that they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xun.agent.calling.by_person import INTERRUPTED, NOT_BEGUN
from xun.agent.calls import DENIED
from xun.asides import SHELL_ID, unquoted
from xun.events import CallOutcome
from xun.frontends.tui.transcript.ending import ending_of
from xun.frontends.tui.transcript.item import Item
from xun.frontends.tui.transcript.tool_row import ToolRow
from xun.messages import ToolCall, ToolResult


def quoted_rows(asides: Iterable[str], last: Item | None) -> Iterator[ToolRow]:
    """A folded row for each of `asides`, which went with a message. `last` is what stands before them."""
    for aside in asides:
        command, output = unquoted(aside, lambda line: _outcome(line) != "error")
        call = ToolCall(id=f"{SHELL_ID}quoted", name="bash", arguments={"command": command})
        row = ToolRow(call, gap=not isinstance(last, ToolRow))
        row.ended(_outcome(output), ToolResult(call_id=call.id, name=call.name, content=output))
        yield row
        last = row


def _outcome(output: str) -> CallOutcome:
    """How it ended, as the beginning of its output tells: what ran to its end says so there."""
    if ending_of(output) is not None:
        return "ok"  # the row says itself what that end was
    if output.startswith(f"{DENIED}: "):
        return "denied"
    return "cancelled" if output.startswith((INTERRUPTED, NOT_BEGUN)) else "error"
