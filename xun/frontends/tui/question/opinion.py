"""What is said, beside a question, of the risk assessor that judges the same."""

from __future__ import annotations

from collections.abc import Callable

from xun.policy.decision import Ask, Assessment

Opinion = Callable[[Ask], Assessment | bool]
"""What the risk assessor has said of a question, true while it may still speak, false where it does not."""

LOOKS = 0.5  # seconds between two looks at whether it has spoken
_JUDGES = "the risk assessor is judging this too, and may still allow it"
_YOURS = "the risk assessor is judging this too; the answer is yours now"
_SAYS = {
    "allow": "the risk assessor would allow it",
    "unsure": "the risk assessor is unsure",
    "reject": "the risk assessor advises no",
}


def told(ask: Ask, said: Assessment | bool, *, begun: bool) -> str:
    """A line on `said`, "" where there is nothing to say. `begun`: the person has begun to answer."""
    if said is True:
        return _YOURS if begun else _JUDGES
    if isinstance(said, Assessment) and said != ask.assessment:  # that one stands among the reasons
        return f"{_SAYS[said.verdict]}: {said.reason}"
    return ""
