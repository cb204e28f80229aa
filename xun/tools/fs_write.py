"""Writing and editing files. A call is planned the same way for the question and for the act."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from xun.policy.action import Read, Write
from xun.result import printable
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.tools import fs_versions
from xun.tools.edit import EditError, replace_text
from xun.tools.fs_paths import missing, shown
from xun.workspace import files
from xun.workspace.diff import Diff, unified
from xun.workspace.encoding import Encoding
from xun.workspace.files import FileError, Snapshot
from xun.workspace.text import TextError, decode, encode
from xun.workspace.workspace import Workspace

MAX_SIZE = 20_000_000
"""Bytes of the largest file that is edited or overwritten, and of the largest content."""


@dataclass(frozen=True, slots=True)
class _Plan:
    path: Path
    op: Literal["create", "overwrite", "edit"]
    data: bytes
    diff: Diff
    before: Snapshot | None = None
    stale: bool = False
    notes: tuple[str, ...] = ()


def _write_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> Write:
    plan = _plan_write(ctx, arguments["path"], arguments["content"])
    return _action(ctx, arguments["path"], plan)


def _edit_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> Sequence[Read | Write]:
    workspace = ctx.agent.workspace
    if ctx.agent.read_filter()(str(workspace.resolve(arguments["path"]))) != "allow":
        # Whether the passage is there, and what stands in its place, is told only once reading has been decided.
        path = str(workspace.absolute(arguments["path"]))
        return Read(path=path), Write(path=path, op="edit")
    plan = _plan_edit(ctx, arguments["path"], arguments["old"], arguments["new"], arguments.get("replace_all", False))
    return (_action(ctx, arguments["path"], plan),)


def _action(ctx: ToolCallContext[Any], path: str, plan: _Plan) -> Write:
    diff = None if plan.op == "create" else plan.diff.text
    return Write(path=str(ctx.agent.workspace.absolute(path)), op=plan.op, diff=diff)


@tool_attr(concurrent=False, actions=_write_actions, docstyle="sections", replay="idempotent")
def write_file(ctx: ToolCallContext[Any], path: str, content: str) -> str:
    """Create a file, or replace all of an existing one, which you must have read first. To change a part of a
    file use edit_file. Missing folders are made. An existing file keeps its mode, its encoding, and CRLF line
    ends.

    Args:
        path: The file.
        content: The whole new content.
    """
    return _carry_out(ctx, _plan_write(ctx, path, content))


@tool_attr(concurrent=False, actions=_edit_actions, docstyle="sections")
def edit_file(ctx: ToolCallContext[Any], path: str, old: str, new: str, replace_all: bool = False) -> str:
    """Replace a passage of a text file. The rest of the file keeps its bytes, encoding and line ends.

    Args:
        path: The file.
        old: The passage as it stands in the file, indentation included, without the line numbers read_file adds.
            It must occur once: add lines around it if it does not.
        new: What to put in its place.
        replace_all: Replace every occurrence.
    """
    return _carry_out(ctx, _plan_edit(ctx, path, old, new, replace_all))


def _plan_write(ctx: ToolCallContext[Any], path: str, content: str) -> _Plan:
    workspace = ctx.agent.workspace
    target = workspace.resolve(path)
    before = _existing(workspace, target)
    if before is None:
        data = content.encode()
        _check_size(data)
        return _Plan(target, "create", data, unified("", content, shown(target)))
    _check_seen(ctx, target, before.data)
    text, encoding = _decoded(target, before.data)
    if "\n" in text and text.count("\n") == text.count("\r\n"):
        content = content.replace("\r\n", "\n").replace("\n", "\r\n")
    data, notes = _encoded(content, encoding)
    _check_size(data)
    diff = unified(printable(text), content, workspace.display(path))
    return _Plan(target, "overwrite", data, diff, before, notes=notes)


def _plan_edit(ctx: ToolCallContext[Any], path: str, old: str, new: str, replace_all: bool) -> _Plan:
    workspace = ctx.agent.workspace
    target = workspace.resolve(path)
    before = _existing(workspace, target)
    if before is None:
        raise missing(ctx, target)
    text, encoding = _decoded(target, before.data)
    try:
        edited = replace_text(text, old, new, replace_all=replace_all)
        data = encode(edited.text, encoding)
    except (EditError, TextError) as error:
        raise FileError(f"{shown(target)}: {error}") from error
    _check_size(data)
    known = fs_versions.seen(ctx, target)
    stale = known is not None and known != fs_versions.digest(before.data)
    diff = unified(printable(text), printable(edited.text), workspace.display(path))
    count = len(edited.lines)
    notes = (f"{count} replacements",) if count > 1 else (f"at line {edited.lines[0]}",)
    return _Plan(target, "edit", data, diff, before, stale, notes)


def _carry_out(ctx: ToolCallContext[Any], plan: _Plan) -> str:
    workspace = ctx.agent.workspace
    if plan.before is None:
        files.create(workspace, plan.path, plan.data)
    elif plan.data != plan.before.data:
        files.replace(workspace, plan.path, plan.data, plan.before.info)
    # After a change by somebody else the model still does not know the whole file, though its own edit went in.
    if not plan.stale:
        fs_versions.remember(ctx, plan.path, fs_versions.digest(plan.data))
    return _report(plan)


def _report(plan: _Plan) -> str:
    path = shown(plan.path)
    if plan.before is None:
        return f"Created {path}: {plan.diff.added} lines"
    if plan.data == plan.before.data:
        return f"{path} has that content already; nothing was changed"
    notes = list(plan.notes)
    if plan.stale:
        notes.append("the file had changed since you read it; read it again before you overwrite it")
    if plan.before.info.st_nlink > 1:
        notes.append("other hard links to the file keep the old content")
    done = "Edited" if plan.op == "edit" else "Wrote"
    return f"{done} {path}: {plan.diff.stat} lines" + "".join(f"; {note}" for note in notes)


def _existing(workspace: Workspace, target: Path) -> Snapshot | None:
    info = files.info_of(workspace, target)
    if info is None:
        return None
    if stat.S_ISDIR(info.st_mode):
        raise FileError(f"{shown(target)} is a folder; give the path of a file")
    return files.read(workspace, target, limit=MAX_SIZE)


def _check_seen(ctx: ToolCallContext[Any], target: Path, data: bytes) -> None:
    known = fs_versions.seen(ctx, target)
    if known is None and data:
        raise FileError(
            f"{shown(target)} exists and you have not read it: read it first, then write it or use edit_file"
        )
    if known is not None and known != fs_versions.digest(data):
        raise FileError(f"{shown(target)} changed since you read it: read it again before you write it")


def _check_size(data: bytes) -> None:
    if len(data) > MAX_SIZE:
        raise FileError(f"The file would have more than {MAX_SIZE // 1_000_000} MB: write it with a command instead")


def _decoded(target: Path, data: bytes) -> tuple[str, Encoding]:
    try:
        return decode(data)
    except TextError as error:
        raise FileError(f"{shown(target)} cannot be changed as text: {error}") from error


def _encoded(content: str, encoding: Encoding) -> tuple[bytes, tuple[str, ...]]:
    """New content in the encoding of the old, or in UTF-8 where that lacks a character."""
    try:
        return encode(content, encoding), ()
    except TextError:
        return content.encode(), (f"its encoding is UTF-8 now, since {encoding} lacks some of the characters",)
