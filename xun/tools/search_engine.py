"""Finding files and matching lines, by ripgrep where it is installed and by our own search where it is not.

Both give the same answers: hidden files are searched, version control folders are not, links are not followed, ignore
files count whether or not there is a repository, and settings of the person who runs us do not.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from xun.exec.env import path_folders
from xun.result import XunError
from xun.tools import search_child
from xun.tools.search_run import Output, run
from xun.workspace.globs import GlobError, matcher
from xun.workspace.ignore import NEVER, outer_lines
from xun.workspace.workspace import Workspace

# Of a match of nothing at the end of a line ripgrep tells no column.
_RECORD = re.compile(rb"([^\0]+)\0(\d+):(?:(\d+):)?[^\n]*\n")
_BINARY = re.compile(rb"^(.+?): (?:WARNING: stopped searching binary file|[Bb]inary file matches) .*\n", re.MULTILINE)
_BASIC_FLAGS = (
    "--no-config", "--no-messages", "--color=never", "--hidden", "--null",
    "--no-require-git", "--no-ignore-parent", "--no-ignore-global", "--no-ignore-exclude",
)  # fmt: skip
# With one column at most, ripgrep gives the place of a match and not the line, however long that is.
_LINE_FLAGS = ("--line-number", "--column", "--with-filename", "--no-heading", "--max-columns=1", "--crlf")
# Of the patterns that ripgrep can filter by itself without overruling ignore files: those for names alone.
_NAME_GLOB = re.compile(r"[\w.*-]+")
_START_CHILD = "import sys; sys.path.append(sys.argv.pop(1)); from xun.tools.search_child import main; sys.exit(main())"


class SearchError(XunError):
    """A search that cannot be made as asked. The text says what to change."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to search: a folder, or one file. `root` is the root of the workspace that holds it."""

    root: Path
    path: Path
    is_file: bool

    @classmethod
    def of(cls, workspace: Workspace, path: Path) -> Scope:
        """The scope of a resolved path that exists."""
        return cls(workspace.root_of(path) or workspace.root, path, path.is_file())

    @property
    def folder(self) -> Path:
        """What the paths of results are relative to."""
        return self.path.parent if self.is_file else self.path


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for. Without `pattern` it is the files themselves; `glob` leaves only files that match it."""

    pattern: str | None = None
    literal: bool = False
    ignore_case: bool = False
    glob: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """The first match in a line. `path` is relative to the scope's folder; `column` counts bytes from 1."""

    path: str
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """Hits in the order of their paths. `complete` is False if there are more than these."""

    hits: Sequence[Hit]
    complete: bool = True
    timed_out: bool = False
    unreadable: bool = False


async def search(scope: Scope, query: Query, *, ripgrep: str | None) -> Found:
    """Carry out `query`, with the program `ripgrep` if given. Raises `SearchError` for an invalid pattern."""
    try:
        wanted = matcher(query.glob) if query.glob else None
    except GlobError as error:
        raise SearchError(str(error)) from None
    outer = [] if scope.is_file else outer_lines(scope.root, scope.path)
    output = await _by_ripgrep(ripgrep, scope, query, outer) if ripgrep else None
    if output is None:
        output = await _by_child(scope, query, outer)
        return _found(output, query, b"", wanted)
    return _found(output, query, _printed_prefix(scope), wanted)


def find_ripgrep(workspace: Workspace) -> str | None:
    """The path of ripgrep on PATH as at start; never a program in the workspace, which anybody may have put there."""
    for folder in path_folders():
        program = Path(folder, "rg")
        if os.access(program, os.X_OK) and workspace.root_of(Path(os.path.realpath(program))) is None:
            return str(program)
    return None


