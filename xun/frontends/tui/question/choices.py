"""What can be answered to a question, and by which keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from xun.policy.decision import Answer, Ask

Entry = Literal["", "reason", "words", "secret", "rule"]
"""What is typed before an answer is complete: a reason for a no, own words, a secret that is not shown, or the rule
that a lasting yes keeps."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer. `key` is its letter, "" where there is none; `keeps` says what it would keep or save."""

    label: str
    answer: Answer
    key: str = ""
    keeps: str = ""
    entry: Entry = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """The answers in order; `default` is the index of the one under Enter. `more` are shown on request.

    `at_once`: the line of the default is open from the beginning, and takes the keys. `explains`: there is a decision
    to explain. `listing`: what stands beside the answers tells them apart, so it stays there. `numbered`: a number
    chooses; it does not in a list that is narrowed by what is typed, nor where what is asked about has numbers of its
    own: there a digit begins the line of the answer at `digits`.
    """

    choices: tuple[Choice, ...]
    default: int
    more: tuple[Choice, ...] = ()
    at_once: bool = False
    explains: bool = False
    listing: bool = False
    numbered: bool = True
    digits: int | None = None

    def opened(self) -> Menu:
        """The same with `more` among the choices."""
        return replace(self, choices=(*self.choices, *self.more), more=())


_ALLOW = 'effect = "allow"'
ONCE = Choice("yes, once", Answer.once(), "y")
NO = Choice("no, and say why", Answer.no(), "n", entry="reason")


def menu_of(ask: Ask, saves: Sequence[str] = (), shown: Callable[[str], str] = str) -> Menu:
    """The answers to `ask`.

    `saves` is what *always* would write, a line each; without it nothing can be saved, and *always* is not offered.
    A yes to a sub-agent that is not for good counts for that one alone, and says so. `shown` gives a path as the person
    knows it.
    """
    if ask.choices:
        return _tool_question(ask)
    soft = not any(decision.hard for decision in ask.decisions)
    kept = list(dict.fromkeys(what for decision in ask.decisions for what in decision.grantable)) if soft else []
    if not kept:
        return Menu((ONCE, NO), 0 if ask.default != "no" else 1, explains=True)
    always = [Choice("always", Answer.always(), "a", _saved(saves), entry="rule")] if saves else []
    if all(decision.action.kind == "write" for decision in ask.decisions):
        return _write_question(ask, [shown(path) for path in kept], always)
    whose = "sub-agent" if ask.sub_agent else "session"
    session = Choice(f"yes, for this {whose}", Answer.session(), "s", ", ".join(kept))
    choices = (ONCE, session, *always, NO)
    return Menu(choices, 0 if ask.default != "no" else len(choices) - 1, explains=True)


def _saved(lines: Sequence[str]) -> str:
    """The rules of a policy file, in one line: each of them allows."""
    return f"saves to allow: {'; '.join(line for line in lines if line not in ('', '[[rule]]', _ALLOW))}"


def secret_menu(label: str) -> Menu:
    """The one answer of a question for a key or the like: what is typed is not shown, from the first key on."""
    return Menu((Choice(label, Answer.say(""), entry="secret"), Choice("go back", Answer.no())), 0, at_once=True)


def _write_question(ask: Ask, kept: Sequence[str], always: Sequence[Choice]) -> Menu:
    whose = "by this sub-agent" if ask.sub_agent else "in this session"
    grant = Choice(f"allow, and from now on {whose}", Answer.session(), "g", ", ".join(kept))
    once = Choice("allow this time", Answer.once(), "y")
    deny = Choice("deny, and say why", Answer.no(), "n", entry="reason")
    # Enter is the narrower of the two yeses: a slip of the finger should widen nothing.
    return Menu((grant, once, deny), 1 if ask.default != "no" else 2, tuple(always), explains=True)


def _tool_question(ask: Ask) -> Menu:
    choices = [Choice(" ".join(text.split()), Answer.pick(index)) for index, text in enumerate(ask.choices)]
    if ask.allow_extra:
        choices.append(Choice("something else, in your own words", Answer.say(""), "o", entry="words"))
    return Menu(tuple(choices), ask.default_choice or 0)
