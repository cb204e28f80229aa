"""From messages and events to the items of a transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from xun.agent.compact_note import body_of, is_note
from xun.agent.cut_reply import GO_ON
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
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from xun.frontends.tui.calls import by_person
from xun.frontends.tui.transcript.answer import Block
from xun.frontends.tui.transcript.holds import Holds
from xun.frontends.tui.transcript.item import Compaction, Item, Prompt, Thinking, count
from xun.frontends.tui.transcript.item import Notice as NoticeItem
from xun.frontends.tui.transcript.quoted import quoted_rows
from xun.frontends.tui.transcript.refusal import refused
from xun.frontends.tui.transcript.retry import Retry
from xun.frontends.tui.transcript.rows import Rows
from xun.frontends.tui.transcript.splitter import split
from xun.frontends.tui.transcript.stream import Stream
from xun.frontends.tui.transcript.tool_row import ToolRow
from xun.messages import Image, Message, Text, ToolCall, ToolResult
from xun.messages import Thinking as ThinkingBlock


class Book:
    """Hears events and keeps `rows` true to them. Deltas wait until `flush`.

    `reading` tells whether somebody has scrolled up and looks at an item, which must not change its rows then.
    """

    def __init__(self, rows: Rows, reading: Callable[[int], bool]) -> None:
        self._rows = rows
        self._holds = Holds(rows, reading)
        self._stream = Stream(rows, self._holds)
        self._calls: dict[str, tuple[int, ToolRow]] = {}
        self._asks: dict[str, str] = {}  # open questions, and the calls that they are about
        self._retry: tuple[int, Retry] | None = None  # while a model call is tried again
        self._agent: str | None = None  # whose turn it is
        self._shown: set[str] = set()  # what the model will be told of shell lines that have a row here

    def load(self, messages: Iterable[Message], ends: Mapping[int, TurnEnded] | None = None) -> None:
        """Show these messages and nothing else, but for `ends`: by how many messages stand before them."""
        self.clear()
        items: list[Item] = []
        ends = ends or {}
        for number, message in enumerate(messages, 1):
            items += self._items(message, len(items), items[-1] if items else None)
            if number in ends:
                items += _ending(ends[number])
            elif message.reply is not None and message.reply.stop_reason == "interrupted":
                items.append(NoticeItem("interrupted"))
        self._rows.extend(items)

    def clear(self) -> None:
        self._stream.drop()
        self._rows.truncate(0)
        self._calls.clear()
        self._asks.clear()
        self._shown.clear()
        self._retry = None

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
        """Take note of an event. False if it changes nothing here.

        Of sub-agents, whose turns run inside a turn under ids of their own, only notices and refusals are shown.
        """
        if isinstance(event, TurnStarted) and self._agent is None:
            self._agent = event.agent_id
        if self._agent is not None and event.agent_id != self._agent:
            return self._overhear(event)
        if isinstance(event, TextDelta | ThinkingDelta):
            self._stream.take(event)
            return True
        return self._hear_call(event) or self._hear_turn(event)

    def _overhear(self, event: AnyEvent) -> bool:
        match event:
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
                self._drop()
                self._tried(reason, wait)
            case HistoryReplaced(messages=messages, reason=reason):
                # What was compacted stays readable here; the mark comes with `Compacted`.
                if reason == "compact":
                    return False
                self.load(messages)
            case Compacted():
                self.add(Compaction(_compacted(event), event.summary))
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
        self._rows.changed(index)

    def _row(self, call: ToolCall) -> ToolRow:
        """The row of a call, made at the end where there is none. Some servers use their ids again."""
        if call.id in self._calls and not self._calls[call.id][1].finished:
            return self._calls[call.id][1]
        self._stream.flush()
        last = self._rows[len(self._rows) - 1] if len(self._rows) else None
        row = ToolRow(call, gap=not isinstance(last, ToolRow), own=by_person(call))
        self._calls[call.id] = (self._rows.append(row), row)
        return row

    def _drop(self) -> None:
        """Take back what is provisional. Calls that stood below it, such as the person's own, have moved up."""
        moved = self._stream.drop()
        if moved is not None:
            for index in range(moved, len(self._rows)):
                row = self._rows[index]
                if isinstance(row, ToolRow):
                    self._calls[row.call_id] = (index, row)

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
            new = [aside for aside in asides_in([message]) if aside not in self._shown]
            self._shown.clear()
            return [*quoted_rows(new, last), *_prompt(message)]
        items: list[Item] = []
        for block in message.blocks:
            match block:
                case Text(text=text):
                    items += blocks_of(text)
                case ThinkingBlock(text=text, data=data) if text or data:
                    items.append(Thinking(text, done=True))
                case ToolCall():
                    before = items[-1] if items else last
                    row = ToolRow(block, gap=not isinstance(before, ToolRow))
                    self._calls[block.id] = (start + len(items), row)
                    items.append(row)
                case ToolResult() if block.call_id in self._calls:
                    _result(self._calls[block.call_id][1], block)
        return items

    def _end(self, event: TurnEnded) -> None:
        self._agent = None
        self._no_more_tries()
        if event.status == "failed":
            self._drop()  # a reply that failed half-way is no part of the conversation
        self._stream.close()
        for item in _ending(event):
            self._rows.append(item)


def blocks_of(text: str) -> Sequence[Block]:
    """The blocks of a whole answer. The first is always set off from what stands before."""
    return [
        Block(block.text, gap=block.gap or not index, number=block.number) for index, block in enumerate(split(text))
    ]


def _ending(event: TurnEnded) -> Iterator[Item]:
    """What is said of a turn that did not complete."""
    if event.status == "cancelled":
        yield NoticeItem("interrupted" + (f": {event.error.message}" if event.error is not None else ""))
    elif event.error is not None:
        yield NoticeItem(event.error.message, "error")
    elif event.status == "failed":
        yield NoticeItem(f"the turn ended early: {event.stop_reason.replace('_', ' ')}", "warning")


def _result(row: ToolRow, result: ToolResult) -> None:
    """A result in history. What the call's own end told is better where that is known."""
    if not row.finished:
        row.ended("error" if result.is_error else "ok", result)


def _prompt(message: Message) -> Iterator[Item]:
    """What the person said. Notes to the model are none of it, nor is what xun says for them."""
    if is_note(message):
        yield Compaction("earlier conversation, summed up", body_of(message))
        return
    if message.words == GO_ON:
        yield NoticeItem("asked to go on where the reply was cut off")
        return
    images = sum(isinstance(block, Image) for block in message.blocks)
    shown = [message.words, f"[{count(images, 'image')}]" if images else ""]
    if any(shown):
        yield Prompt("\n".join(filter(None, shown)))


def _compacted(event: Compacted) -> str:
    how = "summed up" if event.summary else "shortened"
    if not event.automatic:  # the command that asked for it tells the figures
        return f"the conversation up to here, {how}"
    return (
        f"compacted by itself: {event.before_tokens:,} → {event.after_tokens:,} tokens, "
        f"{count(event.removed_messages, 'message')} {how}"
    )
