"""What the search tools answer: lines of text that fit, and a last line that says what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from xun.tools.fs_paths import shown
from xun.tools.search_child import MAX_LINE
from xun.tools.search_query import Found, Scope
from xun.tools.search_records import Hit
from xun.tools.search_run import TIMEOUT
from xun.workspace import files
from xun.workspace.clips import Clip, read_clips
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


def show_none(found: Found, scope: Scope, what: str, left_out: str) -> str:
    """That there is no hit, or none in what could be searched."""
    where = "" if found.complete and not found.unreadable and not found.cut else "what was searched of "
    return "\n".join([f"{what} in {where}{shown(scope.path)} ({left_out})", *_notes(found, "")])


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
    if found.cut:
        yield f"[of lines longer than {MAX_LINE // 1_000_000} MB only the beginning was searched]"


def _lines(
    workspace: Workspace, scope: Scope, path: str, hits: Sequence[Hit], context: int
) -> Iterator[tuple[int, str]]:
    """The lines of one file, each with the number of hits it stands for; with context, separators before groups."""
    matching = {hit.line: hit.column for hit in hits}
    around = {line + near: 1 for line in matching for near in range(-context, context + 1) if line + near > 0}
    try:
        with files.open_file(workspace, scope.folder / path) as file:
            clips = list(read_clips(file, around | matching, width=MAX_WIDTH, before=_BEFORE))
    except (FileError, OSError):
        yield len(hits), f"{shown(path)}: [matches, but could not be read again]"
        return
    last = -1
    for clip in clips:
        if context and clip.number != last + 1:
            yield 0, SEPARATOR
        mark = ":" if clip.number in matching else "-"
        yield int(clip.number in matching), f"{shown(path)}{mark}{clip.number}{mark}{_text(clip)}"
        last = clip.number


def _text(clip: Clip) -> str:
    """The line, or the part of a long one around the match."""
    text = as_shown(clip.text)
    if clip.length <= MAX_WIDTH:
        return text
    ended = clip.start + len(clip.text) == clip.length
    of = f"[of {clip.length} characters, from {clip.start + 1}]"
    return f"{'…' if clip.start else ''}{text}{'' if ended else '…'}{of}"
