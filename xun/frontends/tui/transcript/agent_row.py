"""A sub-agent and what it does: one line, and below it the rows of its calls."""

from __future__ import annotations

from collections.abc import Iterator

from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    Decided,
    Status,
    SubAgentEnded,
    SubAgentStarted,
    SubAgentUpdated,
    ToolEnded,
    ToolStarted,
)
from xun.frontends.tui.transcript.item import count, note
from xun.frontends.tui.transcript.line import Line, Piece
from xun.frontends.tui.transcript.live import BAR, MARKS, Live, behind, lasting
from xun.frontends.tui.transcript.tool_row import ToolRow
from xun.frontends.tui.transcript.wrap import MARGIN, clean, wrap
from xun.messages import ToolCall
from xun.sessions.past_calls import PastAgent

SHOWN = 100
"""Calls of a sub-agent that are shown at most: the last ones."""
_BAR = sum(len(text) for text, _ in BAR)
_TASK = 500  # characters of a task that the first row may show
_STATES: dict[Status, str] = {"completed": "ok", "failed": "error", "cancelled": "cancelled"}


def stands_for(started: SubAgentStarted, call: ToolCall) -> bool:
    """Whether `call` is there to run that sub-agent and no other, so that one row tells of both."""
    return started.call_id == call.id and call.arguments.get("task") == started.task


