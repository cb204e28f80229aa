"""What a call changes, with line numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from xun.frontends.text import visible
from xun.frontends.tui.transcript.item import count, note
from xun.frontends.tui.transcript.line import Line, Piece
from xun.frontends.tui.transcript.wrap import wrap
from xun.messages import ToolCall
from xun.policy.action import Write
from xun.workspace.diff import unified

LIMIT = 200_000
"""Characters of a passage beyond which no diff is made for a call of an earlier session."""

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_AT_LINE = re.compile(r"at line (\d+)")
_STYLES = {"+": "added", "-": "removed", " ": "context"}


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff. `offset` is added to its line numbers."""

    text: str
    added: int
    removed: int
    offset: int = 0

    @property
    def stat(self) -> str:
        return f"+{self.added} -{self.removed}"

    def render(self, width: int, limit: int) -> list[Line]:
        """At most `limit` lines of it, and how many more there are."""
        numbered = list(self._numbered())
        digits = max((len(str(number)) for number, _, _ in numbered if number), default=1)
        rows: list[Line] = []
        shown = numbered if len(numbered) <= limit + 2 else numbered[:limit]
        for number, sign, text in shown:
            rows += _row(number, sign, text, digits, width)
        if len(shown) < len(numbered):
            rows.append(note(f"… {count(len(numbered) - len(shown), 'more line')}", (0, 0)))
        return rows

    def _numbered(self) -> Iterator[tuple[int | None, str, str]]:
        """Each line with its number, in the new file or for a removed line in the old one, and its sign."""
        old = new = 0
        begun = False
        for line in visible(_one_ending(self.text)).removesuffix("\n").split("\n"):
            if hunk := _HUNK.match(line):
                old, new = int(hunk[1]) + self.offset, int(hunk[2]) + self.offset
                if begun:
                    yield None, "@", "⋮"
                begun = True
            elif not begun:
                continue
            elif line[:1] == "+":
                yield new, "+", line[1:]
                new += 1
            elif line[:1] == "-":
                yield old, "-", line[1:]
                old += 1
            elif line[:1] == " " or not line:
                yield new, " ", line[1:]
                old, new = old + 1, new + 1
            else:
                yield None, "@", line.removeprefix("\\ ")


def _row(number: int | None, sign: str, text: str, digits: int, width: int) -> list[Line]:
    if sign == "@":
        return wrap(((text, "muted"),), width, first=((" " * (digits + 5), ""),), folded=True)
    style = _STYLES[sign]
    first: tuple[Piece, ...] = ((f"  {number:>{digits}} ", "number"), (f"{sign} ", style))
    rest: tuple[Piece, ...] = ((" " * (digits + 3), ""), (f"{sign} ", style))
    kept = text.rstrip() if sign in "+-" else text  # blanks at the end may be all that changes
    pieces: tuple[Piece, ...] = ((kept, style), (text[len(kept) :], f"{style} blank"))
    return wrap(pieces if len(kept) < len(text) else ((text, style),), width, first=first, rest=rest, folded=True)


def _hunks(text: str) -> Iterator[str]:
    """The lines of a diff without its names of files, which look like changed lines that begin with a sign."""
    return dropwhile(lambda line: not _HUNK.match(line), text.split("\n"))


def _one_ending(text: str) -> str:
    """A diff whose changed lines all end in CR LF, or none, without CRs; else they are what changes, and show."""
    ends = {line.endswith("\r") for line in _hunks(text) if line[:1] in ("+", "-")}
    return text if len(ends) > 1 else text.replace("\r\n", "\n")


def diff_of(call: ToolCall, writes: Sequence[Write], result: str) -> list[Diff]:
    """The diffs of a call: from what it was decided on, else from its arguments."""
    told = [_counted(write.diff) for write in writes if write.diff]
    if told:
        return told
    match call.arguments:
        case {"path": str(path), "content": str(content)} if any(write.op == "create" for write in writes) or (
            result.startswith("Created ")
        ):
            return [_made("", content, path, 0)]
        case {"path": str(path), "old": str(old), "new": str(new)} if result.startswith("Edited "):
            line = _AT_LINE.search(result)
            return [_made(_whole(old), _whole(new), path, int(line[1]) - 1 if line else 0)]
    return []


def _whole(passage: str) -> str:
    """A passage as whole lines: where it ends says nothing of how the file does."""
    return passage if passage.endswith("\n") or not passage else f"{passage}\n"


def _made(before: str, after: str, path: str, offset: int) -> Diff:
    if len(before) + len(after) > LIMIT:
        return Diff("", after.count("\n") + 1, before.count("\n") + bool(before), offset)
    made = unified(before, after, path)
    return Diff(made.text, made.added, made.removed, offset)


def _counted(text: str) -> Diff:
    signs = Counter(line[:1] for line in _hunks(text))
    return Diff(text, signs["+"], signs["-"])
