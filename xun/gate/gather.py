"""Look up what a decision needs to know about the disk. All I/O of a decision is here and in `repository`.

Nothing is run and nothing is written. What cannot be looked up is left out of the facts, and then asks.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from posixpath import realpath

from xun.exec.env import may_be_written, path_folders_inside
from xun.exec.sandbox.find import find as find_sandbox
from xun.gate import inside
from xun.gate.credentials import holds_credentials, settings_with_secrets
from xun.gate.disk import Disk
from xun.gate.hard_links import names_of_secrets
from xun.gate.listing import Budget, Spent
from xun.gate.objects import commits_among
from xun.gate.others import started_by, started_by_remotes, started_inside
from xun.gate.own import own_in, own_moved
from xun.gate.repository import helper_programs, work_tree
from xun.gate.tracked import kept_links, kept_names, made_up, tracked_secrets
from xun.policy.action import Action, Read, Run, Write
from xun.policy.commands.spec import Use
from xun.policy.facts import Facts, Kind, Own, PathFact
from xun.policy.judge.guard import Guard, guard
from xun.policy.paths import within
from xun.policy.reach.history import shown, stages
from xun.policy.reach.needs import HERE, Reading, moved_to, needed, read_command, spoken_with
from xun.policy.reach.rewritten import from_index
from xun.policy.text.constructs import ASK, Constructs
from xun.policy.text.words import ANY, CLOSE, OPEN, STAR, Arg

MAX_MATCHES = 2000
MAX_PATHS = 2000
_GLOB = re.compile(f"[{STAR}{ANY}{OPEN}]")
# A name with any of these becomes other words where a variable that holds it is not quoted.
# What may name a file that says what git ignores.
_IGNORING = re.compile(r"ignore|exclude|\.g[^\s/]*[*?\[{]|(?:^|[\s/])\.?[*?\[]")
_SPLITTING = re.compile(r"[\s*?\[\]\\]")


def gather(
    action: Action,
    *,
    roots: Sequence[Path],
    temp: Path | None,
    home: Path,
    constructs: Constructs = ASK,
    denied: Sequence[str] = (),
    sandbox: bool = True,
    own: Own | None = None,
) -> Facts:
    """The facts for `action`. `roots` are the folders the agent works in, `temp` its temporary folder.

    `constructs` are settings of the policy, `denied` the path patterns of its deny rules. Without `sandbox` none is
    looked for. `own` are the files of xun itself. Never raises for what is on the disk.
    """
    # Without HOME the shell and Python may differ on what a tilde means: then nothing is said about it.
    own_home = str(home) if os.environ.get("HOME") else ""
    disk = Disk()
    real_roots = tuple([disk.real(str(root)) for root in roots])
    programs = _programs(real_roots)
    homes, own = _homes(own_home), own or Own()
    found = _Found(real_roots, denied, Budget(roots=real_roots), disk, guard(real_roots, homes, own))
    if isinstance(action, Write) and action.op in ("move", "delete") and (link := _link(action.path)):
        found.paths[action.path] = link
    elif isinstance(action, Read | Write):
        found.look(action.path, Use(Arg(action.path), "read"))
        if isinstance(action, Write) and action.op in ("move", "delete"):
            found.trees[action.path] = found.moved(action.path)
    elif isinstance(action, Run):
        reading = read_command(action.command, own_home, constructs)
        uses, folders = needed(reading, action.cwd)
        found.touched(uses)
        found.compared(reading, action.cwd)
        found.shown(reading, action.cwd)
        found.settings(reading, action.cwd, home)
        found.spoken_with(reading, action.cwd)
        for folder in folders:
            helpers = helper_programs(folder, found.roots, disk)
            if helpers is not None:
                found.repositories[folder] = helpers
        for folder in moved_to(reading, action.cwd):
            found.inner[folder] = started_inside(folder, action.cwd, found.roots, disk)
    return Facts(
        roots=found.roots,
        temp=disk.real(str(temp)) if temp else None,
        home=own_home,
        homes=homes,
        own=own,
        paths=found.paths,
        repositories=found.repositories,
        inner=found.inner,
        others=found.others,
        trees=found.trees,
        searches=found.searches,
        kept=found.kept,
        tracked=found.tracked,
        commits=found.commits,
        linked=found.linked,
        credentials=found.credentials,
        holding=found.holding(),
        programs=programs,
        at=datetime.now(UTC),
        sandbox=find_sandbox() if sandbox and isinstance(action, Run) else None,
    )


@dataclass(slots=True)
class _Found:
    """What is found of one action, by the names that `Facts` has for it."""

    roots: tuple[str, ...]
    denied: Sequence[str]
    budget: Budget
    disk: Disk
    guard: Guard
    paths: dict[str, PathFact] = field(default_factory=dict)
    repositories: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inner: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    others: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    trees: dict[str, inside.Found | None] = field(default_factory=dict)
    searches: dict[str, inside.Found | None] = field(default_factory=dict)
    kept: dict[str, inside.Found | None] = field(default_factory=dict)
    tracked: dict[str, tuple[tuple[str, bool], ...] | None] = field(default_factory=dict)
    commits: dict[str, tuple[str, ...]] = field(default_factory=dict)
    linked: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    credentials: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def touched(self, uses: Collection[tuple[str, Use]]) -> None:
        """Look up the paths, and what is in the folders that are read, handed on or moved whole."""
        # Those left out ask: nobody could tell what so many are.
        ordered = sorted(uses, key=lambda one: one[0])
        for key, use in ordered[:MAX_PATHS]:
            self.look(key, use)
        by_mode: dict[str, dict[str, None]] = {}
        for key, use in ordered:
            by_mode.setdefault(use.mode, {})[key] = None
        roots, budget = self.roots, self.budget
        for key in (*by_mode.get("tree", ()), *by_mode.get("links", ())):
            self.trees[key] = self.each(key, lambda one: inside.tree(one, roots, budget), own_in)
        for key in by_mode.get("searched", ()):
            self.searches[key] = self.each(key, lambda one: inside.searched(one, roots, budget), own_in)
        for key in dict.fromkeys((*by_mode.get("named", ()), *by_mode.get("listed", ()))):
            handed = [use for at, use in uses if at == key and use.mode != "searched"]
            back = {path for path, _ in self.searches.get(key) or ()}
            found = inside.named(key, handed, roots, budget, back)
            listed = (use.kept for use in handed if use.mode in ("named", "listed"))
            git = kept_names(key, self.disk) if found and all(listed) else None
            found = found if git is None else inside.of_names(found or (), git)
            self.trees[key] = found if found is None else (*found, *own_in(key, self.guard))
        for key in by_mode.get("moved", ()):
            self.kept[key] = self.each(key, self.moved)

    def look(self, key: str, use: Use) -> None:
        """Add what is known of one path; leave it out where it cannot be looked up."""
        if key in self.paths and use.mode != "dir":
            return
        try:
            if _GLOB.search(key):
                self.paths[key] = _pattern(key, self.budget)
            else:
                self.paths[key] = _path(key, self.disk, follows=use.mode == "dir")
        except (OSError, ValueError):
            self.paths.pop(key, None)

    def compared(self, reading: Reading, cwd: str) -> None:
        """Look through the folders that git compares as such, for not being both in its work tree."""
        for command in reading.commands:
            uses = [use for use in command.uses if use.mode == "compared"]
            for folder in reading.script.starts(cwd, command.segment) if uses else ():
                keys = [command.keys(folder, use) for use in uses]
                top = work_tree(command.keys(folder, HERE), self.disk)
                if top is None or not all(within(self.disk.real(key), top) for key in keys):
                    self.trees |= {
                        key: self.each(key, lambda one: inside.tree(one, self.roots, self.budget), own_in)
                        for key in keys
                    }

    def each(
        self,
        key: str,
        look: Callable[[str], inside.Found | None],
        own: Callable[[str, Guard], Iterator[tuple[str, str]]] | None = None,
    ) -> inside.Found | None:
        """What is found in what `key` stands for: itself, or what a pattern matches. `own` finds files of xun there."""
        standing = _standing(key, self.paths)
        found = inside.of_each(standing, look)
        if own is None or found is None:
            return found
        return (*found, *(one for place in standing or () for one in own(place, self.guard)))

    def moved(self, key: str) -> inside.Found | None:
        """What is protected or denied by a rule in what is moved or removed."""
        found = inside.kept(key, self.roots, self.budget, self.denied)
        return found if found is None else (*found, *own_moved(key, self.guard))

    def shown(self, reading: Reading, cwd: str) -> None:
        """Look up what git commands may show of what their repositories keep, and what these are told to keep first."""
        taken = {
            stage
            for command in reading.commands
            if not command.judged
            for view in command.acting
            if (stage := stages(view))
            and not all(_names_files(view, folder) for folder in reading.script.starts(cwd, command.segment))
        }
        words = (one.segment.text for one in reading.commands)
        if taken and any(map(_IGNORING.search, (*words, *(target.text for _, target in reading.script.redirects)))):
            taken.add("ignored")  # which files those are may be changed first
        for command in reading.commands:
            for view in command.acting if not command.judged and len(reading.commands) > 1 else ():
                if from_index(view):
                    keys = [command.keys(folder, HERE) for folder in reading.script.starts(cwd, command.segment)]
                    self.linked |= {key: kept_links(key, self.disk) for key in keys}
            if told := shown(command):
                for folder in reading.script.starts(cwd, command.segment):
                    key = command.keys(folder, HERE)
                    if key not in self.tracked:
                        self.tracked[key] = self.with_taken(key, taken)
                    self.commits[key] = (*self.commits.get(key, ()), *commits_among(key, told.objects, self.disk))

    def with_taken(self, key: str, taken: Collection[str]) -> tuple[tuple[str, bool], ...] | None:
        """The secrets that the repository of a folder keeps, once the commands of the text have taken in others."""
        kept = tracked_secrets(key, self.disk)
        top = work_tree(key, self.disk) if kept is not None and taken else None
        if kept is None or top is None:
            return kept
        found = inside.stageable(top, self.budget, ignored="ignored" in taken)
        # What has just been taken in is on the disk as it is kept, unless it was by name alone.
        new = [(path, "named" not in taken) for path, _ in found or () if not made_up(path[len(top) + 1 :])]
        return None if found is None else (*kept, *(one for one in new if one[0] not in dict(kept)))

    def settings(self, reading: Reading, cwd: str, home: Path) -> None:
        """Look up the passwords and tokens among the settings that git commands show."""
        for command in reading.commands:
            for told in command.settings:
                for folder in reading.script.starts(cwd, command.segment):
                    self.credentials |= settings_with_secrets(posixpath.join(folder, *told.steps), home)

    def spoken_with(self, reading: Reading, cwd: str) -> None:
        """Look up the other repositories that git commands speak with, by their words or by their own repository's."""
        for command in reading.commands:
            for folder, named in spoken_with(command, reading.script.starts(cwd, command.segment)):
                self.others.setdefault(folder, started_by_remotes(folder, self.roots, self.disk))
                for path in named:
                    if _GLOB.search(path):
                        continue  # nobody tells which one it is
                    self.others.setdefault(path, started_by(path, self.roots, self.disk))

    def holding(self) -> tuple[str, ...]:
        """What of the paths that were looked up holds a password or token though its name does not say so."""
        named = {path for fact in self.paths.values() for path in (fact.real, *(fact.matches or ()))}
        for trees in (self.trees, self.searches):
            named.update(real for tree in trees.values() for _, real in tree or ())
        return tuple(sorted({*filter(holds_credentials, named), *names_of_secrets(self.paths.values(), self.guard)}))


