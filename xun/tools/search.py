"""The group `search`: finding files by name and lines by content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.tools.fs_read import read_actions

# A search ends itself after 30 seconds; this is for a system so loaded that it does not.
_TOOL_TIMEOUT = 90.0


@tool_attr(actions=read_actions, docstyle="sections", bounded=True, timeout=_TOOL_TIMEOUT, replay="safe")
async def glob(ctx: ToolCallContext[Any], pattern: str, path: str = ".") -> str:
    """Find files by name. Gives paths relative to `path`, sorted. Hidden files are included; files that .gitignore or
    .ignore name are not.

    Args:
        pattern: For example *.py (in any folder), src/**/*.ts, or test_*.{py,sh}.
        path: The folder to search.
    """
    from xun.tools.search_find import find_files

    return await find_files(ctx, pattern, path)


@tool_attr(actions=read_actions, docstyle="sections", bounded=True, timeout=_TOOL_TIMEOUT, replay="safe")
async def grep(
    ctx: ToolCallContext[Any],
    pattern: str,
    path: str = ".",
    glob: str | None = None,
    ignore_case: bool = False,
    literal: bool = False,
    context: int = 0,
) -> str:
    """Search the lines of text files. Gives path:line:text, paths relative to `path`, at most 100 matching lines.
    Hidden files are included; binary files and those that .gitignore or .ignore name are not.

    Args:
        pattern: A regular expression, matched against one line at a time.
        path: The folder or file to search.
        glob: Only files that match it, for example *.py or src/**/*.ts.
        ignore_case: Do not tell capital letters from small ones.
        literal: Take the pattern as plain text.
        context: How many lines to show before and after each match.
    """
    from xun.tools.search_find import find_lines

    return await find_lines(ctx, pattern, path, glob, ignore_case, literal, context)


TOOLS: tuple[Callable[..., Any], ...] = (glob, grep)
