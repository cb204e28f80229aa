"""How the prompt, the list above it, what waits to be sent and a question share the rows of the screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

TEXT = 12  # rows of the text at most
_FRAME = 2  # rows of the lines around the text
_SOME_TEXT = 3
_SOME_ITEMS = 2
_LEAST_QUESTION, _SMALL_QUESTION = 5, 8  # rows with a row of the transcript: one answer in view, and all of four
_TRANSCRIPT = 2

_Part = Literal["text", "frame", "items", "queue", "rest"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Rows that each part would fill, 0 where it has nothing to show."""

    text: int
    items: int = 0
    queue: int = 0
    question: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    """Rows of the text, the list and what waits; `framed` says whether lines are drawn around the text."""

    text: int
    items: int
    queue: int
    framed: bool


def share(rows: int, wanted: Wanted) -> Room:
    """Give each part its due of `rows`, which are those that no line of a fixed height takes.

    A row of the text comes first, for the cursor is in it. The transcript, or the question, takes what is left.
    """
    given: dict[_Part, int] = dict.fromkeys(("text", "frame", "items", "queue", "rest"), 0)
    left = rows
    for part, up_to in _order(rows, wanted):
        more = min(up_to - given[part], left)
        if more > 0 and (part != "frame" or more == up_to):
            given[part] += more
            left -= more
    return Room(max(given["text"], 1), given["items"], given["queue"], bool(given["frame"]))


def _order(rows: int, wanted: Wanted) -> Iterator[tuple[_Part, int]]:
    """The parts, the most needed first, and how many rows each is to have by then."""
    yield "text", 1
    if wanted.question:
        yield "rest", _LEAST_QUESTION
        yield "items", min(wanted.items, _SOME_ITEMS)
        yield "rest", _SMALL_QUESTION
    yield "frame", _FRAME
    yield "items", min(wanted.items, _SOME_ITEMS)
    yield "rest", 1
    yield "queue", min(wanted.queue, 1)
    yield "text", min(wanted.text, _SOME_TEXT)
    yield "rest", rows // 2 if wanted.question else _TRANSCRIPT
    yield "items", wanted.items
    yield "queue", wanted.queue
    yield "text", min(wanted.text, TEXT)
