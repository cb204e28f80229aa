"""What the search tools answer: lines of text that fit, and a last line that says what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice

from xun.tools.fs_paths import shown
from xun.tools.search_child import text_lines
from xun.tools.search_engine import Found, Hit, Scope
from xun.tools.search_run import TIMEOUT
from xun.workspace import files
from xun.workspace.files import FileError
from xun.workspace.text import as_shown
from xun.workspace.workspace import Workspace

MAX_FILES = 500
MAX_HITS = 100
MAX_LENGTH = 20_000
"""Characters of a whole answer."""
MAX_WIDTH = 300
"""Characters shown of a line."""
SEPARATOR = "--"
_BEFORE = 60


def show_files(found: Found) -> str:
    """One path a line, and a note where not all are shown."""
    lines: list[str] = []
    size = 0
    for hit in found.hits[:MAX_FILES]:
        lines.append(shown(hit.path))
        size += len(lines[-1]) + 1
        if size > MAX_LENGTH:
            break
    count = f"{len(lines)} of {_total(found)} files" if len(lines) < len(found.hits) or not found.complete else ""
    return "\n".join([*lines, *_notes(found, count)])


def show_lines(workspace: Workspace, scope: Scope, found: Found, context: int) -> str:
    """`path:number:text` for each hit, `path-number-text` for lines around it, a note where not all are shown."""
    lines: list[str] = []
    size = shown_hits = 0
    by_file = groupby(found.hits[:MAX_HITS], key=lambda hit: hit.path)
    for hits, line in chain.from_iterable(_lines(workspace, scope, path, list(run), context) for path, run in by_file):
        size += len(line) + 1
        if size > MAX_LENGTH:
            break
        lines.append(line)
        shown_hits += hits
    missing = shown_hits < len(found.hits) or not found.complete
    count = f"{shown_hits} of {_total(found)} matching lines" if missing else ""
    separators = int(bool(lines) and lines[0] == SEPARATOR)  # none before the first group
    return "\n".join([*lines[separators:], *_notes(found, count)])


def _total(found: Found) -> str:
    return str(len(found.hits)) if found.complete else f"more than {len(found.hits)}"


def _notes(found: Found, count: str) -> Iterator[str]:
    if count:
        yield f"[{count} shown; narrow the pattern or the path to see the others]"
    if found.timed_out:
        yield f"[the search was stopped after {TIMEOUT:g} s and is incomplete; narrow the pattern or the path]"
    if found.unreadable:
        yield "[some files or folders could not be read]"


def _lines(
    workspace: Workspace, scope: Scope, path: str, hits: Sequence[Hit], context: int
) -> Iterator[tuple[int, str]]:
    """The lines of one file, each with the number of hits it stands for; with context, separators before groups."""
    columns = {hit.line: hit.column for hit in hits}
    wanted = {line + near for line in columns for near in range(-context, context + 1)}
    try:
        with files.open_file(workspace, scope.folder / path) as file:
            lines = enumerate(islice(text_lines(file), max(wanted)), 1)
            texts = {number: _clipped(line, columns.get(number, 1)) for number, line in lines if number in wanted}
    except (FileError, OSError, ValueError):
        yield len(hits), f"{shown(path)}: [matches, but could not be read again]"
        return
    last = -1
    for number, text in texts.items():
        if context and number != last + 1:
            yield 0, SEPARATOR
        mark = ":" if number in columns else "-"
        yield int(number in columns), f"{shown(path)}{mark}{number}{mark}{text}"
        last = number


def _clipped(text: str, column: int) -> str:
    """The line, or the part of a long one around the match."""
    if len(text) <= MAX_WIDTH:
        return as_shown(text)
    at = len(text.encode("utf-8", "surrogateescape")[: column - 1].decode("utf-8", "ignore"))
    start = max(0, min(at - _BEFORE, len(text) - MAX_WIDTH))
    end = start + MAX_WIDTH
    piece = as_shown(text[start:end])
    return f"{'…' if start else ''}{piece}{'…' if end < len(text) else ''}[of {len(text)} characters, from {start + 1}]"
