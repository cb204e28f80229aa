"""Commands that write files which they do not name: in the folders that they are given, or wherever git has some.

What of these a rule denies is not known from the words alone, so that such a rule makes them hard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xun.policy.reach.written import edits
from xun.policy.tables.programs import base_name, git_command_at, word_set
from xun.policy.text.words import Arg

_HERE = (Arg("."),)
# Those among the editors of single files that go through folders.
_WALKING = word_set("ruff prettier eslint stylelint biome gofmt goimports shfmt autopep8 yapf black isort autoflake")
# Formatters and linters that go through folders: by their own words alone, or with an option or word that says so.
_GOING: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "cargo": r"fmt|fix|--fix",
        "go": r"fmt|fix|generate",
        "dart": r"format|fix",
        "deno": r"fmt|--fix",
        "mix": r"format",
        "terraform": r"fmt",
        "tofu": r"fmt",
        "dprint": r"fmt",
        "taplo": r"fmt|format",
        "rubocop": r"-[aAx]|--auto-?correct(?:-all)?|--fix-layout",
        "standardrb": r"--fix(?:-unsafely)?",
        "standard": r"--fix",
        "xo": r"--fix",
        "oxlint": r"--fix.*",
        "tslint": r"--fix",
        "markdownlint": r"--fix|-f",
        "markdownlint-cli2": r"--fix",
        "swiftlint": r"--fix|--autocorrect|autocorrect",
        "swiftformat": r"(?s:.*)",
        "php-cs-fixer": r"fix",
        "phpcbf": r"(?s:.*)",
        "pint": r"(?s:.*)",
        "sqlfluff": r"fix|format",
        "djlint": r"--reformat",
        "codespell": r"-[A-Za-z]*w[A-Za-z]*|--write-changes",
        "typos": r"-[A-Za-z]*w[A-Za-z]*|--write-changes",
        "buf": r"-w|--write",
        "ktlint": r"-F|--format",
        "clang-tidy": r"--?fix.*",
        "pre-commit": r"run|try-repo",
        "lint-staged": r"(?s:.*)",
        "nbqa": r"(?s:.*)",
        "docformatter": r"-[A-Za-z]*i[A-Za-z]*|--in-place",
    }.items()
}
# Of these the operands are no folders, but choose what is run.
_EVERYWHERE = word_set("cargo mix pre-commit lint-staged nbqa")
_SUBCOMMANDS = word_set("fmt fix format check lint ci generate clippy test run try-repo autocorrect")
_ONLY_CHECKS = word_set("--check --check-only --dry-run --diff --list-different --lint --test -check --verify -l -d -n")
_PATTERN = re.compile(r"[*?\[{\ue000-\ue004]|\.\.\.")
# They change what is at the names that they are given, in place.
_IN_PLACE = word_set("touch mv chmod chown chgrp chattr tee truncate")
# What git puts into the work tree from elsewhere, without naming it.
_GIT_WRITES = word_set(
    "pull merge rebase cherry-pick revert am apply stash checkout switch restore reset clean read-tree checkout-index "
    "bisect sparse-checkout subtree"
)
_STASH_KEEPS = word_set("list show drop clear create store")
_ONLY_TELLS = word_set("--check --stat --numstat --summary --help -h --dry-run")
_RESETS = word_set("--hard --merge --keep")
_VALUED = word_set("-m --message -s --source --conflict --pathspec-from-file -b -c --create --orphan -U --strategy -X")
_FILE = re.compile(r"[^:^~@{]*[\w-]\.[A-Za-z]\w{0,4}")


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Where a command writes files that it does not name: anywhere in what git keeps (`whole`), or in `places`."""

    whole: bool = False
    places: tuple[Arg, ...] = ()


