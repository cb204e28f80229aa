"""One row of the screen, before it has colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Piece = tuple[str, str]
"""A text and the names of its styles, separated by blanks. `palette.py` knows the names."""

Place = tuple[int, int]
"""Paragraph and character within an item. It means the same at every width."""


@dataclass(slots=True)
class Line:
    """A row of an item.

    The first `furniture` characters only decorate it and are never copied. `join` is what stood between this row and
    the one before it where a long text was broken, None where the text itself begins a line. A `silent` row is all
    decoration: to what is copied it adds no line either. `choice` is the number of the answer that it belongs to, from
    0. `strip` is what the widget made of the row.
    """

    pieces: Sequence[Piece] = ()
    at: Place = (0, 0)
    furniture: int = 0
    join: str | None = None
    silent: bool = False
    choice: int | None = None
    strip: Any = field(default=None, compare=False, repr=False)

    @property
    def text(self) -> str:
        """All of the row, decoration included."""
        return "".join(text for text, _ in self.pieces)

    @property
    def content(self) -> str:
        """The row without its decoration."""
        return self.text[self.furniture :]


def joined(lines: Iterable[Line]) -> str:
    """The text that `lines` show: broken rows put together again, without decoration."""
    parts: list[str] = []
    for line in lines:
        if line.silent:
            continue
        if parts:
            parts.append("\n" if line.join is None else line.join)
        parts.append(line.content)
    return "".join(parts)
