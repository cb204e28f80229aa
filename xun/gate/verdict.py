"""What became of a call: whether it may run, who settled that, and the short form of it for the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xun.gate.put import Settler
from xun.gate.waiting import OpenQuestion
from xun.policy.action import Confinement
from xun.policy.decision import Assessment, Decision


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a call may run. `reason` is what the person said to a refused one.

    `approved` are files that the agent made unseen before, and whose new content a person has said yes to.
    """

    allowed: bool
    decisions: tuple[Decision, ...]
    by: Settler = "rule"
    reason: str | None = None
    assessment: Assessment | None = None
    approved: tuple[str, ...] = ()

    @property
    def refused(self) -> tuple[Decision, ...]:
        """The decisions that stood in the way."""
        if self.allowed:
            return ()
        denied = tuple(d for d in self.decisions if d.effect == "deny")
        return denied or tuple(d for d in self.decisions if d.effect == "ask")

    @property
    def confinement(self) -> Confinement | None:
        """How the command of an allowed call runs in the sandbox, if it does."""
        return next((d.confinement for d in self.decisions if d.confinement is not None), None)

    def explain(self) -> str:
        """Short reasons for the model: what was refused, why, and by whom. Those that decided come first."""
        deciding = [decision.deciding for decision in self.refused if decision.deciding is not None]
        reasons = [*deciding, *(reason for decision in self.refused for reason in decision.reasons)]
        lines = list(dict.fromkeys(reason.text for reason in reasons)) or ["the policy refuses it"]
        match self.by:
            case "person":
                lines.append(f"the person said no: {self.reason}" if self.reason else "the person said no")
            case "nobody":
                lines.append(self.reason or "it needs a person's yes and nobody is there to give it")
            case "auto":
                lines.append("auto-confirm does not cover it")
        return "; ".join(lines)


def assessed_verdict(decisions: Sequence[Decision], said: Assessment) -> Verdict:
    """What the assessor's yes lets a call do, told as it will run: no assessor opens the network."""
    return Verdict(True, tuple(map(_without_network, decisions)), "risk", None, said)


def _without_network(decision: Decision) -> Decision:
    found = decision.confinement
    if found is None or not found.network:
        return decision
    return decision.model_copy(update={"confinement": found.model_copy(update={"network": False, "logins": ()})})


def settled_verdict(decisions: Sequence[Decision], question: OpenQuestion, said: Assessment | None) -> Verdict:
    """What became of a question that the rules settle by now: a denial tells of the rules as they are."""
    if not question.denied:
        return Verdict(True, tuple(decisions), "grant", None, said)
    later = iter(question.settled)
    by_now = tuple(next(later) if decision.effect == "ask" else decision for decision in decisions)
    return Verdict(False, by_now, "rule", None, said)
