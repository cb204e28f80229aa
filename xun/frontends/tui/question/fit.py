"""How a question and its answers share the rows that there are."""

from __future__ import annotations

from dataclasses import dataclass

from xun.frontends.tui.question.choices import Choice
from xun.frontends.tui.question.describe import Shown, body, why
from xun.frontends.tui.question.look import all_kept, answers, entry, hint
from xun.frontends.tui.question.mark import Mark
from xun.frontends.tui.transcript.line import Line
from xun.policy.decision import Ask

_ANSWERS = "a number or letter answers · Esc no · Tab back to the prompt"
_NUMBERS = "a number answers · Esc leaves it · Tab back to the prompt"
_WAITS = "waits until you stop typing · Tab answers now"
_ENTRY_HINTS = {
    "reason": "Enter says no, with a reason or without · Esc goes back",
    "words": "Enter sends it · Esc goes back",
    "secret": "it is not shown · Enter takes it · Esc goes back",
}
_REASONS = 2  # rows of reasons beside what is scrolled
_READABLE = 3  # rows of what is asked that must be in view; with fewer, the answers take less room


@dataclass(frozen=True, slots=True)
class Fit:
    """What is asked, to be scrolled in `height` rows, and what stands below it. `close`: no row is between them."""

    asked: list[Line]
    menu: list[Line]
    close: bool
    height: int


def fit(ask: Ask, mark: Mark, shown: Shown, *, width: int, rows: int, ready: bool, typing: Choice | None) -> Fit:
    """`ask` and its answers in `rows` rows of `width` cells.

    `ready` says that keys are taken as answers; `typing` is the answer of which the rest is being typed.
    """
    asked, menu = body(ask, width, shown), _menu(mark, width, ready=ready, typing=typing)
    if len(asked) > rows - len(menu) - 1:  # why it asks stays in view beside what is scrolled
        reasons = why(ask, width, shown)[:_REASONS]
        menu = [*reasons, *menu]
    close = rows - len(menu) - bool(asked) < min(len(asked), _READABLE)
    if close and typing is None:
        asked += all_kept(mark.menu.choices, width)
        menu = answers(mark.menu, mark.at, width, ready=ready, kept=False)
    height = max(rows - len(menu) - (not close) - (typing is not None), 1)
    return Fit(asked, menu, close or not asked, height)


def _menu(mark: Mark, width: int, *, ready: bool, typing: Choice | None) -> list[Line]:
    if typing is not None:
        return entry(typing, _ENTRY_HINTS[typing.entry], width)
    keys = _ANSWERS if any(choice.key for choice in mark.menu.choices) else _NUMBERS
    return [
        *answers(mark.menu, mark.at, width, ready=ready),
        *hint(keys if ready else _WAITS, width),
    ]
