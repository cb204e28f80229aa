"""Going on with a stored session: the mode it is in, what waits, and what the model has still to be told."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from xun.agent.base import AgentBase
from xun.policy.decision import Mode

_CAUTIOUS: tuple[Mode, ...] = ("manual", "plan")


def mode_again(stored: Mode | None, configured: Mode) -> tuple[Mode, str]:
    """The mode of a session that was left in `stored`, None where it never said, and a line on it for the person.

    A cautious mode stays. One that asks less is no reason to ask less today: what is configured counts then. The line
    is empty where the mode is the one that is configured.
    """
    left = stored or ("manual" if configured not in _CAUTIOUS else configured)
    if left == configured:
        return left, ""
    if left in _CAUTIOUS:
        return left, f"this session goes on in {left} mode, as it was left (configured: {configured}; /mode changes it)"
    return configured, f"this session was left in {left} mode and goes on in {configured} mode (/mode {left} goes back)"


def model_again(left: tuple[str, str | None], now: tuple[str, str | None], chosen: Collection[str] = ()) -> str:
    """A line for the person where a session goes on with another model, or effort, than its last turn had, else "".

    Each is a model's name, empty where there was no turn, and the effort, None where that is left to the model. What is
    configured today counts: the one of the last turn may cost more, or have no key here. Of `chosen`, "model" or
    "effort", the person has just said what it is to be.
    """
    back = [f"/model {left[0]}"] if left[0] != now[0] and "model" not in chosen else []
    back += [f"/effort {left[1] or 'default'}"] if left[1] != now[1] and "effort" not in chosen else []
    if not left[0] or not back:
        return ""
    goes = "goes" if len(back) == 1 else "go"
    return (
        f"the last turn of this session was with {_spoken_with(*left)}; it goes on with {_spoken_with(*now)}"
        f" ({', '.join(back)} {goes} back)"
    )


def _spoken_with(model: str, effort: str | None) -> str:
    return f"{model} at effort {effort}" if effort else model


def take_up(
    agent: AgentBase, mode: Mode | None, asides: Sequence[str], queued: Sequence[str], say: Callable[[str], None]
) -> None:
    """Let `agent`, not yet at work, know what its session knew. `mode` is what the session was left in."""
    agent.told_mode = mode or "manual"
    agent.asides.extend(asides)
    agent.queue.restore(queued)
    if asides:
        what = "your last shell line" if len(asides) == 1 else f"your last {len(asides)} shell lines"
        say(f"the output of {what} goes to the model with your next message")
