"""Long pastes stand in the prompt as one short mark, and are whole again when it is sent."""

from __future__ import annotations

import re

from xun.frontends.tui.prompt.unseen import count_unseen

FOLD_LINES = 10  # a paste of more lines is folded
FOLD_CHARACTERS = 2_000  # or of more characters


class Folds:
    """The pastes behind the marks of one prompt."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """`text` as it is to stand in the prompt: itself when it is short, else a mark for it."""
        lines = text.count("\n") + 1
        if lines <= FOLD_LINES and len(text) <= FOLD_CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        if unseen := count_unseen(text):
            size += f", {unseen:,} invisible or control character{'s' * (unseen > 1)}"
        mark = f"[pasted {len(self._kept) + 1}: {size}]"
        self._kept[mark] = text
        return mark

    def whole(self, text: str) -> str:
        """`text` with every mark replaced by what it stands for."""
        if not self._kept:
            return text
        marks = re.compile("|".join(re.escape(mark) for mark in self._kept))
        # In one pass: what looks like a mark inside a paste is that paste's own.
        return marks.sub(lambda found: self._kept[found.group()], text)

    def mark_before(self, text: str) -> str:
        """The mark that `text` ends with, "" where there is none."""
        return next((mark for mark in self._kept if text.endswith(mark)), "")

    def clear(self) -> None:
        """Forget all of them."""
        self._kept.clear()
