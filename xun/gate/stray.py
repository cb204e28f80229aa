"""What a repository reads beside its configuration: objects of others, and files that may never end."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator, Sequence
from posixpath import lexists, realpath

from xun.gate.disk import Disk
from xun.gate.git_config import parse_config
from xun.gate.listing import Budget, Spent
from xun.policy.paths import within_any
from xun.workspace.regular import read_regular

_MAX_CONFIG = 256 * 1024
_OWN_FILES = (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")
_INFO_FILES = ("alternates", "attributes", "exclude", "grafts", "sparse-checkout")
_MAX_ENTRIES = 50_000


def _text(path: str, limit: int) -> str:
    data = read_regular(path, limit)
    if data is None:
        raise ValueError("it is too long to be read")
    return os.fsdecode(data)


def elsewhere(work_tree: str, git_folder: str, common: str, roots: Sequence[str], disk: Disk) -> Iterator[str]:
    """What of a repository in one of the roots stands outside them, unless it says that this is its work tree."""
    if not within_any(work_tree, roots):
        return
    if not within_any(git_folder, roots):
        if not _knows(git_folder, work_tree):
            yield "a git folder outside the workspace"
        return
    objects = posixpath.join(common, "objects")
    alternates = posixpath.join(objects, "info/alternates")
    lines = _text(alternates, _MAX_CONFIG).splitlines() if disk.exists(alternates) else []
    others = [realpath(posixpath.join(objects, line)) for line in lines if line and not line.startswith("#")]
    if not all(within_any(place, roots) for place in (disk.real(objects), *others)):
        yield "objects outside the workspace"


def _knows(git_folder: str, work_tree: str) -> bool:
    """Does a git folder name `work_tree` as one of its own?"""
    pointer, config = posixpath.join(git_folder, "gitdir"), posixpath.join(git_folder, "config")
    if lexists(pointer):
        return realpath(posixpath.dirname(_text(pointer, 4096).rstrip("\r\n"))) == work_tree
    said = parse_config(_text(config, _MAX_CONFIG)) if lexists(config) else ()
    return any(
        key == "core.worktree" and realpath(posixpath.join(git_folder, value)) == work_tree for key, value in said
    )


def endless_files(work_tree: str, common: str) -> Iterator[str]:
    """The files that git reads unasked and that are pipes or devices."""
    yield from _endless_in(work_tree, _OWN_FILES)
    yield from _endless_in(posixpath.join(common, "info"), _INFO_FILES)
    budget, folders = Budget(_MAX_ENTRIES), [work_tree]
    try:
        while folders:
            folder = folders.pop()
            listing = budget.listing(folder)
            found = [name for name in _OWN_FILES if name in listing.others] if folder != work_tree else ()
            yield from (f"{posixpath.join(folder, name)}, a pipe or device" for name in found)
            inner = (name for name in listing.folders if name not in (".git", "node_modules", ".venv", "venv"))
            folders += (posixpath.join(folder, name) for name in inner)
    except Spent:
        return


def _endless_in(folder: str, names: Sequence[str]) -> Iterator[str]:
    """Those of `names` in a folder that are pipes or devices, or links to such."""
    try:
        listing = Budget(_MAX_ENTRIES).listing(folder)
        if listing.count and not (listing.others or listing.links):
            return  # what is there is files and folders; of a folder that cannot be listed nobody knows
    except Spent:
        pass
    paths = (posixpath.join(folder, name) for name in names)
    yield from (f"{path}, a pipe or device" for path in paths if endless(path))


def endless(path: str) -> bool:
    """Is it something, and neither a file nor a folder?"""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - by its text, as everything here
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
