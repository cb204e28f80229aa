"""Unified diffs for people and for results, at a cost that stays bounded on large files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

_CONTEXT = 3
MAX_LENGTH = 1_000_000
"""Characters of a diff's text at most."""

_COMPARED = 3000
"""Lines a side beyond which the changed part is shown as replaced whole: comparing may be quadratic."""


@dataclass(frozen=True, slots=True)
class Diff:
    """`text` is a unified diff, empty where nothing changed; `added` and `removed` count its lines."""

    text: str
    added: int
    removed: int

    @property
    def stat(self) -> str:
        """The counts as in `+2 -1`."""
        return f"+{self.added} -{self.removed}"


def unified(before: str, after: str, name: str) -> Diff:
    """What changed from `before` to `after`, lines told apart by their line ends too.

    Beyond `MAX_LENGTH` characters the text ends with a line that says how much of it is missing.
    """
    lines = [f"--- {name}\n", f"+++ {name}\n"]
    added = removed = 0
    for hunk in _hunks(_by_newline(before), _by_newline(after)):
        for line in hunk:
            added += line.startswith("+")
            removed += line.startswith("-")
            lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return Diff(_clipped("".join(lines)) if added or removed else "", added, removed)


def _clipped(text: str) -> str:
    if len(text) <= MAX_LENGTH:
        return text
    missing = text[MAX_LENGTH:]
    lines = missing.count("\n")
    return f"{text[:MAX_LENGTH]}\n[{len(missing)} more characters in {lines} lines are not shown]\n"


def _by_newline(text: str) -> list[str]:
    """Lines as git counts them: `splitlines` would also break at form feeds and Unicode separators."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


Code = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]


class _Matcher(difflib.SequenceMatcher[str]):
    """Compares only what lies between the equal ends, since most edits are small and most files are not."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._head, self._tail = common_ends(old, new)
        self._old, self._new = len(old), len(new)
        self._compared = max(self._old, self._new) - self._head - self._tail
        super().__init__(None, self._middle(old), self._middle(new), autojunk=False)

    def _middle(self, lines: Sequence[str]) -> Sequence[str]:
        return lines[self._head : len(lines) - self._tail]

    def get_opcodes(self) -> list[Code]:
        head, tail = self._head, self._tail
        codes: list[Code] = []
        if head:
            codes.append(("equal", 0, head, 0, head))
        if self._compared <= _COMPARED:
            for kind, i1, i2, j1, j2 in super().get_opcodes():
                codes.append((kind, head + i1, head + i2, head + j1, head + j2))
        else:
            codes.append(("replace", head, self._old - tail, head, self._new - tail))
        if tail:
            codes.append(("equal", self._old - tail, self._old, self._new - tail, self._new))
        return codes


def common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many lines are the same at the start and at the end of both; none counts twice."""
    head = _common(one, other)
    return head, _common(one[head:][::-1], other[head:][::-1])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return length


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[list[str]]:
    for group in _Matcher(old, new).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        header = f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        yield [header, *(line for code in group for line in _marked(code, old, new))]


def _range(start: int, end: int) -> str:
    return f"{start + 1 if end > start else start},{end - start}"


def _marked(code: tuple[str, int, int, int, int], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    kind, old_start, old_end, new_start, new_end = code
    if kind == "equal":
        yield from (" " + line for line in old[old_start:old_end])
        return
    yield from ("-" + line for line in old[old_start:old_end])
    yield from ("+" + line for line in new[new_start:new_end])
