"""How a question and its answers are laid out, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rich.cells import cell_len
from textual.content import Content

from xun.frontends.tui.question.choices import Choice, Menu
from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.wrap import clean, measure, wrap

_BESIDE = 50  # cells beside an answer in which what it keeps may go on; it stands below where there are fewer
_STYLES = {
    "strong": "bold",
    "muted": "dim",
    "number": "dim",
    "hard": "bold $error",
    "soft": "$warning",
    "near": "dim italic",
    "allow": "$success",
    "ask": "$warning",
    "deny": "bold $error",
    "added": "$success",
    "removed": "$error",
    "blank": "reverse",
}


def content_of(lines: Iterable[Line]) -> Content:
    """The rows for a widget."""
    return Content("\n").join(
        Content.assemble(*((text, _style(style)) for text, style in line.pieces)) for line in lines
    )


def _style(names: str) -> str:
    return " ".join(filter(None, (_STYLES.get(name, "") for name in names.split())))


def answers(menu: Menu, at: int, width: int, *, ready: bool, kept: bool = True) -> list[Line]:
    """The answers, the one at `at` marked. `kept` shows what each would keep, beside it or below."""
    digits = digits_of(menu)
    heads = [_head(index, choice, digits, here=index == at) for index, choice in enumerate(menu.choices)]
    column = max((cell_len(head) for head, choice in zip(heads, menu.choices, strict=True) if choice.keeps), default=0)
    room = width - column - 3
    indent = _indent(digits)
    lines: list[Line] = []
    for index, (head, choice) in enumerate(zip(heads, menu.choices, strict=True)):
        style = "strong" if index == at and ready else ""
        if not choice.keeps or not kept:
            rows = _row(head, style, indent, width)
        elif room >= min(_BESIDE, cell_len(clean(choice.keeps))):
            first = ((head + " " * (column - cell_len(head) + 3), style),)
            rows = wrap(((clean(choice.keeps), "muted"),), width, first=first)
        else:
            rows = [*_row(head, style, indent, width), *kept_by(choice, width, indent)]
        lines += _belonging(rows, index)
    if menu.more:
        lines += wrap(((f"{' ' * (indent - 2)}m more answers", "muted"),), width)
    return lines


def row_of(menu: Menu, index: int, width: int, *, marked: bool, ready: bool) -> list[Line]:
    """One of the answers, without what it would keep."""
    digits = digits_of(menu)
    head = _head(index, menu.choices[index], digits, here=marked)
    return _belonging(_row(head, "strong" if marked and ready else "", _indent(digits), width), index)


def kept_by(choice: Choice, width: int, indent: int = 0, label: str = "") -> list[Line]:
    """What an answer would keep, in rows of its own."""
    text = f"{label}: {choice.keeps}" if label else choice.keeps
    return wrap(((clean(text), "muted"),), width, first=((" " * indent, ""),))


def hint(text: str, width: int) -> list[Line]:
    """The row that tells the keys."""
    return wrap(((text, "muted"),), measure(width))


def entry(choice: Choice, text: str, width: int) -> list[Line]:
    """What is being typed, and what ends it."""
    keys = ((f" · {text}", "muted"),) if text else ()
    return wrap(((choice.label, "strong"), *keys), width)


def all_kept(choices: Sequence[Choice], width: int) -> list[Line]:
    """What the answers would keep, for where there is no room beside them."""
    return [line for choice in choices if choice.keeps for line in kept_by(choice, width, label=choice.label)]


def _belonging(rows: list[Line], index: int) -> list[Line]:
    """`rows`, which a click on marks the answer at `index`."""
    return [replace(row, choice=index) for row in rows]


def _head(index: int, choice: Choice, digits: int, *, here: bool) -> str:
    key = f" ({choice.key})" if choice.key else ""
    return f"{'▸' if here else ' '} {number_of(index, digits)}{clean(choice.label)}{key}"


def digits_of(menu: Menu) -> int:
    """Cells of the number of an answer, 0 where a number chooses none."""
    return len(str(len(menu.choices))) if menu.numbered else 0


def number_of(index: int, digits: int) -> str:
    """The number of the answer at `index`, with what sets it off."""
    return f"{index + 1:>{digits}} " if digits else ""


def _indent(digits: int) -> int:
    return 2 + len(number_of(0, digits))


def _row(head: str, style: str, indent: int, width: int) -> list[Line]:
    return wrap(((head[indent:], style),), measure(width), first=((head[:indent], style),), rest=((" " * indent, ""),))
