"""What the search tools do. It loads when first used: a run that never searches does not pay for it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from xun.toolbox.context import ToolCallContext
from xun.tools.fs_paths import missing, shown
from xun.tools.search_engine import Query, Scope, SearchError, find_ripgrep, search
from xun.tools.search_show import show_files, show_lines
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
    found = await search(scope, Query(glob=pattern), ripgrep=find_ripgrep(ctx.agent.workspace))
    if not found.hits and not found.timed_out:
        return f"No files match {pattern!r} in {shown(scope.path)} (ignored files are left out; list_dir shows them)"
    return show_files(found)


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
    query = Query(pattern, literal, ignore_case, glob)
    found = await search(scope, query, ripgrep=find_ripgrep(ctx.agent.workspace))
    if not found.hits and not found.timed_out:
        return f"No matches for {pattern!r} in {shown(scope.path)} (ignored and binary files are left out)"
    around = max(0, min(context, MAX_CONTEXT))
    return await asyncio.to_thread(show_lines, ctx.agent.workspace, scope, found, around)


def _scope(ctx: ToolCallContext[Any], path: str) -> Scope:
    workspace = ctx.agent.workspace
    resolved = workspace.resolve(path)
    if files.info_of(workspace, resolved) is None:
        raise missing(workspace, resolved)
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
