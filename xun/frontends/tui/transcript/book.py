"""From messages and events to the items of a transcript."""

from __future__ import annotations

from collections.abc import Callable

from xun.asides import aside_of, asides_in
from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    AttemptReset,
    Compacted,
    Decided,
    HistoryReplaced,
    MessageAdded,
    Notice,
    SubAgentStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
)
from xun.frontends.tui.calls import by_person
from xun.frontends.tui.transcript.agent_row import AgentRow
from xun.frontends.tui.transcript.agents import Agents
from xun.frontends.tui.transcript.earlier import Earlier
from xun.frontends.tui.transcript.holds import Holds
from xun.frontends.tui.transcript.item import Item, Thinking
from xun.frontends.tui.transcript.item import Notice as NoticeItem
from xun.frontends.tui.transcript.live import Live
from xun.frontends.tui.transcript.quoted import quoted_rows
from xun.frontends.tui.transcript.refusal import refused
from xun.frontends.tui.transcript.retry import Retry
from xun.frontends.tui.transcript.rows import Rows
from xun.frontends.tui.transcript.said import BROKEN_OFF, blocks_of, compaction, ending, prompt
from xun.frontends.tui.transcript.stream import Stream
from xun.frontends.tui.transcript.tool_row import ToolRow
from xun.messages import Message, Text, ToolCall, ToolResult
from xun.messages import Thinking as ThinkingBlock
from xun.sessions.past import Past


