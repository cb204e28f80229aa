"""How a question and its answers share the rows that there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xun.frontends.tui.question.choices import Choice, Menu
from xun.frontends.tui.question.describe import Shown, body, why
from xun.frontends.tui.question.look import all_kept, answers, entry, hint
from xun.frontends.tui.question.mark import Mark
from xun.frontends.tui.question.rule import Edited
from xun.frontends.tui.question.window import window
from xun.frontends.tui.transcript.line import Line, joined
from xun.frontends.tui.transcript.wrap import cut
from xun.policy.decision import Ask

_ANSWERS = "a number or letter answers · Esc no · Tab back to the prompt"
_EXPLAINS = "a number or letter answers · e explain · Esc no · Tab back to the prompt"
_LETTERS = "a letter answers, numbers choose · Esc leaves it · Tab back to the prompt"
_NUMBERS = "a number answers · Esc leaves it · Tab back to the prompt"
_NARROWED = "Enter takes the marked one · Esc shows all · Tab back to the prompt"
_NOTHING = "nothing has that · Backspace takes a letter back · Esc shows all"
_HELD = "counts in a moment · any key takes it back"
_WAITS = "waits until you stop typing · Tab answers now"
_DRAFT = "Tab answers · until then keys go to the prompt"
_READING = "Tab answers · until then keys go to the transcript"
_LISTING = "waits while the list is open · Esc closes it"
_ENTRY_LEFT = "Tab goes on with it · Esc interrupts"
_ENTRY_HINTS = {
    "reason": "Enter says no, with a reason or without · Esc goes back",
    "words": "Enter sends it · Esc goes back",
    "rule": "Enter keeps it · Up, Down: for how long · Esc goes back",
    "secret": "it is not shown · Enter takes it · Esc goes back",
}
_BRIEFLY = "↑ ↓ Enter takes it · Esc leaves it"
_BRIEF = 3  # rows for answers and keys, or fewer, in which the keys are told briefly
_REASONS = 2  # rows of reasons beside what is scrolled
_TIGHT = 5  # rows above a line that is typed in, or fewer, in which one of what is asked must do
_READABLE = 3  # rows of what is asked that must be in view; with fewer, the answers take less room


@dataclass(frozen=True, slots=True)
class Fit:
    """What is asked, to be scrolled in `height` rows, and what stands below it. `close`: no row is between them.

    `listed` is how many of the answers are in view at a time, 0 where all of them are. `told` says that the keys of
    what is typed stand there.
    """

    asked: list[Line]
    menu: list[Line]
    close: bool
    height: int
    listed: int = 0
    told: bool = True


def hint_for(
    mark: Mark, *, ready: bool, held: bool, reading: bool, listing: bool, draft: bool, typing: Choice | None, left: bool
) -> str:
    """What the keys do now.

    `ready` says that they are taken as answers, and `held` that one was; else `reading`, `listing` and `draft` say what
    the person is at. `typing` is the answer of which the rest is being typed, unless that was `left`.
    """
    if typing is not None:
        return _ENTRY_LEFT if left else _ENTRY_HINTS[typing.entry]
    if held:
        return _HELD
    if ready:
        return _NOTHING if mark.nothing else _choosing(mark.menu)
    return _READING if reading else _LISTING if listing else _DRAFT if draft else _WAITS


def _choosing(menu: Menu) -> str:
    if menu.explains:
        return _EXPLAINS
    if menu.digits is not None:
        return _LETTERS
    if not menu.numbered:
        return _NARROWED
    return _ANSWERS if any(choice.key for choice in menu.choices) else _NUMBERS


def fit(
    ask: Ask,
    mark: Mark,
    shown: Shown,
    *,
    width: int,
    rows: int,
    ready: bool,
    typing: Choice | None,
    keys: str,
    opinion: str = "",
    edited: Edited | None = None,
) -> Fit:
    """`ask` and its answers in `rows` rows of `width` cells.

    `ready` says that keys are taken as answers; `typing` is the answer of which the rest is to be typed; `keys` is what
    `hint_for` says, and `opinion` what is to be said of the risk assessor. `edited` is what is told of the rule that is
    being typed.
    """  # fmt: skip
    asked = _Asked(ask, width, shown, explained=mark.explained)
    if typing is not None:
        return _typed(asked, typing, keys, rows, edited, opinion)
    foot = [*hint(opinion, width), *hint(keys, width)] if opinion else hint(keys, width)
    if mark.nothing:  # of what was typed: no answer is there to be marked
        return _whole(asked, foot[: max(rows, 1)], rows)
    few = len(mark.menu.choices) <= rows
    every = [*answers(mark.menu, mark.at, width, ready=ready), *foot] if few else []
    found = _whole(asked, every, rows) if few else None
    if found is not None and len(found.menu) + _least(asked.lines) + (not found.close) <= rows:
        return found
    brief = _BRIEFLY if ready and mark.menu.numbered else keys.partition(" · ")[0]
    return _tight(mark, asked.lines, foot, width, rows, brief=brief, ready=ready)


class _Asked:
    """What is asked, and why."""

    def __init__(self, ask: Ask, width: int, shown: Shown, *, explained: bool) -> None:
        self.width = width
        self._ask, self._shown, self._explained = ask, shown, explained
        self.lines = body(ask, width, shown, explained=explained)

    def beside(self, room: int) -> tuple[list[Line], list[Line]]:
        """What is scrolled in `room` rows, and why it asks, which stays in view beside it: each reason once."""
        if len(self.lines) <= room or self._explained:
            return self.lines, []
        pinned, whole = why(self._ask, self.width, self._shown, _REASONS)
        return body(self._ask, self.width, self._shown, without=whole), pinned


def _least(asked: Sequence[Line]) -> int:
    return min(len(asked), _READABLE)


def _whole(asked: _Asked, menu: list[Line], rows: int) -> Fit:
    """All of the answers, and as much of what is asked as there is room for beside them."""
    lines, pinned = asked.beside(rows - len(menu) - 1)
    menu = [*pinned, *menu]
    close = not lines or rows - len(menu) - 1 < _least(lines)
    return Fit(lines, menu, close, max(rows - len(menu) - (not close), 1))


def _typed(asked: _Asked, choice: Choice, keys: str, rows: int, edited: Edited | None, opinion: str) -> Fit:
    """Above the line that is typed in, which is always there: what it is for, then what is asked, then the rest."""
    width, rows = asked.width, rows - 1
    told = [*(hint(opinion, width) if opinion else ()), *(edited.told if edited else ())]
    label = _headed(choice, keys, width, edited, rows - _least(asked.lines))
    if len(label) >= max(rows, 2):
        label = _cut(label, width, 1)
    label = label[: max(rows, 0)]
    room = rows - len(label)
    foot = hint(keys, width) if edited else []
    foot = foot if len(foot) + min(len(told), 1) + _least(asked.lines) <= room else []
    few = max(room - len(foot) - (_least(asked.lines) if room > _TIGHT else min(len(asked.lines), 1)), 0)
    menu = [*_cut(told, width, few), *foot, *label]
    said = bool(foot) or (edited is None and len(label) == len(entry(choice, keys, width)))
    if rows - len(menu) <= 0:
        return Fit([], menu, True, 1, told=said)
    if rows - len(menu) > _READABLE + _REASONS:
        found = _whole(asked, menu, rows)
    else:
        lines = asked.lines
        close = not lines or rows - len(menu) - 1 < _least(lines)
        found = Fit(lines, menu, close, rows - len(menu) - (not close))
    return replace(found, told=said)


def _headed(choice: Choice, keys: str, width: int, edited: Edited | None, room: int) -> list[Line]:
    """What the line is for: whole, and with its keys where there is room."""
    if edited is not None:
        return edited.label
    whole = entry(choice, keys, width)
    return whole if len(whole) <= max(room, 1) else entry(choice, "", width)


def _cut(lines: Sequence[Line], width: int, rows: int) -> list[Line]:
    """The first `rows` rows, the last of them with a sign where there are more."""
    if len(lines) <= rows or not rows:
        return list(lines[:rows])
    *whole, last = lines[:rows]
    return [*whole, Line(((cut(joined((last, *lines[rows:])).replace("\n", " "), width), last.pieces[-1][1]),))]


def _tight(mark: Mark, asked: list[Line], foot: list[Line], width: int, rows: int, *, brief: str, ready: bool) -> Fit:
    """Where that is too much: what the answers would keep is told with what is asked; then some answers are in view."""
    menu, at = mark.menu, mark.at
    room = rows - _least(asked)
    most = max(rows - min(len(asked), 1), 1)
    few = len(menu.choices) <= most
    if few and not menu.listing:
        asked = [*asked, *all_kept(menu.choices, width)]
    bare = answers(menu, at, width, ready=ready, kept=False) if few else []
    if bare and len(bare) + len(foot) <= room:
        return Fit(asked, [*bare, *foot], True, max(rows - len(bare) - len(foot), 1))
    if bare and len(bare) <= most and not menu.listing:  # all of the answers matter more than their keys
        return Fit(asked, bare, True, max(rows - len(bare), 1))
    told = foot if len(foot) == 1 and most > _BRIEF else hint(brief, width)[:1]
    listed = window(menu, at, width, max(most - len(told), 1), ready=ready)
    below = [*listed, *told] if most > 1 else listed
    return Fit(asked, below, True, max(rows - len(below), 1), max(len(listed) - 1, 1))
