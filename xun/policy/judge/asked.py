"""Ask rules on paths, which bind the words of a command as deny rules do: whatever those would see, these see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xun.policy.action import Run
from xun.policy.decision import Decision, Reason
from xun.policy.facts import Facts
from xun.policy.judge.places import Places
from xun.policy.rules import Policy, Rule

Ruled = Callable[[Places], Iterable[tuple[str | None, str | None]]]
"""Gives the sources of the deny rules on paths that bind a command, or may do so, each with its segment."""


def asked(decision: Decision, facts: Facts, policy: Policy, grants: Sequence[Rule], ruled: Ruled) -> Decision:
    """`decision` on a command, which asks where a rule of the person says so and no grant says yes to that."""
    action = decision.action
    asking = [rule for kind in ("read", "write") for rule in policy.own(kind, "ask") if rule.in_force(facts.at)]
    if not asking or decision.effect == "deny" or not isinstance(action, Run):
        return decision
    given = {(rule.source, rule.pattern) for rule in grants if rule.kind == "command"}
    if decision.pattern == action.command and (decision.rule, decision.pattern) in given:
        return decision
    granted = {one.text for one in decision.segments if (one.rule, one.pattern) in given}
    as_denied = Policy(rules=[rule.model_copy(update={"effect": "deny"}) for rule in asking], defaults=False)
    by_source = {rule.source: rule for rule in reversed(asking)}
    found = dict.fromkeys(
        Reason(code="ask-rule", text=rule.reason or f"a rule says ask {rule.pattern!r}", segment=at, rule=rule.source)
        for source, at in ruled(Places(facts, as_denied, grants, spares=True))
        if at not in granted and (rule := by_source.get(source or ""))
    )
    if not found:
        return decision
    update = {"effect": "ask", "reasons": (*decision.reasons, *found), "grantable": (), "rule": None, "pattern": None}
    return decision.model_copy(update=update)
