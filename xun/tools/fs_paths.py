"""Paths in what tools tell the model: names that cannot break a line, and help for one that is not there."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Any

from xun.toolbox.context import ToolCallContext
from xun.workspace import files
from xun.workspace.files import FileError


def shown(name: str | Path) -> str:
    """A name with line breaks, control characters and other invisible ones escaped."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def missing(ctx: ToolCallContext[Any], path: Path) -> FileError:
    """The error for a resolved path with nothing there, naming what comes nearest and no rule hides."""
    folder = path.parent
    if not folder.is_dir():
        while not folder.is_dir():
            folder = folder.parent
        return FileError(f"{shown(path)} does not exist, nor does its folder; the nearest that does is {shown(folder)}")
    effect = ctx.agent.read_filter()
    listed = (entry.name for entry in files.entries(ctx.agent.workspace, folder))
    names = {name.casefold(): name for name in listed if effect(str(folder / name)) != "deny"}
    close = difflib.get_close_matches(path.name.casefold(), names, n=3)
    if close:
        found = ", ".join(shown(folder / names[name]) for name in close)
        return FileError(f"{shown(path)} does not exist; did you mean {found}?")
    return FileError(f"{shown(path)} does not exist; list_dir or glob shows what does")


def not_listed(count: int) -> str:
    """What to say of names that are not shown, as a last line; nothing without any."""
    if not count:
        return ""
    return f"\n[{count} {'name is' if count == 1 else 'names are'} not listed: a rule denies reading what they name]"
