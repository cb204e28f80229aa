"""Policy files: the person's own, those that `--policy` names, and a project's. Each is read whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from xun.config.paths import Paths
from xun.config.toml import ConfigError, decode, key_lines, line_of, parse, read_text
from xun.config.trust import ProjectFile, Trust
from xun.policy.file import PolicyFile, read_policy
from xun.policy.project import below_the_person


def load_policy(path: Path) -> PolicyFile:
    """What the policy file at `path` says; nothing where there is no such file.

    Raises `ConfigError`, one line a mistake, for a file that cannot be read or used: no part of it is in force then.
    """
    return parse_policy(read_text(path) or "", path)


def parse_project(file: ProjectFile) -> PolicyFile:
    """What a project's policy file says, without what no project may say (`ignored`). Raises `ConfigError`."""
    folder = file.path.parent.parent
    return below_the_person(parse_policy(decode(file.content, str(file.path)), file.path), str(folder))


def policy_files(paths: Paths, given: Sequence[Path] = (), trust: Trust | None = None) -> tuple[PolicyFile, ...]:
    """The files that `--policy` names, the person's own, and the project's where it is trusted: in that order.

    Raises `ConfigError` for one that is missing or unusable.
    """
    for path in given:
        if not path.exists():
            raise ConfigError(f"--policy {path}: there is no such file")
    projects = (parse_project(file) for file in trust.usable if file.kind == "policy") if trust is not None else ()
    return (*(load_policy(path) for path in (*given, paths.policy_file)), *projects)


def parse_policy(text: str, path: Path) -> PolicyFile:
    """What `text` of the policy file at `path` says. Raises `ConfigError`."""
    where = str(path)
    data = parse(text, where)
    lines = key_lines(text) if data else {}

    def place(key: Sequence[str | int]) -> str:
        line = line_of(lines, key)
        return f"{where}:{line}" if line else where

    found = read_policy(data, place, os.path.expanduser("~"))  # noqa: PTH111 - it never raises, even without a home
    if found.mistakes:
        raise ConfigError(*found.mistakes)
    return found
