"""A row about something that goes on: one line that tells how it stands, and below it as much as is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from xun.frontends.tui.transcript.item import Folding
from xun.frontends.tui.transcript.line import Line, Piece
from xun.frontends.tui.transcript.wrap import MARGIN, cut, wrap

BAR: tuple[Piece, ...] = (("  ", ""), ("│ ", "rule"))
MARKS: dict[str, tuple[str, str, str]] = {  # mark, style, word
    "waiting": ("·", "muted", "waits"),
    "running": ("●", "running", "running"),
    "asking": ("?", "warning", "waits for your answer"),
    "ok": ("✓", "ok", ""),
    "error": ("✗", "error", "failed"),
    "invalid": ("✗", "error", "not a valid call"),
    "denied": ("⊘", "warning", "refused"),
    "timeout": ("✗", "error", "timed out"),
    "cancelled": ("-", "muted", "cancelled"),
    "skipped": ("-", "muted", "skipped"),
}
"""The mark, the style and the word of each state."""


class Live(Folding):
    """Keeps the rows below its first one while somebody reads them, whatever happens meanwhile."""

    __slots__ = ("_held",)

    def __init__(self, *, gap: bool = True) -> None:
        super().__init__(gap=gap)
        self._held: tuple[int, list[Line]] | None = None

    def hold(self, width: int) -> None:
        """Keep the rows below the first as they are now."""
        if self._held is None:
            self._held = (width, self.body(width)[1:])

    def release(self) -> None:
        if self._held is not None:
            self._held = None
            self.changed()

    def toggle(self, folded: bool | None = None) -> None:
        self._held = None
        super().toggle(folded)

    def body(self, width: int) -> list[Line]:
        if self._held is not None and self._held[0] == width:
            return [self.head(width), *self._held[1]]
        rows = [self.head(width), *self.below(width)]
        number = -1
        for row in rows:
            number += row.join is None
            row.at = (number, row.at[1])
        return rows

    def head(self, width: int) -> Line:
        """The first row."""
        raise NotImplementedError

    def below(self, width: int) -> Iterable[Line]:
        """The rows below it, folded or not."""
        raise NotImplementedError

    def one_row(self, state: str, name: str, told: str, facts: Iterable[str], width: int) -> Line:
        """One row that says how it stands: `told` is cut where there is no room for all."""
        mark, style, _ = MARKS[state]
        said = f"{' · '.join(filter(None, facts))} {'▸' if self.folded else '▾'}".lstrip()
        room = max(width - len(name) - len(said) - 7, 12)  # rows that go on are two cells shorter
        pieces: list[Piece] = [(f"{mark} ", style), (name, "tool")]
        if told:
            pieces.append((f" {cut(told, room)}", "text"))
        pieces.append((f"  {said}", "muted" if style in ("ok", "muted", "running") else style))
        row, *more = wrap(pieces, width, rest=MARGIN)
        if more:  # a terminal too narrow for it: what happened matters more than what it is about
            row = wrap([(f"{mark} {cut(name, max(width - len(said) - 4, 1))} {said}", style)], width, folded=True)[0]
        row.furniture = 2
        return row


def behind(decoration: Sequence[Piece], rows: Iterable[Line]) -> Iterable[Line]:
    """The rows with `decoration` before each."""
    size = sum(len(text) for text, _ in decoration)
    for row in rows:
        yield replace(row, pieces=(*decoration, *row.pieces), furniture=row.furniture + size, strip=None)


def lasting(seconds: float) -> str:
    """A time that something took: `1.2 s`, `3 min 07 s`."""
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"
