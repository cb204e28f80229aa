"""Which paths and repositories a command is granted in the sandbox: those that a person sees in its words."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Any

from xun.policy.action import Run
from xun.policy.commands.spec import Use
from xun.policy.decision import Decision
from xun.policy.facts import Facts, PathFact
from xun.policy.judge.needing import Need
from xun.policy.judge.places import Places
from xun.policy.modes import only_reads
from xun.policy.paths import special, within, within_any
from xun.policy.reach.needs import Command, Reading
from xun.policy.tables.programs import base_name, git_command_at, git_options, word_set
from xun.policy.tables.subcommands import GH_USES_GIT, subcommand
from xun.policy.text.words import Arg

# What a command has of its own in the sandbox, whatever stands there outside.
_PRIVATE = ("/tmp", "/var/tmp", "/run", "/var/run")  # noqa: S108 - names
_OWN_TMP = _PRIVATE[:2]
# Make a file and nothing else of a path that is not there, whose mode is no other's.
_MAKE_FILES = word_set("tee touch")
# What git does, by the word behind its own options.
_CHECKS_OUT = word_set(
    "checkout switch restore pull merge rebase stash reset cherry-pick revert am apply clean mv rm read-tree "
    "sparse-checkout bisect clone submodule worktree"
)
_IN_STEPS = word_set("rebase am cherry-pick revert pull")
_MAKES_REPOSITORIES = word_set("clone init submodule worktree")


def granted_git(action: Run, reading: Reading, needs: Sequence[Need]) -> dict[str, Any]:
    """What git may change, as fields of a confinement; empty where its commands only read."""
    does: set[str] = set()
    folders: dict[str, None] = {}
    for command, need in zip(reading.commands, needs, strict=True):
        for words in _changing(command, need):
            name, into = _git_command(words)
            does.add(name)
            for start in reading.script.starts(action.cwd, command.segment):
                folders[posixpath.normpath(posixpath.join(start, *into))] = None
    if not does:
        return {}
    return {
        "git": True,
        "repositories": tuple(folders),
        "checks_out": not does.isdisjoint(_CHECKS_OUT),
        "steps": not does.isdisjoint(_IN_STEPS),
        "nested": not does.isdisjoint(_MAKES_REPOSITORIES),
    }


def changes_git(command: Command, need: Need) -> bool:
    """Is it a command of git that is no reader, or does it surely run one?"""
    return any(_changing(command, need))


def _changing(command: Command, need: Need) -> Iterator[Sequence[str]]:
    """The commands of git that may change what it keeps: none where the default list alone lets it run."""
    for words in () if need.listed or only_reads(command) else need.words:
        name = base_name(words[0])
        if name == "git" or (name == "gh" and subcommand(words) in GH_USES_GIT):
            yield words


def _git_command(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """What a git command does (of gh, what it has git do), and the folders that its options lead into."""
    if base_name(words[0]) == "gh":
        return subcommand(words)[1], ()
    behind = words[1:]
    at = git_command_at(behind)
    into = tuple(value for option, *values in git_options(behind) if option == "-C" for value in values)
    return (behind[at] if at < len(behind) else ""), into


def granted_paths(action: Run, decision: Decision, reading: Reading, places: Places) -> dict[str, Any]:
    """The paths that it may write or is shown, as fields of a confinement.

    Those outside of the workspace, or protected, that a person sees it would write, and says yes to. `folders` are
    those for which a whole folder must be opened, since they are to be made and not as plain files.
    """
    writable: dict[str, None] = {}
    folders: dict[str, None] = {}
    if any(reason.hard and reason.code in ("outside", "protected") for reason in decision.reasons):
        for key, single in _written(action, reading):
            for path in _resolved(places.facts, key):
                if special(path) or path == "/" or not _beyond(places, key, path):
                    continue
                fact = places.facts.paths.get(key)
                to_make = fact is not None and not fact.exists and not single
                if to_make and within_any(path, _OWN_TMP):
                    continue  # it has a /tmp of its own for that
                writable[path] = None
                folders |= {path: None} if to_make else {}
        writable |= dict.fromkeys(_moved(action, reading, places))
    return {
        "writable": tuple(writable),
        "folders": tuple(folders),
        "readable": tuple(dict.fromkeys(_read(action, reading, places.facts))),
    }


def _written(action: Run, reading: Reading) -> Iterator[tuple[str, bool]]:
    """The keys of what it writes, each with whether that is a plain file."""
    for operator, target in reading.script.redirects:
        if operator not in ("<", "<&") and target.known:
            yield posixpath.join(action.cwd, target.pattern), True
    for command in reading.commands:
        single = base_name(command.segment.args[0].text) in _MAKE_FILES
        uses = (*command.changed, *(use for use in command.uses if use.mode == "write"), *command.exposed)
        for folder in reading.script.starts(action.cwd, command.segment):
            yield from ((command.keys(folder, use), single) for use in uses if use.arg.known)


def _moved(action: Run, reading: Reading, places: Places) -> Iterator[str]:
    """What is moved or removed with protected files in it, and where to: that they go along is what was agreed to."""
    facts = places.facts
    for command in reading.commands:
        moved = [use for use in command.touched if use.mode == "moved"]
        for folder in reading.script.starts(action.cwd, command.segment) if moved else ():
            keys = {command.keys(folder, use): None for use in moved}
            going = [key for key in keys if any(places.goes_along(key))]
            for key in going:
                yield from _resolved(facts, key)
            for use in command.changed if going and base_name(command.segment.args[0].text) == "mv" else ():
                yield from _landing(facts, command, folder, use, going)


def _landing(facts: Facts, command: Command, folder: str, use: Use, going: Sequence[str]) -> Iterator[str]:
    key = command.keys(folder, use)
    fact = facts.paths.get(key)
    if fact is None or key in going or use.arg.glob:
        return
    if fact.kind != "folder":
        yield fact.real
        return
    for one in going:
        yield from (posixpath.join(fact.real, posixpath.basename(path)) for path in _resolved(facts, one))


def _read(action: Run, reading: Reading, facts: Facts) -> Iterator[str]:
    """What it names in the folders that it has of its own inside: it means what stands there outside."""
    for command in reading.commands:
        for folder in reading.script.starts(action.cwd, command.segment):
            for use in command.touched:
                fact = facts.paths.get(command.keys(folder, use))
                if fact is not None and use.arg.known and not use.arg.glob and _shown(fact, facts):
                    yield fact.real


def _shown(fact: PathFact, facts: Facts) -> bool:
    if within_any(fact.real, facts.roots) or (facts.temp is not None and within(fact.real, facts.temp)):
        return False  # seen in any case, and not read-only
    below = any(within(fact.real, top) and fact.real != top for top in _PRIVATE)
    return below and (fact.kind == "file" or (fact.kind == "folder" and within_any(fact.real, _OWN_TMP)))


def _resolved(facts: Facts, key: str) -> tuple[str, ...]:
    fact = facts.paths.get(key)
    if fact is None:
        return ()
    return (fact.matches or ()) if Arg(key).glob else (fact.real,)


def _beyond(places: Places, key: str, path: str) -> bool:
    facts = places.facts
    inside = within_any(path, facts.roots) or (facts.temp is not None and within_any(path, (facts.temp,)))
    return not inside or any(places.change(key, path)) or places.exposes(key, path, runs=False) is not None
