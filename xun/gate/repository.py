"""Which programs would a repository's own configuration make git start? Read without git, so that nothing starts.

Measured: `git status` runs core.fsmonitor, `git diff` clean filters and external diffs, `git log -p` textconv, and
each looks into submodules. Whoever made the repository wrote that configuration.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import isdir, lexists, realpath
from typing import NamedTuple

from xun.gate.disk import Disk
from xun.gate.git_config import parse_config
from xun.gate.stray import elsewhere, endless, endless_files
from xun.policy.paths import secret, within_any
from xun.policy.tables.programs import word_set
from xun.workspace.regular import read_regular

_MAX_REPOSITORIES = 64
_MAX_CONFIG = 256 * 1024
_MAX_INDEX = 1 << 28
_GITLINK = b"\x00\x00\xe0\x00"

# Sections of the configuration that cannot name a program, or that only readers of another kind obey.
_HARMLESS_SECTIONS = word_set(
    "add advice alias am apply bitmap blame branch browser checkout clean clone color column commit completion core "
    "credential diff difftool extensions feature fetch format fsck gc gitflow gitk gitweb grep gui guitool help http "
    "i18n imap index init instaweb interactive lfs log mailinfo mailmap maintenance man merge mergetool notes pack "
    "pretty pull push rebase receive remote repack rerere revert safe sendemail sequence showbranch splitindex "
    "stash status submodule svn svn-remote tag trailer transfer url user versionsort web worktree"
)
_PROGRAM_KEYS = re.compile(
    r"core\.(?:fsmonitor|pager|sshcommand|gitproxy|alternaterefscommand|hookspath|worktree|excludesfile|attributesfile)"
    r"|mailmap\.file|diff\.orderfile"
    r"|diff\.(?:external|.+\.(?:command|textconv))|log\.(?:showsignature|follow)|merge\..+\.driver"
    r"|remote\..+\.(?:uploadpack|receivepack|vcs|promisor)|extensions\.partialclone|submodule\..+\.update"
    r"|lfs\.(?:extension|customtransfer)\..+|lfs\.standalonetransferagent|blame\.ignorerevsfile"
    r"|format\.pretty|pretty\..+"
)
# They name files that readers read, and that may never end.
_FILES = word_set("core.excludesfile core.attributesfile mailmap.file diff.orderfile")
# A format by which git has signatures verified, by a program.
_VERIFYING = re.compile(r"%[-+ ]?G|signature")
_HEAD = re.compile(r"ref:\s*refs/|[0-9a-fA-F]{40}")
_BOOLEAN = re.compile(r"|0|1|true|false|yes|no|on|off", re.IGNORECASE)
_LFS = re.compile(r"git-lfs (?:clean|smudge)(?: --skip)? -- %f|git-lfs filter-process(?: --skip)?")


class _Top(NamedTuple):
    """A repository: its work tree and git folder. Of a `bare` one, the folder around it stands for the work tree."""

    work_tree: str
    git_folder: str
    bare: bool = False


@dataclass(slots=True)
class _Search:
    """One look-up: the findings, and the git folders already seen."""

    roots: Sequence[str]
    disk: Disk
    found: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


class UnreadableRepositoryError(Exception):
    """The repository cannot be told from what is on the disk."""


def helper_programs(folder: str, roots: Sequence[str], disk: Disk | None = None) -> tuple[str, ...] | None:
    """The keys by which git, run in `folder`, might start a program, its submodules included; empty is harmless.

    None when that cannot be told. A folder in no repository has none.
    """
    search = _Search(roots, disk or Disk())
    try:
        top = search.disk.once(_top_of, folder)
        if top is not None and top.bare:
            return ("a bare repository",)
        if top is not None:
            _repository(top.work_tree, top.git_folder, search)
    except (OSError, ValueError, UnreadableRepositoryError):
        return None
    return tuple(dict.fromkeys(search.found))


def place_of(folder: str, disk: Disk | None = None) -> tuple[str, str] | None:
    """The work tree and git folder of the repository that `folder` is in. Raises `OSError` or `ValueError`.

    Of a repository without a work tree, or in the git folder of one that has it, the folder around it stands for that.
    """
    try:
        top = (disk or Disk()).once(_top_of, folder)
        return (top.work_tree, top.git_folder) if top else None
    except UnreadableRepositoryError:
        raise ValueError("the repository cannot be told from what is on the disk") from None


def work_tree(folder: str, disk: Disk | None = None) -> str | None:
    """The work tree that `folder` is in. None where there is none, or that cannot be told."""
    try:
        found = place_of(folder, disk)
    except (OSError, ValueError):
        return None
    return found[0] if found else None


def hooks(folder: str) -> tuple[str, ...]:
    """The names of the hooks that git, run in `folder`, may start, by its own folder and what its configuration says.

    ("?",) when that cannot be told.
    """
    found: set[str] = set()
    try:
        top = _top_of(folder, Disk())
        if top is None or top.bare:
            return ()
        work_tree, git_folder, _ = top
        common = common_folder(git_folder)
        places = [posixpath.join(common, "hooks")]
        for config in filter(lexists, _configurations(common, git_folder)):
            said = [value for key, value in parse_config(_read(config, _MAX_CONFIG)) if key == "core.hookspath"]
            places += [posixpath.join(work_tree, posixpath.expanduser(value)) for value in said]
        for place in filter(isdir, places):
            found.update(name for name in os.listdir(place) if not name.endswith(".sample"))  # noqa: PTH208
    except (OSError, ValueError, UnreadableRepositoryError):
        return ("?",)
    return tuple(sorted(found))


def _top_of(folder: str, disk: Disk) -> _Top | None:
    """The repository that git would find from `folder` upwards."""
    folder = disk.real(folder)
    while True:
        entry = posixpath.join(folder, ".git")
        # A folder of that name which is no repository stops git no more than it stops us.
        if disk.exists(entry) and (not disk.is_folder(entry) or is_repository(entry, disk)):
            return _Top(folder, git_folder_of(entry, disk))
        if is_repository(folder, disk):
            return _Top(posixpath.dirname(folder), folder, bare=True)
        parent = posixpath.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def is_repository(folder: str, disk: Disk) -> bool:
    """Would git take `folder` for a repository? Its objects and refs may stand in another, named by `commondir`."""
    head = posixpath.join(folder, "HEAD")
    if disk.is_link(head):
        if not os.readlink(head).startswith("refs/"):  # noqa: PTH115 - as it is written
            return False
    elif not disk.exists(head) or not _HEAD.match(_read(head, 4096)):
        return False
    common = folder
    if disk.exists(pointer := posixpath.join(folder, "commondir")):
        common = posixpath.join(folder, _read(pointer, 4096).rstrip("\r\n"))
    return all(os.access(posixpath.join(common, name), os.X_OK) for name in ("objects", "refs"))


def git_folder_of(entry: str, disk: Disk) -> str:
    """The folder that a `.git` entry of a resolved folder means: itself, or what a `gitdir:` file names."""
    if disk.is_folder(entry):
        return disk.real(entry)
    text = _read(entry, 4096)
    if not text.startswith("gitdir: "):
        raise UnreadableRepositoryError
    return realpath(posixpath.join(posixpath.dirname(entry), text[len("gitdir: ") :].rstrip("\r\n")))


def _repository(work_tree: str, git_folder: str, search: _Search) -> None:
    if git_folder in search.seen:
        return
    search.seen.add(git_folder)
    if len(search.seen) > _MAX_REPOSITORIES:
        raise UnreadableRepositoryError
    disk = search.disk
    common = common_folder(git_folder, disk)
    search.found += elsewhere(work_tree, git_folder, common, search.roots, disk)
    search.found += endless_files(work_tree, common)
    for config in _configurations(common, git_folder):
        if disk.exists(config):
            search.found += findings(_read(config, _MAX_CONFIG), git_folder, search.roots)
    if disk.exists(posixpath.join(common, "hooks", "post-index-change")):
        search.found.append("hooks/post-index-change")
    indexes = [name for name in os.listdir(git_folder) if name == "index" or name.startswith("sharedindex.")]  # noqa: PTH208
    for path in (path for name in indexes for path in _gitlinks(posixpath.join(git_folder, name))):
        inner = posixpath.join(work_tree, path)
        entry = posixpath.join(disk.real(inner), ".git")
        if disk.exists(entry):
            _repository(inner, git_folder_of(entry, disk), search)


def common_folder(git_folder: str, disk: Disk | None = None) -> str:
    """The folder that a work tree shares with the others of its repository."""
    pointer = posixpath.join(git_folder, "commondir")
    if not (disk or Disk()).exists(pointer):
        return git_folder
    return realpath(posixpath.join(git_folder, _read(pointer, 4096).rstrip("\r\n")))


def configurations(folder: str) -> tuple[str, str] | None:
    """The files, there or not, that configure the repository which `folder` is in. None where that is none, or cannot
    be told.
    """
    try:
        place = place_of(folder)
        return _configurations(common_folder(place[1]), place[1]) if place else None
    except (OSError, ValueError, UnreadableRepositoryError):
        return None


def _configurations(common: str, git_folder: str) -> tuple[str, str]:
    return posixpath.join(common, "config"), posixpath.join(git_folder, "config.worktree")


def _read(path: str, limit: int) -> str:
    return _bytes(path, limit).decode(errors="surrogateescape")


def _bytes(path: str, limit: int) -> bytes:
    """A pipe or device raises too, without waiting for what comes out of it."""
    data = read_regular(path, limit)
    if data is None:
        raise UnreadableRepositoryError
    return data


def findings(text: str, git_folder: str, roots: Sequence[str]) -> Iterator[str]:
    """The keys of a configuration that is `text` by which git might start a program. Raises `ValueError`."""
    for key, value in parse_config(text):
        section = key.partition(".")[0]
        if section == "filter":
            if not (_LFS.fullmatch(value) or (key.endswith(".required") and _BOOLEAN.fullmatch(value))):
                yield key
        elif section not in _HARMLESS_SECTIONS or (
            _PROGRAM_KEYS.fullmatch(key) and not _accepted(key, value, git_folder, roots)
        ):
            yield key


def _accepted(key: str, value: str, git_folder: str, roots: Sequence[str]) -> bool:
    """Is this value of a key that may name a program or a place harmless all the same?"""
    if key.startswith(("format.", "pretty.")):
        return not _VERIFYING.search(value)
    if key == "blame.ignorerevsfile":
        return within_any(realpath(posixpath.join(posixpath.dirname(git_folder), posixpath.expanduser(value))), roots)
    if key in _FILES:
        place = posixpath.expanduser(value)
        near = (posixpath.join(one, place) for one in (git_folder, posixpath.dirname(git_folder)))
        return not any(map(endless, near)) and not secret(realpath(place))
    if key == "core.worktree":
        return within_any(realpath(posixpath.join(git_folder, value)), roots)
    if key == "core.hookspath":
        folder = posixpath.expanduser(value)
        places = (posixpath.join(posixpath.dirname(git_folder), folder), posixpath.join(git_folder, folder))
        return not any(lexists(posixpath.join(place, "post-index-change")) for place in places)
    if key == "core.fsmonitor":
        return _BOOLEAN.fullmatch(value) is not None
    if key.startswith("submodule."):
        return value in ("checkout", "rebase", "merge", "none")
    return key.startswith(("log.", "remote.")) and value.lower() in ("false", "no", "off", "0")


# --- submodules


def _gitlinks(index: str) -> Iterator[str]:
    """The paths that the index lists as other repositories. Raises where there are some and they cannot be told."""
    data = _bytes(index, _MAX_INDEX)
    if _GITLINK not in data:
        return
    if data[:4] != b"DIRC" or int.from_bytes(data[4:8]) not in (2, 3):
        raise UnreadableRepositoryError
    at = 12
    for _ in range(int.from_bytes(data[8:12])):
        mode = int.from_bytes(data[at + 24 : at + 28])
        flags = int.from_bytes(data[at + 60 : at + 62])
        start = at + (64 if flags & 0x4000 else 62)
        end = data.index(b"\x00", start)
        if mode == 0o160000:
            yield os.fsdecode(data[start:end])
        at += (end - at + 8) // 8 * 8