class AgentRow(Live):
    """One sub-agent. What it does is in its row, sub-agents of its own too.

    `call` is the row of the call that runs it, in whose place it stands; without one it stands below that, or `within`
    the row of another sub-agent. Unfolded, its calls are folded rows; where everything is unfolded, they are too.
    """

    __slots__ = (
        "_asks", "_calls", "_cost", "_details", "_did", "_ended", "_indent", "_started", "_state", "_steps", "call",
    )  # fmt: skip

    def __init__(
        self, started: SubAgentStarted, *, gap: bool = True, call: ToolRow | None = None, within: bool = False
    ) -> None:
        super().__init__(gap=gap if call is None else call.gap)
        self.call = call
        self._started = started
        self._indent: tuple[Piece, ...] = () if within or call is not None else MARGIN
        self._state = "running"
        self._details = False  # whether its calls are unfolded
        self._steps = 0
        self._cost: float | None = 0.0
        self._ended: SubAgentEnded | None = None
        self._did: list[ToolRow | AgentRow] = []
        self._calls: dict[str, ToolRow] = {}  # by their ids, which some servers use again
        self._asks: dict[str, ToolRow] = {}

    @classmethod
    def of(cls, past: PastAgent, *, gap: bool = True, call: ToolRow | None = None) -> AgentRow:
        """The row of one that began earlier."""
        row = cls(past.started, gap=gap, call=call)
        row.recall(past)
        return row

    def recall(self, past: PastAgent) -> None:
        """It began earlier, and may be at work still."""
        for done in past.did:
            if isinstance(done, PastAgent):
                self.begin(done.started).recall(done)
                continue
            inner = self._calls[done.call.id] = ToolRow(done.call, gap=False)
            inner.recall(done)
            if done.result is not None:
                inner.ended(done.outcome, done.result, done.seconds)
            elif done.allowed:
                inner.begins()
            self._did.append(inner)
        for event in filter(None, (past.updated, past.ended)):
            self.hear(event)

    def at_work(self) -> Iterator[tuple[str, AgentRow]]:
        """Those without an end, by their ids: it, and what it has within."""
        if self._ended is None:
            yield self._started.agent_id, self
        for row in self._did:
            if isinstance(row, AgentRow):
                yield from row.at_work()

    def begin(self, started: SubAgentStarted) -> AgentRow:
        """The row of a sub-agent of this one's, within this row: in place of the call that runs it, or at the end."""
        call = self._calls.get(started.call_id)
        if call is None:
            row = AgentRow(started, gap=False, within=True)
        elif stands_for(started, call.call) and call in self._did:
            row = AgentRow(started, call=call)
            self._did[self._did.index(call)] = row
        else:
            call.runs(started)
            row = AgentRow(started, gap=False)
        if row.call is None:
            self._did.append(row)
        row.toggle(folded=not self._details)
        self.changed()
        return row

    def hear(self, event: AnyEvent) -> bool:
        """Take in what is told of it. False for what is no business of its row."""
        match event:
            case SubAgentUpdated(steps=steps, cost=cost):
                self._steps, self._cost = steps, cost
            case SubAgentEnded(status=status, steps=steps, cost=cost):
                self._ended, self._state = event, _STATES[status]
                self._steps, self._cost = steps, cost
            case _:
                return self._hear_call(event)
        self.changed()
        return True

    def _hear_call(self, event: AnyEvent) -> bool:
        match event:
            case ToolStarted(call=call):
                row = self._calls[call.id] = ToolRow(call, gap=False)
                row.toggle(folded=not self._details)
                self._did.append(row)
            case Asked(ask=ask) if ask.call_id in self._calls:
                self._asks[ask.id] = self._calls[ask.call_id]
                self._asks[ask.id].asked(ask.id)
            case Answered(ask_id=ask_id, answer=answer) if ask_id in self._asks:
                self._asks.pop(ask_id).answered(ask_id, answer.reason or "")
            case Decided(call_id=call_id) if call_id in self._calls:
                self._calls[call_id].decided(event)
            case ToolEnded(call_id=call_id) if call_id in self._calls:
                self._calls[call_id].ended(event.outcome, event.result, event.seconds)
            case _:
                return False
        self.changed()
        return True

    def toggle(self, folded: bool | None = None) -> None:
        super().toggle(folded)
        self._details = folded is False
        for row in self._did:
            row.toggle(folded=not self._details)
        if self.call is not None:
            self.call.toggle(folded=self.folded)

    def estimate(self, width: int) -> int:
        return 1 + self.gap + (0 if self.folded else 1 + min(len(self._did), SHOWN))

    # Rows

    @property
    def finished(self) -> bool:
        return self._state != "running"

    @property
    def asking(self) -> bool:
        """Whether the person is asked about something that it, or one of its own, wants to do."""
        return any(row.asking for row in self._did)

    def _room(self, width: int) -> int:
        return width - sum(len(text) for text, _ in self._indent)

    def head(self, width: int) -> Line:
        state = "asking" if self._state == "running" and self.asking else self._state
        task = " ".join(clean(self._started.task[:_TASK]).split())
        facts = self._facts(MARKS[state][2])
        row = self.one_row(state, clean(self._started.name), task, facts, self._room(width))
        return next(iter(behind(self._indent, [row])))

    def _facts(self, word: str) -> Iterator[str]:
        yield word
        if self._steps:
            yield count(self._steps, "step")
        if calls := sum(isinstance(row, ToolRow) or row.call is not None for row in self._did):
            yield count(calls, "call")
        if self._cost:
            yield f"${self._cost:.2f}"
        if self._ended is not None and self._ended.seconds >= 0.05:
            yield lasting(self._ended.seconds)

    def below(self, width: int) -> list[Line]:
        room = max(self._room(width), _BAR + 1)
        if self.folded:
            rows = [*self._at_the_moment(room)]
        else:
            rows = [*self._task(width), *self._rows(room), *(self.call.below(room) if self.call is not None else ())]
        return list(behind(self._indent, (*rows, *self._why(room))))

    def _at_the_moment(self, room: int) -> Iterator[Line]:
        """What it does, while it works, and what was refused."""
        shown = None if self.finished else self._at_work()
        if shown is not None:
            yield from behind(BAR, [shown.head(room - _BAR)])
        yield from self.refusals(room)

    def refusals(self, width: int) -> list[Line]:
        """What was refused to it, and to those that work for it."""
        return [line for row in self._did for line in row.refusals(width)]

    def _task(self, width: int) -> Iterator[Line]:
        """Its task, unless the first row has all of it."""
        task = clean(self._started.task.strip())
        for line in task.split("\n") if task not in self.head(width).text else ():
            yield from wrap(((line, "muted"),), max(self._room(width), _BAR + 1), first=BAR, rest=BAR)

    def _rows(self, room: int) -> Iterator[Line]:
        """The rows of its calls."""
        if (hidden := len(self._did) - SHOWN) > 0:
            yield from behind(BAR, [note(f"… {count(hidden, 'earlier call')}", (0, 0))])
        for row in self._did[-SHOWN:]:
            yield from behind(BAR, row.body(room - _BAR))

    def _at_work(self) -> ToolRow | AgentRow | None:
        """The one of its calls that tells most: what asks, else what runs, else the last one."""
        asking = (row for row in self._did if row.asking)
        running = (row for row in reversed(self._did) if not row.finished)
        return next(asking, None) or next(running, None) or (self._did[-1] if self._did else None)

    def _why(self, width: int) -> list[Line]:
        """Why it did not finish."""
        said = self.call is not None and self.call.failed and not self.folded  # by what the call gave
        if self._ended is None or self._ended.status != "failed" or said:
            return []
        error = self._ended.error
        why = error.message if error is not None else self._ended.stop_reason.replace("_", " ")
        return wrap(((clean(why).replace("\n", " "), "error"),), width, first=BAR, rest=BAR)
