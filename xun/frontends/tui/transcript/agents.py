"""The sub-agents at work, and where their rows are."""

from __future__ import annotations

from xun.events import AnyEvent, SubAgentEnded, SubAgentStarted
from xun.frontends.tui.transcript.agent_row import AgentRow, stands_for
from xun.frontends.tui.transcript.holds import Holds
from xun.frontends.tui.transcript.item import Item
from xun.frontends.tui.transcript.live import Live
from xun.frontends.tui.transcript.rows import Rows
from xun.frontends.tui.transcript.tool_row import ToolRow
from xun.sessions.past_calls import PastAgent


class Agents:
    """Puts a row in `rows` for each sub-agent, and keeps it true to what is told of that."""

    def __init__(self, rows: Rows, holds: Holds) -> None:
        self._rows = rows
        self._holds = holds
        self._work: dict[str, AgentRow] = {}  # by their ids
        self._places: dict[str, tuple[int, AgentRow]] = {}  # the item of the transcript that each is, or is within
        self._calls: set[str] = set()  # those that have run one

    def clear(self) -> None:
        """All rows are gone. Those that are at work go on, and may come `again`."""
        self._work.clear()
        self._places.clear()
        self._calls.clear()

    def ran_by(self, call_id: str) -> bool:
        """Whether the call has run a sub-agent, whose row tells what that does."""
        return call_id in self._calls

    def begin(self, event: SubAgentStarted, call: tuple[int, ToolRow] | None) -> None:
        """A sub-agent begins. Its row is within that of the one above it, in place of its `call`, or at the end."""
        self._calls.add(event.call_id)
        place = self._places.get(event.parent_id)
        if place is not None:
            self._work[event.agent_id] = self._work[event.parent_id].begin(event)
            self._places[event.agent_id] = place
            self._changed(*place)
            return
        if call is not None and stands_for(event, call[1].call) and self._rows[call[0]] is call[1]:
            row = AgentRow(event, call=call[1])
            row.toggle(folded=call[1].folded)
            self._rows.replace(call[0], row)
            index = call[0]
        else:
            if call is not None:
                call[1].runs(event)
            last = self._rows[len(self._rows) - 1] if len(self._rows) else None
            row = AgentRow(event, gap=not isinstance(last, Live))
            index = self._rows.append(row)
        self._work[event.agent_id], self._places[event.agent_id] = row, (index, row)

    def hear(self, event: AnyEvent) -> bool:
        """Take in what is told of one of them. False for anything else."""
        row = self._work.get(event.agent_id)
        if row is None:
            return False
        index, item = self._places[event.agent_id]
        if self._holds.wanted(index):
            item.hold(self._rows.width)
            self._holds.add(index, item)
        heard = row.hear(event)
        if heard:
            self._changed(index, item)
        if isinstance(event, SubAgentEnded):
            del self._work[event.agent_id], self._places[event.agent_id]
        return heard

    def again(self, past: PastAgent, items: list[Item], call: tuple[int, ToolRow] | None) -> None:
        """Put the row of one that began earlier among `items`, which are to be those of `rows`, as `begin` does."""
        if call is not None and stands_for(past.started, call[1].call) and items[call[0]] is call[1]:
            index, row = call[0], AgentRow.of(past, call=call[1])
            items[index] = row
        else:
            if call is not None:
                call[1].runs(past.started)
            index, row = len(items), AgentRow.of(past, gap=not (items and isinstance(items[-1], Live)))
            items.append(row)
        self._calls.add(past.started.call_id)
        for agent_id, found in row.at_work():
            self._work[agent_id], self._places[agent_id] = found, (index, row)

    def moved(self, start: int) -> None:
        """The items from `start` on stand at other places now."""
        places = {id(self._rows[index]): index for index in range(start, len(self._rows))}
        for agent_id, (index, item) in self._places.items():
            self._places[agent_id] = (places.get(id(item), index), item)

    def _changed(self, index: int, item: AgentRow) -> None:
        item.changed()
        self._rows.changed(index)
