"""Targets of Makefiles, each pinned to the whole of what make reads for it.

That is the Makefile, what it includes, and the Makefiles of folders in which it may run make again: those that it
goes to, and all that it names. What only make can tell, such as an include by a variable, cannot be pinned, nor a file
that make makes before it reads it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice

from xun.config.project.place import Place, UnpinnedError
from xun.config.project.wanted import indented, wanted

NAMES = ("GNUmakefile", "makefile", "Makefile")
_MOST_FILES = 50
_MOST_TARGETS = 200
_WIDE = 60  # characters of a line that is shown
_LITERAL = re.compile(r"[\w./-]+")
# Of an odd number of backslashes the last one continues the line.
_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")
# A tab counts as a blank: before the first target, and behind some lines after it, make reads such a line as its own.
_INCLUDE = re.compile(r"\s*(?:[-s]?include)(?:\s+(.*)|)")
_LOAD = re.compile(r"\s*-?load\s")
_EVAL = re.compile(r"\$[({]\s*eval\b")
_MADE_TEXT = re.compile(r"\$[({]\s*(?:shell|file|guile)\b")
_INNER_INCLUDE = re.compile(r"(?<![\w./-])(?:[-s]?include|-?load)(?=\s)")
_AGAIN = re.compile(r"(?:\$[({]MAKE[)}]|(?<![\w.-])g?make)(?![\w./:=-])([^;|&]*)")
_OPTION = re.compile(
    r"(?<!\S)(?:-[bBdeikmnpqrRsStw]*(?P<short>[Cf])|--(?P<long>dir|file|makef)[a-z]*[ =])\s*(?P<value>\S*)"
)
_OTHER_LINES = re.compile(r"--eval\b|\bMAKEFILES\b")
_WORDS = re.compile(r"[\w./@+-]+")
_MAKE = re.compile(r"\s*(?:\S*/)?g?make\s*")
_SETS = re.compile(r"(?!\t)[^:#=]*[\w.-]\s*(?::{0,3}|[?+!])=|\s*define\s")
_RULE = re.compile(r"(?!\t)\s*([^\s:=#][^:=#]*?)\s*:(:?)(?![:=])([^;#]*)")
# From which make makes a file by rules of its own.
_SOURCES = ("{}.sh", "{},v", "RCS/{},v", "RCS/{}", "SCCS/s.{}", "s.{}")
_FOLDER = re.compile(r"(?<![\w./-])(?:cd|pushd)\s+(\S+)")


def files_read(place: Place, folder: str, name: str) -> dict[str, str]:
    """What make reads, run in `folder` with the Makefile `name`: the files, each with the folder that make runs in.

    Raises `UnpinnedError` for what cannot be read or told.
    """
    reading = _Reading(place)
    reading.all_from(folder, name)
    return reading.files


def targets(text: str) -> dict[str, list[str]]:
    """The targets of a Makefile that are wanted, each with its recipe."""
    recipes: dict[str, list[str]] = {}
    for target, recipe in islice(_targets(text), _MOST_TARGETS):
        recipes.setdefault(target, []).extend(recipe)  # one may have its parts in several places
    return recipes


@dataclass(slots=True)
class _Reading:
    """What make reads, in the end: `files`, by their names from `place`, each with the folder that make runs in."""

    place: Place
    files: dict[str, str] = field(default_factory=dict)
    _queue: list[tuple[str, str]] = field(default_factory=list)  # folder in which make runs, file
    _seen: set[tuple[str, str]] = field(default_factory=set)
    _made: set[str] = field(default_factory=set)  # the targets that are made anew, and patterns of some
    _others: set[str] = field(default_factory=set)  # names that variables may stand for

    def all_from(self, folder: str, name: str) -> None:
        """Raises `UnpinnedError` for what cannot be read or told."""
        self._queue.append((folder, name))
        while self._queue:
            folder, name = self._queue.pop(0)
            key = (os.path.realpath(self.place.folder / folder), os.path.realpath(self.place.folder / name))
            if key in self._seen:
                continue
            self._seen.add(key)
            if len(self._seen) > _MOST_FILES:
                raise UnpinnedError(f"it takes more than {_MOST_FILES} Makefiles")
            self.files.setdefault(name, folder)
            text = self.place.text(name)
            if text is None:
                raise UnpinnedError(f"{name}, which a Makefile includes, is not there")
            lines = _lines(text)
            self._made.update(_of_rules(folder, lines))
            for line in lines:
                if _SETS.match(line):
                    self._others.update(word.rpartition("/")[2] for word in _WORDS.findall(line))
            self._follow(lines, folder, name)
            self._queue += self._named(lines, folder)
        self._remade()

    def _named(self, lines: list[str], folder: str) -> Iterator[tuple[str, str]]:
        """The Makefiles of folders that the lines name: a shell or a variable may run make there too."""
        words = {word.removeprefix("-C").strip("/") for line in lines for word in _WORDS.findall(line)}
        for word in sorted(words):
            there = os.path.join(folder, word)  # noqa: PTH118 - a name from the folder of the place
            first = self.place.first(*(f"{there}/{one}" for one in NAMES)) if word.strip("./") else None
            if first is not None and self.place.holds(there):
                yield there, first

    def _remade(self) -> None:
        """Is a file that make reads made by it first? Then what it is made from says what runs."""
        variable = any("$" in made for made in self._made)
        patterns = [made for made in self._made if "*" in made or "[" in made]
        for name in tuple(self.files):
            plain, base = os.path.normpath(name), name.rpartition("/")[2]
            if (
                plain in self._made
                or any(fnmatchcase(plain, made) for made in patterns)
                or (variable and base in self._others)
            ):
                raise UnpinnedError(f"{name} is made by make before it is read")
            folder = name.removesuffix(base)
            self.files |= {f"{folder}{source.format(base)}": folder for source in _SOURCES}

    def _follow(self, lines: list[str], folder: str, name: str) -> None:
        evaluates = any(map(_EVAL.search, lines))
        again = any(map(_AGAIN.search, lines))
        for line in lines:
            if again and _OTHER_LINES.search(line):
                raise UnpinnedError(f"{name} gives make more lines than those of its files")
            if _renames(line):
                raise UnpinnedError(f"{name} gives make another name: {line.strip()[:_WIDE]}")
            if _LOAD.match(line):
                raise UnpinnedError(f"{name} loads a library into make")
            if found := _INCLUDE.fullmatch(line):
                self._queue += [(folder, self._from(folder, word, name)) for word in _uncommented(found[1]).split()]
            elif evaluates and (_INNER_INCLUDE.search(line) or (_EVAL.search(line) and _MADE_TEXT.search(line))):
                raise UnpinnedError(f"{name} makes up lines that only make can tell")
            for run in _AGAIN.finditer(line):
                self._run_again(line[: run.start()], run[1], folder, name)

    def _run_again(self, before: str, arguments: str, folder: str, name: str) -> None:
        """Make is run by a recipe, behind `before`: in which folder, and with which file?"""
        for found in _FOLDER.finditer(before):
            folder = self._from(folder, found[1], name)
        files = []
        for found in _OPTION.finditer(arguments):
            if found["short"] == "C" or found["long"] == "dir":
                folder = self._from(folder, found["value"], name)
            else:
                files.append(found["value"])
        if files:
            self._queue += [(folder, self._from(folder, file, name)) for file in files]
            return
        there = [self._from(folder, one, name) for one in NAMES]
        first = self.place.first(*there)
        if first is not None:
            self._queue.append((folder, first))
        else:
            self.files |= dict.fromkeys(there, folder)  # none yet

    def _from(self, folder: str, word: str, name: str) -> str:
        word = word.strip("'\"")
        if not _LITERAL.fullmatch(word):
            raise UnpinnedError(f"{name} takes in what only make can tell: {word or 'nothing'}")
        return os.path.join(folder, word)  # noqa: PTH118 - a name from the folder of the place


def _lines(text: str) -> list[str]:
    """The lines as make puts them together, but for comments of its own. In a recipe `#` means nothing to make."""
    joined = _CONTINUED.sub(r"\1 ", text.replace("\r\n", "\n"))
    return [line for line in joined.split("\n") if not line.startswith("#")]


def _renames(line: str) -> bool:
    """Does a line set a variable that stands for make? What a recipe sets for a command does not count."""
    name, sets, value = line.partition("=")
    if not sets or line.startswith("\t") or "#" in name:
        return False
    return "$(MAKE)" in value or "${MAKE}" in value or _MAKE.fullmatch(value) is not None


def _of_rules(folder: str, lines: list[str]) -> Iterator[str]:
    """What rules make although it is there, by names from the folder of the place; `%` as the pattern that it is.

    A rule without prerequisites makes only what is missing, unless it has two colons or its target is phony.
    """
    for line in lines:
        found = _RULE.match(line)
        if found is None or not (found[2] or found[3].strip()):
            continue
        for target in found[3 if found[1] == ".PHONY" else 1].split():
            yield os.path.normpath(os.path.join(folder, target.replace("[", "[[]").replace("%", "*")))  # noqa: PTH118


def _uncommented(text: str | None) -> str:
    return (text or "").partition("#")[0]


def _targets(text: str) -> Iterator[tuple[str, list[str]]]:
    lines = text.replace("\\\n", " ").splitlines()
    for at, line in enumerate(lines):
        names, colon, rest = line.partition(":")
        rest = rest.removeprefix(":")
        if not colon or line.startswith(("\t", "#")) or rest.startswith("=") or "=" in names:
            continue
        head, semicolon, inline = rest.partition(";")
        needs = head.partition("#")[0].strip()
        if "=" in needs:
            continue  # a variable of that target
        targets = [target for target in names.split() if wanted(target)]
        recipe = indented(lines, at + 1, "\t") if targets else []
        first = [f"first: {needs}"] if needs else []
        for target in targets:
            yield target, [*first, *([inline.strip()] if semicolon else []), *recipe]
