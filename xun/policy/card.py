"""The decision card: everything about one verdict as rows of text, for whoever wants to know why.

The rows carry what they are (`kind`), how deep they stand and the verdict they are about; a front end colours them.
Nothing is judged again: what is shown is what decided, then, also when the rules have changed since.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from xun.policy.action import Run, Write, describe
from xun.policy.decision import NOT_THE_REST, Assessment, Decision, Near, Reason, Segment
from xun.policy.script.outline import outline

RowKind = Literal["title", "action", "part", "reason", "near", "note"]

MAX_MADE = 50  # files of the agent's that a card names
MARKS = {"allow": "+", "ask": "?", "deny": "-"}
"""The sign of each verdict, so that nothing hangs on colour alone."""
UNCONFINED = "without a sandbox"
_RUNS = {None: "runs", True: "ran", False: "would have run"}
_VERDICTS = {"allow": "allowed", "ask": "asks", "deny": "denied"}
_DENYING = frozenset({"deny-rule", "mode"})  # codes of reasons that settle a verdict by themselves
_SETTLED = {
    ("rule", True): "allowed by the rules",
    ("rule", False): "refused by the rules",
    ("person", True): "you said yes",
    ("person", False): "you said no",
    ("grant", True): "allowed by an earlier yes",
    ("grant", False): "refused by an earlier answer",
    ("auto", True): "auto-confirm said yes",
    ("auto", False): "auto-confirm does not cover it",
    ("nobody", False): "nobody was there to ask",
    ("risk", True): "the risk assessor said yes",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a card. `verdict` is "allow", "ask" or "deny" on parts, and on reasons "deny", "hard" or "soft".

    `joiner` is what joins a part to the one before it; the text begins with it.
    """

    kind: RowKind
    text: str
    depth: int = 0
    verdict: str = ""
    joiner: str = ""


def card(
    decision: Decision, assessment: Assessment | None = None, *, folder: bool = True, ran: bool | None = None
) -> list[Row]:
    """The parts of an action with a verdict each, the rules behind them, and the reason that decided.

    `folder` says whether the folder that a command runs in is shown; `ran` whether it did run, where that is known.
    """
    rows = [Row("action", line) for line in describe(decision.action).rstrip("\n").split("\n")]
    if isinstance(decision.action, Run) and folder:
        rows.append(Row("note", f"in {decision.action.cwd}"))
    elif isinstance(decision.action, Write) and decision.rule is None and not decision.reasons:
        rows.append(Row("note", "no rule speaks of it"))
    if how := decision.runs or (UNCONFINED if ran and isinstance(decision.action, Run) else ""):
        rows.append(Row("note", f"{_RUNS[ran]} {how}"))
    rows += _parts(decision)
    if decision.made:
        rows.append(Row("note", "made or changed by the agent, and no person has said yes to it:"))
        rows += [Row("note", path, 1) for path in decision.made[:MAX_MADE]]
        if (more := len(decision.made) - MAX_MADE) > 0:
            rows.append(Row("note", f"and {more} more", 1))
    rows += _settling(decision, assessment)
    return rows


def headline(decision: Decision, *, number: int = 0, tool: str = "", by: str = "", allowed: bool | None = None) -> str:
    """One line on a decision: its number, whose call it was, the verdict of the rules, and who settled it."""
    verdict = _VERDICTS[decision.effect]
    settled = _SETTLED.get((by, allowed is True)) if allowed is not None else None
    if settled and decision.effect == "ask":
        verdict = f"asked; {settled}"
    elif settled and by == "rule" and (decision.effect == "deny" or allowed):
        verdict = settled
    elif settled and allowed is False and decision.effect == "allow":
        verdict = f"allowed by the rules, held back with the rest of the call; {settled}"
    parts = [f"#{number}" if number else "", tool, verdict]
    return " · ".join(part for part in parts if part)


