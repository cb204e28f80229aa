"""Which answers a question has."""

from __future__ import annotations

import pytest

from tests.frontends.tui.question.support import RULE, choice_ask, command_ask, write_ask
from xun.frontends.tui.question.choices import Menu, menu_of
from xun.policy.decision import Answer


def kinds(menu: Menu) -> list[str]:
    return [choice.answer.kind for choice in menu.choices]


def test_a_command_has_four_answers_the_narrow_yes_under_enter() -> None:
    menu = menu_of(command_ask(), (RULE,))
    assert kinds(menu) == ["once", "session", "always", "no"]
    assert menu.default == 0
    assert [choice.key for choice in menu.choices] == ["y", "s", "a", "n"]


def test_always_shows_the_rule_it_would_save() -> None:
    always = menu_of(command_ask(), (RULE,)).choices[2]
    assert RULE in always.keeps


def test_what_cannot_be_saved_is_not_offered() -> None:
    assert kinds(menu_of(command_ask(), ())) == ["once", "session", "no"]


def test_a_hard_reason_leaves_once_and_no_with_no_under_enter() -> None:
    menu = menu_of(command_ask(hard=True), (RULE,))
    assert kinds(menu) == ["once", "no"]
    assert menu.default == 1


@pytest.mark.spec("X-PRM-05")
def test_a_write_has_the_three_answers_and_always_behind_more() -> None:
    menu = menu_of(write_ask(), (RULE,))
    assert kinds(menu) == ["session", "once", "no"]
    assert menu.default == 1
    assert kinds(menu.opened()) == ["session", "once", "no", "always"]


def test_a_tools_question_has_its_own_choices_and_default() -> None:
    menu = menu_of(choice_ask())
    assert [choice.answer for choice in menu.choices] == [Answer.pick(0), Answer.pick(1)]
    assert menu.default == 1


def test_own_words_are_a_choice_where_they_are_admitted() -> None:
    assert menu_of(choice_ask(allow_extra=True)).choices[-1].entry == "words"
