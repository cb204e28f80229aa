"""Replacing one passage of a text by another, and touching nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xun.result import XunError
from xun.tools.edit_miss import describe_miss
from xun.workspace.diff import common_ends

_NAMED = 10


class EditError(XunError):
    """The passage is not there, or not there once. The text says where to look."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text, and the number of the line where each replacement begins."""

    text: str
    lines: tuple[int, ...]


def replace_text(text: str, old: str, new: str, *, replace_all: bool = False) -> Edited:
    """`text` with `old`, which must be there exactly once, or at least once with `replace_all`, replaced by
    `new`.

    Line breaks are compared without regard to CRLF or LF; if that finds nothing, blanks at the ends of lines
    are disregarded too. Lines that `old` and `new` have in common at their beginning and end keep their
    bytes, and new lines get the line end of their place. Raises `EditError`.
    """
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise EditError("old is empty: give the passage to replace, or use write_file for a whole file")
    if old == new:
        raise EditError("old and new are the same: nothing to change")
    matches = _matches(text, _exact(old), replace_all) or _matches(text, _trailing_blanks(old), replace_all)
    if not matches:
        raise EditError(describe_miss(text, old))
    if len(matches) > 1 and not replace_all:
        raise EditError(_ambiguous(text, matches))
    return _apply(text, matches, old.split("\n"), new.split("\n"))


def _exact(old: str) -> re.Pattern[str]:
    return re.compile(r"\r?\n".join(re.escape(line) for line in old.split("\n")))


def _trailing_blanks(old: str) -> re.Pattern[str]:
    lines = [line.rstrip(" \t") for line in old.split("\n")]
    parts = [re.escape(line) for line in lines]
    # Blanks of an empty first line lie before the passage; those of a last one must end their line here too.
    joined = r"[ \t]*\r?\n".join(parts) if lines[0] else r"\r?\n" + r"[ \t]*\r?\n".join(parts[1:])
    return re.compile(joined + (r"(?=[ \t]*(?:\r?\n|\Z))" if old[-1] in " \t" else ""))


def _matches(text: str, pattern: re.Pattern[str], every: bool) -> list[re.Match[str]]:
    """All matches side by side; or, to judge whether there is just one, a few, overlapping ones too."""
    if every:
        return [match for match in pattern.finditer(text) if match.group()]
    found: list[re.Match[str]] = []
    match = pattern.search(text)
    while match and match.group() and len(found) <= _NAMED:
        found.append(match)
        # One step on, but not between the two halves of a CRLF, where the same line break would match again.
        match = pattern.search(text, match.start() + (2 if match.group().startswith("\r\n") else 1))
    return found


def _ambiguous(text: str, matches: Sequence[re.Match[str]]) -> str:
    numbers = [str(text.count("\n", 0, match.start()) + 1) for match in matches]
    places = f"{len(numbers)} places" if len(numbers) <= _NAMED else f"more than {_NAMED} places"
    return (
        f"old matches {places}, at lines {', '.join(numbers[:_NAMED])}: "
        "add lines around it until it matches one, or set replace_all=true to change them all"
    )


def _apply(text: str, matches: Sequence[re.Match[str]], old: Sequence[str], new: Sequence[str]) -> Edited:
    pieces: list[str] = []
    numbers: list[int] = []
    end, line = 0, 1
    for match in matches:
        between = text[end : match.start()]
        line += between.count("\n")
        numbers.append(line)
        line += match.group().count("\n")
        pieces += [between, _splice(match.group(), old, new, crlf=_crlf_near(text, match))]
        end = match.end()
    return Edited("".join([*pieces, text[end:]]), tuple(numbers))


def _crlf_near(text: str, match: re.Match[str]) -> bool:
    """Whether the line that `match` ends in, or else the one before it, ends in CRLF."""
    newline = text.find("\n", match.end())
    if newline < 0:
        newline = text.rfind("\n", 0, match.start())
    return newline > 0 and text[newline - 1] == "\r"


def _splice(matched: str, old: Sequence[str], new: Sequence[str], *, crlf: bool) -> str:
    *full, last = matched.split("\n")
    ends = [line.endswith("\r") for line in full]
    found = [line.removesuffix("\r") for line in full] + [last]
    head, tail = common_ends(old, new)
    lines = [*found[:head], *new[head : len(new) - tail], *found[len(found) - tail :]]
    returns = _line_ends(ends, head, tail, len(lines), default=ends[0] if ends else crlf)
    return "".join(line + ("\r\n" if cr else "\n") for line, cr in zip(lines, returns, strict=False)) + lines[-1]


def _line_ends(ends: Sequence[bool], head: int, tail: int, count: int, *, default: bool) -> Iterator[bool]:
    """For each break between `count` lines, whether it is CRLF: as at the same line before, where there was
    one.
    """
    for index in range(count - 1):
        from_end = count - 1 - index
        if index < len(ends) and (index < head or count == len(ends) + 1):
            yield ends[index]
        elif from_end <= min(tail, len(ends)):
            yield ends[-from_end]
        else:
            yield default
