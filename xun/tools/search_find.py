"""What the search tools do. It loads when first used: a run that never searches does not pay for it."""

from __future__ import annotations

import asyncio
import re
import stat
from pathlib import Path
from typing import Any

from xun.toolbox.context import ToolCallContext
from xun.tools.fs_paths import missing, shown
from xun.tools.search_engine import search
from xun.tools.search_guard import Guard
from xun.tools.search_query import Query, Scope, SearchError
from xun.tools.search_ripgrep import find_ripgrep
from xun.tools.search_show import show_files, show_lines, show_none
from xun.workspace import files
from xun.workspace.encoding import SNIFFED
from xun.workspace.text import binary_kind

MAX_CONTEXT = 20
_LINE_BREAK = re.compile(r"\n|(?<!\\)(?:\\\\)*\\n")


async def find_files(ctx: ToolCallContext[Any], pattern: str, path: str) -> str:
    """The files below `path` whose name matches `pattern`. Raises `SearchError`."""
    _check_text(pattern, "pattern")
    if pattern.startswith(("/", "~", "../")):
        raise SearchError("The pattern is relative to path: give the folder as path, and the rest as pattern")
    scope = _scope(ctx, path)
    if scope.is_file:
        raise SearchError(f"{shown(scope.path)} is a file; give the folder to search as path")
    guard = Guard(ctx, scope)
    found = await search(
        scope, Query(glob=pattern), ripgrep=find_ripgrep(ctx.agent.workspace), keep=guard.may_be_listed
    )
    if found.hits:
        told = show_files(found)
    else:
        none = f"No files match {pattern!r}" if found.complete else f"No files found yet that match {pattern!r}"
        told = show_none(found, scope, none, "ignored files are left out; list_dir shows them")
    return told + guard.unlisted_note()


async def find_lines(
    ctx: ToolCallContext[Any],
    pattern: str,
    path: str,
    glob: str | None,
    ignore_case: bool,
    literal: bool,
    context: int,
) -> str:
    """The lines at or below `path` that match `pattern`. Raises `SearchError`."""
    _check_text(pattern, "pattern")
    if (not literal and _LINE_BREAK.search(pattern)) or "\n" in pattern:
        raise SearchError(
            "Lines are matched one at a time, so the pattern cannot hold a line break: search for one line"
        )
    scope = _scope(ctx, path)
    if scope.is_file:
        await asyncio.to_thread(_refuse_binary, ctx, scope.path)
        glob = None
    guard = Guard(ctx, scope)
    ripgrep = find_ripgrep(ctx.agent.workspace)
    closed = asyncio.create_task(_closed(guard, scope, glob, ripgrep))
    try:
        query = Query(pattern, literal, ignore_case, glob)
        found = await search(scope, query, ripgrep=ripgrep, keep=guard.may_be_read)
        note = await closed
    finally:
        closed.cancel()
    if found.hits:
        around = max(0, min(context, MAX_CONTEXT))
        told = await asyncio.to_thread(show_lines, ctx.agent.workspace, scope, found, around)
    else:
        none = f"No matches for {pattern!r}" if found.complete else f"Nothing found yet for {pattern!r}"
        told = show_none(found, scope, none, "ignored and binary files are left out")
    return told + note


async def _closed(guard: Guard, scope: Scope, glob: str | None, ripgrep: str | None) -> str:
    """A note on the files that are not for this search, whatever is in them: a number of hits would tell about that."""
    if scope.is_file:
        return ""
    found = await search(scope, Query(glob=glob), ripgrep=ripgrep, keep=lambda path: not guard.may_be_read(path))
    return guard.unread_note(found)


def _scope(ctx: ToolCallContext[Any], path: str) -> Scope:
    workspace = ctx.agent.workspace
    resolved = workspace.resolve(path)
    info = files.info_of(workspace, resolved)
    if info is None:
        raise missing(ctx, resolved)
    if not (stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode)):
        raise SearchError(f"{shown(resolved)} is a pipe or device, which is not searched")
    return Scope.of(workspace, resolved)


def _refuse_binary(ctx: ToolCallContext[Any], path: Path) -> None:
    with files.open_file(ctx.agent.workspace, path) as file:
        kind = binary_kind(file.read(SNIFFED))
    if kind:
        raise SearchError(f"{shown(path)} is {kind}, which grep does not search")


def _check_text(text: str, what: str) -> None:
    if not text:
        raise SearchError(f"The {what} is empty: say what to look for")
    if "\0" in text:
        raise SearchError(f"The {what} holds a NUL character: leave it out")
