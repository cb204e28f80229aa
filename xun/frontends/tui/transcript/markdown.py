"""One closed block of Markdown as rows.

HTML, images and link targets are shown as text: nothing a model writes is fetched, hidden or made to look like
something else. Line breaks stay where the model put them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rich.cells import cell_len

from xun.frontends.tui.transcript.highlight import highlight
from xun.frontends.tui.transcript.inline import inline_lines
from xun.frontends.tui.transcript.line import Line, Piece
from xun.frontends.tui.transcript.table import table_rows
from xun.frontends.tui.transcript.wrap import clean, wrap, wrap_all

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LIMIT = 20_000
"""Characters beyond which a block other than code is shown as it was written: parsing it could be felt."""

_BULLETS = "•◦▪"


def render(source: str, width: int, margin: Sequence[Piece]) -> list[Line]:
    """`source` at `width` cells, each row decorated with `margin`."""
    source = clean(source)
    if len(source) > LIMIT and not source.lstrip(" ").startswith(("```", "~~~")):
        return wrap_all(source, "text", width, first=margin)
    return _Painter(source, width, margin).paint()


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Without references: a block is parsed alone, and a definition must not vanish.
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("reference")


@dataclass(slots=True)
class _Container:
    """A quote or a list item: what decorates its first row, and all others."""

    first: tuple[Piece, ...]
    rest: tuple[Piece, ...]
    begun: bool = False


class _Painter:
    def __init__(self, source: str, width: int, margin: Sequence[Piece]) -> None:
        self._lines = source.split("\n")
        self._tokens = _parser().parse(source)
        self._width = width
        self._stack = [_Container(tuple(margin), tuple(margin))]
        self._rows: list[Line] = []
        self._lists: list[str] = []  # the open lists: what kind each is
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
            case "bullet_list_open" | "ordered_list_open":
                self._lists.append(token.type)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._gap(token)
                self._stack.append(self._item(token))
            case "blockquote_open":
                self._gap(token)
                self._stack.append(_Container((("▌ ", "quote"),), (("▌ ", "quote"),)))
            case "list_item_close" | "blockquote_close":
                self._close()
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                self._gap(token)
                self._add([(("─" * max(self._width - self._indent - 2, 3)), "rule")])

    def _item(self, token: Token) -> _Container:
        if self._lists[-1] == "ordered_list_open":
            mark = f"{token.info}{token.markup} "
        else:
            depth = sum(kind == "bullet_list_open" for kind in self._lists)
            mark = f"{_BULLETS[min(depth, len(_BULLETS)) - 1]} "
        return _Container(((mark, "bullet"),), ((" " * len(mark), ""),))

    def _close(self) -> None:
        if not self._stack[-1].begun:
            self._add([])
        self._stack.pop()

    def _code(self, token: Token) -> None:
        self._gap(token)
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        for line in highlight(token.content.removesuffix("\n"), language):
            self._add(line, folded=True, bar=True)

    def _table(self, index: int) -> int:
        opening = self._tokens[index]
        end = next(i for i in range(index, len(self._tokens)) if self._tokens[i].type == "table_close")
        self._gap(opening)
        rows = table_rows(self._tokens[index:end], self._width - self._indent)
        if rows is None:
            first, last = opening.map or (0, 0)
            rows = [[(line, "text")] for line in self._lines[first:last]]
        for row in rows:
            self._add(row, folded=True)
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

    def _add(self, pieces: Sequence[Piece], *, folded: bool = False, bar: bool = False) -> None:
        first: list[Piece] = []
        rest: list[Piece] = []
        for container in self._stack:
            first += container.rest if container.begun else container.first
            rest += container.rest
            container.begun = True
        if bar:
            first.append(("│ ", "rule"))
            rest.append(("│ ", "rule"))
        self._rows += wrap(pieces, self._width, first=first, rest=rest, paragraph=self._paragraph, folded=folded)
        self._paragraph += 1


def _cells(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(text) for text, _ in pieces)


def _length(pieces: Sequence[Piece]) -> int:
    return sum(len(text) for text, _ in pieces)
