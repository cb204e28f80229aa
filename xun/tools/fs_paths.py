"""Paths in what tools tell the model: names that cannot break a line, and help for one that is not there."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from xun.workspace import files
from xun.workspace.files import FileError
from xun.workspace.workspace import Workspace


def shown(name: str | Path) -> str:
    """A name with line breaks, control characters and other invisible ones escaped."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def missing(workspace: Workspace, path: Path) -> FileError:
    """The error for a resolved path with nothing there, naming what comes nearest."""
    folder = path.parent
    if not folder.is_dir():
        while not folder.is_dir():
            folder = folder.parent
        return FileError(f"{shown(path)} does not exist, nor does its folder; the nearest that does is {shown(folder)}")
    names = {entry.name.casefold(): entry.name for entry in files.entries(workspace, folder)}
    close = difflib.get_close_matches(path.name.casefold(), names, n=3)
    if close:
        found = ", ".join(shown(folder / names[name]) for name in close)
        return FileError(f"{shown(path)} does not exist; did you mean {found}?")
    return FileError(f"{shown(path)} does not exist; list_dir or glob shows what does")
