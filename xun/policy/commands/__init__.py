"""Per-program knowledge: which program a command runs, how its arguments are judged, what is on the default list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from xun.policy.commands.archives import ARCHIVES, FIRST_WORDS, listing, lists_archive
from xun.policy.commands.spec import Judge, Refused, Use
from xun.policy.text.words import Arg


@dataclass(frozen=True, slots=True)
class Program:
    """The program of a command: its name in one or more words, and how its arguments are judged.

    `length` counts the arguments up to where the judge begins. `steps` are folders that it enters first (`git -C`).
    `problem` says why the words before that are not harmless. A program without a `judge` has no table.
    """

    name: tuple[str, ...]
    length: int
    judge: Judge | None = None
    steps: tuple[Use, ...] = ()
    problem: Refused | None = None


class _Tables(NamedTuple):
    """The judges by program, and by subcommand; the options by which programs tell their versions."""

    programs: Mapping[str, Judge]
    git: Mapping[str, Judge]
    docker: Mapping[str, Judge]
    versions: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    from xun.policy.commands.awk import AWK
    from xun.policy.commands.binaries import BINARIES
    from xun.policy.commands.builtins import BUILTINS
    from xun.policy.commands.containers import DOCKER
    from xun.policy.commands.git import SUBCOMMANDS
    from xun.policy.commands.readers import READERS
    from xun.policy.commands.search import SEARCH
    from xun.policy.commands.system import SYSTEM, VERSIONS
    from xun.policy.commands.testing import TESTING

    programs = {**SYSTEM, **SEARCH, **READERS, **BUILTINS, **TESTING, **AWK, **ARCHIVES, **BINARIES}
    return _Tables(programs, SUBCOMMANDS, DOCKER, VERSIONS)


_LISTS = ("tar -tf",)  # whatever it is spelled as


@lru_cache(maxsize=1)
def default_commands() -> tuple[str, ...]:
    """The prefixes on the default list: each is a reader, or runs the workspace's own tests, under its table."""
    tables = _tables()
    versions = (f"{name} {word}" for name, words in tables.versions.items() for word in words)
    return (
        *tables.programs,
        *_LISTS,
        *versions,
        *(f"git {one}" for one in tables.git),
        *(f"docker {o}" for o in tables.docker),
    )


def _no_more(rest: Sequence[Arg]) -> list[Use]:
    if rest:
        raise Refused("operand", "it tells its version when that stands alone")
    return []


def find_program(args: Sequence[Arg]) -> Program:
    """Which program `args` runs, by its bare name. A path in the name is looked through only by its last part."""
    tables = _tables()
    words = [arg.text for arg in args[:3]]
    name = words[0].rpartition("/")[2]
    if name == "git":
        return _git(args)
    if name == "docker":
        return _docker(args)
    if name in ("python", "python3") and len(words) > 2 and words[1] == "-m":
        long = f"{name} -m {words[2]}"
        if judge := tables.programs.get(long):
            return Program(tuple(long.split()), 3, judge)
    if len(words) > 1 and words[1] in tables.versions.get(name, ()):
        return Program((name, words[1]), 2, _no_more)
    if name == "tar" and lists_archive(words):
        return Program(("tar", "-tf"), 3, listing(args[2]))
    if len(words) > 1 and name in FIRST_WORDS and (judge := tables.programs.get(f"{name} {words[1]}")):
        return Program((name, words[1]), 2, judge)
    return Program((name,), 1, tables.programs.get(name))


def _docker(args: Sequence[Arg]) -> Program:
    tables = _tables()
    if len(args) > 1 and args[1].text in tables.versions["docker"]:
        return Program(("docker", args[1].text), 2, _no_more)
    words = [arg.text for arg in args[1:3]]
    for count in (2, 1):
        judge = tables.docker.get(" ".join(words[:count]))
        if judge and len(words) >= count:
            return Program(("docker", *words[:count]), count + 1, judge)
    group = words[:1] if words and words[0].isalpha() else []  # what is said not to be on the list
    return Program(("docker", *group), 1 + len(group))


def _git(args: Sequence[Arg]) -> Program:
    from xun.policy.commands.git import split_globals
    from xun.policy.commands.git_help import manual, telling

    try:
        if name := telling([arg.text for arg in args[1:]]):
            return Program(name, len(args), _no_more)
        skipped, steps = split_globals(args[1:])
        at = skipped + 1
        words = [arg.text for arg in args[at : at + 2]]
        if name := telling([arg.text for arg in args[at:]]):
            return Program(name, len(args), _no_more, tuple(steps))
        manual(words)
    except Refused as refused:
        return Program(("git",), 1, problem=refused.kept())
    if words == ["--version"]:
        return Program(("git", "--version"), at + 1, _no_more)
    for count in (2, 1):
        judge = _tables().git.get(" ".join(words[:count]))
        if judge and len(words) >= count:
            return Program(("git", *words[:count]), at + count, judge, tuple(steps))
    return Program(("git", *words[:1]), at + len(words[:1]), None, tuple(steps))
