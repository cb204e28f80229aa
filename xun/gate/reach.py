"""What a rule would let pass, before it is kept: of what was decided in the session, and of what else it covers.

Every line is an answer of the decider itself, on the disk as it is now. Nothing is run.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from xun.gate.remember import rule_of
from xun.policy.action import Action, Fetch, Read, Run, UseTool, Write, describe
from xun.policy.decision import Decision, Kept
from xun.policy.entries import PolicyError, words_of
from xun.policy.paths import matches
from xun.policy.rules import Rule

if TYPE_CHECKING:
    from xun.gate.gate import Gate

PAST = 300
"""How many of the last decisions are looked at."""
SHOWN = 5
"""How many of each kind of line are given."""
MOST_FILES = 5_000  # looked at when files are counted


@dataclass(frozen=True, slots=True)
class Reach:
    """What a rule comes to.

    `problem` says why it cannot be a rule; then all else is empty. `covers` says whether it lets pass what was asked
    about, and `part` whether it does so only together with the other rules, which do not without it. `before` are the
    actions of this session that it would have let pass and that were asked about or refused, `already` counts those
    that it matches and that passed. `permits` and `asks` are what would pass by it and what would still ask, `warnings`
    what a person should know of it.
    """

    problem: str = ""
    covers: bool = False
    part: bool = False
    before: tuple[str, ...] = ()
    already: int = 0
    permits: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def reach(gate: Gate, kept: Kept, asked: Sequence[Decision], others: Sequence[Kept] = ()) -> Reach:
    """What `kept` comes to for `asked`, the decisions of one question, to which `others` would be kept too.

    May take a while: call it in a thread.
    """
    try:
        rule = _in_force(kept)
    except PolicyError as error:
        return Reach(problem=str(error))
    open_ones = [decision.action for decision in asked if decision.effect == "ask"]
    covers = _pass(gate, open_ones, rule)
    before, already = _past(gate, rule)
    permits: list[str] = []
    still: list[str] = []
    for action in _variations(rule, open_ones, str(gate.workspace.root)):
        into = permits if gate.would(action, rule).effect == "allow" else still
        into.append(describe(action))
    return Reach(
        covers=covers,
        part=not covers and _has_part(gate, open_ones, rule, others),
        before=tuple(before[:SHOWN]) + ((f"and {len(before) - SHOWN} more",) if len(before) > SHOWN else ()),
        already=already,
        permits=tuple(dict.fromkeys(permits))[:SHOWN],
        asks=tuple(dict.fromkeys(still))[:SHOWN],
        warnings=tuple(_warnings(gate, kept, rule)),
    )


def _in_force(kept: Kept) -> Rule:
    """The rule as if it were in force, however few its uses or minutes are."""
    return rule_of(kept).model_copy(update={"until": None, "uses": None})


def _pass(gate: Gate, actions: Sequence[Action], *rules: Rule) -> bool:
    return all(gate.would(action, *rules).effect == "allow" for action in actions)


def _has_part(gate: Gate, actions: Sequence[Action], rule: Rule, others: Sequence[Kept]) -> bool:
    """Whether `actions` pass by `rule` and `others`, and not without `rule`."""
    beside: list[Rule] = []
    for kept in others:
        with suppress(PolicyError):  # told of where that one is edited
            beside.append(_in_force(kept))
    return bool(beside) and _pass(gate, actions, rule, *beside) and not _pass(gate, actions, *beside)


def _past(gate: Gate, rule: Rule) -> tuple[list[str], int]:
    """The actions it would have let pass that asked, newest first, and how many of those that passed it covers."""
    newly: dict[str, None] = {}
    already: set[str] = set()
    for event in reversed(gate.journal.last(PAST)):
        action = event.decision.action
        shown = describe(action)
        if not _of_kind(rule, action) or shown in newly or shown in already:
            continue
        decision = gate.would(action, rule)
        if decision.effect != "allow" or not _by(rule, decision):
            continue
        if event.decision.effect == "allow":
            already.add(shown)
        else:
            newly[shown] = None
    return list(newly), len(already)


def _by(rule: Rule, decision: Decision) -> bool:
    parts = [(decision.rule, decision.pattern), *((part.rule, part.pattern) for part in decision.segments)]
    return (rule.source, rule.pattern) in parts


_KINDS = {"command": Run, "write": Write, "read": Read, "host": Fetch, "tool": UseTool}


def _of_kind(rule: Rule, action: Action) -> bool:
    return isinstance(action, _KINDS[rule.kind])


def _variations(rule: Rule, asked: Sequence[Action], root: str) -> Iterator[Action]:
    """Actions like those asked about: more arguments, another file, and what a rule should not let pass."""
    match rule.kind:
        case "command":
            cwd = next((action.cwd for action in asked if isinstance(action, Run)), root)
            for command in _commands(rule.pattern):
                yield Run(command=command, cwd=cwd)
        case "write":
            for name in _names(rule.pattern, root):
                yield Write(path=name, op="edit")
                yield Write(path=name, op="delete")
        case "read":
            for name in _names(rule.pattern, root):
                yield Read(path=name)
        case "host":
            host = rule.pattern.removeprefix("*.")
            yield from (Fetch(url=f"https://{name}/") for name in (host, f"www.{host}", f"{host}.example.net"))
        case "tool":
            yield UseTool(name=rule.pattern.replace("*", "any"), arguments={})


def _commands(pattern: str) -> Iterator[str]:
    yield from (pattern, f"{pattern} --verbose", f"{pattern} a b", f"{pattern} ../x", f"{pattern} .env")
    yield from (f"{pattern} > out.txt", f"{pattern}; rm -rf x", f"{pattern} $(id)")
    words = words_of(pattern)
    yield shlex.join((*words[:-1], f"{words[-1]}x"))


def _names(pattern: str, root: str) -> Iterator[str]:
    """Files that are there and match, then one that is not and one outside."""
    yield from islice(_files(pattern, root), SHOWN - 2)
    if not any(char in pattern for char in "*?["):
        start = pattern if pattern.startswith("/") else os.path.normpath(f"{root}/{pattern}")
        yield f"{start}/new" if os.path.isdir(start) else start  # noqa: PTH112 - the pattern may be no path at all
    yield f"{root}/.git/hooks/pre-commit"


def _files(pattern: str, root: str) -> Iterator[str]:
    seen = 0
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in (".git", "node_modules", ".venv", "__pycache__"))
        for name in sorted(files):
            seen += 1
            if seen > MOST_FILES:
                return
            path = f"{folder}/{name}"
            if matches(pattern, path, [root]):
                yield path


def _warnings(gate: Gate, kept: Kept, rule: Rule) -> Iterator[str]:
    root = str(gate.workspace.root)
    if rule.kind == "command":
        yield from _of_command(rule)
    elif rule.kind == "write":
        if matches(rule.pattern, f"{root}/any/file", [root]) and matches(rule.pattern, f"{root}/other", [root]):
            yield "it covers every file of the workspace"
        else:
            count = sum(1 for _ in _files(rule.pattern, root))
            yield f"it covers {count} file{'' if count == 1 else 's'} that {'is' if count == 1 else 'are'} there now"
    elif rule.kind in ("host", "tool") and rule.pattern.strip("*.") == "":
        yield f"it covers every {rule.kind}"
    if kept.scope == "user" and rule.kind in ("write", "read") and not rule.pattern.startswith("/"):
        yield "a path of a rule of yours counts in every folder you work in"
    if kept.scope == "user" and rule.kind == "command":
        yield "a rule of yours counts in every folder you work in"


def _of_command(rule: Rule) -> Iterator[str]:
    from xun.policy.reach.needs import read_command
    from xun.policy.tables.programs import RUNS_OTHERS, base_name

    command = read_command(rule.pattern, "").commands[0]
    name = base_name(command.segment.argv[0])
    if command.program.judge is None:
        yield f"{name} takes any arguments by it: what they do is not known here"
    if name in RUNS_OTHERS:
        yield f"{name} runs what it is given; the rule fixes only its first words"
    elif len(command.segment.argv) == 1 and command.program.judge is None:
        yield f"one word covers everything that {name} can do"
