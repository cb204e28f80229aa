"""The branch that a folder is on, read from the repository's files: no program is run for it."""

from __future__ import annotations

from pathlib import Path

from xun.workspace.regular import open_regular

_LIMIT = 4096  # bytes of a HEAD file


def branch_of(folder: Path) -> str:
    """The branch of the repository that holds `folder`, a short commit when none is checked out, "" without one.

    What cannot be read counts as no repository.
    """
    for place in (folder, *folder.parents):
        head = _head_of(place / ".git")
        if head is not None:
            name = head.removeprefix("ref: refs/heads/")
            return name if name != head else head.removeprefix("ref: ")[:8]
    return ""


def _head_of(git: Path) -> str | None:
    try:
        if git.is_file():  # a worktree or a submodule names its folder here
            text = _read(git)
            if not text.startswith("gitdir:"):
                return None
            git = git.parent / text.removeprefix("gitdir:").strip()
        head = _read(git / "HEAD")
    except (OSError, ValueError):
        return None
    return head or None


def _read(path: Path) -> str:
    with open_regular(path) as file:
        return file.read(_LIMIT).decode("utf-8", "replace").strip()
