"""What a transcript is a list of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

from rich.cells import cell_len

from xun.frontends.tui.transcript.growing import Growing
from xun.frontends.tui.transcript.line import Line, Piece, joined
from xun.frontends.tui.transcript.wrap import MARGIN, MIN_WIDTH, expand, measure, prose, wrap, wrap_all

PROMPT_MARK: tuple[Piece, ...] = (("> ", "prompt-mark"),)

_COLUMN = re.compile(r"(?:^|(?<= )) +(?=[^ ])")

BLANK = Line(at=(-1, 0))
"""The empty row above an item."""


class Item:
    """One entry. It keeps what it says and makes rows of it when asked; whoever asked keeps them.

    `version` grows with each change. `gap` sets the item off from the one before by an empty row.
    """

    __slots__ = ("foldable", "gap", "version")

    def __init__(self, *, gap: bool = True) -> None:
        self.gap = gap
        self.version = 0
        self.foldable = False

    @property
    def text(self) -> str:
        """What the item says, unwrapped and made visible, without what is folded away."""
        return joined(self.body(10_000))

    def changed(self) -> None:
        self.version += 1

    def render(self, width: int) -> list[Line]:
        """The rows at `width` cells."""
        body = self.body(width)
        return [BLANK, *body] if self.gap else body

    def body(self, width: int) -> list[Line]:
        """The rows without the gap."""
        raise NotImplementedError

    def estimate(self, width: int) -> int:
        """About how many rows `render` gives, much cheaper than that."""
        return 1 + self.gap

    def toggle(self, folded: bool | None = None) -> None:
        """Fold or unfold, where that says anything."""

    def release(self) -> None:
        """Take the final look, where an earlier one was kept."""


def rows_of(text: str, width: int) -> int:
    """About how many rows a text takes."""
    return text.count("\n") + 1 + len(text) // max(width, MIN_WIDTH)


class Folding(Item):
    """An item with two looks."""

    __slots__ = ("folded",)

    def __init__(self, *, folded: bool = True, gap: bool = True) -> None:
        super().__init__(gap=gap)
        self.folded = folded
        self.foldable = True

    def toggle(self, folded: bool | None = None) -> None:
        self.folded = not self.folded if folded is None else folded
        self.changed()


class Prompt(Folding):
    """What the person sent. Of a long paste the first lines are shown until it is unfolded."""

    __slots__ = ("_source",)

    SHOWN = 20
    """Lines shown of a folded prompt. One that has little more is shown whole."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._source = text
        self.foldable = text.count("\n") >= self.SHOWN + 5

    def body(self, width: int) -> list[Line]:
        text = prose(self._source.strip("\n"))
        hidden = 0
        if self.foldable and self.folded:
            lines = text.split("\n")
            hidden = len(lines) - self.SHOWN
            text = "\n".join(lines[: self.SHOWN])
        rows = wrap_all(text, "prompt", measure(width), first=PROMPT_MARK, rest=MARGIN)
        if hidden:
            rows.append(note(f"… {count(hidden, 'more line')}", (1 << 30, 0)))
        return rows

    def estimate(self, width: int) -> int:
        rows = rows_of(self._source, measure(width) - 2)
        return 1 + (self.SHOWN + 1 if self.foldable and self.folded else rows)


class Notice(Item):
    """Something xun says. The mark and a word tell the level, so that no colour has to."""

    __slots__ = ("_source", "level")

    _MARKS: ClassVar[dict[str, tuple[str, str]]] = {
        "info": ("· ", ""),
        "command": ("> ", ""),
        "warning": ("! ", "warning: "),
        "error": ("✗ ", "error: "),
    }

    def __init__(self, text: str, level: str = "info", *, gap: bool = True) -> None:
        super().__init__(gap=gap)
        self._source = text
        self.level = level if level in self._MARKS else "info"

    def body(self, width: int) -> list[Line]:
        mark, word = self._MARKS[self.level]
        style = "muted" if self.level in ("info", "command") else self.level
        first, *more = prose(self._source.strip("\n")).split("\n")
        # Only errors are coloured throughout: long text in the yellow of many terminals is hard to read.
        said = "text" if self.level == "warning" else style
        rows = wrap(((word, style), (first, said)), measure(width), first=((mark, style),), rest=MARGIN)
        # Only the line that says it is marked: what follows is there to be read.
        return [*rows, *in_columns(more, style if style == "muted" else "text", width, start=1)]

    def estimate(self, width: int) -> int:
        return rows_of(self._source, width - 2) + self.gap


