"""The examples that a rule in a policy file comes with: is it about them, as its author expects, or not?"""

from __future__ import annotations

import posixpath
from fnmatch import fnmatchcase

from xun.policy.action import Run
from xun.policy.decide import decide
from xun.policy.facts import Facts, PathFact
from xun.policy.paths import matches
from xun.policy.reach.needs import HERE, needed, read_command
from xun.policy.rules import Policy, Rule

_ROOT = "/workspace"  # no such folder needs to be there: examples are judged on a disk that is made up
_HOME = "/home/person"


def mistaken(rule: Rule, example: str, *, expected: bool) -> str | None:
    """What is wrong where `rule` is about `example` and should not be, or the other way round; else None."""
    hit, got = _command(rule, example) if rule.kind == "command" else (_other(rule, example), "")
    if hit == expected:
        return None
    if hit:
        return f'"{example}" is covered by this rule, and should not be: it gives {rule.effect}'
    gave = got or f"no rule covers it, as {rule.pattern} does not match it"
    return f'"{example}" is not covered by this rule: {gave}'


def _other(rule: Rule, example: str) -> bool:
    match rule.kind:
        case "tool":
            return fnmatchcase(example, rule.pattern)
        case "host":
            return fnmatchcase(example.lower(), rule.pattern.lower())
        case _:
            return matches(rule.pattern, posixpath.normpath(posixpath.join(_ROOT, example)), (_ROOT,))


def _command(rule: Rule, example: str) -> tuple[bool, str]:
    """Would the rule decide about the command, were every path in it a plain file of the workspace?

    And what comes of the command instead.
    """
    action = Run(command=example, cwd=_ROOT)
    decision = decide(action, _supposed(action), Policy(rules=[rule.model_copy(update={"until": None})]))
    reasons = decision.reasons
    match rule.effect:
        case "allow":
            hit = decision.effect == "allow" and any(s.rule == rule.source for s in decision.segments)
        case "deny":
            hit = decision.effect == "deny" and decision.rule == rule.source
        case "ask":
            hit = any(reason.rule == rule.source for reason in reasons)
    why = f", because {reasons[0].text}" if reasons else f", by the {decision.rule}" if decision.rule else ""
    return hit, f"it gives {decision.effect}{why}"


def _supposed(action: Run) -> Facts:
    uses, folders = needed(read_command(action.command, _HOME), action.cwd)
    paths = {
        key: PathFact(real=posixpath.normpath(key), kind="folder" if use == HERE else "file", links=1)
        for key, use in uses
    }
    return Facts(roots=(_ROOT,), home=_HOME, paths=paths, repositories=dict.fromkeys(folders, ()))
