"""How a question and its answers are laid out."""

from __future__ import annotations

import pytest

from tests.frontends.tui.question.support import command_ask, write_ask
from xun.frontends.tui.question.choices import Menu, menu_of
from xun.frontends.tui.question.describe import body
from xun.frontends.tui.question.look import answers
from xun.frontends.tui.transcript.line import Line
from xun.policy.action import Run
from xun.policy.decision import Ask, Decision, Reason, rule_lines

SAVES = (*rule_lines("allow", "command", "npm test"), *rule_lines("allow", "command", "npm run"))


def rows(lines: list[Line]) -> list[str]:
    return [line.text.rstrip() for line in lines]


def menu() -> Menu:
    return menu_of(command_ask(), SAVES[:3])


def test_what_an_answer_keeps_stands_beside_it_where_there_is_room() -> None:
    assert rows(answers(menu(), 0, 90, ready=True)) == [
        "▸ 1 yes, once (y)",
        "  2 yes, for this session (s)   npm test",
        '  3 always (a)                  saves to allow: command = "npm test"',
        "  4 no, and say why (n)",
    ]


def test_it_stands_below_where_there_is_none() -> None:
    assert rows(answers(menu(), 2, 44, ready=True)) == [
        "  1 yes, once (y)",
        "  2 yes, for this session (s)   npm test",
        "▸ 3 always (a)",
        '    saves to allow: command = "npm test"',
        "  4 no, and say why (n)",
    ]


def test_each_rule_that_would_be_saved_is_told() -> None:
    always = menu_of(command_ask(), SAVES).choices[2]
    assert always.keeps == 'saves to allow: command = "npm test"; command = "npm run"'


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_row_is_wider_than_there_is_room(width: int) -> None:
    ask = command_ask("npm test && " + "x" * 100, hard=True)
    lines = [*answers(menu(), 0, width, ready=True), *body(ask, width)]
    assert all(len(line.text) <= width for line in lines)


def test_hard_reasons_come_first_and_parts_are_named() -> None:
    reasons = (
        Reason(code="unlisted", text="make is not on the list", segment="make"),
        Reason(code="sudo", text="sudo acts with other rights", hard=True, segment="sudo make"),
    )
    decision = Decision(action=Run(command="make; sudo make", cwd="/home/me/work"), effect="ask", reasons=reasons)
    ask = Ask(id="a", agent="xun", call_id="c", tool="bash", decisions=(decision,))
    assert rows(body(ask, 60, lambda path: path.replace("/home/me", "~"))) == [
        "make; sudo make",
        "in ~/work",
        "why: sudo acts with other rights  in: sudo make",
        "     make is not on the list  in: make",
    ]


def test_a_change_is_shown_with_the_numbers_of_its_lines_and_a_short_path() -> None:
    ask = write_ask("--- a.py\n+++ a.py\n@@ -9,2 +9,2 @@\n same\n-old\n+new\n")
    assert rows(body(ask, 60, lambda path: path.removeprefix("/work/"))) == [
        "edit a.py",
        "   9   same",
        "  10 - old",
        "  10 + new",
        "why: it would edit a.py",
    ]
