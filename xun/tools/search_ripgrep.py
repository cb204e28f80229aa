"""Searching with ripgrep, which is quick. Whatever it cannot do is left to our own search."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from xun.exec.env import path_folders
from xun.tools.search_query import Found, Query, Scope
from xun.tools.search_records import Hit, Records
from xun.tools.search_run import Ended, run
from xun.workspace.globs import expand_braces
from xun.workspace.ignore import NEVER, has_odd_ignore_file
from xun.workspace.workspace import Workspace

PATIENCE = 1.0
"""Seconds after which is looked at what ripgrep might be waiting for."""
_SOME_UNREADABLE = 2
_BASIC_FLAGS = (
    "--no-config", "--no-messages", "--color=never", "--hidden", "--null",
    "--no-require-git", "--no-ignore-parent", "--no-ignore-global", "--no-ignore-exclude",
)  # fmt: skip
# With one column at most, ripgrep gives the place of a match and not the line, however long that is.
_LINE_FLAGS = ("--line-number", "--column", "--with-filename", "--no-heading", "--max-columns=1", "--crlf")
# Of the patterns that ripgrep can filter by itself without overruling ignore files: those for names alone.
_NAME_GLOB = re.compile(r"[\w.*-]+")


def find_ripgrep(workspace: Workspace) -> str | None:
    """The path of ripgrep on PATH as at start; never a program in the workspace, which anybody may have put there."""
    for folder in path_folders():
        program = Path(folder, "rg")
        if os.access(program, os.X_OK) and workspace.root_of(Path(os.path.realpath(program))) is None:
            return str(program)
    return None


async def by_ripgrep(
    program: str, scope: Scope, query: Query, outer: Sequence[str], wanted: Callable[[str], bool] | None
) -> Found | None:
    """What ripgrep says; None where it cannot do it: an option or a pattern it does not know, or not enough memory."""
    argv = [program, *_BASIC_FLAGS, *(f"--glob=!{name}" for name in sorted(NEVER))]
    if outer:
        argv.append("--ignore-file=/dev/stdin")
    argv += _name_flags(query.glob)
    if query.pattern is None:
        argv.append("--files")
    else:
        argv += [*_LINE_FLAGS, f"--regexp={query.pattern}"]
        argv += ["--fixed-strings"] if query.literal else []
        argv += ["--ignore-case"] if query.ignore_case else []
    target = os.fsdecode(scope.printed_prefix) + (scope.path.name if scope.is_file else "")
    given = "\n".join(outer).encode("utf-8", "surrogateescape")
    # If there is too much to sort, take the first part in the order of paths, which ripgrep keeps at the cost of speed.
    for order in ([], ["--sort=path"]):
        records = Records(scope.printed_prefix, wanted, of_lines=query.pattern is not None)
        ended = await _unblocked(
            run([*argv, *order, "--", target], cwd=scope.root, given=given, take=records.take), scope
        )
        if ended is None or not ended.full:
            break
    hits = records.hits()
    if ended is None or (ended.complete and not _worked(ended, hits)):
        return None
    return Found(hits, ended.complete, ended.timed_out, unreadable=ended.code == _SOME_UNREADABLE)


def _worked(ended: Ended, hits: Sequence[Hit]) -> bool:
    if ended.code < 0:  # it gave up on a line too long for it, or somebody stopped it
        return False
    return ended.code in (0, 1) or bool(hits) or not ended.errors.strip()


def _name_flags(glob: str | None) -> list[str]:
    """By them ripgrep leaves out most files that `glob` does not match, and looks at their names alone for that.

    With its own filter for whole paths it would no longer obey ignore files.
    """
    names = {alternative.rpartition("/")[2] for alternative in expand_braces(glob)} if glob else set()
    if not all(_NAME_GLOB.fullmatch(name) and "**" not in name for name in names):
        return []
    return [*(f"--type-add=xun:{name}" for name in sorted(names)), "--type=xun"] if names else []


async def _unblocked(running: Coroutine[Any, Any, Ended], scope: Scope) -> Ended | None:
    """How ripgrep ended; None where it cannot be started or waits for an ignore file that is none, such as a pipe."""
    task = asyncio.ensure_future(running)
    try:
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        if not done and not scope.is_file:
            odd = await asyncio.to_thread(has_odd_ignore_file, scope.path, task.done)
            if odd and not task.done():
                return None
        return await task
    except OSError:
        return None
    finally:
        await _let_go(task)


async def _let_go(task: asyncio.Future[Ended]) -> None:
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
