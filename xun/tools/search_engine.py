"""Finding files and matching lines, by ripgrep where it is installed and by our own search where it is not.

Both give the same answers: hidden files are searched, version control folders are not, links are not followed, ignore
files count whether or not there is a repository, and settings of the person who runs us do not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from xun.tools import search_child
from xun.tools.search_query import Found, Query, Scope, SearchError
from xun.tools.search_records import Records
from xun.tools.search_ripgrep import by_ripgrep
from xun.tools.search_run import run
from xun.workspace.globs import GlobError, matcher
from xun.workspace.ignore import outer_lines

_START_CHILD = "import sys; sys.path.append(sys.argv.pop(1)); from xun.tools.search_child import main; sys.exit(main())"


async def search(
    scope: Scope, query: Query, *, ripgrep: str | None, keep: Callable[[str], bool] | None = None
) -> Found:
    """Carry out `query`, with the program `ripgrep` if given. Raises `SearchError` for an invalid pattern.

    `keep` is asked of each relative path with a hit whether it counts; it is called in another thread.
    """
    wanted = _both(_matcher(query.glob), keep)
    outer = [] if scope.is_file else outer_lines(scope.root, scope.path)
    found = await by_ripgrep(ripgrep, scope, query, outer, wanted) if ripgrep else None
    return found or await _by_child(scope, query, outer, wanted)


def _matcher(glob: str | None) -> Callable[[str], bool] | None:
    try:
        return matcher(glob) if glob else None
    except GlobError as error:
        raise SearchError(str(error)) from None


def _both(one: Callable[[str], bool] | None, other: Callable[[str], bool] | None) -> Callable[[str], bool] | None:
    if one is None or other is None:
        return one or other
    return lambda path: one(path) and other(path)


async def _by_child(scope: Scope, query: Query, outer: Sequence[str], wanted: Callable[[str], bool] | None) -> Found:
    request = search_child.Request(
        root=str(scope.root), path=str(scope.path), outer=list(outer), glob=query.glob,
        pattern=query.pattern, literal=query.literal, ignore_case=query.ignore_case,
    )  # fmt: skip
    package = str(Path(__file__).parents[2])
    argv = [sys.executable, "-I", "-S", "-X", "utf8", "-W", "ignore", "-c", _START_CHILD, package]
    records = Records(b"", wanted, of_lines=query.pattern is not None)
    try:
        ended = await run(argv, cwd=scope.root, given=json.dumps(request).encode(), take=records.take)
    except OSError as error:
        raise SearchError(f"The search could not be started: {error.strerror}") from error
    if ended.code == search_child.INVALID and ended.complete:
        raise SearchError(
            f"The pattern {query.pattern!r} is not a valid regular expression: {ended.errors}. "
            "Escape special characters with a backslash, or set literal=true"
        )
    if ended.complete and ended.code not in search_child.DONE:
        raise SearchError(f"The search failed: {' '.join(ended.errors.strip().splitlines()[-1:]) or 'no reason given'}")
    return Found(
        records.hits(),
        ended.complete,
        ended.timed_out,
        unreadable=ended.code > 0 and bool(ended.code & search_child.UNREADABLE),
        cut=ended.code > 0 and bool(ended.code & search_child.CUT),
    )
