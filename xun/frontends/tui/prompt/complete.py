"""What could be meant: commands after `/`, files after `@`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

LIMIT = 50  # completions at most
_WORD = re.compile(r"(?:^|[ \t(])(@[^ \t]*)$")
_UNSAID = re.compile(r"[\x00-\x1f\x7f\"]")  # a name with one of these cannot be told in a line


@dataclass(frozen=True, slots=True)
class Item:
    """One completion: what is put in, and a few words about it."""

    text: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """Completions for the text from `start` to the cursor. `note` is shown where there are none yet."""

    start: int
    items: tuple[Item, ...]
    note: str = ""


class Completer:
    """Completes the last word before the cursor.

    `commands` gives the completions of a line that begins with `/`. `files` gives the workspace's files, relative to
    it, or None while they are still being looked for.
    """

    def __init__(
        self, commands: Callable[[str], Sequence[Item]], files: Callable[[], Sequence[str] | None] = lambda: ()
    ) -> None:
        self._commands = commands
        self._files = files
        self._last: tuple[str, Sequence[str], list[str]] = ("", (), [])

    def complete(self, before: str, *, first_line: bool) -> Found | None:
        """What `before`, the current line up to the cursor, may become. None where there is nothing to complete."""
        if first_line and before.startswith("/") and not before.startswith("//"):
            items = tuple(self._commands(before))
            start = before.rfind(" ") + 1
            return Found(start, items[:LIMIT]) if items else None
        start = _word_start(before)
        if before[start : start + 1] != "@":
            return None
        files = self._files()
        if files is None:
            return Found(start, (), "looking for files …")
        names = self._rank(before[start + 1 :], files)
        items = tuple(Item(f"@{_quoted(name)}") for name in names if not _UNSAID.search(name))[:LIMIT]
        return Found(start, items) if items else None

    def _rank(self, query: str, files: Sequence[str]) -> list[str]:
        query = query.strip('"')
        last_query, last_files, last_names = self._last
        # A longer query finds a part of what the shorter one found.
        pool = last_names if last_files is files and last_query and query.startswith(last_query) else files
        ranked = rank(query, pool)
        self._last = (query, files, ranked)
        return ranked


def rank(query: str, names: Iterable[str]) -> list[str]:
    """The `names` that fit `query`, best first.

    In order: the name itself, a file name that begins so, a path that begins so, one that contains it, one that has
    its letters in order. Shorter ones first among equals.
    """
    wanted = query.casefold()
    if not wanted:
        return sorted(names, key=lambda name: (name.count("/"), name))
    scored: list[tuple[int, int, str]] = []
    for name in names:
        score = _score(wanted, name.casefold())
        if score is not None:
            scored.append((score, len(name), name))
    return [name for _, _, name in sorted(scored)]


def _score(wanted: str, name: str) -> int | None:
    at = name.find(wanted)
    if at >= 0:
        if name == wanted:
            return 0
        if name.startswith(wanted, name.rstrip("/").rfind("/") + 1):
            return 1
        return 2 if at == 0 else 3
    place = -1
    for letter in wanted:
        place = name.find(letter, place + 1)
        if place < 0:
            return None
    return 4


def _word_start(before: str) -> int:
    quoted = before.rfind('@"')
    if quoted >= 0 and '"' not in before[quoted + 2 :] and (quoted == 0 or before[quoted - 1].isspace()):
        return quoted
    word = _WORD.search(before)
    return word.start(1) if word else len(before)


def _quoted(name: str) -> str:
    return f'"{name}"' if any(char.isspace() for char in name) else name
