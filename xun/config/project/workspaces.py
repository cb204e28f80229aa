"""The packages in which a script of package.json may run scripts of theirs: those that it names, or the workspace's."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from xun.config.project.place import Place, UnpinnedError
from xun.config.project.place import join as _join
from xun.config.project.scripts import chain, mentioned, named
from xun.policy.tables.programs import word_set

# They name programs that a package manager loads or runs with each script.
CONFIGURATION = (".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml", "bunfig.toml")
_PACKAGE = "package.json"
_TASKS = ("turbo.json", "nx.json", "lerna.json", "lage.config.js", "project.json")  # of what runs them in packages
_BESIDE = frozenset((*CONFIGURATION, *_TASKS))
_MOST_PACKAGES = 200
_MOST_FOLDERS = 1000  # that a pattern is looked for in
# Options and programs that run scripts in packages which they do not name by a folder.
_ALL = re.compile(
    r"(?<![\w-])(?:-[wrF]\S*|--(?:w|wo|wor|work[\w-]*|ws|rec\w*|fil[\w-]*|inc(?:l[\w-]*)?)(?:=\S*)?|workspaces?|foreach|"
    r"(?:pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:m|multi|recursive)|npm_config_w\w*|"
    r"turbo|lerna|nx|lage|rush|moon|wsrun|ultra|bolt|wireit)(?![\w-])"
)
_SETTING = re.compile(
    r"^\s*(?:workspaces?|ws|include-workspace-root|recursive|filter)\b(?!\s*=\s*(?:false|0)\s*$)", re.MULTILINE
)
# What package.json says to no program that a script runs: what is installed, and what people and registries read.
_TOLD_TO_NOBODY = word_set(
    "name version description keywords homepage bugs license licenses author contributors funding files repository "
    "private engines os cpu publishConfig scripts dependencies devDependencies peerDependencies peerDependenciesMeta "
    "optionalDependencies bundleDependencies bundledDependencies types typings sideEffects man maintainers icon "
    "displayName"
)
_INTO = re.compile(r"(?<![\w./-])(?:(?:cd|pushd)\s+|-C\s*|--(?:prefix|cwd|dir)(?:\s+|=))([^\s;&|)]*)")
_WORD = re.compile(r"[\w./@-]+")


def json_object(text: str | None) -> Mapping[str, Any]:
    """What `text` holds, empty for what is no JSON object."""
    try:
        data = json.loads(text or "")
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def texts_of(table: object) -> Mapping[str, str]:
    """The entries of a table that are texts."""
    if not isinstance(table, dict):
        return {}
    return {name: text for name, text in table.items() if isinstance(text, str)}


def tables(data: Mapping[str, Any]) -> str:
    """What a package.json says beside its scripts to the programs that these run, such as jest or lint-staged."""
    return json.dumps({name: data[name] for name in data.keys() - _TOLD_TO_NOBODY}, sort_keys=True)


def uses_data(texts: Iterable[str]) -> bool:
    """May scripts run what stands elsewhere in package.json, such as `$npm_package_config_x`?"""
    return any("$" in text or "npm_" in text or _PACKAGE in text for text in texts)


@dataclass(slots=True)
class _Other:
    """Another package: its `scripts`, what of them is `pinned`, with which `files`, and what they `reach` in turn."""

    scripts: Mapping[str, str]
    pinned: str
    files: set[str]
    reach: _Reach


@dataclass(slots=True)
class _Reach:
    """The folders of `packages` that some scripts may run in, of them all of the workspace with `every`.

    `without` are folders that they go to and that hold no package.json.
    """

    packages: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    every: bool = False


@dataclass(slots=True)
class Workspace:
    """The other packages that scripts of the one in `place` may run in. Each is read once.

    Every method raises `UnpinnedError` for what cannot be read or told.
    """

    place: Place
    _packages: tuple[str, ...] | None = None
    _others: dict[str, _Other | None] = field(default_factory=dict)

    def packages(self) -> tuple[str, ...]:
        """All of the workspaces that the package lies in, or is the root of: their folders from that of `place`."""
        if self._packages is None:
            self._packages = tuple(dict.fromkeys(self._found()))
        return self._packages

    def files(self) -> set[str]:
        """The files that say to some program what it is to run in them."""
        return set(self.place.upwards(*_TASKS))

    def other(self, folder: str) -> _Other | None:
        """The package in `folder`, None where that is the one in `place` by another name."""
        if folder not in self._others:
            self._others[folder] = None if self._own(folder) else self._read(folder)
        return self._others[folder]

    def _read(self, folder: str) -> _Other:
        text = self.place.text(_join(folder, _PACKAGE))
        data = json_object(text)
        scripts = texts_of(data.get("scripts"))
        files = {_join(folder, name) for name in _names(self.place.folder / folder) if name in _BESIDE}
        pinned = json.dumps([scripts, tables(data), text if uses_data(scripts.values()) else ""], sort_keys=True)
        return _Other(scripts, pinned, files, self.reached(folder, scripts.values()))

    def _own(self, folder: str) -> bool:
        return os.path.realpath(self.place.folder / folder) == str(self.place.folder)

    def reached(self, folder: str, texts: Iterable[str]) -> _Reach:
        """What scripts of the package in `folder` may run in."""
        found = _Reach()
        for text in texts:
            for into in _INTO.finditer(text):
                self._enter(folder, into[1], found)
            words = (word.rstrip("/") for word in _WORD.findall(text) if word.strip("."))
            found.packages += [there for word in words if self._holds(there := _join(folder, word))]
            found.every |= _ALL.search(text) is not None
        found.every |= self._by_setting()
        return found

    def _by_setting(self) -> bool:
        """Does a setting have every script run in other packages too?"""
        return any(_SETTING.search(self.place.text(name) or "") for name in self.place.upwards(".npmrc"))

    def _holds(self, folder: str) -> bool:
        return self.place.has(_join(folder, _PACKAGE))

    def _enter(self, folder: str, word: str, found: _Reach) -> None:
        """A script goes to the folder `word`: a package manager takes the nearest package.json there or above."""
        if word[:1] in ("'", '"') and word[-1:] == word[:1]:
            word = word[1:-1]
        elif word[:1] not in ("'", '"'):
            word = word.rstrip("\"'\\")  # the end of a text in quotes
        if not _WORD.fullmatch(word):
            raise UnpinnedError(f"{_PACKAGE} goes to a folder that only a shell can tell: {word or 'nothing'}")
        there = _join(folder, word)
        for _ in self.place.folder.parts:
            if self._holds(there):
                found.packages.append(there)
                return
            if self._own(there):
                return
            found.without.append(there)
            there = _join(there, "..")

    def _found(self) -> Iterator[str]:
        for name in self.place.upwards(_PACKAGE):
            above = name.removesuffix(_PACKAGE)
            if self.place.has(name):
                yield above or "."
            for pattern in self._patterns(above):
                parts = [part for part in pattern.split("/") if part not in ("", ".")]
                yield from self._matching(above.rstrip("/"), parts, [_MOST_FOLDERS])

    def _patterns(self, above: str) -> Iterator[str]:
        package, lerna = (json_object(self.place.text(f"{above}{name}")) for name in (_PACKAGE, "lerna.json"))
        spaces = package.get("workspaces")
        if isinstance(spaces, dict):
            spaces = spaces.get("packages")
        for patterns in (spaces, lerna.get("packages")):
            if isinstance(patterns, list):
                yield from (one for one in patterns if isinstance(one, str) and not one.startswith("!"))
        yaml = self.place.text(f"{above}pnpm-workspace.yaml") or ""
        yield from re.findall(r"^\s*-\s*['\"]?([^'\"#!\s][^'\"#\s]*)", yaml, re.MULTILINE)
        for row in re.findall(r"\[([^\]]*)\]", yaml):
            yield from (part.strip(" \n'\"") for part in row.split(","))

    def _matching(self, folder: str, parts: list[str], left: list[int]) -> Iterator[str]:
        """The packages that a pattern means, and more where it is one that only its program understands."""
        left[0] -= 1
        if left[0] < 0:
            raise UnpinnedError(f"its workspace is looked for in more than {_MOST_FOLDERS} folders")
        if not parts:
            if self.place.has(_join(folder, _PACKAGE)):
                yield folder or "."
            return
        first, *rest = parts
        if _WORD.fullmatch(first):
            yield from self._matching(_join(folder, first), rest, left)
            return
        if first == "**":
            yield from self._matching(folder, rest, left)
        for name in self._folders(folder):
            if first == "**":
                yield from self._matching(_join(folder, name), parts, left)
            elif set(first) & set("{}()[]!@+") or fnmatchcase(name, first):
                yield from self._matching(_join(folder, name), rest, left)

    def _folders(self, folder: str) -> list[str]:
        try:
            with os.scandir(self.place.folder / folder) as items:
                names = [item.name for item in items if item.is_dir()]
        except OSError:
            return []
        return sorted(name for name in names if not name.startswith(".") and name != "node_modules")


@dataclass(slots=True)
class Elsewhere:
    """What else defines the scripts `texts` of the package in the place of `workspace`.

    `pinned` holds for each other package what its scripts are, `files` more files, by their names from the folder of
    the package, `read` all of the scripts with the folders they run in. `shown` are the scripts of other packages that
    the texts name. With `every` they run in all packages.
    """

    workspace: Workspace
    texts: list[str]
    every: bool = False
    pinned: dict[str, str] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    read: list[tuple[str, str]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    _queue: list[str] = field(default_factory=list)

    def follow(self) -> None:
        """Find all of it. Raises `UnpinnedError` for what cannot be read or told."""
        words = {word for text in self.texts for word in _WORD.findall(text)}
        self.read += [("", text) for text in self.texts]
        self._go(self.workspace.reached("", self.texts))
        self._go(_Reach(every=self.every))
        while self._queue:
            folder = self._queue.pop(0)
            other = self.workspace.other(folder)
            if folder in self.pinned or other is None:
                continue
            if len(self.pinned) >= _MOST_PACKAGES:
                raise UnpinnedError(f"its scripts may run in more than {_MOST_PACKAGES} packages")
            self.pinned[folder] = other.pinned
            self.files |= other.files
            self.read += [(folder, text) for text in other.scripts.values()]
            self.shown += [f"{folder}: {name}: {text}" for name, text in other.scripts.items() if name in words]
            self._go(other.reach)

    def _go(self, reach: _Reach) -> None:
        self.pinned |= dict.fromkeys(reach.without, "none")
        self._queue += reach.packages
        if reach.every:
            self._queue += self.workspace.packages()
            self.files |= self.workspace.files()


@dataclass(slots=True)
class Package:
    """What `text` runs of the package in a folder below or above `place`, by names from there."""

    pinned: str
    files: list[str]
    read: list[tuple[str, str]]
    tables: str


def package(place: Place, folder: str, text: str) -> Package:
    """The scripts of the package in `folder` that `text` may run. Raises `UnpinnedError` for what cannot be told."""
    inner = Place(Path(place.same(folder)), place.top)
    data = json_object(inner.text(_PACKAGE))
    scripts = texts_of(data.get("scripts"))
    names = [*named(f"npm {text}", scripts), *mentioned(tables(data), scripts)]
    texts = [scripts[one] for one in chain(names, scripts)]
    other = Elsewhere(Workspace(inner), texts, every=_ALL.search(text) is not None)
    other.follow()
    whole = inner.text(_PACKAGE) if uses_data(texts) else ""
    pinned = json.dumps([texts, tables(data), sorted(other.pinned.items()), whole], sort_keys=True)
    files = [_join(folder, name) for name in (*inner.upwards(*CONFIGURATION), *other.files)]
    read = [(_join(folder, into).rstrip("/"), text) for into, text in other.read]
    return Package(pinned, files, read, tables(data))


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - of hundreds of folders, and only their names are wanted
    except OSError:
        return []
