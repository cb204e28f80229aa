"""How a question and its answers are laid out."""

from __future__ import annotations

import pytest

from tests.frontends.tui.question.support import choice_ask, command_ask, write_ask
from xun.frontends.tui.question.choices import Choice, Menu, menu_of
from xun.frontends.tui.question.describe import body, heading, why
from xun.frontends.tui.question.fit import fit
from xun.frontends.tui.question.look import answers
from xun.frontends.tui.question.mark import Mark
from xun.frontends.tui.question.window import window
from xun.frontends.tui.transcript.line import Line
from xun.policy.action import Run
from xun.policy.decision import Answer, Ask, Decision, Near, Reason, Segment, rule_lines

SAVES = (*rule_lines("allow", "command", "npm test"), *rule_lines("allow", "command", "npm run"))


def rows(lines: list[Line]) -> list[str]:
    return [line.text.rstrip() for line in lines]


def menu() -> Menu:
    return menu_of(command_ask(), SAVES[:3])


def test_the_title_names_the_sub_agent_that_asks() -> None:
    def of(agent: str, ask: Ask) -> str:
        return heading(ask.model_copy(update={"agent": agent}))

    assert of("xun/reader", command_ask()) == "reader: Run this command?"
    assert of("xun/reader/deep", choice_ask()) == "reader/deep asks"
    assert of("xun/re\x1bader", choice_ask().model_copy(update={"title": "Which?"})) == "re␛ader: Which?"
    assert of("xun", choice_ask()) == "xun asks"


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


# More answers than rows


def many(keeps: str = "") -> Menu:
    return Menu(
        tuple(Choice(f"answer {number}", Answer.pick(number), keeps=keeps) for number in range(40)),
        0,
        listing=bool(keeps),
    )


@pytest.mark.parametrize("height", range(1, 9))
@pytest.mark.parametrize("at", [0, 1, 20, 38, 39])
@pytest.mark.parametrize("keeps", ["", "words " * 30])
def test_a_window_has_the_marked_answer_and_its_rows(height: int, at: int, keeps: str) -> None:
    shown = rows(window(many(keeps), at, 40, height, ready=True))
    assert len(shown) == height
    [marked] = [row for row in shown if row.startswith("▸")]
    assert f" answer {at}" in marked
    assert all(len(row) <= 40 for row in shown)


def test_it_tells_how_many_are_before_and_behind() -> None:
    assert rows(window(many(), 20, 60, 4, ready=True)) == [
        "  20 answer 19", "▸ 21 answer 20", "  22 answer 21", "  19 more above · 18 more below",
    ]  # fmt: skip


@pytest.mark.parametrize("rows_there", range(2, 14))
@pytest.mark.parametrize("width", [34, 74, 194])
@pytest.mark.parametrize("count", [2, 4, 40])
def test_nothing_takes_more_rows_than_there_are(rows_there: int, width: int, count: int) -> None:
    ask = command_ask().model_copy(update={"question": "Which?", "title": "Which?", "choices": tuple("x" * count)})
    menu = Menu(many("words " * 9).choices[:count], 0, listing=True)
    laid = fit(ask, Mark(menu), str, width=width, rows=rows_there, ready=True, typing=None, keys="a number answers")
    assert len(laid.menu) <= rows_there
    assert any(line.text.startswith("▸") for line in laid.menu)


# Why


def explained() -> Decision:
    near = Near(effect="allow", kind="command", pattern="make test", rule="policy.toml:3", why="the word differs")
    return Decision(
        action=Run(command="ls && make all", cwd="/work"),
        effect="ask",
        reasons=(
            Reason(code="unlisted", text="make is not on the list", segment="make all"),
            Reason(code="ask-rule", text="a rule asks", rule="policy.toml:9", segment="make all"),
        ),
        segments=(
            Segment(text="ls", effect="allow", rule="default list", pattern="ls"),
            Segment(text="make all", effect="ask", near=(near,)),
        ),
    )


def test_the_reason_that_decided_stands_first() -> None:
    ask = command_ask().model_copy(update={"decisions": (explained(),)})
    assert [row.strip() for row in rows(body(ask, 90))][2:] == [
        "why: a rule asks (policy.toml:9)  in: make all",
        "make is not on the list  in: make all",
    ]


def test_the_card_tells_the_verdict_on_each_part() -> None:
    ask = command_ask().model_copy(update={"decisions": (explained(),)})
    card = body(ask, 90, explained=True)
    shown = rows(card)
    assert shown[:2] == ["ls && make all", "in /work"]
    assert "+    ls" in shown and "? && make all" in shown
    joined = next(line for line in card if line.text == "? && make all")
    assert [piece for piece in joined.pieces if piece[0]] == [("? ", "ask"), ("&& ", "muted"), ("make all", "")]
    assert sum(row.strip().startswith("soft: ") for row in shown) == 1
    assert not any(row.strip().startswith("hard: ") for row in shown)
    assert any("nearly: allow make test (policy.toml:3)" in row for row in shown)
    styles = {line.text.strip(): line.pieces[-1][1] for line in card}
    assert styles["a rule asks (policy.toml:9) [soft]"] == "soft"
    assert next(style for text, style in styles.items() if text.startswith("nearly")) == "near"
    assert next(line.pieces[0] for line in card if line.text.startswith("+    ls")) == ("+ ", "allow")


def test_prose_keeps_its_measure_where_the_command_does_not() -> None:
    reason = Reason(code="x", text="words and words " * 20)
    decision = Decision(action=Run(command="echo " + "a" * 150, cwd="/work"), effect="ask", reasons=(reason,))
    shown = rows(body(command_ask().model_copy(update={"decisions": (decision,)}), 190))
    assert len(shown[0]) == 155
    assert all(len(row) <= 100 for row in shown[1:])


def test_reasons_are_told_once_each_below_one_label() -> None:
    reasons = (
        Reason(code="outside", text="~/zzz is outside the workspace", hard=True, rule="~/zzz"),
        Reason(code="unlisted", text="rm is not on the list", hard=True, rule="the list of x.toml:3"),
    )
    decision = Decision(action=Run(command="rm ~/zzz", cwd="/w"), effect="ask", reasons=reasons)
    ask = Ask(id="a", agent="xun", call_id="c", tool="bash", decisions=(decision,))
    assert rows(why(ask, 80, str, 2)[0]) == [
        "why: ~/zzz is outside the workspace",
        "     rm is not on the list (the list of x.toml:3)",
    ]
