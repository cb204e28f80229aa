"""Long pastes stand in the prompt as one short mark, and are whole again when it is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from xun.frontends.tui.prompt.unseen import count_unseen

FOLD_LINES = 10  # a paste of more lines is folded
FOLD_CHARACTERS = 2_000  # or of more characters
_MUCH = 100_000  # characters that are told beside the lines: so much costs


_MARK = re.compile(r"\[pasted \d+: [^\]\n]*\]")

Span = tuple[int, int]
"""Where in a text a paste begins and ends."""


class Folds:
    """The pastes behind the marks of a prompt. A mark stands for the same text as long as it lives.

    So it does when undoing, or putting back what was cut, brings it into a later prompt.
    """

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}
        self._marks: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """`text` as it is to stand in the prompt: itself when it is short, else a mark for it."""
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= FOLD_LINES and len(text) <= FOLD_CHARACTERS:
            return text
        if text in self._marks:
            return self._marks[text]
        size = f"{lines:,} lines" if lines > 1 else ""
        if lines == 1 or len(text) >= _MUCH:
            size += f"{', ' if size else ''}{len(text):,} characters"
        if unseen := count_unseen(text):
            size += f", {unseen:,} invisible or control character{'s' * (unseen > 1)}"
        mark = f"[pasted {len(self._kept) + 1}: {size}]"
        self._kept[mark], self._marks[text] = text, mark
        return mark

    def again(self, text: str, pasted: Iterable[Span]) -> str:
        """`text`, which was in a prompt before, with what was `pasted` in it folded again and nothing else."""
        pieces, at = [], 0
        for start, end in pasted:
            pieces += [text[at:start], self.fold(text[start:end])]
            at = end
        return "".join(pieces) + text[at:]

    def whole(self, text: str) -> str:
        """`text` with every mark replaced by what it stands for."""
        return self.unfold(text)[0]

    def unfold(self, text: str) -> tuple[str, tuple[Span, ...]]:
        """The same, and where in it the pastes are."""
        pieces: list[str] = []
        spans: list[Span] = []
        at = length = 0
        for found in _MARK.finditer(text):  # in one pass: what looks like a mark inside a paste is that paste's own
            paste = self._kept.get(found[0])
            if paste is not None:
                pieces += [text[at : found.start()], paste]
                length += found.start() - at + len(paste)
                spans.append((length - len(paste), length))
                at = found.end()
        return "".join(pieces) + text[at:], tuple(spans)

    def mark_around(self, line: str, column: int) -> Span | None:
        """Where in `line` the mark is that has `column` inside it, None where it is in none, or at an end of one."""
        if "[" in line[:column]:
            for found in _MARK.finditer(line):
                if found.start() < column < found.end() and found[0] in self._kept:
                    return found.span()
        return None

    def mark_before(self, text: str) -> str:
        """The mark that `text` ends with, "" where there is none."""
        return next((mark for mark in self._kept if text.endswith(mark)), "")


def spans_in(stored: object, length: int) -> Iterator[Span]:
    """Those of `stored` that are spans of a text of `length`, in order; the file may have been written by others."""
    last = 0
    for span in stored if isinstance(stored, list) else ():
        match span:
            case [int(start), int(end)] if last <= start < end <= length:
                last = end
                yield start, end
