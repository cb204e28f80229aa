"""A text has one sandbox: what one part of it needs, the others have too. Where that matters it asks, and names both.

It matters where another part runs code that was let run without that: tests, which the default list lets run, and what
would see the logins of another program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xun.policy.action import Confinement, Run
from xun.policy.decision import PERSONAL, Decision, Reason
from xun.policy.facts import Facts
from xun.policy.judge.granted import changes_git
from xun.policy.judge.made import AGENT_MADE, loader_of
from xun.policy.judge.needing import Need, needs_of
from xun.policy.reach.needs import read_command
from xun.policy.rules import Policy, Rule

SHARED = "shared-sandbox"
"""The code of the reason."""
_LOGINS = "the logins of"
_ONE_BY_ONE = "send them as commands of their own"
# Looks in the folder for no more than the standard library, which whatever else is made there is not.
_SHOWS = "json.tool"


def shared(decision: Decision, facts: Facts, policy: Policy, grants: Sequence[Rule]) -> Decision:
    """`decision`, asking where a part of a text would have what only another one needs.

    A person who is asked anyway is shown what the whole would have.
    """
    action, granted = decision.action, decision.confinement
    if granted is None or granted.plain or not isinstance(action, Run) or len(decision.segments) < 2:
        return decision
    others = {reason.code for reason in decision.reasons if reason.code != AGENT_MADE}
    settled = decision.effect == "allow" and any(segment.effect == "ask" for segment in decision.segments)
    if decision.hard or not others.isdisjoint(PERSONAL) or settled:
        return decision  # settled: a person has said yes to exactly this text
    reason = next(_reasons(decision, facts, policy, grants, asks=bool(others)), None)
    if reason is None:
        return decision
    segments = (
        one.model_copy(update={"effect": "ask"}) if one.text == reason.segment else one for one in decision.segments
    )
    return decision.model_copy(
        update={
            "effect": "ask",
            "reasons": (*decision.reasons, reason),
            "segments": tuple(segments),
            "grantable": (),
            "rule": None,
            "pattern": None,
        }
    )


def _reasons(
    decision: Decision, facts: Facts, policy: Policy, grants: Sequence[Rule], *, asks: bool
) -> Iterator[Reason]:
    action, granted = decision.action, decision.confinement
    assert isinstance(action, Run) and granted is not None
    reading = read_command(action.command, facts.home, policy.settings.constructs)
    needs = needs_of(decision, reading, policy, grants)
    git = [changes_git(command, need) for command, need in zip(reading.commands, needs, strict=True)]
    made = facts.made.files or facts.made.away or facts.made.lost
    for index, (command, need) in enumerate(zip(reading.commands, needs, strict=True)):
        lacking = list(_lacking(index, granted, needs, git, asks=asks))
        starts = reading.script.starts(action.cwd, command.segment)
        if not lacking or loader_of(command, facts, starts) is None:
            continue
        if need.listed:
            counting = [] if _SHOWS in command.segment.argv else lacking
        elif need.asks:
            counting = lacking if made else []
        else:
            counting = [(what, other) for what, other in lacking if what.startswith(_LOGINS)]
        for what, other in counting[:1]:
            text = command.segment.text
            needing = reading.commands[other].segment.text
            told = f"{needing} needs {what}, and {text} would get that too: {_ONE_BY_ONE}"
            yield Reason(code=SHARED, text=told, segment=text)


def _lacking(
    index: int, granted: Confinement, needs: Sequence[Need], git: Sequence[bool], *, asks: bool
) -> Iterator[tuple[str, int]]:
    """What the text is granted and this part does not need, each with the part that does.

    Of a text that asks no network and no logins: only a person's yes opens these.
    """
    need = needs[index]
    for other, one in enumerate(needs):
        if not asks:
            if one.network and not need.network and granted.network:
                yield "the network", other
            for name in sorted(one.logins - need.own):
                yield f"{_LOGINS} {name}", other
        if git[other] and not git[index]:
            yield "leave to change git's data", other
        if one.programs and not need.programs and granted.programs:
            yield "leave to change the workspace's programs", other
