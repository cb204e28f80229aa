"""A question in words: the command first and whole, then why it asks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from xun.frontends.tui.question.explain import card_of
from xun.frontends.tui.transcript.diff import Diff
from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.refusal import with_rule
from xun.frontends.tui.transcript.wrap import clean, measure, wrap, wrap_all
from xun.policy.action import Read, Run, Write, describe
from xun.policy.decision import Ask, Decision, Reason

Shown = Callable[[str], str]
"""A path as the person knows it."""

_WHOLE = 1 << 30  # lines of a diff: all of them
_WHY = "why: "
_ALSO = "also: "  # why it asks, besides what stands below


def heading(ask: Ask) -> str:
    """The line above the question."""
    if ask.question:
        who = clean(ask.sub_agent)
        return (f"{who}: {ask.title}" if who else ask.title) if ask.title else f"{who or ask.agent} asks"
    kinds = {decision.action.kind for decision in ask.decisions}
    what = {"run": "Run this command?", "write": "Change this file?", "read": "Read this file?", "fetch": "Fetch this?"}
    hard = any(decision.hard for decision in ask.decisions)
    asker = f"{clean(ask.sub_agent)}: " if ask.sub_agent else ""
    wanted = what.get(kinds.pop(), "Allow this?") if len(kinds) == 1 else "Allow this?"
    return f"{'Careful: ' if hard else ''}{asker}{wanted}"


def titled(ask: Ask) -> bool:
    """Whether the title says all that is asked."""
    return bool(ask.question) and ask.question == ask.title


def body(
    ask: Ask, width: int, shown: Shown = str, *, explained: bool = False, without: Collection[Reason] = ()
) -> list[Line]:
    """All of it, at `width` cells. Nothing is cut: what is too long is scrolled. A title is not said again.

    `explained` shows the card of each decision in place of the reasons alone; `without` are reasons that stand
    elsewhere.
    """
    if ask.question:
        return [] if titled(ask) else wrap_all(clean(ask.question), "", measure(width))
    lines: list[Line] = []
    for decision in ask.decisions:
        lines += _action(decision, width, shown)
        lines += card_of(decision, width) if explained else _reasons(decision, width, shown, without)
    return lines


def above_card(ask: Ask, width: int, shown: Shown = str) -> int:
    """How many rows of `body` stand above the first card."""
    return sum(1 for _ in _action(ask.decisions[0], width, shown)) if ask.decisions else 0


def why(ask: Ask, width: int, shown: Shown, rows: int) -> tuple[list[Line], list[Reason]]:
    """The reasons that fit in `rows` rows, the one that decided first, and which of them stand there whole."""
    pairs = [(reason, decision) for decision in ask.decisions for reason in _ranked(decision)]
    pairs.sort(key=lambda pair: (not pair[0].hard, pair[0] is not pair[1].deciding))
    lines: list[Line] = []
    whole: list[Reason] = []
    for reason, decision in pairs:
        more = _why(reason, decision, width, " " * len(_WHY) if lines else _WHY, shown)
        if len(lines) + len(more) > rows:
            return lines or more[:rows], whole
        lines += more
        whole.append(reason)
    return lines, whole


def _action(decision: Decision, width: int, shown: Shown) -> Iterator[Line]:
    match decision.action:
        case Run(command=command, cwd=cwd, env=env):
            yield from wrap_all(clean(command), "strong", width)
            variables = f" with {' '.join(f'{name}={value}' for name, value in env.items())}" if env else ""
            how = f"; {decision.runs}" if decision.runs else ""
            yield from _line(f"in {shown(cwd)}{variables}{how}", "muted", width)
        case Write(path=path, op=op, diff=diff):
            yield from _line(f"{op} {shown(path)}", "strong", width)
            if diff:
                yield from Diff(diff, 0, 0).render(width, _WHOLE) or wrap_all(clean(diff), "", width)
        case Read(path=path):
            yield from _line(f"read {shown(path)}", "strong", width)
        case action:
            yield from _line(describe(action), "strong", width)


def _ranked(decision: Decision) -> list[Reason]:
    return sorted(decision.reasons, key=lambda reason: (reason is not decision.deciding, not reason.hard))


def _reasons(decision: Decision, width: int, shown: Shown, without: Collection[Reason]) -> Iterator[Line]:
    first = _ALSO if without else _WHY
    for reason in _ranked(decision):
        if reason in without:
            continue
        yield from _why(reason, decision, width, first, shown)
        first = " " * len(first)


def _line(text: str, style: str, width: int) -> list[Line]:
    return wrap_all(clean(text), style, width, rest=(("  ", ""),))


def _why(reason: Reason, decision: Decision, width: int, first: str, shown: Shown) -> list[Line]:
    style = "hard" if reason.hard else ""
    text = reason.text
    if isinstance(decision.action, Read | Write):
        text = text.replace(decision.action.path, shown(decision.action.path))
    part = reason.segment if isinstance(decision.action, Run) and reason.segment != decision.action.command else None
    pieces = [(clean(with_rule(reason, text)).replace("\n", " "), style)]
    if part:
        pieces.append((clean(f"  in: {part}").replace("\n", " "), "muted"))
    return wrap(pieces, measure(width), first=((first, style or "soft"),), rest=((" " * len(first), ""),))
