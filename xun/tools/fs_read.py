"""Looking at folders and files."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from xun.policy.action import Read
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.tools import fs_versions
from xun.tools.fs_paths import missing, not_listed, shown
from xun.workspace import files
from xun.workspace.encoding import SNIFFED
from xun.workspace.files import Entry, FileError
from xun.workspace.text import binary_kind
from xun.workspace.window import Line, Window, read_window

MAX_ENTRIES = 1000
MAX_LINES = 2000
MAX_WIDTH = 2000
"""Characters shown of one line, unless it is the only one asked for."""
MAX_BYTES = 40_000
"""UTF-8 bytes of file content in one result; with numbers and marks it stays below 60 kB."""
MAX_HASHED = 256_000_000
"""Bytes up to which a file is read to its end, to count its lines and to know its version."""


def read_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> Read:
    """What a tool that only reads its `path` would do. Raises `WorkspaceError` for a path outside."""
    workspace = ctx.agent.workspace
    path = arguments.get("path", ".")
    workspace.resolve(path)
    return Read(path=str(workspace.absolute(path)))


@tool_attr(actions=read_actions, docstyle="sections", bounded=True, replay="safe")
def list_dir(ctx: ToolCallContext[Any], path: str = ".", details: bool = False) -> str:
    """List a folder: folders first, marked with /, links with the place they lead to. Use glob to search a
    tree.

    Args:
        path: The folder.
        details: Show mode, size in bytes and time of last change too.
    """
    return _show_folder(ctx, path, details, MAX_ENTRIES)


def bounded(max_bytes: int, max_entries: int) -> tuple[Callable[..., str], Callable[..., str]]:
    """`list_dir` and `read_file` with bounds of their own, otherwise the same to a model."""

    @wraps(list_dir)
    def listed(ctx: ToolCallContext[Any], path: str = ".", details: bool = False) -> str:
        return _show_folder(ctx, path, details, max_entries)

    @wraps(read_file)
    def read(ctx: ToolCallContext[Any], path: str, offset: int = 1, limit: int | None = None, column: int = 1) -> str:
        return _show_file(ctx, path, offset, limit, column, max_bytes)

    return listed, read


def _show_folder(ctx: ToolCallContext[Any], path: str, details: bool, most: int) -> str:
    workspace = ctx.agent.workspace
    folder = workspace.resolve(path)
    info = files.info_of(workspace, folder)
    if info is None:
        raise missing(ctx, folder)
    if not stat.S_ISDIR(info.st_mode):
        raise FileError(f"{shown(folder)} is not a folder; read_file shows a file")
    effect = ctx.agent.read_filter()
    every = files.entries(workspace, folder)
    found = [entry for entry in every if "deny" not in map(effect, _leads_to(folder, entry))]
    found.sort(key=lambda entry: not stat.S_ISDIR(entry.info.st_mode))
    lines = [_entry(entry, details) for entry in found[:most]]
    if len(found) > most:
        lines.append(f"[{most} of {len(found)} entries shown; find the others with glob]")
    hidden = len(every) - len(found)
    return "\n".join([f"{shown(folder)}:", *(lines or ([] if hidden else ["[empty]"]))]) + not_listed(hidden)


def _leads_to(folder: Path, entry: Entry) -> Sequence[str]:
    """The path of an entry and, of a link, where that leads."""
    path = str(folder / entry.name)
    return (path,) if entry.target is None else (path, os.path.realpath(path))


def _entry(entry: Entry, details: bool) -> str:
    name = shown(entry.name)
    if entry.target is not None:
        name = f"{name} -> {shown(entry.target)}"
    elif stat.S_ISDIR(entry.info.st_mode):
        name += "/"
    if not details:
        return name
    changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.info.st_mtime))
    return f"{stat.filemode(entry.info.st_mode)} {entry.info.st_size:>10} {changed} {name}"


@tool_attr(actions=read_actions, docstyle="sections", bounded=True, replay="safe")
def read_file(ctx: ToolCallContext[Any], path: str, offset: int = 1, limit: int | None = None, column: int = 1) -> str:
    """Read a text file. Each line comes as its number, a tab, and the line. Long files come in parts: a last
    line in brackets then says how to go on. Read a file before you change it.

    Args:
        path: The file.
        offset: The first line to show, counted from 1.
        limit: How many lines to show; at most 2000, which is also the default.
        column: The first character to show of each line, counted from 1, for lines too long for one result.
    """
    return _show_file(ctx, path, offset, limit, column, MAX_BYTES)


def _show_file(
    ctx: ToolCallContext[Any], path: str, offset: int, limit: int | None, column: int, max_bytes: int
) -> str:
    if offset < 0 or column < 0 or (limit is not None and limit < 1):
        raise FileError("offset and column count from 1, and limit must be at least 1")
    workspace = ctx.agent.workspace
    file_path = workspace.resolve(path)
    info = files.info_of(workspace, file_path)
    if info is None:
        raise missing(ctx, file_path)
    if stat.S_ISDIR(info.st_mode):
        raise FileError(f"{shown(file_path)} is a folder; list_dir shows it")
    first, column, count = max(1, offset), max(1, column), min(limit or MAX_LINES, MAX_LINES)
    with files.open_file(workspace, file_path) as file:
        kind = binary_kind(file.read(SNIFFED))
        if kind:
            raise FileError(f"{shown(file_path)} is {kind} of {info.st_size} bytes, which read_file cannot show")
        file.seek(0)
        width = max_bytes if count == 1 else MAX_WIDTH
        window = read_window(
            file, first=first, limit=count, column=column, width=width, budget=max_bytes, whole=MAX_HASHED
        )
    if window.digest:
        fs_versions.remember(ctx, file_path, window.digest)
    if count == 1 and window.lines and window.lines[0].length < column - 1:
        return f"[column {column} is past the end: line {first} has {window.lines[0].length} characters]"
    return "\n".join([*(_line(line, column) for line in window.lines), *_footer(window, first)])


def _line(line: Line, column: int) -> str:
    following = column + len(line.text)
    rest = line.length - following + 1
    if rest > 0:
        hint = f"offset={line.number}, limit=1, column={following}"
        return f"{line.number}\t{line.text}…[{rest} more characters; see them with {hint}]"
    return f"{line.number}\t{line.text}"


def _footer(window: Window, first: int) -> Sequence[str]:
    if not window.lines:
        if not window.total:
            return ["[the file is empty]"]
        return [f"[offset {first} is past the end: the file has {_lines(window.total)}]"]
    last = window.lines[-1].number
    if window.total is None:
        return [f"[lines {first}-{last}; a very large file, go on with offset={last + 1}, or search it with grep]"]
    if last < window.total:
        return [f"[lines {first}-{last} of {window.total}; go on with offset={last + 1}]"]
    return [f"[lines {first}-{last}, the end of the file]"] if first > 1 else []


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
