"""Why a call was done or not: a line for each decision about it, with the number that explains it whole."""

from __future__ import annotations

from collections.abc import Iterable

from xun.events import Decided
from xun.policy.card import headline, routine

_RULES = 3  # named at most
_MUCH = 60  # characters of a rule


def why(event: Decided) -> str:
    """The verdict in a few words, and where to ask for more; "" where there is nothing to ask for."""
    if not event.number or routine(event.decision):
        return ""
    return f"why: {_verdict(event)}{ask_for(event)}"


def ask_for(event: Decided) -> str:
    """The command that explains a decision, set off from what stands before it."""
    return f" · /policy why {event.number}" if event.number else ""


def _verdict(event: Decided) -> str:
    decision = event.decision
    if decision.effect == "allow" and event.allowed:
        parts = decision.segments or (decision,)
        rules = [_rule(part.pattern, part.rule) for part in parts if part.rule is not None]
        if rules:
            return f"allowed by {_listed(dict.fromkeys(rules))}"
    return headline(decision, by=event.by, allowed=event.allowed)


def _rule(pattern: str | None, source: str | None) -> str:
    if not pattern:
        return f"the rules ({source})"
    if source and source.startswith("mode "):
        return source  # its rule is xun's own: the pattern tells nobody anything
    return f"{pattern if len(pattern) <= _MUCH else pattern[: _MUCH - 1] + '…'} ({source})"


def _listed(rules: Iterable[str]) -> str:
    named = list(rules)
    more = f" and {len(named) - _RULES} more" if len(named) > _RULES else ""
    return ", ".join(named[:_RULES]) + more
