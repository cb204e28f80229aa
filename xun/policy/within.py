"""Two decisions on one action, of an agent and of the one that it works for: the stricter one holds."""

from __future__ import annotations

from xun.policy.action import Confinement
from xun.policy.decision import Decision, Effect

_ORDER: tuple[Effect, ...] = ("allow", "ask", "deny")


def within(own: Decision, above: Decision) -> Decision:
    """`own`, as far as `above` lets it: nothing passes that either would not let pass.

    Of two that ask, one that only a person may settle goes first, then `own`. A command is as confined as either says.
    """
    held = above if _strictness(above) > _strictness(own) else own
    if held.effect == "deny":
        return held
    both = {"confinement": _tighter(own, above), "outside": own.outside and above.outside}
    return held.model_copy(update=both) if own.confinement != above.confinement else held


def stricter(own: Effect, above: Effect) -> Effect:
    """The one of two that lets less pass."""
    return max(own, above, key=_ORDER.index)


def _strictness(decision: Decision) -> tuple[int, bool]:
    return _ORDER.index(decision.effect), decision.personal


def _tighter(own: Decision, above: Decision) -> Confinement | None:
    """What both grant, in a sandbox where either wants one."""
    one, other = own.confinement, above.confinement
    if one is None or other is None:
        return one or other
    return one.model_copy(
        update={
            "network": one.network and other.network,
            "logins": _both(one.logins, other.logins) if one.network and other.network else (),
            "git": one.git and other.git,
            "secrets": one.secrets and other.secrets,
            "programs": one.programs and other.programs,
            "background": one.background and other.background,
            "checks_out": one.checks_out and other.checks_out,
            "steps": one.steps and other.steps,
            "nested": one.nested and other.nested,
            "writable": _both(one.writable, other.writable),
            "folders": _both(one.folders, other.folders),
            "readable": _both(one.readable, other.readable),
        }
    )


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in one if path in other)
