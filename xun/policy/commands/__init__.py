"""Per-program knowledge: which program a command runs, how its arguments are judged, what is on the default list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from xun.policy.commands.spec import Judge, Refused, Use
from xun.policy.words import Arg


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


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Judge]:
    from xun.policy.commands.awk import AWK
    from xun.policy.commands.builtins import BUILTINS
    from xun.policy.commands.readers import READERS
    from xun.policy.commands.search import SEARCH
    from xun.policy.commands.system import SYSTEM
    from xun.policy.commands.testing import TESTING

    return {**SYSTEM, **SEARCH, **READERS, **BUILTINS, **TESTING, **AWK}


@lru_cache(maxsize=1)
def default_commands() -> tuple[str, ...]:
    """The prefixes on the default list: each is a reader, or runs the workspace's own tests, under its table."""
    from xun.policy.commands.containers import DOCKER
    from xun.policy.commands.git import SUBCOMMANDS
    from xun.policy.commands.system import VERSIONS

    versions = (f"{name} {word}" for name, words in VERSIONS.items() for word in words)
    return (*_tables(), *versions, *(f"git {name}" for name in SUBCOMMANDS), *(f"docker {name}" for name in DOCKER))


def _no_more(rest: Sequence[Arg]) -> list[Use]:
    if rest:
        raise Refused("operand", "it tells its version when that stands alone")
    return []


def find_program(args: Sequence[Arg]) -> Program:
    """Which program `args` runs, by its bare name. A path in the name is looked through only by its last part."""
    from xun.policy.commands.system import VERSIONS

    name = args[0].text.rpartition("/")[2]
    if name == "git":
        return _git(args)
    if name == "docker":
        return _docker(args)
    if name in ("python", "python3") and len(args) > 2 and args[1].text == "-m":
        long = f"{name} -m {args[2].text}"
        if judge := _tables().get(long):
            return Program(tuple(long.split()), 3, judge)
    if len(args) > 1 and args[1].text in VERSIONS.get(name, ()):
        return Program((name, args[1].text), 2, _no_more)
    return Program((name,), 1, _tables().get(name))


def _docker(args: Sequence[Arg]) -> Program:
    from xun.policy.commands.containers import DOCKER
    from xun.policy.commands.system import VERSIONS

    if len(args) > 1 and args[1].text in VERSIONS["docker"]:
        return Program(("docker", args[1].text), 2, _no_more)
    words = [arg.text for arg in args[1:3]]
    for count in (2, 1):
        judge = DOCKER.get(" ".join(words[:count]))
        if judge and len(words) >= count:
            return Program(("docker", *words[:count]), count + 1, judge)
    return Program(("docker",), 1)


def _git(args: Sequence[Arg]) -> Program:
    from xun.policy.commands.git import SUBCOMMANDS, split_globals

    try:
        skipped, steps = split_globals(args[1:])
    except Refused as refused:
        return Program(("git",), 1, problem=refused)
    at = skipped + 1
    words = [arg.text for arg in args[at : at + 2]]
    if words == ["--version"]:
        return Program(("git", "--version"), at + 1, _no_more)
    for count in (2, 1):
        judge = SUBCOMMANDS.get(" ".join(words[:count]))
        if judge and len(words) >= count:
            return Program(("git", *words[:count]), at + count, judge, tuple(steps))
    return Program(("git", *words[:1]), at + len(words[:1]), None, tuple(steps))