class Book:
    """Hears events and keeps `rows` true to them. Deltas wait until `flush`.

    `reading` tells whether somebody has scrolled up and looks at an item, which must not change its rows then.
    """

    def __init__(self, rows: Rows, reading: Callable[[int], bool]) -> None:
        self._rows = rows
        self._holds = Holds(rows, reading)
        self._stream = Stream(rows, self._holds)
        self._agents = Agents(rows, self._holds)
        self._calls: dict[str, tuple[int, ToolRow]] = {}
        self._asks: dict[str, str] = {}  # open questions, and the calls that they are about
        self._retry: tuple[int, Retry] | None = None  # while a model call is tried again
        self._broken = ""  # what came of a reply before it was tried again
        self._past = Past()
        self._shown: set[str] = set()  # what the model will be told of shell lines that have a row here

    def load(self, past: Past) -> None:
        """Show what was told before, and nothing else. What comes is added to `past`."""
        self.clear()
        self._past = past
        self._rows.extend(Earlier(self._items, self._calls, self._shown, self._agents).read(past))

    def clear(self) -> None:
        self._stream.drop()
        self._rows.truncate(0)
        self._calls.clear()
        self._agents.clear()
        self._asks.clear()
        self._shown.clear()
        self._retry = None
        self._broken = ""
        self._past = Past()

    def flush(self) -> None:
        """Take in the deltas that wait."""
        self._stream.flush()

    def release(self) -> bool:
        """Give items that nobody looks at any more their final look. False if that changed nothing."""
        return self._holds.release()

    def add(self, item: Item) -> None:
        """Put an item at the end."""
        self._stream.flush()
        self._rows.append(item)

    def hear(self, event: AnyEvent) -> bool:
        """Take note of an event. False if it changes nothing here."""
        if event.parent_id:
            self._past.add(event)
            return self._overhear(event)
        if isinstance(event, TextDelta | ThinkingDelta):
            self._stream.take(event)
            self._past.arrives(event)
            return True
        self._past.add(event)
        return self._hear_call(event) or self._hear_turn(event)

    def _overhear(self, event: AnyEvent) -> bool:
        """Take note of what a sub-agent does. Notices and refusals of one that has no row are shown by themselves."""
        if self._agents.hear(event):
            return True
        match event:
            case SubAgentStarted():
                self._stream.flush()
                self._agents.begin(event, self._calls.get(event.call_id))
            case Notice(level=level, text=text):
                self.add(NoticeItem(text, level))
            case Decided(allowed=False, decision=decision):
                self.add(NoticeItem(refused(decision), "warning"))
            case _:
                return False
        return True

    def _hear_turn(self, event: AnyEvent) -> bool:
        match event:
            case MessageAdded(message=message):
                self._message(message)
            case AttemptReset(reason=reason, wait=wait):
                self._broken = self._stream.text or self._broken
                self._drop()
                self._tried(reason, wait)
            case HistoryReplaced(reason=reason):
                # What was compacted stays readable here; the mark comes with `Compacted`.
                if reason == "compact":
                    return False
                self.load(self._past)
            case Compacted():
                self.add(compaction(event))
            case Notice(level=level, text=text):
                self.add(NoticeItem(text, level))
            case TurnEnded():
                self._end(event)
            case _:
                return False
        return True

    def _hear_call(self, event: AnyEvent) -> bool:
        match event:
            case ToolStarted(call=call):
                self._row(call)
            case Asked(ask=ask) if ask.call_id in self._calls:
                self._asks[ask.id] = ask.call_id
                self._change(ask.call_id, lambda row: row.asked(ask.id))
            case Answered(ask_id=ask_id, answer=answer) if ask_id in self._asks:
                self._change(self._asks.pop(ask_id), lambda row: row.answered(ask_id, answer.reason or ""))
            case ToolProgress(call_id=call_id) if self._agents.ran_by(call_id):
                return False
            case ToolProgress(call_id=call_id, text=text) if call_id in self._calls:
                self._change(call_id, lambda row: row.progress(text))
            case ToolEnded(call_id=call_id) if call_id in self._calls:
                self._shown.add(aside_of(self._calls[call_id][1].call, event.result))
                self._change(call_id, lambda row: row.ended(event.outcome, event.result, event.seconds))
            case Decided(call_id=call_id) if call_id in self._calls:
                self._change(call_id, lambda row: row.decided(event))
            case Decided(allowed=False, decision=decision):
                self.add(NoticeItem(refused(decision), "warning"))
            case _:
                return False
        return True

    def _change(self, call_id: str, change: Callable[[ToolRow], None]) -> None:
        index, row = self._calls[call_id]
        if self._holds.wanted(index):
            row.hold(self._rows.width)
            self._holds.add(index, row)
        change(row)
        self._rows[index].changed()  # it may be that of the sub-agent which the call runs
        self._rows.changed(index)

    def _row(self, call: ToolCall) -> ToolRow:
        """The row of a call, made at the end where there is none. Some servers use their ids again."""
        if call.id in self._calls and not self._calls[call.id][1].finished:
            return self._calls[call.id][1]
        self._stream.flush()
        last = self._rows[len(self._rows) - 1] if len(self._rows) else None
        row = ToolRow(call, gap=not isinstance(last, Live), own=by_person(call))
        self._calls[call.id] = (self._rows.append(row), row)
        return row

    def _drop(self) -> None:
        """Take back what is provisional. Calls that stood below it, such as the person's own, have moved up."""
        moved = self._stream.drop()
        if moved is not None:
            for index in range(moved, len(self._rows)):
                item = self._rows[index]
                row = item.call if isinstance(item, AgentRow) else item
                if isinstance(row, ToolRow):
                    self._calls[row.call_id] = (index, row)
            self._agents.moved(moved)

    def _tried(self, reason: str, wait: float) -> None:
        if self._retry is None:
            retry = Retry()
            self._retry = (self._rows.append(retry), retry)
        index, retry = self._retry
        retry.failed(reason, wait)
        self._rows.changed(index)

    def _no_more_tries(self) -> None:
        if self._retry is not None:
            index, retry = self._retry
            retry.finish()
            self._rows.changed(index)
            self._retry = None

    def _message(self, message: Message) -> None:
        if message.role == "assistant":
            self._broken = ""
            self._no_more_tries()
            if self._stream.settle(message):
                for call in message.calls:
                    self._row(call)
                return
            self._drop()
        if message.role == "tool":
            for result in message.results:
                if result.call_id in self._calls and not self._calls[result.call_id][1].finished:
                    self._change(result.call_id, lambda row, result=result: _result(row, result))
            return
        last = self._rows[len(self._rows) - 1] if len(self._rows) else None
        for item in self._items(message, len(self._rows), last):
            self._rows.append(item)

    def _items(self, message: Message, start: int, last: Item | None) -> list[Item]:
        """What a message shows as. `start` is the index of the first item, `last` what stands before it."""
        if message.role == "user":
            asides = asides_in([message])
            new = [aside for aside in asides if aside not in self._shown]
            self._shown.difference_update(asides)
            return [*quoted_rows(new, last), *prompt(message)]
        items: list[Item] = []
        for block in message.blocks:
            match block:
                case Text(text=text):
                    items += blocks_of(text)
                case ThinkingBlock(text=text, data=data) if text or data:
                    items.append(Thinking(text, done=True))
                case ToolCall():
                    before = items[-1] if items else last
                    row = ToolRow(block, gap=not isinstance(before, Live))
                    self._calls[block.id] = (start + len(items), row)
                    items.append(row)
                case ToolResult() if block.call_id in self._calls:
                    _result(self._calls[block.call_id][1], block)
        return items

    def _end(self, event: TurnEnded) -> None:
        self._no_more_tries()
        if event.status == "failed":
            self._break_off()
        self._stream.close()
        for item in ending(event):
            self._rows.append(item)

    def _break_off(self) -> None:
        """A reply that failed half-way is no part of the conversation. What came of it stays, and says so."""
        text, self._broken = self._stream.text or self._broken, ""
        self._drop()
        if text.strip():
            for block in blocks_of(text):
                self._rows.append(block)
            self._rows.append(NoticeItem(BROKEN_OFF, "warning"))


def _result(row: ToolRow, result: ToolResult) -> None:
    """A result in history. What the call's own end told is better where that is known."""
    if not row.finished:
        row.ended("error" if result.is_error else "ok", result)