async def _by_ripgrep(program: str, scope: Scope, query: Query, outer: Sequence[str]) -> Output | None:
    """What ripgrep says; None where it does not know an option or understand the pattern."""
    argv = [program, *_BASIC_FLAGS, *(f"--glob=!{name}" for name in sorted(NEVER))]
    if outer:
        argv.append("--ignore-file=/dev/stdin")
    if query.glob and _NAME_GLOB.fullmatch(query.glob):
        argv += [f"--type-add=xun:{query.glob}", "--type=xun"]
    if query.pattern is None:
        argv.append("--files")
    else:
        argv += [*_LINE_FLAGS, f"--regexp={query.pattern}"]
        argv += ["--fixed-strings"] if query.literal else []
        argv += ["--ignore-case"] if query.ignore_case else []
    target = os.fsdecode(_printed_prefix(scope)) + (scope.path.name if scope.is_file else "")
    given = "\n".join(outer).encode("utf-8", "surrogateescape")
    output = await _start([*argv, "--", target], scope, given)
    if output is not None and output.full:
        # Too much to sort: take the first part, in the order of paths, which ripgrep keeps at the cost of speed.
        output = await _start([*argv, "--sort=path", "--", target], scope, given)
    if output is None or (output.code not in (0, 1) and not output.data and output.errors.strip()):
        return None
    return output


async def _start(argv: Sequence[str], scope: Scope, given: bytes) -> Output | None:
    try:
        return await run(argv, cwd=scope.root, given=given)
    except OSError:
        return None


async def _by_child(scope: Scope, query: Query, outer: Sequence[str]) -> Output:
    request = search_child.Request(
        root=str(scope.root), path=str(scope.path), outer=list(outer), glob=query.glob,
        pattern=query.pattern, literal=query.literal, ignore_case=query.ignore_case,
    )  # fmt: skip
    package = str(Path(__file__).parents[2])
    argv = [sys.executable, "-I", "-S", "-X", "utf8", "-W", "ignore", "-c", _START_CHILD, package]
    try:
        output = await run(argv, cwd=scope.root, given=json.dumps(request).encode())
    except OSError as error:
        raise SearchError(f"The search could not be started: {error.strerror}") from error
    if output.code == search_child.INVALID and not output.timed_out:
        reason = output.data.decode("utf-8", "replace")
        raise SearchError(
            f"The pattern {query.pattern!r} is not a valid regular expression: {reason}. "
            "Escape special characters with a backslash, or set literal=true"
        )
    if output.code not in (0, 2) and output.complete:
        raise SearchError(f"The search failed: {output.errors.strip().splitlines()[-1:] or ['no reason given']}")
    return output


def _printed_prefix(scope: Scope) -> bytes:
    """What ripgrep, started in the scope's root, puts before paths that are relative to the scope's folder."""
    return b"./" + b"".join(os.fsencode(part) + b"/" for part in scope.folder.relative_to(scope.root).parts)


def _found(output: Output, query: Query, prefix: bytes, wanted: Callable[[str], bool] | None) -> Found:
    records = _files(output) if query.pattern is None else _lines(output)
    named = (Hit(os.fsdecode(path.removeprefix(prefix)), line, column) for path, line, column in records)
    hits = [hit for hit in named if wanted is None or wanted(hit.path)]
    hits.sort(key=lambda hit: (os.fsencode(hit.path).split(b"/"), hit.line))
    return Found(hits, output.complete, output.timed_out, unreadable=output.code == 2)


def _files(output: Output) -> list[tuple[bytes, int, int]]:
    *paths, _cut_off = output.data.split(b"\0")
    return [(path, 0, 0) for path in paths]


def _lines(output: Output) -> list[tuple[bytes, int, int]]:
    # A file that ripgrep finds out to be binary after its first match is no text: its matches are dropped.
    binary = {match[1] for match in _BINARY.finditer(output.data)}
    data = _BINARY.sub(b"", output.data)
    found = ((match[1], int(match[2]), int(match[3] or 1)) for match in _RECORD.finditer(data))
    return [record for record in found if record[0] not in binary]
