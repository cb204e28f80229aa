"""Questions of xun's own to the person, such as which model to use."""

from __future__ import annotations

from collections.abc import Sequence

from xun.frontends.tui.question.choices import Choice, Menu
from xun.policy.decision import Answer, Ask


def choice(ask_id: str, question: str, choices: Sequence[str], *, title: str = "", default: int = 0) -> Ask:
    """A question with `choices`; `default` is the index of the one under Enter."""
    return Ask(
        id=ask_id, agent="xun", call_id="", tool="", decisions=(), title=title, question=question,
        choices=tuple(choices), default_choice=default,
    )  # fmt: skip


def back_or_on(back: str, go_on: str) -> Menu:
    """The answers to whether something goes on: its no brings it `back`, and is under Enter."""
    return Menu((Choice(back, Answer.pick(0), "n"), Choice(go_on, Answer.pick(1), "y")), 0)


def picked(answer: Answer) -> int | None:
    """The index that was chosen, None for a no."""
    return answer.choice if answer.yes else None
