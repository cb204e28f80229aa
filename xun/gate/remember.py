"""What becomes of a yes that lasts as the person has edited it, and of grants that may be used a few times only."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from xun.gate.risk import Judged
from xun.policy.action import Action, Run
from xun.policy.decision import Decision, Kept, RuleKind
from xun.policy.facts import Facts
from xun.policy.rules import ANY_ARGUMENTS, Policy, Rule, Scope
from xun.policy.tables.runners import of_folder

LONGEST = timedelta(days=365)
MOST_USES = 1000
GRANT = "session"
# Where a rule is kept for good: what `on_always` is told as its source.
FOR_GOOD = ("project", "user")


def place_of(action: Action, root: Path) -> Scope | None:
    """The folder that a command starts in, where that is another one than `root`: its relative names count there."""
    folder = os.path.realpath(action.cwd) if isinstance(action, Run) else os.path.realpath(root)
    return None if folder == os.path.realpath(root) else Scope(folder=folder, arguments=ANY_ARGUMENTS)


def of_session(decision: Decision, root: Path) -> list[Rule]:
    """The grants that a yes for the session gives. Where one names a file of the folder, they count in that folder."""
    scope = place_of(decision.action, root) if decision.here else None
    return [
        Rule(effect="allow", kind=kind, pattern=pattern, source=GRANT, scope=scope)
        for kind, pattern in decision.lasting
    ]


def allowing(what: Sequence[tuple[RuleKind, str]], source: str) -> list[Rule]:
    """A rule from `source` that allows each of `what`, a kind and a pattern."""
    return [Rule(effect="allow", kind=kind, pattern=pattern, source=source) for kind, pattern in what]


def rule_of(kept: Kept, now: datetime | None = None, scope: Scope | None = None) -> Rule:
    """The grant for a lasting yes, in force from now on. Raises `PolicyError` for a rule that could not be one.

    One that names a script counts in the folder of `scope`.
    """
    now = now or datetime.now(UTC)
    end = now + min(timedelta(minutes=kept.amount), LONGEST) if kept.scope == "minutes" else None
    uses = min(kept.amount, MOST_USES) if kept.scope == "uses" else None
    rule = Rule(effect="allow", kind=kept.kind, pattern=kept.pattern, source=GRANT, until=end, uses=uses)
    Policy(rules=[rule])  # says what cannot be a rule
    scripted = scope is not None and kept.kind == "command" and of_folder(shlex.split(kept.pattern))
    return rule.model_copy(update={"scope": scope}) if scripted else rule


def lasting(kept: Sequence[Kept]) -> list[Rule]:
    """The rules that are to be kept for good; their sources say where."""
    found = [one for one in kept if one.scope in FOR_GOOD]
    return [Rule(effect="allow", kind=one.kind, pattern=one.pattern, source=one.scope) for one in found]


def spend(
    judged: Sequence[Judged], grants: list[Rule], again: Callable[[Judged], Decision]
) -> list[tuple[Decision, Facts]]:
    """Count a use of each grant that allows an action and may be used a few times only.

    Where one has been used up since the action was judged, that is judged again. Nothing is awaited here, so that two
    calls at a time cannot both take the last use.
    """
    found: list[tuple[Decision, Facts]] = []
    for decision, facts in judged:
        if decision.effect == "allow" and _limited(decision, grants):
            decision = again((decision, facts))
            if decision.effect == "allow":
                for pattern in _limited(decision, grants):
                    _use(pattern, grants)
        found.append((decision, facts))
    return found


def _limited(decision: Decision, grants: Sequence[Rule]) -> list[str]:
    """The patterns of the grants with a number of uses behind a yes."""
    parts = [(decision.pattern, decision.rule), *((part.pattern, part.rule) for part in decision.segments)]
    limited = {rule.pattern for rule in grants if rule.uses is not None}
    behind = [pattern for pattern, rule in parts if rule == GRANT and pattern is not None and pattern in limited]
    return list(dict.fromkeys(behind))


def _use(pattern: str, grants: list[Rule]) -> None:
    for index, rule in enumerate(grants):
        if rule.uses is not None and rule.pattern == pattern:
            left = rule.uses - 1
            grants[index : index + 1] = [rule.model_copy(update={"uses": left})] if left > 0 else []
            return
