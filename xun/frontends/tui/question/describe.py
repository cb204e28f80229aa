"""A question in words: the command first and whole, then why it asks."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from xun.frontends.tui.safe import plain
from xun.policy.action import Run, Write, describe
from xun.policy.decision import Ask, Decision, Reason

_DIFF_STYLES = {"+": "$success", "-": "$error", "@": "$secondary"}


def heading(ask: Ask) -> str:
    """The line above the question."""
    if ask.question:
        return ask.title or f"{ask.agent} asks"
    kinds = {decision.action.kind for decision in ask.decisions}
    what = {"run": "Run this command?", "write": "Change this file?", "read": "Read this file?", "fetch": "Fetch this?"}
    hard = any(decision.hard for decision in ask.decisions)
    return ("Careful: " if hard else "") + (what.get(kinds.pop(), "Allow this?") if len(kinds) == 1 else "Allow this?")


def body(ask: Ask) -> Content:
    """All of it. Nothing is cut: what is too long is scrolled."""
    if ask.question:
        return plain(ask.question)
    return Content("\n").join(line for decision in ask.decisions for line in _decision(decision))


def _decision(decision: Decision) -> Iterator[Content]:
    match decision.action:
        case Run(command=command, cwd=cwd, env=env):
            yield plain(command, "bold")
            yield plain(f"in {cwd}" + (f" with {' '.join(f'{k}={v}' for k, v in env.items())}" if env else ""), "dim")
        case Write(diff=diff) as action:
            yield plain(describe(action), "bold")
            yield from (plain(line, _DIFF_STYLES.get(line[:1], "")) for line in (diff or "").split("\n") if line)
        case action:
            yield plain(describe(action), "bold")
    for reason in decision.reasons:
        yield _why(reason, decision)


def _why(reason: Reason, decision: Decision) -> Content:
    about = reason.segment if reason.segment and isinstance(decision.action, Run) else ""
    whole = isinstance(decision.action, Run) and about == decision.action.command
    rule = f" ({reason.rule})" if reason.rule else ""
    text = f"why: {reason.text}{rule}" + (f"   in: {about}" if about and not whole else "")
    return plain(text, "bold $error" if reason.hard else "$warning")
