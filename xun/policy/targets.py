"""The files that a shell command names and may make or change."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from xun.policy.action import Run
from xun.policy.constructs import Constructs
from xun.policy.facts import Facts
from xun.policy.needs import Command, read_command
from xun.policy.programs import CHANGERS, base_name
from xun.policy.words import Arg

MAX_TARGETS = 200


def targets(action: Run, facts: Facts, constructs: Constructs) -> tuple[str, ...]:
    """The paths, resolved, that `action` may write as far as its words tell: at most `MAX_TARGETS`.

    Of what is copied or moved into a folder they hold the new paths.
    """
    return tuple(dict.fromkeys(_targets(action, facts, constructs)))[:MAX_TARGETS]


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
