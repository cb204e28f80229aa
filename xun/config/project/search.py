"""Finding a project's own commands, in its folder and in those that lie not far below."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from xun.config.project import builders, node, python, recipes
from xun.config.project.command import Definition, ProjectCommand
from xun.config.project.place import SKIPPED, Place, UnpinnedError
from xun.policy.entries import PolicyError, check_allowed
from xun.policy.tables.programs import word_set

Finder = Callable[[Place], Iterator[Definition]]
# Each with the programs that its commands begin with.
_FINDERS: tuple[tuple[Finder, frozenset[str]], ...] = (
    (node.package_json, word_set("npm pnpm yarn bun")),
    (node.deno_json, word_set("deno")),
    (node.composer_json, word_set("composer")),
    (recipes.makefile, word_set("make")),
    (recipes.justfile, word_set("just")),
    (recipes.taskfile, word_set("task")),
    (recipes.rakefile, word_set("rake bundle")),
    (python.tox, word_set("tox")),
    (python.nox, word_set("nox")),
    (python.tasks, word_set("poe pdm hatch")),
    (python.managed_pytest, word_set("uv poetry pdm")),
    (builders.cargo, word_set("cargo")),
    (builders.go, word_set("go golangci-lint")),
    (builders.mix, word_set("mix")),
    (builders.gradle, word_set("gradle ./gradlew")),
    (builders.maven, word_set("mvn ./mvnw")),
    (builders.cmake, word_set("cmake ctest")),
)
_DEPTH = 2  # folders below the project's own
_FOLDERS = 100  # that are looked into
MOST = 60  # commands


def project_commands(top: Path) -> tuple[ProjectCommand, ...]:
    """The test, build and lint commands of the project in `top`, its own first; at most `MOST`.

    Reads files, runs nothing, never raises. What a link leads to is left out where it lies outside `top`.
    """
    top = Path(os.path.realpath(top))
    found: list[ProjectCommand] = []
    for folder in _folders(top):
        found += commands_in(folder, top)
        if len(found) >= MOST:
            break
    return tuple(found[:MOST])


@dataclass(frozen=True, slots=True)
class Found:
    """The commands that are to be run in one folder, and why others, by their program, cannot be told."""

    commands: tuple[ProjectCommand, ...]
    unpinned: Mapping[str, str]

    def why_not(self, command: str) -> str | None:
        """Why `command`, which is none of `commands`, cannot be told; None where no file of the project defines it."""
        return self.unpinned.get(command) or self.unpinned.get(command.split()[0])


def commands_in(folder: Path, top: Path) -> tuple[ProjectCommand, ...]:
    """Those that are to be run in `folder` itself."""
    return search(folder, top).commands


def search(folder: Path, top: Path, only: Collection[str] | None = None) -> Found:
    """The same, with what cannot be told; of the commands in `only` alone where that is given."""
    place = Place(folder, top)
    found: dict[str, ProjectCommand] = {}
    unpinned: dict[str, str] = {}
    for finder, begin in _FINDERS:
        if only is not None and begin.isdisjoint(command.split()[0] for command in only):
            continue
        try:
            for definition in finder(place):
                if len(found) >= MOST:
                    break
                if only is not None and definition.command not in only:
                    continue
                if definition.command not in found and all(map(_may_be_allowed, definition.spellings)):
                    _pin(definition, found, unpinned)
        except UnpinnedError as error:
            unpinned |= dict.fromkeys(begin, str(error))
        except RecursionError:  # tables or lists without end in each other
            continue
    return Found(tuple(found.values()), unpinned)


def _pin(definition: Definition, found: dict[str, ProjectCommand], unpinned: dict[str, str]) -> None:
    try:
        found[definition.command] = definition.pinned()
    except UnpinnedError as error:
        unpinned.setdefault(definition.command, str(error))


def _may_be_allowed(spelling: str) -> bool:
    try:
        check_allowed(spelling)
    except PolicyError:
        return False  # such as a program that runs whatever stands behind it
    return True


def _folders(top: Path) -> Iterator[Path]:
    """`top` and the folders below it, nearest first."""
    level, left = [top], _FOLDERS
    for _ in range(_DEPTH + 1):
        following: list[Path] = []
        for folder in level:
            if left == 0:
                return
            left -= 1
            yield folder
            following += _below(folder)
        level = following


def _below(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as items:
            names = [item.name for item in items if item.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if not name.startswith(".") and name not in SKIPPED]
