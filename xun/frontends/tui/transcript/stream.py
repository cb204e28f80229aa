"""The reply that is arriving: deltas become items, provisional until the message itself comes."""

from __future__ import annotations

from collections.abc import Sequence

from xun.events import TextDelta, ThinkingDelta
from xun.frontends.tui.transcript.answer import Block, Open
from xun.frontends.tui.transcript.holds import Holds
from xun.frontends.tui.transcript.item import Item, Thinking
from xun.frontends.tui.transcript.rows import Rows
from xun.frontends.tui.transcript.splitter import Block as Closed
from xun.frontends.tui.transcript.splitter import Splitter
from xun.messages import Message
from xun.messages import Thinking as ThinkingBlock


class Stream:
    """Writes a reply at the end of `rows`. What it wrote can be taken back until it is settled."""

    def __init__(self, rows: Rows, holds: Holds) -> None:
        self._rows = rows
        self._holds = holds
        self._waiting: list[TextDelta | ThinkingDelta] = []
        self._reset()

    def _reset(self) -> None:
        self._splitter = Splitter()
        self._open: tuple[int, Open] | None = None
        self._thinking: tuple[int, Thinking] | None = None
        self._written: list[Item] = []
        self._begun = False  # whether what was written last is text
        self._start = 0  # the index of the first of them
        self._text: list[str] = []
        self._thought: list[str] = []

    def take(self, delta: TextDelta | ThinkingDelta) -> None:
        """Keep a delta for the next flush."""
        self._waiting.append(delta)

    def flush(self) -> None:
        """Show what has come since the last one."""
        waiting, self._waiting = self._waiting, []
        index = 0
        while index < len(waiting):
            kind = type(waiting[index])
            end = index
            while end < len(waiting) and type(waiting[end]) is kind:
                end += 1
            text = "".join(delta.text for delta in waiting[index:end])
            if kind is TextDelta:
                self._write(text)
            else:
                self._think(text)
            index = end

    @property
    def text(self) -> str:
        """What has come of the reply by now."""
        waiting = (delta.text for delta in self._waiting if isinstance(delta, TextDelta))
        return "".join((*self._text, *waiting))

    def drop(self) -> int | None:
        """Take back what was written since the last message. Gives the index from which other items have moved up."""
        self._waiting.clear()
        moved = None
        if self._written:
            moved = self._start
            kept = [self._rows[i] for i in range(moved, len(self._rows))]
            self._rows.truncate(moved)
            for item in kept:
                if item not in self._written:
                    self._rows.append(item)
        self._reset()
        return moved

    def settle(self, message: Message) -> bool:
        """The message has come. True if what was written says the same, and so stays; else it must be dropped.

        What was thought stays with an interrupted reply, in which there is none.
        """
        self.flush()
        thought = "".join(block.text for block in message.blocks if isinstance(block, ThinkingBlock))
        cut = message.reply is not None and message.reply.stop_reason == "interrupted"
        if not self._written or "".join(self._text) != message.text:
            return False
        if not cut and "".join(self._thought) != thought:
            return False
        self.close()
        return True

    def close(self) -> None:
        """Nothing more will come: all blocks are closed, and stay."""
        self.flush()
        self._end_thinking()
        self._close_blocks(self._splitter.close())
        self._reset()

    def _write(self, text: str) -> None:
        self._end_thinking()
        self._text.append(text)
        closed = self._splitter.feed(text)
        if closed:
            self._close_blocks(closed)
        elif self._open is not None:
            index, block = self._open
            block.add(text)
            self._rows.changed(index)
            return
        if rest := self._splitter.open_text:
            block = Open(rest, gap=self._splitter.open_gap or not self._begun)
            self._open = (self._append(block), block)

    def _close_blocks(self, closed: Sequence[Closed]) -> None:
        for block in closed:
            item = Block(block.text, gap=block.gap or not self._begun, number=block.number)
            if self._open is None:
                self._append(item)
                continue
            index, opened = self._open
            item.gap = opened.gap
            if self._holds.wanted(index):
                item.hold(opened)
                self._holds.add(index, item)
            self._rows.replace(index, item)
            self._written[-1] = item  # thinking closes what is open, so that is always the last
            self._open = None

    def _think(self, text: str) -> None:
        self._thought.append(text)
        if self._thinking is None:
            self._close_blocks(self._splitter.close())
            thinking = Thinking()
            self._thinking = (self._append(thinking), thinking)
        index, thinking = self._thinking
        thinking.add(text)
        self._rows.changed(index)

    def _end_thinking(self) -> None:
        if self._thinking is not None:
            index, thinking = self._thinking
            thinking.finish()
            self._rows.changed(index)
            self._thinking = None

    def _append(self, item: Item) -> int:
        index = self._rows.append(item)
        if not self._written:
            self._start = index
        self._written.append(item)
        self._begun = not isinstance(item, Thinking)
        return index
