"""The decision card below what is asked: the verdict on each part, by which rule, and what decided."""

from __future__ import annotations

from collections.abc import Iterator

from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.wrap import clean, measure, wrap
from xun.policy.card import MARKS, Row, card
from xun.policy.decision import Decision

_SIGNS = {
    "soft": "soft: the risk assessor, a rule or you may settle it",
    "hard": "hard: only you settle it",
}


def card_of(decision: Decision, width: int) -> list[Line]:
    """Everything about the verdict but the action itself, which stands above it."""
    rows = [row for row in card(decision, folder=False) if row.kind not in ("title", "action")]
    column = max((len(row.joiner) + 1 for row in rows if row.joiner), default=0)
    told = {row.verdict for row in rows if row.kind == "reason"}
    signs = [text for verdict, text in _SIGNS.items() if verdict in told]
    lines = [line for row in rows for line in _lines(row, width, column)]
    return [*lines, *(line for text in signs for line in _wrapped(text, "muted", measure(width), (("  ", ""),)))]


def _lines(row: Row, width: int, column: int) -> Iterator[Line]:
    """A verdict is a sign and a colour, a reason a word and a colour: nothing hangs on colour alone."""
    indent = "  " * row.depth
    match row.kind:
        case "part":
            mark = (f"{MARKS.get(row.verdict, ' ')} ", row.verdict)
            joiner = (f"{row.joiner:<{column}}", "muted")  # in a column of its own, apart from the verdict
            text = row.text.removeprefix(row.joiner).lstrip()
            yield from _wrapped(text, "", width, (mark, (indent, ""), joiner))
        case "reason":
            style = "hard" if row.verdict == "hard" else "soft"
            yield from _wrapped(f"{row.text} [{row.verdict}]", style, measure(width), ((f"  {indent}", ""),))
        case "near":
            yield from _wrapped(row.text, "near", measure(width), ((f"  {indent}", ""),))
        case _:
            style = row.verdict if row.verdict in MARKS else "muted"
            yield from _wrapped(row.text, style, measure(width), ((f"  {indent}", ""),))


def _wrapped(text: str, style: str, width: int, first: tuple[tuple[str, str], ...]) -> list[Line]:
    blank = " " * sum(len(part) for part, _ in first)
    return wrap(((clean(text).replace("\n", " "), style),), width, first=first, rest=((f"{blank}  ", ""),))
