"""Finding a project's own commands, in its folder and in those that lie not far below."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from xun.config.project import builders, node, python, recipes
from xun.config.project.command import Place, ProjectCommand, UnpinnedError
from xun.policy.entries import PolicyError, check_allowed
from xun.policy.programs import word_set

Finder = Callable[[Place], Iterator[ProjectCommand]]
_FINDERS: tuple[Finder, ...] = (
    node.package_json, node.deno_json, node.composer_json,
    recipes.makefile, recipes.justfile, recipes.taskfile, recipes.rakefile,
    python.python_project,
    builders.cargo, builders.go, builders.mix, builders.gradle, builders.maven, builders.cmake,
)  # fmt: skip
_SKIPPED = word_set(
    "node_modules vendor target dist build out venv env site-packages __pycache__ coverage tmp third_party deps"
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


def commands_in(folder: Path, top: Path) -> tuple[ProjectCommand, ...]:
    """Those that are to be run in `folder` itself."""
    place = Place(folder, top)
    found: dict[str, ProjectCommand] = {}
    for finder in _FINDERS:
        try:
            for command in finder(place):
                if all(map(_may_be_allowed, command.spellings)):
                    found.setdefault(command.command, command)
                if len(found) >= MOST:
                    break
        except (UnpinnedError, RecursionError):  # tables or lists without end in each other
            continue
    return tuple(found.values())


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
    return [folder / name for name in sorted(names) if not name.startswith(".") and name not in _SKIPPED]
