"""The files that a shell command names and may make or change."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from xun.policy.action import Run
from xun.policy.facts import Facts
from xun.policy.reach.needs import Command, Reading, read_command
from xun.policy.tables.programs import CHANGERS, base_name, word_set
from xun.policy.text.constructs import Constructs
from xun.policy.text.words import Arg

MAX_TARGETS = 200
_MAX_COPIED = 32  # words of a command that copies
_COPIERS = word_set("cp mv ln install rsync")


def targets(action: Run, facts: Facts, constructs: Constructs) -> tuple[str, ...]:
    """The paths, resolved, that `action` may write as far as its words tell: at most `MAX_TARGETS`.

    Of what is copied or moved into a folder they hold the new paths.
    """
    return tuple(dict.fromkeys(_targets(action, facts, constructs)))[:MAX_TARGETS]


def copies(reading: Reading) -> bool:
    """Does any of the commands give files another name, or a copy of another name?"""
    return any(map(_copies, reading.commands))


def copied(action: Run, facts: Facts, constructs: Constructs) -> tuple[tuple[str, str], ...]:
    """For what `action` copies or moves, the paths from and to, resolved; of a folder the new path in it.

    Which word is the target is not told apart: each may be.
    """
    reading = read_command(action.command, facts.home, constructs)
    return copied_by(reading.commands, reading, action.cwd, facts)


def copied_by(commands: Sequence[Command], reading: Reading, cwd: str, facts: Facts) -> tuple[tuple[str, str], ...]:
    """The same for some of the commands of a text that starts in `cwd`."""
    found: dict[tuple[str, str], None] = {}
    for command in filter(_copies, commands):
        for folder in reading.script.starts(cwd, command.segment):
            keys = [command.keys(folder, use) for use in command.words]
            named = list(dict.fromkeys(real for key in keys for real in _resolved(facts, key)))[:_MAX_COPIED]
            for source in named:
                inside = posixpath.basename(source)
                for target in named:
                    if target != source:
                        found |= {(source, target): None, (source, posixpath.join(target, inside)): None}
    return tuple(found)


def _copies(command: Command) -> bool:
    if command.program.name[:2] == ("git", "mv"):
        return True
    return any(base_name(view[0].text) in _COPIERS for view in (command.segment.args, *command.views) if view)


def _targets(action: Run, facts: Facts, constructs: Constructs) -> Iterator[str]:
    reading = read_command(action.command, facts.home, constructs)
    for operator, target in reading.script.redirects:
        if operator not in ("<", "<&"):
            yield from _resolved(facts, posixpath.join(action.cwd, target.pattern))
    for command in reading.commands:
        for folder in reading.script.starts(action.cwd, command.segment):
            yield from _of_command(command, folder, facts)


def _of_command(command: Command, folder: str, facts: Facts) -> Iterator[str]:
    written = [use for use in command.uses if use.mode == "write"]
    keys = [command.keys(folder, use) for use in (*written, *command.changed, *command.exposed)]
    changes = any(base_name(view[0].text) in CHANGERS for view in (command.segment.args, *command.views) if view)
    for key in keys:
        yield from _resolved(facts, key)
        fact = facts.paths.get(key)
        if changes and fact is not None and fact.kind == "folder" and not Arg(key).glob:
            names = {
                posixpath.basename(real)
                for use in command.words
                for real in _resolved(facts, command.keys(folder, use))
            }
            yield from (posixpath.join(fact.real, name) for name in sorted(names))


def _resolved(facts: Facts, key: str) -> tuple[str, ...]:
    fact = facts.paths.get(key)
    if fact is None:
        return ()
    return (fact.matches or ()) if Arg(key).glob else (fact.real,)