class Output(Item):
    """What a command printed."""

    __slots__ = ("_source",)

    def __init__(self, text: str, *, gap: bool = True) -> None:
        super().__init__(gap=gap)
        self._source = text

    def body(self, width: int) -> list[Line]:
        return in_columns(prose(self._source.rstrip()).split("\n"), "text", width)

    def estimate(self, width: int) -> int:
        return rows_of(self._source, width - 2) + self.gap


class Thinking(Folding):
    """A model's reasoning: one line with its length, until it is unfolded."""

    __slots__ = ("_done", "_ends", "_text")

    def __init__(self, text: str = "", *, done: bool = False) -> None:
        super().__init__()
        self._text = Growing(text.strip("\n"), style="thinking")
        self._ends = ""  # line ends that belong to it only if more follows
        self._done = done

    def add(self, text: str) -> None:
        text = self._ends + text if self._text.size else text.lstrip("\n")
        said = text.rstrip("\n")
        self._ends = text[len(said) :]
        self._text.add(said)
        self.changed()

    def finish(self) -> None:
        """No more will come."""
        self._done = True
        self.changed()

    def body(self, width: int) -> list[Line]:
        sign = "▸" if self.folded else "▾"
        size = count(self._text.size, "character")
        said = f"thought, {size}" if self._done else f"thinking, {size} so far"
        if not self._text.size:
            said = "thought, not shown by the provider" if self._done else "thinking"
        rows = wrap((("∴ ", "thinking-mark"), (said, "thinking"), (f" {sign}", "muted")), width, rest=MARGIN)
        return rows if self.folded or not self._text.size else [*rows, *_below(self._text.rows(width))]

    def estimate(self, width: int) -> int:
        return 1 + self.gap if self.folded else 2 + self.gap + self._text.size // max(measure(width) - 2, MIN_WIDTH)


class Compaction(Folding):
    """Where the conversation was summed up. Unfolded it shows the summary."""

    __slots__ = ("_said", "_summary")

    def __init__(self, said: str, summary: str = "") -> None:
        super().__init__()
        self._said = said
        self._summary = summary
        self.foldable = bool(summary)

    def body(self, width: int) -> list[Line]:
        sign = "" if not self.foldable else (" ▸" if self.folded else " ▾")
        rows = wrap(((prose(self._said) + sign, "rule"),), width, first=(("── ", "rule"),), rest=MARGIN)
        if self.folded:
            return rows
        return [*rows, *_below(wrap_all(prose(self._summary.strip("\n")), "muted", measure(width), first=MARGIN))]

    def estimate(self, width: int) -> int:
        return 1 + self.gap if self.folded else 1 + self.gap + rows_of(self._summary, measure(width) - 2)


def in_columns(lines: Iterable[str], style: str, width: int, *, start: int = 0) -> list[Line]:
    """Lines of columns with two blanks or more between them: what is too long goes on under its last column.

    `start` is the number of the first one as a paragraph.
    """
    rows: list[Line] = []
    for number, line in enumerate(lines, start):
        line = expand(line)
        hang = _hang(line, width * 3 // 5)
        below = ((" " * cell_len(line[:hang]) + MARGIN[0][0], ""),)
        head = (*MARGIN, (line[:hang], style))
        first, *rest = wrap(((line[hang:], style),), width, first=head, rest=below, paragraph=number)
        first.furniture = len(MARGIN[0][0])  # the head decorates nothing
        first.at = (number, 0)
        for row in rest:
            row.at = (number, row.at[1] + hang)
        rows += (first, *rest)
    return rows


def _hang(line: str, limit: int) -> int:
    """Where the last column of a line begins that begins before `limit`: at least where its text does."""
    columns = [column.end() for column in _COLUMN.finditer(line)]
    return max((at for at in columns if at <= limit), default=0)


def _below(rows: Iterable[Line]) -> Iterator[Line]:
    """The rows as they stand below the one line that is paragraph 0."""
    for row in rows:
        yield replace(row, at=(row.at[0] + 1, row.at[1]), strip=None)


def note(text: str, at: tuple[int, int]) -> Line:
    """A row about the item that is not part of its text."""
    return Line((*MARGIN, (text, "muted")), at, furniture=len(text) + 2)


def count(number: int, what: str) -> str:
    """`1 line`, `2,000 lines`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
