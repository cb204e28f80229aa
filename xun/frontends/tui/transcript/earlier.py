"""What happened before the transcript was there, as the items that it would have become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from xun.asides import aside_of
from xun.events import AttemptReset, Compacted, Decided, Notice, TurnEnded
from xun.frontends.tui.calls import by_person
from xun.frontends.tui.transcript.agents import Agents
from xun.frontends.tui.transcript.answer import Block
from xun.frontends.tui.transcript.item import Item, Thinking
from xun.frontends.tui.transcript.item import Notice as NoticeItem
from xun.frontends.tui.transcript.live import Live
from xun.frontends.tui.transcript.refusal import refused
from xun.frontends.tui.transcript.retry import Retry
from xun.frontends.tui.transcript.said import BROKEN_OFF, blocks_of, compaction, ending
from xun.frontends.tui.transcript.splitter import shown_of
from xun.frontends.tui.transcript.tool_row import ToolRow
from xun.frontends.tui.way_on import way_on
from xun.messages import Message
from xun.messages import Thinking as ThinkingBlock
from xun.sessions.past import Past, Told
from xun.sessions.past_calls import PastAgent, PastCall

Itemise = Callable[[Message, int, Item | None], list[Item]]
"""The items of a message, given the index of the first one and what stands before it."""


class Earlier:
    """Makes items of a past, in one go.

    `calls` are the rows of calls by their ids, with their index; `shown` is what the model will be told of the person's
    own. Both are kept up to date, and so is what `agents` knows of those at work.
    """

    def __init__(
        self, itemise: Itemise, calls: dict[str, tuple[int, ToolRow]], shown: set[str], agents: Agents
    ) -> None:
        self.items: list[Item] = []
        self._itemise = itemise
        self._calls = calls
        self._shown = shown
        self._agents = agents
        self._ends: dict[str, PastCall] = {}
        self._beside: list[PastCall] = []  # calls that the person has made while the next reply arrived
        self._retry: Retry | None = None
        self._cut = False  # a reply was, and nothing has said so yet

    def read(self, past: Past) -> list[Item]:
        """All of its items."""
        for entry in past.told:
            self._take(entry)
        self._own(self._beside)
        self._say_cut()
        return self.items

    @property
    def _last(self) -> Item | None:
        return self.items[-1] if self.items else None

    def _take(self, entry: Told) -> None:
        match entry:
            case Message():
                self._message(entry)
            case ThinkingBlock(text=text):
                self._add([Thinking(text, done=True)])
            case PastCall():
                self._call(entry)
            case PastAgent():
                self._agents.again(entry, self.items, self._calls.get(entry.started.call_id))
            case TurnEnded():
                self._turn_ended(entry)
            case AttemptReset(reason=reason, wait=wait):
                self._tried(reason, wait)
            case Compacted():
                self._add([compaction(entry)])
            case Notice(level=level, text=text):
                self._add([NoticeItem(text, level)])
            case Decided(decision=decision):
                self._add([NoticeItem(refused(decision), "warning")])

    def _add(self, items: Iterable[Item]) -> None:
        self.items += items

    def _turn_ended(self, event: TurnEnded) -> None:
        self._cut = False
        self._no_more_tries()
        if event.broken:
            self._add([*blocks_of(event.broken), NoticeItem(BROKEN_OFF, "warning")])
        self._add(ending(event))
        if way := way_on(event):
            self._add([NoticeItem(way, gap=False)])

    def _tried(self, reason: str, wait: float) -> None:
        if self._retry is None:
            self._retry = Retry()
            self._add([self._retry])
        self._retry.failed(reason, wait)

    def _no_more_tries(self) -> None:
        if self._retry is not None:
            self._retry.finish()
            self._retry = None

    def _say_cut(self) -> None:
        if self._cut:
            self._cut = False
            self._add([NoticeItem("interrupted")])

    def _message(self, message: Message) -> None:
        if message.role == "tool":
            self._results(message)
            return
        self._say_cut()
        if message.role == "assistant":
            self._no_more_tries()
            self._reply(message)
        else:
            self._add(self._itemise(message, len(self.items), self._last))
        self._cut = message.reply is not None and message.reply.stop_reason == "interrupted"

    def _reply(self, message: Message) -> None:
        """A reply, and what the person has run while it arrived: that stands below what was there of it by then."""
        start, last = len(self.items), self._last
        items = self._itemise(message, start, last)
        places = [_below(items, shown_of(message.text[: past.beside])) for past in self._beside]
        if not places:
            self._add(items)
            return
        done = 0
        for place, past in zip(places, self._beside, strict=True):
            self._add(items[done:place])
            self._own([past])
            done = max(done, place)
        self._add(items[done:])
        self._beside.clear()
        for index in range(start, len(self.items)):
            row = self.items[index]
            if isinstance(row, ToolRow):
                row.gap = not isinstance(self.items[index - 1] if index else None, Live)
                self._calls[row.call_id] = (index, row)

    def _own(self, calls: Iterable[PastCall]) -> None:
        """Calls that the person has made."""
        for past in calls:
            row = ToolRow(past.call, gap=not isinstance(self._last, Live), own=True)
            self._calls[past.call.id] = (len(self.items), row)
            self._add([row])
            row.recall(past)
            if past.result is not None:
                self._shown.add(aside_of(past.call, past.result))
                row.ended(past.outcome, past.result, past.seconds)
            elif past.allowed:
                row.begins()

    def _call(self, past: PastCall) -> None:
        """What was decided on a call, before its result is there; of one of the person's, all of it."""
        if by_person(past.call):
            if past.beside is None:
                self._own([past])
            else:
                self._beside.append(past)
        elif past.call.id in self._calls:
            self._calls[past.call.id][1].recall(past)
            self._ends[past.call.id] = past

    def _results(self, message: Message) -> None:
        for result in message.results:
            row = self._calls[result.call_id][1] if result.call_id in self._calls else None
            if row is None or row.finished:
                continue
            past = self._ends.pop(result.call_id, None)
            if past is not None:
                row.ended(past.outcome, result, past.seconds)
            else:
                row.ended("error" if result.is_error else "ok", result)


def _below(items: Sequence[Item], blocks: int) -> int:
    """The place in `items`, those of a reply, below the first `blocks` blocks of its text and what was thought."""
    texts = [index for index, item in enumerate(items) if isinstance(item, Block)]
    if blocks and texts:
        return texts[min(blocks, len(texts)) - 1] + 1
    return len([*takewhile(lambda item: isinstance(item, Thinking), items)])
