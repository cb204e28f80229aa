"""One closed block of Markdown as rows.

HTML, images and link targets are shown as text: nothing a model writes is fetched, hidden or made to look like
something else. Line breaks stay where the model put them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rich.cells import cell_len

from xun.frontends.tui.transcript.highlight import highlight
from xun.frontends.tui.transcript.inline import inline_lines
from xun.frontends.tui.transcript.label import label_of, language_of
from xun.frontends.tui.transcript.line import Line, Piece
from xun.frontends.tui.transcript.table import table_rows
from xun.frontends.tui.transcript.wrap import MIN_WIDTH, measure, prose, wrap, wrap_all

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LIMIT = 20_000
"""Characters beyond which a block other than code is shown as it was written: parsing it could be felt."""

NESTING = 40
"""How deep containers are parsed; each list counts twice. What is deeper is shown as it was written."""

_BULLETS = "•◦▪"
_MARKS = re.compile(r"(?:[ \t>]|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))*")


def render(source: str, width: int, margin: Sequence[Piece], number: int | None = None) -> list[Line]:
    """`source` at `width` cells, each row decorated with `margin`.

    `number` is that of the list item that `source` is, where it goes on with a list that an earlier block began.
    """
    source = prose(source)
    if len(source) > LIMIT and not source.lstrip(" ").startswith(("```", "~~~")):
        return wrap_all(source, "text", measure(width), first=margin)
    return _Painter(source, width, margin, number).paint()


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Without references: a block is parsed alone, and a definition must not vanish.
    return (
        MarkdownIt("commonmark", {"html": False, "maxNesting": NESTING})
        .enable(["table", "strikethrough"])
        .disable("reference")
    )


@dataclass(slots=True)
class _Container:
    """A quote or a list item: what decorates its first row, and all others, and the lines of the source it is."""

    first: tuple[Piece, ...]
    rest: tuple[Piece, ...]
    begun: bool = False
    lines: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class _List:
    """An open list: the number of its next item, None where items have a bullet."""

    number: int | None


class _Painter:
    def __init__(self, source: str, width: int, margin: Sequence[Piece], number: int | None) -> None:
        self._lines = source.split("\n")
        self._tokens = _parser().parse(source)
        self._width = width
        self._measure = measure(width)  # for prose
        self._stack = [_Container(tuple(margin), tuple(margin))]
        self._rows: list[Line] = []
        self._lists: list[_List] = []
        self._number = number  # that of the first list's first item, where the source does not tell
        self._paragraph = 0

    def paint(self) -> list[Line]:
        index = 0
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.type == "table_open":
                index = self._table(index)
            elif token.type == "heading_open":
                index += 1
                self._text(token, self._tokens[index], "heading" if int(token.tag[1]) > 2 else "heading underline")
            elif token.type == "inline":
                self._text(token, token, "")
            else:
                self._block(token)
            index += 1
        return self._rows or [Line(self._stack[0].rest, furniture=_length(self._stack[0].rest))]

    def _block(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._lists.append(_List(None))
            case "ordered_list_open":
                start, self._number = self._number, None
                self._lists.append(_List(int(token.attrs.get("start", 1)) if start is None else start))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._gap(token)
                self._open(token, self._mark(token), "bullet")
            case "blockquote_open":
                self._gap(token)
                self._open(token, "▌ ", "quote")
            case "list_item_close" | "blockquote_close":
                self._close()
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                self._gap(token)
                self._add([(("─" * max(self._measure - self._indent - 2, 3)), "rule")])

    def _mark(self, token: Token) -> str:
        opened = self._lists[-1]
        if opened.number is None:
            depth = sum(outer.number is None for outer in self._lists)
            return f"{_BULLETS[min(depth, len(_BULLETS)) - 1]} "
        opened.number += 1
        return f"{opened.number - 1}{token.markup} "

    def _open(self, token: Token, mark: str, style: str) -> None:
        """Begin a container. Where those around it take half of the width, it indents nothing more."""
        first, rest = ((mark, style),), ((mark if style == "quote" else " " * len(mark), style),)
        taken = self._indent + len(mark)
        if taken > self._measure // 2:
            # Of several that begin in one row, the first mark says enough.
            marked = style == "bullet" and self._stack[-1].begun and taken <= self._measure - MIN_WIDTH
            first, rest = (first if marked else ()), ()
        first_line, end = token.map or (0, 0)
        self._stack.append(_Container(first, rest, lines=(first_line, end)))

    def _close(self) -> None:
        if not self._stack[-1].begun:
            for line in self._unparsed(self._stack[-1]) or [""]:
                self._add([(line, "text")] if line else [])
        self._stack.pop()

    def _unparsed(self, container: _Container) -> Sequence[str]:
        """What is left of a container that shows nothing: empty, or so deep that the parser drops what it holds."""
        first, end = container.lines
        head, *rest = self._lines[first:end] or [""]
        lines = [head[_end_of_marks(head) :], *(line.strip(" \t>") for line in rest)]
        return [line for line in lines if line]

    def _code(self, token: Token) -> None:
        self._gap(token)
        if language := language_of(token.info):
            self._rows.append(label_of(language, self._width, self._begin()[0], (self._paragraph, 0)))
            self._paragraph += 1
        for line in highlight(token.content.removesuffix("\n"), language):
            self._add(line, code=True)

    def _table(self, index: int) -> int:
        opening = self._tokens[index]
        end = next(i for i in range(index, len(self._tokens)) if self._tokens[i].type == "table_close")
        self._gap(opening)
        rows = table_rows(self._tokens[index:end], self._width - self._indent)
        if rows is None:
            first, last = opening.map or (0, 0)
            rows = [[(line, "text")] for line in self._lines[first:last]]
        for row in rows:
            self._add(row, table=True)
        return end

    def _text(self, opening: Token, token: Token, style: str) -> None:
        self._gap(opening)
        for line in inline_lines(token.children or [], style):
            self._add(line)

    @property
    def _indent(self) -> int:
        return sum(_cells(container.rest) for container in self._stack)

    def _gap(self, token: Token) -> None:
        """An empty row where the source has an empty line."""
        if not self._rows or token.map is None or not token.map[0]:
            return
        if not self._lines[token.map[0] - 1].strip(" \t>") and self._stack[-1].begun:
            decoration = tuple(piece for container in self._stack for piece in container.rest)
            self._rows.append(Line(decoration, (self._paragraph, 0), _length(decoration)))
            self._paragraph += 1

    def _begin(self) -> tuple[list[Piece], list[Piece]]:
        """What decorates a row that comes now, and those that go on with it. All containers have begun with it."""
        first: list[Piece] = []
        rest: list[Piece] = []
        for container in self._stack:
            first += container.rest if container.begun else container.first
            rest += container.rest
            container.begun = True
        return first, rest

    def _add(self, pieces: Sequence[Piece], *, code: bool = False, table: bool = False) -> None:
        first, rest = self._begin()
        if code:
            first.append(("│ ", "rule"))
            rest.append(("│ ", "rule"))
        folded = code or table
        width = self._width if folded else self._measure
        rows = wrap(pieces, width, first=first, rest=rest, paragraph=self._paragraph, folded=folded)
        # The mark of an item is part of what it says: "do step 2 again".
        for at, (_, style) in enumerate(first):
            if style == "bullet" and not code:
                rows[0].furniture = _length(first[:at])
                break
        self._rows += rows
        self._paragraph += 1


def _end_of_marks(line: str) -> int:
    """Where the text of a line begins, after the marks of all its containers."""
    found = _MARKS.match(line)
    return found.end() if found is not None else 0


def _cells(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(text) for text, _ in pieces)


def _length(pieces: Sequence[Piece]) -> int:
    return sum(len(text) for text, _ in pieces)
