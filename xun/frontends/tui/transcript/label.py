"""The row above a block of code that tells its language."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from xun.frontends.text import visible
from xun.frontends.tui.transcript.line import Line, Piece, Place
from xun.frontends.tui.transcript.wrap import MIN_WIDTH, cut

_CORNER = "┌ "


def language_of(info: str) -> str:
    """The language that stands behind a code fence, "" where none does."""
    return info.split(maxsplit=1)[0] if info.strip() else ""


def label_of(language: str, width: int, before: Sequence[Piece], at: Place) -> Line:
    """The row, in `width` cells and decorated by `before`. It is no part of the code, so it is never copied."""
    taken = sum(cell_len(text) for text, _ in before) + len(_CORNER)
    told = cut(visible(language), max(width - taken, MIN_WIDTH))
    pieces = (*before, (_CORNER + told, "rule"))
    return Line(pieces, at, sum(len(text) for text, _ in pieces), silent=True)
