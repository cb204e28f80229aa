"""Moving and deleting files and folders."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

from xun.policy.action import Write
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.tools import fs_versions
from xun.tools.fs_paths import missing, shown
from xun.workspace import files
from xun.workspace.files import FileError


def _delete_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> Write:
    _deletable(ctx, arguments["path"])
    return Write(path=str(ctx.agent.workspace.absolute(arguments["path"])), op="delete")


def _move_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> list[Write]:
    _movable(ctx, arguments["src"], arguments["dst"])
    absolute = ctx.agent.workspace.absolute
    return [
        Write(path=str(absolute(arguments["src"])), op="move"),
        Write(path=str(absolute(arguments["dst"])), op="create"),
    ]


@tool_attr(concurrent=False, actions=_delete_actions, docstyle="sections")
def delete(ctx: ToolCallContext[Any], path: str, recursive: bool = False) -> str:
    """Delete a file, a link (never what it leads to) or an empty folder.

    Args:
        path: What to delete.
        recursive: Delete a folder with everything in it.
    """
    target = _deletable(ctx, path)
    files.remove(ctx.agent.workspace, target, recursive=recursive)
    fs_versions.forget(ctx, target)
    return f"Deleted {shown(target)}"


@tool_attr(concurrent=False, actions=_move_actions, docstyle="sections")
def move(ctx: ToolCallContext[Any], src: str, dst: str) -> str:
    """Move or rename a file or folder. Missing folders are made; nothing is overwritten.

    Args:
        src: What to move.
        dst: Its whole new path, the new name included.
    """
    source, target = _movable(ctx, src, dst)
    files.move(ctx.agent.workspace, source, target)
    fs_versions.moved(ctx, source, target)
    return f"Moved {shown(source)} to {shown(target)}"


def _deletable(ctx: ToolCallContext[Any], path: str) -> Path:
    workspace = ctx.agent.workspace
    target = workspace.resolve(path, follow=False)
    if workspace.holds_root(target):
        raise FileError(f"{shown(target)} is the workspace itself or its temporary folder, which is never deleted")
    if files.info_of(workspace, target) is None:
        raise missing(ctx, target)
    return target


def _movable(ctx: ToolCallContext[Any], src: str, dst: str) -> tuple[Path, Path]:
    workspace = ctx.agent.workspace
    source = workspace.resolve(src, follow=False)
    target = workspace.resolve(dst, follow=False)
    if files.info_of(workspace, source) is None:
        raise missing(ctx, source)
    if source == target:
        raise FileError(f"{shown(source)} is there already: src and dst are the same path")
    there = files.info_of(workspace, target)
    if there is not None:
        hint = f": give the new path in it, {shown(target / source.name)}" if stat.S_ISDIR(there.st_mode) else ""
        raise FileError(f"{shown(target)} exists already{hint or ': choose another path, or delete it first'}")
    return source, target
