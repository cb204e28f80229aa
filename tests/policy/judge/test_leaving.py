"""What a reason advises about a secret among many files: an option that, added as it is told, settles it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.policy.judging import HOME
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy


@pytest.fixture
def place(work: Path) -> Path:
    for file in (".env", "README.md", "prod-service_account.json"):
        (work / file).write_text("foo\n")
    return work


def judged(command: str, place: Path) -> Decision:
    return check_command(command, policy=Policy(), cwd=place, home=HOME)


@pytest.mark.parametrize("command", ["grep -rn foo .", "rg --hidden foo", "grep -rl foo .", "egrep -r foo"])
def test_the_advised_options_let_a_search_pass(command: str, place: Path) -> None:
    for _ in range(2):  # one file is named at a time
        decision = judged(command, place)
        assert decision.hard
        told = re.search(r"leave it out with (\S+)$", decision.reasons[0].text)
        assert told is not None
        command = f"{command} {told[1]}"
    assert judged(command, place).effect == "allow"


@pytest.mark.parametrize("command", ["tar czf a.tgz .", "rsync -a ./ out/"])
def test_the_advised_options_leave_soft_reasons_alone(command: str, place: Path) -> None:
    (place / "prod-service_account.json").unlink()
    told = re.search(r"leave it out with (\S+)$", next(one.text for one in judged(command, place).reasons if one.hard))
    assert told is not None
    decision = judged(f"{command} {told[1]}", place)
    assert decision.effect == "ask" and not decision.hard


@pytest.mark.parametrize("command", ["diff -ru . docs", "grep -r --unknown foo .", "ugrep -r foo ."])
def test_where_no_option_is_known_none_is_advised(command: str, place: Path) -> None:
    assert not any("leave it out with" in reason.text for reason in judged(command, place).reasons)
