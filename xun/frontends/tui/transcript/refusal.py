"""What was refused, by whom, and why."""

from __future__ import annotations

from xun.events import Decided
from xun.frontends.text import visible
from xun.frontends.tui.transcript.why import ask_for
from xun.policy.action import describe
from xun.policy.decision import Decision, Reason

SHOWN = 400
"""Characters shown of what was refused: as many from its beginning as from its end."""
_MODE = "mode "  # before its name where it stands for a rule
_LITTLE = 40  # characters that are as soon shown as said to be left out
_BY = {
    "rule": "a rule",
    "person": "you",
    "grant": "an earlier yes",
    "auto": "auto-confirm",
    "nobody": "no one to ask",
    "risk": "the risk assessment",
}


def by_whom(event: Decided) -> str:
    """Who or what settled it."""
    rule = event.decision.rule or ""
    if event.by == "rule" and rule.startswith(_MODE):
        return f"{rule.removeprefix(_MODE)} mode"
    return _BY.get(event.by, event.by)


def refused(decision: Decision) -> str:
    """A line on a refusal that belongs to no call in view."""
    why = "; ".join(dict.fromkeys(reason.text for reason in decision.reasons))
    return f"refused: {_both_ends(describe(decision.action))}" + (f" ({why})" if why else "")


def refused_by(event: Decided, words: str) -> str:
    """A line on a refusal below its call. `words` are what the person gave as the reason, if they did."""
    decision = event.decision
    reasons = "; ".join(dict.fromkeys(with_rule(reason, reason.text) for reason in decision.reasons))
    why = words if event.by == "person" else reasons
    what = _both_ends(describe(decision.action)) + (f" — {why}" if why else "")
    return f"refused by {by_whom(event)}: {what}{ask_for(event)}"


def with_rule(reason: Reason, text: str) -> str:
    """`text`, which says `reason`, and the rule behind it where the reason does not name that."""
    return f"{text} ({reason.rule})" if reason.rule and reason.rule not in reason.text else text


def _both_ends(text: str) -> str:
    """`text` on one line. Of a long one the middle is left out: what matters often stands at the end."""
    text = visible(text.strip(), keep="\n").replace("\n", " ⏎ ")
    over = len(text) - SHOWN
    if over <= _LITTLE:
        return text
    return f"{text[: SHOWN // 2]} … {over:,} characters left out … {text[-SHOWN // 2 :]}"
