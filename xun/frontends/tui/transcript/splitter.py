"""Where Markdown that is still arriving can be cut: a block that later text cannot change is closed.

This knows just enough of Markdown to cut it (fences, lists, headings, quotes, blank lines). What a block looks like
is for the parser, which sees each block alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})")
_INNER_FENCE = re.compile(r"(\s*)(?:[-*+]\s+|\d{1,9}[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"( {0,3}(?:[-*+]|(\d{1,9})([.)])))(?:([ \t]+)\S|[ \t]*$)")
_INTERRUPTS = re.compile(r" {0,3}(?:[-*+]|1[.)])[ \t]+\S")  # a list that may follow a paragraph without a blank line
_QUOTE = re.compile(r" {0,3}>")

Kind = Literal["", "paragraph", "fence", "item", "quote"]


@dataclass(frozen=True, slots=True)
class Block:
    """A closed piece of Markdown, without its last line end.

    `gap`: a blank line stood before it. `number` is that of an item which goes on with a numbered list, None for all
    others: Markdown counts on from the first item, whatever the next ones say.
    """

    text: str
    gap: bool
    number: int | None = None


class Splitter:
    """Takes text as it comes and gives back closed blocks. The cost is linear in the text."""

    def __init__(self) -> None:
        self._kind: Kind = ""
        self._lines: list[str] = []  # of the open block
        self._partial: list[str] = []  # of the line that has not ended
        self._fence = ""  # what opened the fence that is open
        self._content = 0  # columns by which a line belongs to the open list item
        self._blanks = 0  # blank lines within a list item that something has yet to follow
        self._gap = False  # a blank line precedes the open block, or the next one
        self._closed: list[Block] = []
        self._sign = ""  # what stands behind the numbers of the list that the last block belongs to, if it is numbered
        self._next = 0  # the number of its next item
        self._number: int | None = None  # that of the open block, if it goes on with a list

    def feed(self, text: str) -> list[Block]:
        """The blocks that `text` closed."""
        head, *rest = text.split("\n")
        self._partial.append(head)
        for part in rest:
            line = "".join(self._partial)
            self._partial = [part]
            self._line(line.removesuffix("\r"))
        return self._taken()

    def close(self) -> list[Block]:
        """All that is left, as the last blocks."""
        line = "".join(self._partial)
        self._partial = []
        if line:
            self._line(line)
        self._end()
        return self._taken()

    @property
    def open_text(self) -> str:
        """What no closed block holds yet. Collecting it costs its length: ask only when blocks were closed."""
        lines = [*self._lines, *([""] * self._blanks), "".join(self._partial)]
        return "\n".join(lines) if len(lines) > 1 or lines[0].strip() else ""

    @property
    def open_gap(self) -> bool:
        """Whether a blank line precedes the open block."""
        return self._gap

    def _taken(self) -> list[Block]:
        closed, self._closed = self._closed, []
        return closed

    def _end(self) -> None:
        if self._lines:
            self._closed.append(Block("\n".join(self._lines), self._gap, self._number))
            self._gap = self._blanks > 0
        self._lines, self._kind, self._fence, self._blanks = [], "", "", 0

    def _line(self, line: str) -> None:
        if self._fence and self._in_fence(line):
            return
        if not line.strip():
            self._blank()
        elif self._kind == "item":
            self._in_item(line)
        elif self._kind and not self._interrupts(line):
            self._lines.append(line)
        else:
            self._start(line)

    def _in_fence(self, line: str) -> bool:
        """Take a line into the open fence. False if it ends the list item that the fence stands in."""
        if self._kind == "item" and line.strip() and _indent(line) < self._content:
            self._fence = ""
            return False
        self._lines.append(line)
        stripped = line.strip()
        if stripped.startswith(self._fence) and not stripped.strip(self._fence[0]):
            self._fence = ""
            if self._kind == "fence":
                self._end()
        return True

    def _blank(self) -> None:
        if self._kind == "item":
            self._blanks += 1
        else:
            self._end()
            self._gap = True

    def _in_item(self, line: str) -> None:
        follows = _indent(line) >= self._content
        lazy = not (
            self._blanks or _ITEM.match(line) or _HEADING.match(line) or _FENCE.match(line) or _RULE.match(line)
        )
        if not follows and not lazy:
            self._start(line)
            return
        self._lines += [""] * self._blanks
        self._blanks = 0
        self._lines.append(line)
        if follows and (fence := _INNER_FENCE.match(line)):
            self._fence = fence[2]

    def _interrupts(self, line: str) -> bool:
        if self._kind == "quote":
            return not _QUOTE.match(line) and bool(_FENCE.match(line) or _HEADING.match(line) or _ITEM.match(line))
        return any(pattern.match(line) for pattern in (_FENCE, _HEADING, _INTERRUPTS, _QUOTE))

    def _start(self, line: str) -> None:
        self._end()
        self._lines = [line]
        self._count(None if _RULE.match(line) else _ITEM.match(line))
        if fence := _FENCE.match(line):
            self._kind, self._fence = "fence", fence[2]
        elif _HEADING.match(line) or _RULE.match(line):
            self._end()
        elif item := _ITEM.match(line):
            self._kind = "item"
            self._content = len(item[1]) + (min(len(item[4].expandtabs(4)), 4) if item[4] else 1)
            if inner := _INNER_FENCE.match(line):
                self._fence = inner[2]
        else:
            self._kind = "quote" if _QUOTE.match(line) else "paragraph"

    def _count(self, item: re.Match[str] | None) -> None:
        """Number the block that begins, where it is an item of a numbered list."""
        sign = item[3] or "" if item else ""
        goes_on = bool(sign) and sign == self._sign
        self._number = self._next if goes_on else None
        if item is not None and sign:
            self._next = (self._next if goes_on else int(item[2])) + 1
        self._sign = sign


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip(" "))


def split(text: str) -> list[Block]:
    """All blocks of a text that is complete."""
    splitter = Splitter()
    return splitter.feed(text) + splitter.close()


def shown_of(text: str) -> int:
    """How many blocks are shown of a text that is arriving, when `text` has come of it."""
    splitter = Splitter()
    return len(splitter.feed(text)) + bool(splitter.open_text)
