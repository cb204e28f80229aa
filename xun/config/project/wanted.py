"""Which tasks of a project are offered, by their names, and how the lines of one are found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.tables.programs import word_set

_LONGEST_NAME = 60  # of a task
# Which tasks of a project are offered: those that test, build or check it, and none that publishes, starts or repairs.
_WANTED = re.compile(
    r"(tests?|unit|e2e|spec|checks?|lint(er|ing)?|build|compile|type-?checks?|types|tsc|verify|vet|clippy|mypy|"
    r"pytest|rspec|eslint|ruff|style|quality|coverage|format-check|fmt-check|check-(format|fmt|style|types))"
)
_UNWANTED = word_set("watch fix write update publish release deploy push upload start serve dev clean install debug")


def wanted(name: str) -> bool:
    """Is a task of this name one that tests, builds or checks?"""
    if len(name) > _LONGEST_NAME:
        return False
    parts = re.split(r"[:._/-]+", name.lower())
    if not re.fullmatch(r"[A-Za-z0-9_][\w:./-]*", name) or not _UNWANTED.isdisjoint(parts):
        return False
    return any(_WANTED.fullmatch(part) for part in (name.lower(), parts[0], parts[-1]))


def indented(lines: Sequence[str], at: int, indent: str) -> list[str]:
    """The lines from `at` on that begin with `indent`, up to the first that does not; blanks and comments aside."""
    found = []
    for line in lines[at:]:
        if line.strip() and not line.startswith(indent) and not line.lstrip().startswith("#"):
            break
        if line.startswith(indent) and line.strip():
            found.append(line.strip())
    return found
