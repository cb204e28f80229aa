"""What a transcript is a list of."""

from __future__ import annotations

from typing import ClassVar

from xun.frontends.tui.transcript.line import Line, Piece, joined
from xun.frontends.tui.transcript.wrap import MIN_WIDTH, clean, wrap, wrap_all

MARGIN: tuple[Piece, ...] = (("  ", ""),)
"""What stands before the text of an item, under its mark."""

PROMPT_MARK: tuple[Piece, ...] = (("> ", "prompt-mark"),)

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
        text = clean(self._source.strip("\n"))
        hidden = 0
        if self.foldable and self.folded:
            lines = text.split("\n")
            hidden = len(lines) - self.SHOWN
            text = "\n".join(lines[: self.SHOWN])
        rows = wrap_all(text, "prompt", width, first=PROMPT_MARK, rest=MARGIN)
        if hidden:
            rows.append(note(f"… {count(hidden, 'more line')}", (1 << 30, 0)))
        return rows

    def estimate(self, width: int) -> int:
        rows = rows_of(self._source, width - 2)
        return 1 + (self.SHOWN + 1 if self.foldable and self.folded else rows)


class Notice(Item):
    """Something xun says. The mark and a word tell the level, so that no colour has to."""

    __slots__ = ("_level", "_source")

    _MARKS: ClassVar[dict[str, tuple[str, str]]] = {
        "info": ("· ", ""),
        "warning": ("! ", "warning: "),
        "error": ("✗ ", "error: "),
    }

    def __init__(self, text: str, level: str = "info", *, gap: bool = True) -> None:
        super().__init__(gap=gap)
        self._source = text
        self._level = level if level in self._MARKS else "info"

    def body(self, width: int) -> list[Line]:
        mark, word = self._MARKS[self._level]
        style = "muted" if self._level == "info" else self._level
        text = word + clean(self._source.strip("\n"))
        return wrap_all(text, style, width, first=((mark, style),), rest=MARGIN)

    def estimate(self, width: int) -> int:
        return rows_of(self._source, width - 2) + self.gap


class Output(Item):
    """What a command printed."""

    __slots__ = ("_source",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self._source = text

    def body(self, width: int) -> list[Line]:
        return wrap_all(clean(self._source.rstrip()), "text", width, first=MARGIN)

    def estimate(self, width: int) -> int:
        return rows_of(self._source, width - 2) + self.gap


class Thinking(Folding):
    """A model's reasoning: one line with its length, until it is unfolded."""

    __slots__ = ("_size", "_words", "done")

    def __init__(self, text: str = "", *, done: bool = False) -> None:
        super().__init__()
        self._words = [text] if text else []
        self._size = len(text)
        self.done = done

    def add(self, text: str) -> None:
        self._words.append(text)
        self._size += len(text)
        self.changed()

    def finish(self, text: str | None = None) -> None:
        """No more will come. `text` is the whole, where it is known."""
        self.done = True
        if text is not None:
            self._words, self._size = [text], len(text)
        self.changed()

    def body(self, width: int) -> list[Line]:
        sign = "▸" if self.folded else "▾"
        size = count(self._size, "character")
        said = f"thought, {size}" if self.done else f"thinking, {size} so far"
        if not self._size:
            said = "thought, not shown by the provider" if self.done else "thinking"
        rows = wrap((("∴ ", "thinking-mark"), (said, "thinking"), (f" {sign}", "muted")), width, rest=MARGIN)
        if not self.folded and self._size:
            for row in wrap_all(clean("".join(self._words)).strip("\n"), "thinking", width, first=MARGIN):
                row.at = (row.at[0] + 1, row.at[1])
                rows.append(row)
        return rows

    def estimate(self, width: int) -> int:
        return 1 + self.gap if self.folded else 2 + self.gap + self._size // max(width - 2, MIN_WIDTH)


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
        rows = wrap(((clean(self._said) + sign, "rule"),), width, first=(("── ", "rule"),), rest=MARGIN)
        if not self.folded and self._summary:
            for row in wrap_all(clean(self._summary.strip("\n")), "muted", width, first=MARGIN):
                row.at = (row.at[0] + 1, row.at[1])
                rows.append(row)
        return rows

    def estimate(self, width: int) -> int:
        return 1 + self.gap if self.folded else 1 + self.gap + rows_of(self._summary, width - 2)


def note(text: str, at: tuple[int, int]) -> Line:
    """A row about the item that is not part of its text."""
    return Line((*MARGIN, (text, "muted")), at, furniture=len(text) + 2)


def count(number: int, what: str) -> str:
    """`1 line`, `2,000 lines`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
