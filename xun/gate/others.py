"""Which programs would another repository start, once git speaks with it? Read without git, so that nothing starts.

A push runs the hooks of the repository that it goes to, and what that one's configuration names; fetching, cloning and
asking run git in there too. Such a repository is a folder like any other, of whatever name.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from posixpath import isdir, isfile, lexists, realpath

from xun.gate.disk import Disk
from xun.gate.git_config import parse_config
from xun.gate.repository import (
    UnreadableRepositoryError,
    common_folder,
    findings,
    git_folder_of,
    is_repository,
    place_of,
)
from xun.policy.reach.repositories import local
from xun.workspace.regular import read_regular

_MOST = 64  # repositories that are looked into for one command
_MAX_TEXT = 256 * 1024
_SUFFIXES = ("", ".git", "/.git", ".git/.git")
_CONFIGS = ("config", "config.worktree")
# Of a repository's configuration, what names others: `remote.x.url`, `branch.x.remote`, `url.x.insteadof` …
_ADDRESSES = (".url", ".pushurl", ".remote", ".pushremote", ".pushdefault")
_HELPER = re.compile(r"|(?:store|cache|osxkeychain|wincred|manager(?:-core)?|libsecret)(?: --[\w=-]+)*")
# Keys that name a program for some command that changes something, or through which its traffic goes.
_STARTING = re.compile(
    r"alias\..+|trailer\..+\.(?:command|cmd)|(?:difftool|mergetool|browser|man|guitool)\..+\.(?:cmd|path)|web\.browser"
    r"|interactive\.difffilter|sequence\.editor|core\.(?:editor|askpass)|gpg\..*program|instaweb\..+|sendemail\..+"
    r"|credential\.(?:.+\.)?helper|http\.(?:.+\.)?(?:proxy|sslverify|sslcainfo|cookiefile)|remote\..+\.proxy|url\..+"
)
_INSTEAD = (".insteadof", ".pushinsteadof")


@dataclass(slots=True)
class _Search:
    roots: Sequence[str]
    disk: Disk
    found: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


def started_by(path: str, roots: Sequence[str], disk: Disk) -> tuple[str, ...] | None:
    """What git would start in the repository at `path`: keys of its configuration, and hooks. Empty is harmless.

    None where that cannot be told. What is no repository starts nothing; what is a template of one starts its hooks.
    """
    search = _Search(roots, disk)
    try:
        _look(path, search)
    except (OSError, ValueError, UnreadableRepositoryError):
        return None
    return tuple(dict.fromkeys(search.found))


def started_by_remotes(folder: str, roots: Sequence[str], disk: Disk) -> tuple[str, ...] | None:
    """The same of all on this machine that the repository in which `folder` lies may speak with by its own word, with
    what it has asked for passwords.
    """
    search = _Search(roots, disk)
    try:
        place = place_of(folder, disk)
        if place is None:
            return ()
        work_tree, git_folder = place
        common = common_folder(git_folder, disk)
        search.found += _helpers(common, git_folder)
        for address in _addresses(work_tree, git_folder, common):
            for base in dict.fromkeys((folder, work_tree, git_folder)):
                _look(posixpath.join(base, posixpath.expanduser(address)), search)
        _alternates(common, search)
    except (OSError, ValueError, UnreadableRepositoryError):
        return None
    return tuple(dict.fromkeys(search.found))


def started_inside(folder: str, start: str, roots: Sequence[str], disk: Disk) -> tuple[str, ...] | None:
    """What git, run in `folder`, would start by the word of a repository other than the one in which `start` lies.

    Its hooks, and all of its configuration that names a program, or a server on the way, for whatever command. Empty
    in the same repository, and in none. None where that cannot be told.
    """
    search = _Search(roots, disk)
    try:
        place, first = place_of(folder, disk), place_of(start, disk)
        if place is None or (first is not None and first[1] == place[1]):
            return ()
        _repository(place[1], search)
        for config in _configurations(common_folder(place[1], disk), place[1]):
            search.found += [key for key, _ in parse_config(_text(config)) if _STARTING.fullmatch(key)]
    except (OSError, ValueError, UnreadableRepositoryError):
        return None
    return tuple(dict.fromkeys(search.found))


def in_repository(path: str) -> bool:
    """Is the file at `path` a hook or the configuration of a repository, whatever that is called?"""
    folder, name = posixpath.split(path)
    if posixpath.basename(folder) == "hooks":
        return _like_repository(posixpath.dirname(folder))
    if name == "alternates":
        return _like_repository(posixpath.dirname(posixpath.dirname(folder)))
    return _like_repository(folder) and name in ("HEAD", "commondir", "gitdir", *_CONFIGS)


def _like_repository(folder: str) -> bool:
    """Has it something of what makes a folder a repository? The rest may come yet, before git looks at it."""
    return sum(lexists(posixpath.join(folder, name)) for name in ("HEAD", "objects", "refs", "commondir")) > 1


def _look(path: str, search: _Search) -> None:
    for place in dict.fromkeys(realpath(path + suffix) for suffix in _SUFFIXES):
        git_folder = place
        if isfile(place) and posixpath.basename(place) == ".git":
            git_folder = git_folder_of(place, search.disk)
        elif not isdir(place):
            continue
        if is_repository(git_folder, search.disk):
            _repository(git_folder, search)
        elif posixpath.basename(place) == "hooks":
            search.found += _hooks(place)  # of a template


def _repository(git_folder: str, search: _Search) -> None:
    if git_folder in search.seen:
        return
    search.seen.add(git_folder)
    if len(search.seen) > _MOST:
        raise UnreadableRepositoryError
    common = common_folder(git_folder, search.disk)
    search.found += _hooks(posixpath.join(common, "hooks"))
    for config in _configurations(common, git_folder):
        text = _text(config)
        search.found += findings(text, git_folder, search.roots)
        for key, value in parse_config(text):
            if key == "core.hookspath":
                search.found += _hooks(posixpath.join(git_folder, posixpath.expanduser(value)))
    _alternates(common, search)


def _hooks(folder: str) -> Iterator[str]:
    names = os.listdir(folder) if isdir(folder) else []  # noqa: PTH208 - names alone
    yield from (f"hooks/{name}" for name in sorted(names) if not name.endswith(".sample"))


def _alternates(common: str, search: _Search) -> None:
    """The repositories whose objects one takes: git asks them for their references."""
    objects = posixpath.join(common, "objects")
    listed = posixpath.join(objects, "info/alternates")
    for line in _text(listed).splitlines() if lexists(listed) else ():
        if line and not line.startswith("#"):
            _look(posixpath.dirname(realpath(posixpath.join(objects, line))), search)


def _configurations(common: str, git_folder: str) -> list[str]:
    return [*filter(lexists, (posixpath.join(common, _CONFIGS[0]), posixpath.join(git_folder, _CONFIGS[1])))]


def _addresses(work_tree: str, git_folder: str, common: str) -> Iterator[str]:
    """What a repository, and those within it, say to be elsewhere on this machine."""
    inner = islice(Path(common, "modules").glob("**/config"), _MOST)
    configs = [*_configurations(common, git_folder), *map(str, inner)]
    modules = posixpath.join(work_tree, ".gitmodules")
    if len(configs) >= _MOST:
        raise UnreadableRepositoryError
    for config in (*configs, *((modules,) if lexists(modules) else ())):
        for key, value in parse_config(_text(config)):
            if key.endswith(_INSTEAD):
                value = key.removeprefix("url.").rpartition(".")[0]
            elif not key.endswith(_ADDRESSES):
                continue
            if (path := local(value)) is not None:
                yield path


def _helpers(common: str, git_folder: str) -> Iterator[str]:
    """The programs that a repository has asked for passwords, but for those that come with git or the system."""
    for config in _configurations(common, git_folder):
        for key, value in parse_config(_text(config)):
            asks = key == "core.askpass" or (key.startswith("credential.") and key.endswith(".helper"))
            if asks and not _HELPER.fullmatch(value):
                yield key


def _text(path: str) -> str:
    data = read_regular(path, _MAX_TEXT)
    if data is None:
        raise UnreadableRepositoryError
    return os.fsdecode(data)