def rewriting(view: Sequence[Arg]) -> Rewriting | None:
    """Where a command writes files that it does not name. None where it is not known to."""
    name = base_name(view[0].text)
    if name == "python" and len(view) > 2 and view[1].text == "-m":
        view = view[2:]
        name = view[0].text
    if name == "git":
        return _by_git(view[1:])
    going = _GOING.get(name)
    if going is None and name not in _WALKING:
        return None
    words = [arg.text for arg in view[1:]]
    goes = any(map(going.fullmatch, words or [""])) if going else edits(view)
    if not goes or not _ONLY_CHECKS.isdisjoint(words):
        return None
    operands = [arg for arg in view[1:] if not arg.text.startswith("-") and arg.text not in _SUBCOMMANDS]
    named = tuple(map(_start, operands)) if name not in _EVERYWHERE else ()
    return Rewriting(places=named or _HERE)


def in_place(view: Sequence[Arg]) -> bool:
    """Does a command change the files whose names it is given?"""
    return base_name(view[0].text) in _IN_PLACE or edits(view)


def _start(arg: Arg) -> Arg:
    """The folder that a pattern of the program starts in."""
    mark = _PATTERN.search(arg.pattern)
    return Arg(arg.pattern[: mark.start()].rpartition("/")[0] or ".", arg.known) if mark else arg


def _by_git(args: Sequence[Arg]) -> Rewriting | None:
    at = git_command_at([arg.text for arg in args])
    name = args[at].text if at < len(args) else ""
    rest = args[at + 1 :]
    words = [arg.text for arg in rest]
    if name not in _GIT_WRITES or not _ONLY_TELLS.isdisjoint(words):
        return None
    operands = _operands(rest)
    match name:
        case "reset" if _RESETS.isdisjoint(words):
            return None
        case "clean" if any(re.fullmatch(r"-[a-z]*n[a-z]*", word) for word in words):
            return None
        case "stash" if operands and operands[0].text in _STASH_KEEPS:
            return None
        case "apply" if "--cached" in words:
            return None
        case "checkout" | "switch" if not operands and any(
            word in ("-b", "-c", "--create", "--orphan") for word in words
        ):
            return None  # it makes a branch of what is there
    limits = _limits(name, rest, operands)
    return Rewriting(places=limits) if limits else Rewriting(whole=True)


def from_index(view: Sequence[Arg]) -> bool:
    """Is it git, told to bring back paths as they were staged or committed last?"""
    args = view[1:]
    at = git_command_at([arg.text for arg in args])
    if base_name(view[0].text) != "git" or at >= len(args):
        return False
    words = [arg.text for arg in args[at + 1 :]]
    if args[at].text == "restore":
        return not any(re.fullmatch(r"--s.*|-[A-Za-z]*[sp].*", word) for word in words)
    # Without the dashes a word may name a branch.
    before = words[: words.index("--")] if "--" in words else ["?"]
    return args[at].text == "checkout" and set(before) <= {"-q", "--quiet"}


def _limits(name: str, rest: Sequence[Arg], operands: Sequence[Arg]) -> tuple[Arg, ...]:
    """The paths that limit what a git command writes; none where that is everything."""
    if not all(arg.known for arg in rest) or any(arg.text.startswith("--pathspec-from-file") for arg in rest):
        return ()
    at = next((at for at, arg in enumerate(rest) if arg.text == "--"), len(rest))
    found = tuple(rest[at + 1 :])
    if name in ("restore", "clean") or (name == "checkout" and not found and all(map(_is_file, operands))):
        found = (*operands, *found)
    elif name not in ("checkout", "stash"):
        return ()
    return () if any(arg.text.startswith(":") or _PATTERN.search(arg.pattern) for arg in found) else found


def _is_file(arg: Arg) -> bool:
    """Does what is checked out look like a file, as names of branches do not?"""
    return _FILE.fullmatch(arg.text) is not None


def _operands(args: Sequence[Arg]) -> list[Arg]:
    """The words before `--` that are no options nor values of some."""
    end = next((at for at, arg in enumerate(args) if arg.text == "--"), len(args))
    return [
        arg
        for at, arg in enumerate(args[:end])
        if not arg.text.startswith("-") and not (at and args[at - 1].text in _VALUED)
    ]
