"""The rule that a lasting yes keeps, while it is edited: its text, how long it lasts, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xun.frontends.tui.transcript.line import Line
from xun.frontends.tui.transcript.wrap import clean, wrap
from xun.policy.decision import Answer, Ask, Kept, RuleKind, Scope

if TYPE_CHECKING:
    from xun.commands.reach import Reach

_INDENT = 2
_AGAIN = "not kept: it does not cover what is asked now · Enter again keeps it, and does this once all the same"
_EMPTY = "a rule cannot be empty: type what it allows, or Esc goes back to the answers"
_ONE_EMPTY = "nothing is kept for this one, only the others"
_LEAVES_OUT = "nothing to keep here · Enter again leaves this rule out, and the others are kept"


@dataclass(frozen=True, slots=True)
class Lasting:
    """How long a rule lasts."""

    scope: Scope
    amount: int
    words: str


LASTING = (
    Lasting("uses", 1, "the next use"),
    Lasting("uses", 5, "the next 5 uses"),
    Lasting("minutes", 10, "10 minutes"),
    Lasting("minutes", 60, "an hour"),
    Lasting("session", 1, "this session"),
    Lasting("project", 1, "this project, for everybody who trusts it (.xun/policy.toml)"),
    Lasting("user", 1, "good, in every folder (your policy.toml)"),
)
"""What can be chosen, the shortest first."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What stands above the line in which a rule is typed: what it comes to, and what rule it is."""

    told: list[Line]
    label: list[Line]


class Editing:
    """The rules that *always* would keep for `ask`, one edited after another."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self._rules: list[tuple[RuleKind, str]] = list(ask.saves)
        self._kept: list[Kept] = []
        self._done = 0  # proposals that were kept, changed or not, or left out
        self._left_out: set[int] = set()
        self._at = len(LASTING) - 1
        self.reach: Reach | None = None
        self.refused = False  # what is wrong with it was said, and is to be confirmed

    @property
    def text(self) -> str:
        """The rule to be edited now, as it was proposed."""
        return self._rules[len(self._kept)][1] if len(self._kept) < len(self._rules) else ""

    @property
    def place(self) -> str:
        """Which of several it is, empty where there is one."""
        count = len(self._rules)
        return f"{len(self._kept) + 1} of {count}" if count > 1 else ""

    def rule(self, text: str) -> Kept:
        """The rule with `text` as it would be kept."""
        chosen = LASTING[self._at]
        kind = self._rules[len(self._kept)][0]
        return Kept(kind=kind, pattern=text.strip(), scope=chosen.scope, amount=chosen.amount)

    @property
    def others(self) -> list[Kept]:
        """The rules proposed beside the one that is edited, without those that were left out."""
        rules = [rule for at, rule in enumerate(self.ask.saves) if at != self._done and at not in self._left_out]
        return [Kept(kind=kind, pattern=pattern, scope="session") for kind, pattern in rules]

    def last(self, step: int) -> None:
        """Choose how long it lasts: longer with 1, shorter with -1, no further than the ends."""
        self._at = min(max(self._at + step, 0), len(LASTING) - 1)

    @property
    def optional(self) -> bool:
        """Whether the rule that is edited may be left out: another one is kept, so the answer stays a lasting yes."""
        return len(self._rules) > 1

    def keep(self, text: str) -> Answer | None:
        """Take `text` for the rule that is edited. The answer, once it was the last one.

        An empty text leaves it out, where it is `optional`, and else raises `ValueError`.
        """
        if text.strip():
            self._kept.append(self.rule(text))
        elif self.optional:
            del self._rules[len(self._kept)]
            self._left_out.add(self._done)
        else:
            raise ValueError("a lasting yes keeps a rule at least")
        self._done += 1
        self.reach, self.refused = None, False
        return Answer.keep(*self._kept) if len(self._kept) == len(self._rules) else None

    def rows(self, width: int, text: str) -> Edited:
        """What is shown above the line in which the rule is typed."""
        kind = self._rules[len(self._kept)][0]
        which = f" ({self.place})" if self.place else ""
        label = _row(f"allow {kind}{which} for ", LASTING[self._at].words, "strong", width)
        return Edited(list(self._told(width, text)), label)

    def _told(self, width: int, text: str) -> Iterator[Line]:
        found = self.reach
        if not text.strip():
            yield from self._empty(width)
        elif found is None:
            yield from _row("", "looking what it would let pass …", "muted", width)
        elif found.problem:
            yield from _row("", found.problem, "hard", width)
        else:
            yield from _reached(found, width, refused=self.refused)

    def _empty(self, width: int) -> list[Line]:
        if not self.optional:
            return _row("! ", _EMPTY, "hard" if self.refused else "soft", width)
        return _row("! ", _LEAVES_OUT, "hard", width) if self.refused else _row("", _ONE_EMPTY, "muted", width)


def _reached(found: Reach, width: int, *, refused: bool) -> Iterator[Line]:
    if found.part:
        yield from _row("", "covers its part of what is asked now", "muted", width)
    elif not found.covers and refused:
        yield from _row("! ", _AGAIN, "hard", width)
    elif not found.covers:
        yield from _row("! ", "it does not cover what is asked now, which is done once all the same", "soft", width)
    for warning in found.warnings:
        yield from _row("! ", warning, "soft", width)
    if found.before:
        yield from _row("before: would have passed unasked: ", " · ".join(found.before), "", width)
    elif found.already:
        yield from _row("before: ", f"matches {found.already} that passed anyway, and nothing that asked", "", width)
    if found.permits:
        yield from _row("lets pass: ", " · ".join(found.permits), "", width)
    if found.asks:
        yield from _row("still asks: ", " · ".join(found.asks), "muted", width)


def _row(label: str, text: str, style: str, width: int) -> list[Line]:
    indent = ((" " * _INDENT, ""),)
    return wrap(((label, "muted"), (clean(text).replace("\n", " ⏎ "), style)), width, first=(), rest=indent)