def routine(decision: Decision) -> bool:
    """That a tool may be used at all, which every call asks first, says nothing of what the call would do."""
    from xun.policy.modes import TOOLS_DEFAULT

    return decision.effect == "allow" and decision.rule == TOOLS_DEFAULT


def _parts(decision: Decision) -> Iterator[Row]:
    told: set[Reason] = set()
    near: set[Near] = set()
    if isinstance(decision.action, Run):
        places = outline(decision.action.command, len(decision.segments))
        for segment, place in zip(decision.segments, places, strict=True):
            joined = f"{place.joiner}{'' if place.joiner.endswith('(') else ' '}{segment.text}".strip()
            yield Row("part", _line(joined), place.depth, segment.effect, place.joiner)
            mine = [r for r in decision.reasons if r.segment == segment.text and r not in told]
            told.update(mine)
            yield from _under(segment, mine, near, place.depth + 1)
    else:
        if rule := _rule(decision.rule, decision.pattern):
            yield Row("note", f"{_VERDICTS[decision.effect]} by {rule}", 0)
        yield from _near(decision.near, (), near, 0)
    rest = [reason for reason in decision.reasons if reason not in told]
    if rest and decision.segments:
        yield Row("note", "of the whole:")
    yield from _reasons(rest, 1 if decision.segments else 0)


def _under(segment: Segment, reasons: Sequence[Reason], near: set[Near], depth: int) -> Iterator[Row]:
    if rule := _rule(segment.rule, segment.pattern):
        yield Row("note", f"{'denied' if segment.effect == 'deny' else 'allowed'} by {rule}", depth)
    yield from _reasons(reasons, depth)
    yield from _near(segment.near, reasons, near, depth)


def _rule(source: str | None, pattern: str | None) -> str:
    if source is None:
        return ""
    return f"{pattern} ({source})" if pattern else source


def _reasons(reasons: Iterable[Reason], depth: int) -> Iterator[Row]:
    for reason in reasons:
        where = f" ({reason.rule})" if reason.rule else ""
        verdict = "deny" if reason.code in _DENYING else "hard" if reason.hard else "soft"
        yield Row("reason", f"{reason.text}{where}", depth, verdict)


def _near(near: Iterable[Near], reasons: Iterable[Reason], told: set[Near], depth: int) -> Iterator[Row]:
    """The rules that nearly settled a part, those with one cause on one row, and each once in a card.

    A cause that is among the reasons above is not told again.
    """
    causes: dict[str, list[str]] = {}
    for one in near:
        if one not in told:
            told.add(one)
            causes.setdefault(one.why, []).append(f"{one.effect} {one.pattern} ({one.rule})")
    above = {f"{NOT_THE_REST}{reason.text}" for reason in reasons}
    for why, rules in causes.items():
        cause = f"which {'does' if len(rules) == 1 else 'do'} not cover that" if why in above else f"but {why}"
        yield Row("near", f"nearly: {', '.join(rules)}, {cause}", depth)


def _settling(decision: Decision, assessment: Assessment | None) -> Iterator[Row]:
    reason = decision.deciding
    if reason is not None:
        kind = "" if decision.effect == "deny" else ", which only a person settles" if decision.personal else ""
        where = f", in {_line(reason.segment)}" if reason.segment and len(decision.segments) > 1 else ""
        yield Row("note", f"decided by: {reason.text}{where}{kind}", 0, decision.effect)
    elif decision.effect == "allow" and decision.segments:
        yield Row("note", "every part is allowed, and nothing speaks against the whole", 0, "allow")
    if decision.grantable and decision.lasting:
        saved = ", ".join(f"{kind} {pattern}" for kind, pattern in decision.lasting)
        yield Row("note", f"{'a yes for the session' if decision.here else 'always'} would allow: {saved}")
    if assessment is not None:
        yield Row("note", f"the risk assessor: {assessment.verdict} ({assessment.reason})")


def _line(text: str) -> str:
    return " ⏎ ".join(text.strip().split("\n"))
