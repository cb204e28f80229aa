"""What a git command shows of git's settings, of which some hold a password or token."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xun.policy.commands.git import split_globals
from xun.policy.commands.spec import Refused
from xun.policy.tables.programs import base_name, word_set
from xun.policy.text.words import Arg

PERSON = "~"
"""The place of the person's own settings, beside the folders of repositories."""
HIDDEN = "…"
"""Stands in the name of a setting for a secret in it."""

_COMMANDS = word_set("config var remote ls-remote request-pull submodule")
_SEVERAL = word_set("-l --list list --get-regexp --regexp --get-urlmatch --url")
_ACTS = word_set("get set unset edit rename-section remove-section")
_PLAIN_PATTERN = re.compile(r"\^?[\w.-]+\$?")
_TAKES_VALUE = word_set(
    "-f --file --blob --type --default --comment --value -o --server-option --sort --upload-pack --exec"
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that a git command shows: those whose names fit `names`. `steps` are the folders it enters first.

    `values` says that it shows what they are set to, and `person` that the person's own are among them.
    """

    names: re.Pattern[str]
    steps: tuple[str, ...] = ()
    values: bool = True
    person: bool = True

    def among(self, names: Iterable[str]) -> str | None:
        """The first of the settings with secrets by which this one shows a secret."""
        fit = (name for name in names if self.names.fullmatch(name.lower()))
        return next((name for name in fit if self.values or HIDDEN in name), None)


_EVERY = re.compile(r".*", re.DOTALL)
_ADDRESSES = re.compile(r"(?:remote|url)\..*", re.DOTALL)


def settings_shown(args: Sequence[Arg]) -> Settings | None:
    """What of git's settings a command shows, None where that is nothing."""
    if not args[0].text.endswith("git") or base_name(args[0].text) != "git":
        return None
    try:
        at, entered = split_globals(args[1:])
        steps = tuple(use.arg.pattern for use in entered)
        rest = args[at + 1 :]
    except Refused:  # options that are not known to be harmless may stand before the command
        start = next((at for at, arg in enumerate(args) if arg.text in _COMMANDS), len(args))
        steps, rest = tuple(_entered(args[1:start])), args[start:]
    name, rest = (rest[0].text, rest[1:]) if rest else ("", ())
    if name == "config":
        return _config(rest, steps)
    names = _by_command(name, rest)
    return Settings(names, steps) if names else None


def _entered(args: Sequence[Arg]) -> Iterator[str]:
    """The folders that options before the command lead to, where repositories are or their own folders."""
    for at, arg in enumerate(args):
        if arg.text.startswith("--git-dir="):
            yield arg.pattern.partition("=")[2]
        elif arg.text in ("-C", "--git-dir") and at + 1 < len(args):
            yield args[at + 1].pattern


def _by_command(name: str, args: Sequence[Arg]) -> re.Pattern[str] | None:
    """The names of the settings that a command other than `git config` shows."""
    words = [arg.text for arg in args]
    operands = [arg.text for arg in _operands(args)]
    act = operands[0] if operands else ""
    match name:
        case "var":
            return _EVERY if "-l" in words else None
        case "submodule":
            return _EVERY if act in ("init", "update", "add") else None
        case "remote" if not _told(args) or not {"-v", "--verbose"}.isdisjoint(words):
            return _ADDRESSES
        case "remote":
            named = f"remote\\.{re.escape(operands[1].lower())}\\..*|url\\..*" if len(operands) == 2 else ".*"
            return re.compile(named, re.DOTALL) if act in ("show", "get-url") else None
        case "ls-remote":
            quiet = operands or "-q" in words or "--quiet" in words
            return _ADDRESSES if "--get-url" in words or not quiet else None
        case "request-pull":
            return _ADDRESSES
    return None


def _config(args: Sequence[Arg], steps: tuple[str, ...]) -> Settings:
    words = [arg.text for arg in args]
    own = not {"--local", "--worktree"}.isdisjoint(words)
    values = "--name-only" not in words
    operands = [arg for arg in _operands(args) if arg.text not in _ACTS]
    if not _told(args) or not _SEVERAL.isdisjoint(words):
        patterns = [arg.text for arg in operands if arg.text != "list"]
        regexp = not {"--get-regexp", "--regexp"}.isdisjoint(words)
        plain = regexp and len(patterns) == 1 and _PLAIN_PATTERN.fullmatch(patterns[0]) is not None
        names = re.compile(f"(?=.*(?:{patterns[0].lower()})).*", re.DOTALL) if plain and _told(args) else _EVERY
        return Settings(names, steps, values, not own)
    named = "|".join(re.escape(arg.text.lower()) for arg in operands)
    return Settings(re.compile(named), steps, values, not own)


def _told(args: Sequence[Arg]) -> bool:
    return all(arg.known and not arg.glob for arg in args)


def _operands(args: Sequence[Arg]) -> list[Arg]:
    found: list[Arg] = []
    for at, arg in enumerate(args):
        if not arg.text.startswith("-") and not (at and args[at - 1].text in _TAKES_VALUE):
            found.append(arg)
    return found
