"""Following what allowed calls write: what no person has said yes to is remembered until one does."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence

from xun.gate.made import MadeFiles
from xun.gate.others import in_repository
from xun.gate.put import Settler
from xun.gate.repository import hooks
from xun.gate.risk import Judged
from xun.policy.action import Run, Write
from xun.policy.decide import SILENT
from xun.policy.decision import Decision
from xun.policy.facts import Facts, Made
from xun.policy.judge.confine import AUTO
from xun.policy.judge.made import AGENT_MADE, loading, may_load
from xun.policy.reach.needs import read_command
from xun.policy.reach.targets import copied, copies, targets
from xun.policy.rules import Policy
from xun.policy.text.constructs import Constructs

_SILENT = SILENT | {AUTO}


def look(action: Run, facts: Facts, made: MadeFiles, constructs: Constructs) -> Made:
    """What the agent made, where `action` may run code: nothing is looked up for any other."""
    reading = read_command(action.command, facts.home, constructs)
    found = made.look(facts.roots) if may_load(reading) else Made()
    if (found.files or found.lost) and facts.repositories:
        names = {name for folder in facts.repositories for name in hooks(folder)}
        configuring = tuple(path for path, _ in found.files if in_repository(path))
        found = found.model_copy(update={"hooks": tuple(sorted(names)), "configuring": configuring})
    return found


def follow(judged: Sequence[Judged], by: Settler, made: MadeFiles, policy: Policy) -> tuple[str, ...]:
    """Before a call that was allowed runs: remember what it will make without a person's yes.

    `by` settled what the rules left open. Returns the paths known so far to which a person has said yes: they may be
    forgotten once the call has written them.
    """
    writes = [(action, decision, facts) for decision, facts in judged if isinstance(action := decision.action, Write)]
    moves = [(_real(action, facts), _seen(decision, by)) for action, decision, facts in writes if action.op == "move"]
    approved: list[str] = []
    unseen: list[str] = []
    for action, decision, facts in writes:
        path = _real(action, facts)
        if action.op in ("move", "delete"):
            continue
        if moves:
            unseen += [new for source, seen in moves for new in _moved(source, seen, path, made)]
        else:
            (approved if _seen(decision, by) else unseen).append(path)
    for decision, facts in judged:
        if by == "person" and any(reason.code == AGENT_MADE for reason in decision.reasons):
            read = [(path, digest) for path, digest in facts.made.files if path in decision.made]
            made.approve_read(read, lost=facts.made.lost)
        elif isinstance(decision.action, Run) and _escapes(decision, facts, by, policy):
            made.lose()
        elif isinstance(decision.action, Run) and not _seen(decision, by):
            unseen += targets(decision.action, facts, policy.settings.constructs)
        elif isinstance(decision.action, Run) and decision.effect == "allow":
            # Who let a program copy has said nothing of what the agent would have it copy.
            for source, target in copied(decision.action, facts, policy.settings.constructs):
                made.moved(source, target)
    if unseen:
        made.add(unseen)
    return tuple(path for path in approved if made.holds(path))


def concerns(judged: Sequence[Judged], policy: Policy) -> bool:
    """Is there anything to follow? Reading and most commands leave nothing behind."""
    return any(_concerns(decision, facts, policy) for decision, facts in judged)


def _concerns(decision: Decision, facts: Facts, policy: Policy) -> bool:
    match decision.action:
        case Write():
            return True
        case Run(command=command):
            asked = decision.effect == "ask" or decision.rule == AUTO
            confined = decision.confinement is not None and _runs_code(decision, facts, policy)
            return asked or confined or copies(read_command(command, facts.home, policy.settings.constructs))
    return False


def _escapes(decision: Decision, facts: Facts, by: Settler, policy: Policy) -> bool:
    """Does code that nobody has said yes to run in the sandbox? It may change any file of the workspace."""
    if decision.confinement is None or not _runs_code(decision, facts, policy):
        return False
    outside = loading(decision.model_copy(update={"confinement": None}), facts, policy)
    return bool(outside.made) or not _seen(decision, by)


def _runs_code(decision: Decision, facts: Facts, policy: Policy) -> bool:
    assert isinstance(decision.action, Run)
    return may_load(read_command(decision.action.command, facts.home, policy.settings.constructs))


def _seen(decision: Decision, by: Settler) -> bool:
    """Has a person said yes to it, with a rule or with an answer?"""
    if decision.effect == "allow":
        return decision.rule not in _SILENT
    return by in ("person", "grant")


def _moved(source: str, seen: bool, target: str, made: MadeFiles) -> list[str]:
    """What has to be remembered of a move. Who says yes to one has seen the names, of a folder not all of them."""
    folder = os.path.isdir(source) and not posixpath.islink(source)  # noqa: PTH112 - names may hold any bytes
    if folder or not seen:
        made.moved(source, target)
    return [] if folder or seen else [target]


def _real(action: Write, facts: Facts) -> str:
    fact = facts.paths.get(action.path)
    return fact.real if fact is not None else posixpath.realpath(action.path)
