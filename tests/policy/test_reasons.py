"""The reason that is shown is the one that decided, and says what is wrong with this very text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME, judge
from xun.commands.why import card_line
from xun.gate.check import check_command
from xun.policy.card import card
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule, Settings

INNER = Policy(settings=Settings(newlines="split", substitution="inner", loops="inner"))


def planned(command: str, work: Path) -> Decision:
    touch = Rule(effect="allow", kind="command", pattern="touch", source="policy.toml:3")
    return check_command(command, policy=Policy(rules=[touch]), cwd=work, home=HOME, mode="plan")


def shown(decision: Decision) -> list[str]:
    return [card_line(row).strip() for row in card(decision)]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("cat /etc/hostname", "outside the workspace"),
        ("ls > x", "redirects"),
        ("cat .env", "secrets"),
        ("ls & pwd", "in the background"),
    ],
)
def test_plan_mode_says_what_it_would_have_asked_about(command: str, why: str, work: Path) -> None:
    decision = planned(command, work)
    assert (decision.effect, decision.rule, decision.grantable) == ("deny", "mode plan", ())
    assert decision.deciding is not None and decision.deciding.code == "mode"
    assert "would ask" in decision.deciding.text and why in decision.deciding.text
    assert "changes nothing" not in " ".join(shown(decision))


def test_plan_mode_names_no_rule_of_the_person_for_what_it_denies(work: Path) -> None:
    decision = planned("touch x", work)
    assert [(one.effect, one.rule, one.pattern) for one in decision.segments] == [("deny", "mode plan", None)]
    assert "denied by mode plan" in shown(decision)


def test_a_reason_that_denies_is_neither_soft_nor_hard(work: Path) -> None:
    deny = Policy(rules=[Rule(effect="deny", kind="command", pattern="git push", source="p.toml:4")])
    for decision in (planned("touch x", work), judge("git push", deny)):
        assert not any("[" in line and line.endswith("]") and "denied" in line for line in shown(decision))
        assert any(row.verdict == "deny" for row in card(decision) if row.kind == "reason")
    assert "a rule says deny 'git push' (p.toml:4)" in shown(judge("git push", deny))


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ('F=src/app.py; wc -l "$F"', "small names"),
        ("git log $(git branch --show-current)", "git takes a word that only a run tells"),
        ('head "$(date)"', "head takes a word that only a run tells"),
        ('echo "$(<README.md)"', "$(cat FILE)"),
        ("[[ -f x && -v y ]]", "this form of test is not judged"),
        ("[[ -f x&&-d y ]]", "joined by && and || alone"),
        ("awk '{while(i<3){i++};print i}' nums.txt", "while may go round for ever"),
        ("awk 'function f(x){return x*2}{print f($1)}' nums.txt", "function is not followed"),
        ("awk '{system($1)}' nums.txt", "system does more than compute and print"),
        ("ls 1<>x", "opens a file with <>"),
    ],
)
def test_what_is_wrong_is_said(command: str, why: str) -> None:
    reasons = judge(command, INNER).reasons
    assert why in reasons[0].text, reasons


def test_a_last_cd_that_nothing_runs_behind_is_fine_wherever_it_leads_after_a_failure(work: Path) -> None:
    (work / "src").mkdir()

    def effect(command: str) -> str:
        return check_command(command, policy=Policy(), cwd=work, home=HOME).effect

    assert effect("cd src && ls; cd ..") == "allow"
    assert effect("cd src && ls; cd ../..") == "ask"
    assert effect("cd src && ls; cd ..; ls") == "ask"
    assert effect("cd ..") == "ask"
    assert effect("cd src; ls; cd ../src/..; cat x") == "ask"
