"""Modes: how much is done without asking. Each is a set of rules or a limit on verdicts, and part of every decision.

`manual` is the rules alone. `accept-edits` is one more rule: edits in the workspace are allowed, below hard reasons
and ask rules as any allow rule is; deleting and moving are no edits. `plan` changes nothing: what may change something
is denied, whoever allows it.
`auto` decides as `manual` does, and lets the risk assessor say yes to more than commands (`judges`).
"""

from __future__ import annotations

from functools import lru_cache

from xun.policy.action import Action, Fetch, Read, Run, UseTool, Write
from xun.policy.decision import Decision, Mode, Reason, Segment
from xun.policy.facts import Facts
from xun.policy.reach.needs import Command, read_command
from xun.policy.rules import Policy, Rule, tool_source

TOOLS_DEFAULT = "tools are allowed by default"

_PLAN = "mode plan"
_PLAN_TEXT = "plan mode changes nothing, and this may; say in the plan that it is to be done"


@lru_cache(maxsize=1)
def _accept_edits() -> tuple[Rule, ...]:
    return (Rule(effect="allow", kind="write", pattern=".", source="mode accept-edits"),)


def mode_rules(mode: Mode, action: Action) -> tuple[Rule, ...]:
    """The rules that `mode` adds to a policy for `action`, behind all others."""
    return () if isinstance(action, Write) and action.op in ("delete", "move") else rules_of(mode)


def rules_of(mode: Mode) -> tuple[Rule, ...]:
    """The rules that `mode` consists of, apart from what it limits."""
    return _accept_edits() if mode == "accept-edits" else ()


def judges(mode: Mode, kind: str) -> bool:
    """Does an assessor's yes count in `mode` for actions of this kind? Reading outside the workspace is never its."""
    if mode == "auto":
        return kind in ("run", "write", "fetch", "tool")
    return mode != "plan" and kind == "run"


def planned(decision: Decision, facts: Facts, policy: Policy) -> Decision:
    """`decision` as plan mode has it: denied unless it changes nothing. Reading asks and is allowed as ever."""
    if decision.effect == "deny":
        return decision
    match decision.action:
        case Read():
            return decision
        case Write():
            return _denied(decision)
        case Run(command=command):
            reading = read_command(command, facts.home, policy.settings.constructs)
            plain = [only_reads(one) for one in reading.commands]
            if decision.effect == "allow" and plain and all(plain):
                return decision
            # What may be an option in the words of a reader is what would be asked about.
            known = [reads or _unclear(one) for one, reads in zip(reading.commands, plain, strict=True)]
            if decision.effect == "ask" and known and all(known):
                return _denied_question(decision)
            segments = zip(decision.segments, plain, strict=True)
            return _denied(decision, tuple(segment if reads else _refused(segment) for segment, reads in segments))
        case Fetch():
            return decision if decision.effect == "allow" else _denied(decision)
        case UseTool(name=name, opaque=opaque):
            # The author of a tool may let it run unasked; that says nothing about what it changes.
            unnamed = decision.rule in (TOOLS_DEFAULT, tool_source(name))
            return _denied(decision) if decision.effect == "ask" or (opaque and unnamed) else decision


def only_reads(command: Command) -> bool:
    """Is it known of a command that it changes nothing? Tests and builds run code of the workspace, which may."""
    return command.judged and all(use.mode not in ("exec", "write") for use in command.uses)


def _unclear(command: Command) -> bool:
    return command.program.judge is not None and command.refused is not None and command.refused.problem.code == "glob"


def _denied(decision: Decision, segments: tuple[Segment, ...] | None = None) -> Decision:
    return Decision(
        action=decision.action,
        effect="deny",
        reasons=(Reason(code="mode", text=_PLAN_TEXT, rule=_PLAN),),
        segments=decision.segments if segments is None else segments,
        rule=_PLAN,
    )


def _denied_question(decision: Decision) -> Decision:
    """A question about a text whose commands only read: denied, saying what would have been asked about."""
    why = decision.deciding
    asked = f": {why.text}" if why else ""
    reason = Reason(code="mode", text=f"plan mode denies a command that would ask{asked}", rule=_PLAN)
    rest = tuple(one for one in decision.reasons if one != why)
    return decision.model_copy(
        update={"effect": "deny", "reasons": (reason, *rest), "rule": _PLAN, "pattern": None, "grantable": ()}
    )


def _refused(segment: Segment) -> Segment:
    return segment.model_copy(update={"effect": "deny", "rule": _PLAN, "pattern": None})