@lru_cache(maxsize=16)
def _homes(home: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((home, realpath(home)))) if home else ()


def _names_files(view: Sequence[Arg], folder: str) -> bool:
    """Is it a `git add` of files that it names one by one?"""
    args = view[2:]
    plain = all(arg.known and not arg.glob and not arg.text.startswith(("-", ":")) for arg in args)
    return bool(args) and plain and not any(posixpath.isdir(posixpath.join(folder, arg.text)) for arg in args)


@lru_cache(maxsize=64)
def _programs(roots: tuple[str, ...]) -> tuple[str, ...]:
    # PATH is what it was at the start, so this is looked up once for a workspace; of whose own programs none counts.
    may_be_written(map(Path, roots))
    return tuple(map(str, path_folders_inside(map(Path, roots))))


def _path(path: str, disk: Disk, *, follows: bool) -> PathFact:
    here = disk.status(path)
    link = here is not None and stat.S_ISLNK(here.st_mode)
    real = disk.real(path)
    target = _led_to(real) if link else here
    unclear = follows and _unclear(path, real, disk)
    if target is None:
        return PathFact(real=real, is_symlink=link, unclear=unclear)
    kind: Kind = "file" if stat.S_ISREG(target.st_mode) else "folder" if stat.S_ISDIR(target.st_mode) else "other"
    links = target.st_nlink if kind == "file" else 0
    return PathFact(real=real, kind=kind, is_symlink=link, links=links, unclear=unclear)


