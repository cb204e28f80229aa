"""Where files of custom commands lie: `commands/**/*.md` of a configuration folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

FOLDER = "commands"
MAX_BYTES = 64 * 1024  # of one file: it becomes a prompt
MAX_FILES = 200
MAX_DEPTH = 4  # folders in each other
_LOOKED = 8  # the same, for files that are then only named
LINKED = "is a link to a folder, and these are not followed"
"""What is wrong with one; the end of a sentence that begins with its name."""


def command_files(top: Path) -> list[Path]:
    """The Markdown files in `top`, sorted, at most `MAX_FILES`; empty where there is no such folder.

    Links to folders are not followed: they are among the files, so that whoever reads these can tell. Names that begin
    with a dot are passed over.
    """
    return sorted(_below(top, MAX_DEPTH))[:MAX_FILES]


def left_out(top: Path) -> list[Path]:
    """The files in `top` that `command_files` leaves out: beyond `MAX_FILES`, or too deep in folders."""
    found = sorted(_below(top, _LOOKED))
    used = [path for path in found if len(path.relative_to(top).parts) <= MAX_DEPTH][:MAX_FILES]
    return sorted(set(found).difference(used))


def _below(folder: Path, depth: int) -> Iterator[Path]:
    try:
        with os.scandir(folder) as items:
            entries = [item for item in items if not item.name.startswith(".")]
    except OSError:
        return
    for item in entries:
        if item.is_dir(follow_symlinks=False):
            if depth > 1:
                yield from _below(folder / item.name, depth - 1)
        elif item.name.lower().endswith(".md") or _leads_to_folder(item):
            yield folder / item.name


def _leads_to_folder(item: os.DirEntry[str]) -> bool:
    try:
        return item.is_symlink() and item.is_dir()
    except OSError:  # it leads through a folder that may not be looked into
        return False
