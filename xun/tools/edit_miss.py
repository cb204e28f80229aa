"""Why a passage was not found: the place most like it, and the first character that differs there."""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

_NUMBERED = re.compile(r"\s*\d+\t")
_LOOKED_AT = 200  # lines of the passage, and places of one line, that vote: enough to find it, quick on any file
_SIMILAR = 2000
_BEFORE, _AFTER = 30, 60


def describe_miss(text: str, old: str) -> str:
    """What to tell the model whose `old` is not in `text`."""
    wanted = old.split("\n")
    filled = [line for line in wanted if line.strip()]
    if filled and all(_NUMBERED.match(line) for line in filled):
        return "old was not found: it begins with line numbers, which read_file adds; leave them out"
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    start = _nearest(lines, wanted)
    if start is None:
        return "old was not found, nor anything like it: read the file and copy the passage exactly"
    difference = _difference(lines[start:], wanted, start + 1)
    return (
        f"old was not found. The nearest place is line {start + 1}{difference}\n"
        f"Read it again (offset={start + 1}) and send old exactly as it stands, blanks included"
    )


def _nearest(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The index where most lines of the passage, blanks around them aside, are where they should be."""
    places: dict[str, list[int]] = defaultdict(list)
    asked = {line.strip() for line in wanted[:_LOOKED_AT]} - {""}
    for index, line in enumerate(lines):
        stripped = line.strip()
        if stripped in asked and len(places[stripped]) < _LOOKED_AT:
            places[stripped].append(index)
    votes = Counter(
        max(0, index - offset)
        for offset, line in enumerate(wanted[:_LOOKED_AT])
        for index in places.get(line.strip(), ())
    )
    if votes:
        return min(votes, key=lambda start: (-votes[start], start))
    return _most_similar(lines, wanted)


def _most_similar(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    offset, longest = max(enumerate(wanted), key=lambda item: len(item[1].strip()))
    longest = longest.strip()[:_LOOKED_AT]
    candidates: dict[str, int] = {}
    for index, line in enumerate(lines):
        stripped = line.strip()[:_LOOKED_AT]
        if stripped and len(longest) <= 2 * len(stripped) and len(stripped) <= 2 * len(longest):
            candidates.setdefault(stripped, index)
        if len(candidates) >= _SIMILAR:
            break
    found = difflib.get_close_matches(longest, candidates, n=1)
    return max(0, candidates[found[0]] - offset) if found else None


def _difference(lines: Sequence[str], wanted: Sequence[str], number: int) -> str:
    for index, line in enumerate(wanted):
        if index >= len(lines):
            return f", but the file ends before line {index + 1} of old: {_excerpt(line, 0)}"
        there = lines[index]
        if (index == 0 and there.endswith(line)) or (index == len(wanted) - 1 and there.startswith(line)):
            continue
        if there != line:
            at = _first_difference(there, line)
            place = f"line {number + index}, character {at + 1}{_characters(there, line, at)}"
            return (
                f", which first differs at {place}:\n"
                f"  in the file: {_excerpt(there, at)}\n"
                f"  in old:      {_excerpt(line, at)}"
            )
    return ""


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def _characters(there: str, asked: str, at: int) -> str:
    """Name both characters where they may look alike: quotes, dashes, spaces."""
    if at >= len(there) or at >= len(asked) or (there[at] + asked[at]).isalnum():
        return ""
    return f" (U+{ord(there[at]):04X} in the file, U+{ord(asked[at]):04X} in old)"


def _excerpt(line: str, at: int) -> str:
    start = max(0, at - _BEFORE)
    end = at + _AFTER
    return f"{'…' if start else ''}{line[start:end]!r}{'…' if end < len(line) else ''}"