def _led_to(path: str) -> os.stat_result | None:
    """What stands at `path`, to which a link leads; None where nothing does. Raises `OSError` where nobody can tell."""
    try:
        return os.stat(path)  # noqa: PTH116 - names may hold any bytes
    except (FileNotFoundError, NotADirectoryError):
        return None


def _link(path: str) -> PathFact | None:
    """A link itself, by where it is and not by where it leads: moved or deleted, it goes alone. None if it is none."""
    folder, name = posixpath.split(path)
    if name in ("", ".", "..") or not posixpath.islink(path):
        return None
    return PathFact(real=posixpath.join(realpath(folder), name), kind="other", is_symlink=True)


def _unclear(path: str, real: str, disk: Disk) -> bool:
    """`cd a/..` goes by the spelling, the kernel by the links: do they end in different folders?"""
    return ".." in path and disk.real(posixpath.normpath(path)) != real


def _pattern(key: str, budget: Budget) -> PathFact:
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
                raise Spent
            found.append(path)
            odd = odd or not whole
            kind = kind if plain else "other"
    except Spent:
        return PathFact(real=base, kind="folder", matches=None)
    return PathFact(real=base, kind=kind, matches=tuple(found), option=option, odd=odd)


def _walk(folder: str, parts: list[str], budget: Budget, *, whole: bool = True) -> Iterator[tuple[str, bool, bool]]:
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
            plain = entry.is_file() or entry.is_dir() or not posixpath.exists(path)
            yield from (
                (one, plain, unsplit) for one in dict.fromkeys((path, entry.path))
            )  # a link by its own name too
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


def _standing(key: str, paths: Mapping[str, PathFact]) -> tuple[str, ...] | None:
    """The paths that `key` stands for: itself, or what a pattern matches, None where that cannot be told."""
    if not _GLOB.search(key):
        return (key,)
    fact = paths.get(key)
    return fact.matches if fact else None
