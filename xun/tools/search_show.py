"""What the search tools answer: lines of text that fit, and a last line that says what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

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
    blocks: list[str] = []
    size = shown_hits = 0
    for path, group in groupby(found.hits[:MAX_HITS], key=lambda hit: hit.path):
        for hits, block in _blocks(workspace, scope, path, list(group), context):
            if blocks and size + len(block) > MAX_LENGTH:
                return _joined(blocks, found, shown_hits, context)
            blocks.append(block)
            size += len(block) + 1
            shown_hits += hits
    return _joined(blocks, found, shown_hits, context)


def _joined(blocks: Sequence[str], found: Found, shown_hits: int, context: int) -> str:
    missing = shown_hits < len(found.hits) or not found.complete
    count = f"{shown_hits} of {_total(found)} matching lines" if missing else ""
    return "\n".join([("\n--\n" if context else "\n").join(blocks), *_notes(found, count)])


def _total(found: Found) -> str:
    return str(len(found.hits)) if found.complete else f"more than {len(found.hits)}"


def _notes(found: Found, count: str) -> Iterator[str]:
    if count:
        yield f"[{count} shown; narrow the pattern or the path to see the others]"
    if found.timed_out:
        yield f"[the search was stopped after {TIMEOUT:g} s and is incomplete; narrow the pattern or the path]"
    if found.unreadable:
        yield "[some files or folders could not be read]"


def _blocks(
    workspace: Workspace, scope: Scope, path: str, hits: Sequence[Hit], context: int
) -> Iterator[tuple[int, str]]:
    """Runs of neighbouring lines, each with the number of hits in it."""
    columns = {hit.line: hit.column for hit in hits}
    wanted = sorted({line + near for line in columns for near in range(-context, context + 1) if line + near > 0})
    try:
        texts = _texts(workspace, scope, path, wanted)
    except (FileError, OSError, ValueError):
        yield len(hits), f"{shown(path)}: [matches, but could not be read again]"
        return
    # Numbers that follow each other differ from their index by the same amount.
    for _, run in groupby(
        enumerate(number for number in wanted if number in texts), key=lambda item: item[1] - item[0]
    ):
        numbers = [number for _, number in run]
        runs = [numbers] if context else [[number] for number in numbers]
        for lines in runs:
            text = "\n".join(_line(path, number, texts[number], columns.get(number)) for number in lines)
            yield sum(number in columns for number in lines), text


def _texts(workspace: Workspace, scope: Scope, path: str, wanted: Sequence[int]) -> dict[int, str]:
    numbers = set(wanted)
    with files.open_file(workspace, scope.folder / path) as file:
        lines = enumerate(islice(text_lines(file), wanted[-1]), 1)
        return {number: line for number, line in lines if number in numbers}


def _line(path: str, number: int, text: str, column: int | None) -> str:
    mark = "-" if column is None else ":"
    return f"{shown(path)}{mark}{number}{mark}{_clipped(text, column or 1)}"


def _clipped(text: str, column: int) -> str:
    """The line, or the part of a long one around the match."""
    if len(text) <= MAX_WIDTH:
        return as_shown(text)
    at = len(text.encode("utf-8", "surrogateescape")[: column - 1].decode("utf-8", "ignore"))
    start = max(0, min(at - _BEFORE, len(text) - MAX_WIDTH))
    end = start + MAX_WIDTH
    piece = as_shown(text[start:end])
    return f"{'…' if start else ''}{piece}{'…' if end < len(text) else ''}[of {len(text)} characters, from {start + 1}]"
