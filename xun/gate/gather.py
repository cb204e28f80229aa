"""Look up what a decision needs to know about the disk. All I/O of a decision is here and in `repository`.

Nothing is run and nothing is written. What cannot be looked up is left out of the facts, and then asks.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice
from pathlib import Path
from posixpath import realpath

from xun.exec.env import path_folders_inside
from xun.exec.sandbox.find import find as find_sandbox
from xun.gate.objects import commits_among
from xun.gate.repository import helper_programs
from xun.gate.tracked import tracked_secrets
from xun.policy.action import Action, Read, Run, Write
from xun.policy.commands.spec import Use
from xun.policy.constructs import ASK, Constructs
from xun.policy.facts import Facts, Kind, PathFact
from xun.policy.history import shown
from xun.policy.needs import HERE, Command, Reading, needed, read_command
from xun.policy.paths import covering, protected, secret, within
from xun.policy.words import ANY, CLOSE, OPEN, STAR, Arg

MAX_MATCHES = 2000
MAX_PATHS = 2000
MAX_ENTRIES = 20_000  # of folders, for one action
_GLOB = re.compile(f"[{STAR}{ANY}{OPEN}]")
# Names that a program may take for several, for an option or for a file of options.
ODD_NAME = re.compile(r"[\s'\"\\\ud800-\udfff]|^[-+@]")
# A name with any of these becomes other words where a variable that holds it is not quoted.
_SPLITTING = re.compile(r"[\s*?\[\]\\]")
# Below them stands what others published: nobody keeps secrets there.
_PUBLISHED = frozenset({"node_modules", "site-packages", ".venv", "venv"})


def gather(
    action: Action,
    *,
    roots: Sequence[Path],
    temp: Path | None,
    home: Path,
    constructs: Constructs = ASK,
    denied: Sequence[str] = (),
    sandbox: bool = True,
) -> Facts:
    """The facts for `action`. `roots` are the folders the agent works in, `temp` its temporary folder.

    `constructs` are settings of the policy, `denied` the path patterns of its deny rules. Without `sandbox` none is
    looked for. Never raises for what is on the disk.
    """
    paths: dict[str, PathFact] = {}
    repositories: dict[str, tuple[str, ...]] = {}
    trees: dict[str, tuple[tuple[str, str], ...] | None] = {}
    kept: dict[str, tuple[tuple[str, str], ...] | None] = {}
    tracked: dict[str, tuple[tuple[str, bool], ...] | None] = {}
    commits: dict[str, tuple[str, ...]] = {}
    budget = _Budget()
    # Without HOME the shell and Python may differ on what a tilde means: then nothing is said about it.
    own_home = str(home) if os.environ.get("HOME") else ""
    real_roots = tuple(realpath(root) for root in roots)
    if isinstance(action, Write) and action.op in ("move", "delete") and (link := _link(action.path)):
        paths[action.path] = link
    elif isinstance(action, Read | Write):
        look(action.path, Use(Arg(action.path), "read"), paths, budget)
        if isinstance(action, Write) and action.op in ("move", "delete"):
            trees[action.path] = _kept_below(action.path, real_roots, budget, covering(denied, real_roots))
    elif isinstance(action, Run):
        reading = read_command(action.command, own_home, constructs)
        uses, folders = needed(reading, action.cwd)
        # Those left out ask: nobody could tell what so many are.
        for key, use in sorted(uses, key=lambda one: one[0])[:MAX_PATHS]:
            look(key, use, paths, budget)
        through = {key for key, use in uses if use.mode in ("tree", "links")}
        trees = {key: _trees(_standing(key, paths), real_roots, budget) for key in sorted(through)}
        named = sorted({key for key, use in uses if use.mode in ("named", "listed")})
        trees |= {key: _named(key, [use for at, use in uses if at == key], real_roots, budget) for key in named}
        kept = {key: _all_kept(key, paths, real_roots, budget, denied) for key, use in uses if use.mode == "moved"}
        for command in reading.commands:
            if told := shown(command):
                for key in _git_folders(command, reading, action.cwd):
                    tracked[key] = tracked[key] if key in tracked else tracked_secrets(key)
                    commits[key] = (*commits.get(key, ()), *commits_among(key, told.objects))
        for folder in folders:
            found = helper_programs(folder, real_roots)
            if found is not None:
                repositories[folder] = found
    return Facts(
        roots=real_roots,
        temp=realpath(temp) if temp else None,
        home=own_home,
        paths=paths,
        repositories=repositories,
        trees=trees,
        kept=kept,
        tracked=tracked,
        commits=commits,
        programs=_programs(real_roots),
        at=datetime.now(UTC),
        sandbox=find_sandbox() if sandbox and isinstance(action, Run) else None,
    )


def _git_folders(command: Command, reading: Reading, cwd: str) -> list[str]:
    return [command.keys(folder, HERE) for folder in reading.script.starts(cwd, command.segment)]


@lru_cache(maxsize=64)
def _programs(roots: tuple[str, ...]) -> tuple[str, ...]:
    # PATH is what it was at the start, so this is looked up once for a workspace.
    return tuple(map(str, path_folders_inside(map(Path, roots))))


class _Spent(Exception):
    """More entries than are looked at."""


@dataclass(slots=True)
class _Budget:
    """How many entries of folders are still looked at for one action."""

    left: int = MAX_ENTRIES

    def entries(self, folder: str) -> list[os.DirEntry[str]]:
        """What is in `folder`: nothing where it cannot be listed. Raises `_Spent`."""
        if self.left <= 0:
            raise _Spent
        try:
            with os.scandir(folder) as scan:
                found = list(islice(scan, self.left + 1))
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            found = []
        self.left -= len(found) + 1
        if self.left < 0:
            raise _Spent
        return found


def look(key: str, use: Use, paths: dict[str, PathFact], budget: _Budget) -> None:
    """Add what is known of one path; leave it out where it cannot be looked up."""
    if key in paths and use.mode != "dir":
        return
    try:
        paths[key] = _pattern(key, budget) if _GLOB.search(key) else _path(key, follows=use.mode == "dir")
    except (OSError, ValueError):
        paths.pop(key, None)


def _path(path: str, *, follows: bool) -> PathFact:
    real = realpath(path)
    try:
        here = os.lstat(path)
        link = stat.S_ISLNK(here.st_mode)
        target = Path(real).stat() if link else here
    except (FileNotFoundError, NotADirectoryError):
        return PathFact(real=real, is_symlink=posixpath.islink(path), unclear=follows and _unclear(path, real))
    kind: Kind = "file" if stat.S_ISREG(target.st_mode) else "folder" if stat.S_ISDIR(target.st_mode) else "other"
    return PathFact(
        real=real,
        kind=kind,
        is_symlink=link,
        links=target.st_nlink if kind == "file" else 0,
        unclear=follows and _unclear(path, real),
    )


def _link(path: str) -> PathFact | None:
    """A link itself, by where it is and not by where it leads: moved or deleted, it goes alone. None if it is none."""
    folder, name = posixpath.split(path)
    if name in ("", ".", "..") or not posixpath.islink(path):
        return None
    return PathFact(real=posixpath.join(realpath(folder), name), kind="other", is_symlink=True)


def _unclear(path: str, real: str) -> bool:
    """`cd a/..` goes by the spelling, the kernel by the links: do they end in different folders?"""
    return ".." in path and realpath(posixpath.normpath(path)) != real


def _pattern(key: str, budget: _Budget) -> PathFact:
    """What a pattern of the shell matches, at least: a bracket and all behind it are taken as anything."""
    parts = key.split("/")
    first = next(at for at, part in enumerate(parts) if _GLOB.search(part))
    base = realpath("/".join(parts[:first]) or "/")
    found: list[str] = []
    kind: Kind = "folder"
    odd = False
    try:
        option = any(entry.name.startswith("-") and _fits(parts[first], entry.name) for entry in budget.entries(base))
        for path, plain, whole in _walk(base, [part for part in parts[first:] if part], budget):
            if len(found) >= MAX_MATCHES:
                raise _Spent
            found.append(path)
            odd = odd or not whole
            kind = kind if plain else "other"
    except _Spent:
        return PathFact(real=base, kind="folder", matches=None)
    return PathFact(real=base, kind=kind, matches=tuple(found), option=option, odd=odd)


def _walk(folder: str, parts: list[str], budget: _Budget, *, whole: bool = True) -> Iterator[tuple[str, bool, bool]]:
    """The resolved paths that match, each with whether it is a plain file or folder, and no name would be split."""
    part, rest = parts[0], parts[1:]
    if not _GLOB.search(part):
        path = realpath(posixpath.join(folder, part))
        if posixpath.lexists(path):
            yield from _walk(path, rest, budget, whole=whole) if rest else [(path, _plain(path), whole)]
        return
    for entry in budget.entries(folder):
        hidden = entry.name.startswith(".") and not part.startswith(".")
        if hidden or not _fits(part, entry.name):
            continue
        path = realpath(entry.path) if entry.is_symlink() else entry.path
        unsplit = whole and not _SPLITTING.search(entry.name)
        if not rest:
            yield path, entry.is_file() or entry.is_dir() or not posixpath.exists(path), unsplit
        elif entry.is_dir():
            yield from _walk(path, rest, budget, whole=unsplit)


def _plain(path: str) -> bool:
    return posixpath.isfile(path) or posixpath.isdir(path)


def _fits(part: str, name: str) -> bool:
    """Does a pattern match a name, or may it? In bounded time, also for the names of a hostile repository."""
    head, bracket, _ = part.partition(OPEN)
    pieces = (head + STAR if bracket else head).replace(CLOSE, "]").split(STAR)
    at = len(pieces[0])
    if not _same(pieces[0], name[:at]) or (len(pieces) == 1 and len(name) != at):
        return False
    for piece in pieces[1:-1]:
        starts = range(at, len(name) - len(piece) + 1)
        found = next((start for start in starts if _same(piece, name[start : start + len(piece)])), None)
        if found is None:
            return False
        at = found + len(piece)
    end = len(name) - len(pieces[-1])
    return len(pieces) == 1 or (end >= at and _same(pieces[-1], name[end:]))


def _same(piece: str, text: str) -> bool:
    """Are they equal, where `?` of the pattern stands for any character?"""
    return len(piece) == len(text) and all(one in (ANY, other) for one, other in zip(piece, text, strict=True))


def _published(real: str, roots: Sequence[str]) -> bool:
    """Does a resolved path lie in a folder of what others published, below one of the roots?"""
    inside = next((real[len(root) :] for root in roots if within(real, root)), "")
    return not _PUBLISHED.isdisjoint(inside.split("/"))


def _standing(key: str, paths: Mapping[str, PathFact]) -> tuple[str, ...] | None:
    """The paths that `key` stands for: itself, or what a pattern matches, None where that cannot be told."""
    if not _GLOB.search(key):
        return (key,)
    fact = paths.get(key)
    return fact.matches if fact else None


def _trees(keys: Sequence[str] | None, roots: Sequence[str], budget: _Budget) -> tuple[tuple[str, str], ...] | None:
    found: list[tuple[str, str]] = []
    for key in keys or ():
        inside = _tree(key, roots, budget)
        if inside is None:
            return None
        found += inside
    return None if keys is None else tuple(found)


def _tree(key: str, roots: Sequence[str], budget: _Budget) -> tuple[tuple[str, str], ...] | None:
    """The links below a folder and the files that hold secrets. None where there are too many entries to tell."""
    found: list[tuple[str, str]] = []
    try:
        top = realpath(key)
        folders = [] if _published(top, roots) else [top]
        while folders:
            for entry in budget.entries(folders.pop()):
                if entry.is_symlink():
                    found.append((entry.path, realpath(entry.path)))
                elif entry.is_dir(follow_symlinks=False):
                    folders += [] if entry.name in _PUBLISHED or entry.name == ".git" else [entry.path]
                elif secret(entry.path[len(top) :]):
                    found.append((entry.path, entry.path))
    except (_Spent, OSError, ValueError):
        return None
    return tuple(found)


def _named(key: str, uses: Sequence[Use], roots: Sequence[str], budget: _Budget) -> tuple[tuple[str, str], ...] | None:
    """What matters below a folder of which every name is handed on, or is by one of `uses`.

    Names that may be taken for something else (of a folder with a slash behind), links, files that hold secrets, and
    pipes and their like, which lead nowhere.
    """
    handed = [use for use in uses if use.mode in ("named", "listed")]
    passed = (
        frozenset.intersection(*(frozenset(use.skip) for use in handed)) if len(handed) == len(uses) else frozenset()
    )
    found: list[tuple[str, str]] = []
    try:
        top = realpath(key)
        folders = [(top, _published(top, roots))]
        while folders:
            folder, published = folders.pop()
            for entry in budget.entries(folder):
                is_folder = entry.is_dir(follow_symlinks=False)
                if ODD_NAME.search(entry.name):
                    found.append((f"{entry.path}/" if is_folder else entry.path, entry.path))
                if entry.is_symlink():
                    found.append((entry.path, realpath(entry.path)))
                elif is_folder:
                    if not any(fnmatchcase(entry.name, pattern[:-1]) for pattern in passed if pattern.endswith("/")):
                        folders.append((entry.path, published or entry.name in _PUBLISHED))
                elif not entry.is_file(follow_symlinks=False):
                    found.append((entry.path, ""))
                elif not published and secret(entry.path[len(top) :]):
                    found.append((entry.path, entry.path))
    except (_Spent, OSError, ValueError):
        return None
    return tuple(found)


def _all_kept(
    key: str, paths: Mapping[str, PathFact], roots: Sequence[str], budget: _Budget, denied: Sequence[str]
) -> tuple[tuple[str, str], ...] | None:
    """`_kept_below` for what `key` stands for: itself, or what a pattern matches."""
    found: list[tuple[str, str]] = []
    for path in _standing(key, paths) or ():
        inside = _kept_below(path, roots, budget, covering(denied, roots))
        if inside is None:
            return None
        found += inside
    return tuple(found)


def _kept_below(
    path: str, roots: Sequence[str], budget: _Budget, denied: re.Pattern[str] | None
) -> tuple[tuple[str, str], ...] | None:
    """What is protected or `denied` in a folder, at least one of each branch; nothing for a file or a link."""
    found: list[tuple[str, str]] = []
    try:
        is_folder, top = stat.S_ISDIR(os.lstat(path).st_mode), realpath(path)
        folders = [path] if is_folder and not _published(top, roots) else []
        while folders:
            for entry in budget.entries(folders.pop()):
                inside = entry.path[len(path) :]
                real = posixpath.join(top, inside.lstrip("/"))
                if protected(inside) or (denied and (denied.fullmatch(entry.path) or denied.fullmatch(real))):
                    found.append((entry.path, real))
                elif entry.is_dir(follow_symlinks=False) and entry.name not in _PUBLISHED:
                    folders.append(entry.path)
    except FileNotFoundError:
        return ()
    except (_Spent, OSError, ValueError):
        return None
    return tuple(found)
