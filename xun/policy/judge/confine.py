"""What a command is granted in the sandbox: the last part of every decision about one, pure as the rest.

A command gets more than the workspace where its words say that it needs it and a rule or a person has said yes to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xun.policy.action import Confinement, Run
from xun.policy.decision import Decision, Mode, Reason
from xun.policy.facts import Facts
from xun.policy.judge.granted import granted_git, granted_paths
from xun.policy.judge.needing import covering, needs_of
from xun.policy.judge.places import Places
from xun.policy.reach.needs import Reading, read_command
from xun.policy.rules import Policy, Rule

AUTO = "auto_allow_sandboxed"
"""The setting that lets commands run unasked in the sandbox, named as the rule of what it allows."""
UNSANDBOXED = "it asks to run outside of the sandbox"
NO_SANDBOX = 'the policy requires a sandbox (sandbox = "required"), and none works on this machine'


def confined(decision: Decision, facts: Facts, policy: Policy, grants: Sequence[Rule], mode: Mode) -> Decision:
    """`decision` with how its command runs; where the sandbox speaks for or against it, another one."""
    action = decision.action
    if not isinstance(action, Run) or decision.effect == "deny":
        return decision
    if facts.sandbox is None:
        return _required(decision) if policy.settings.sandbox == "required" else decision
    rules = covering(decision, policy, grants)
    if rules and not any(rule is None or rule.sandbox for rule in rules):
        return decision.model_copy(update={"outside": True})
    if action.unsandboxed:
        reason = Reason(code="unsandboxed", text=UNSANDBOXED)
        return decision.model_copy(
            update={
                "outside": True,
                "effect": "ask",
                "reasons": (*decision.reasons, reason),
                "grantable": (),
                "rule": None,
                "pattern": None,
            }
        )
    reading = read_command(action.command, facts.home, policy.settings.constructs)
    needs = needs_of(decision, reading, policy, grants)
    background = _leaves_running(reading)
    # What is left running is a server as a rule, and of no use in a network of its own that ends with the command.
    network = background or any(need.network for need in needs)
    granted = Confinement(
        sandbox=facts.sandbox,
        network=network,
        background=background,
        withheld=not network and any(need.withheld for need in needs),
        logins=tuple(sorted(name for name in frozenset().union(*(need.logins for need in needs)))),
        programs=any(need.programs for need in needs) and bool(facts.programs),
        secrets=any(reason.code == "secret" for reason in decision.reasons),
        **granted_git(action, reading, needs),
        **granted_paths(action, decision, reading, Places(facts, policy, grants)),
    )
    decision = decision.model_copy(update={"confinement": granted})
    if policy.settings.auto_allow_sandboxed and mode != "plan" and _settled(decision):
        update = {"effect": "allow", "reasons": (), "grantable": (), "rule": AUTO, "pattern": None}
        return decision.model_copy(update=update)
    return decision


def _required(decision: Decision) -> Decision:
    return decision.model_copy(
        update={
            "effect": "deny",
            "reasons": (Reason(code="sandbox", text=NO_SANDBOX, rule="sandbox"),),
            "rule": "sandbox",
        }
    )


def _settled(decision: Decision) -> bool:
    """Do only soft reasons stand against a command that needs no more than any command gets?"""
    confinement = decision.confinement
    plain = confinement is not None and confinement.plain
    return decision.effect == "ask" and bool(decision.segments) and plain and not decision.personal


def _leaves_running(reading: Reading) -> bool:
    return any(problem.code == "background" for problem in reading.script.problems)
