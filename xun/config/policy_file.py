"""The person's `policy.toml`: read whole or not at all, and added to without touching what stands there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from xun.config.paths import alone, private_folder, write_private
from xun.config.toml import ConfigError, key_lines, line_of, parse, read_text
from xun.policy.file import PolicyFile, missing, read_policy, texts_of
from xun.policy.rules import Rule

_FIRST_LINE = "# Your rules for xun, in every folder. `xun policy check COMMAND` says what they make of a command.\n"


def load_policy(path: Path) -> PolicyFile:
    """What the policy file at `path` says; nothing where there is no such file.

    Raises `ConfigError`, one line a mistake, for a file that cannot be read or used: no part of it is in force then.
    """
    return _parsed(read_text(path) or "", path)


def _parsed(text: str, path: Path) -> PolicyFile:
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


def append_rules(path: Path, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Add those of `rules` that the file does not cover yet, at its end, and return them. All else stays as it is.

    The file is replaced at once, is its owner's alone, and is made where it is missing. Raises `ConfigError`, and
    leaves it alone, where it has a mistake or cannot be written.
    """
    target = Path(os.path.realpath(path))  # a link to a file kept elsewhere stays a link
    try:
        with alone(private_folder(target.parent)):
            text = read_text(target) or ""
            new = missing(rules, _parsed(text, path).rules)
            if new:
                longer = _longer(text, new)
                _parsed(longer, path)  # such as rules in one inline array, to which no table can be added
                write_private(target, longer.encode())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from error
    return new


def _longer(text: str, rules: Sequence[Rule]) -> str:
    ending = "\r\n" if "\r\n" in text else "\n"
    before = text or _FIRST_LINE
    if not before.endswith("\n"):
        before += ending
    return before + "".join(ending + paragraph.replace("\n", ending) for paragraph in texts_of(rules))
