"""The rule that a lasting yes keeps, while it is edited."""

from __future__ import annotations

import pytest

from tests.frontends.tui.question.support import command_ask
from xun.commands.reach import Reach
from xun.frontends.tui.question.rule import LASTING, Editing
from xun.policy.action import Run
from xun.policy.decision import Answer, Ask, Decision, Kept, Reason


def two() -> Ask:
    reasons = (Reason(code="unlisted", text="npm is not on the list"),)
    action = Run(command="npm test && make lint", cwd="/work")
    decision = Decision(action=action, effect="ask", reasons=reasons, grantable=("npm test", "make lint"))
    return Ask(id="a", agent="xun", call_id="c", tool="bash", decisions=(decision,))


def shown(editing: Editing, text: str, width: int = 76) -> list[str]:
    edited = editing.rows(width, text)
    return [line.text.rstrip() for line in (*edited.told, *edited.label)]


def test_it_begins_with_what_always_would_save_and_lasts_for_good() -> None:
    editing = Editing(command_ask())
    assert editing.text == "npm test" and editing.place == ""
    assert editing.keep("npm test") == Answer.keep(Kept(kind="command", pattern="npm test", scope="user"))


def test_how_long_it_lasts_goes_from_one_use_to_good_and_stops_at_the_ends() -> None:
    editing = Editing(command_ask())
    seen = []
    for _ in range(len(LASTING) + 2):
        seen.append((editing.rule("x").scope, editing.rule("x").amount))
        editing.last(-1)
    assert seen[:3] == [("user", 1), ("project", 1), ("session", 1)]
    assert seen[-2:] == [("uses", 1), ("uses", 1)]
    for _ in range(20):
        editing.last(1)
    assert editing.rule("x").scope == "user"


def test_several_rules_are_edited_one_after_another() -> None:
    editing = Editing(two())
    assert (editing.text, editing.place) == ("npm test", "1 of 2")
    editing.last(-2)
    assert editing.keep("npm run test") is None
    assert (editing.text, editing.place) == ("make lint", "2 of 2")
    assert editing.keep("make") == Answer.keep(
        Kept(kind="command", pattern="npm run test", scope="session"),
        Kept(kind="command", pattern="make", scope="session"),
    )


def test_an_empty_text_leaves_one_of_several_out_and_is_never_a_yes_by_itself() -> None:
    editing = Editing(two())
    assert editing.optional and editing.keep("  ") is None
    assert (editing.text, editing.place, editing.others) == ("make lint", "", [])
    assert not editing.optional
    with pytest.raises(ValueError, match="keeps a rule at least"):
        editing.keep("")
    assert editing.keep("make") == Answer.keep(Kept(kind="command", pattern="make", scope="user"))


def test_it_shows_what_the_rule_comes_to() -> None:
    editing = Editing(command_ask())
    assert "looking" in shown(editing, "npm test")[0]
    editing.reach = Reach(
        covers=True, before=("npm test --ci",), permits=("npm test a b",), asks=("npm test > out.txt",),
        warnings=("npm takes any arguments by it: what they do is not known here",),
    )  # fmt: skip
    assert shown(editing, "npm test") == [
        "! npm takes any arguments by it: what they do is not known here",
        "before: would have passed unasked: npm test --ci",
        "lets pass: npm test a b",
        "still asks: npm test > out.txt",
        "allow command for good, in every folder (your policy.toml)",
    ]


def test_a_problem_stands_alone_and_what_is_not_covered_is_said() -> None:
    editing = Editing(command_ask())
    editing.reach = Reach(problem="'bash' cannot be allowed: it runs any program")
    assert shown(editing, "bash")[:-1] == ["'bash' cannot be allowed: it runs any program"]
    editing.reach = Reach(covers=False)
    assert "does not cover what is asked now" in " ".join(shown(editing, "make"))
    assert "a rule cannot be empty" in shown(editing, " ")[0]


def test_what_it_shows_never_commands_the_terminal_and_keeps_to_its_width() -> None:
    editing = Editing(command_ask())
    editing.reach = Reach(covers=True, permits=("echo \x1b[2K", "a\nb", "x" * 300))
    edited = editing.rows(40, "echo")
    rows = [*edited.told, *edited.label]
    assert all(len(row.text) <= 40 for row in rows)
    assert "\x1b" not in "".join(row.text for row in rows)
