"""What a command writes without a table that judges it: hard outside the workspace and on what is run later, else soft."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME, corpus, judge
from xun.gate.check import check_command
from xun.policy.rules import Policy

HARD = [command for name, _, command in corpus() if name == "written_hard"]
SOFT = [command for name, _, command in corpus() if name == "written_soft"]


@pytest.mark.parametrize("command", HARD)
def test_what_writes_elsewhere_or_what_is_run_later_is_for_a_person(command: str) -> None:
    assert judge(command).hard


@pytest.mark.parametrize("command", SOFT)
def test_what_only_reads_there_or_writes_here_is_not_hard(command: str) -> None:
    decision = judge(command)
    assert (decision.effect, decision.hard) == ("ask", False)


def test_a_folder_of_the_workspace_may_be_entered_by_its_whole_path(work: Path) -> None:
    (work / "src").mkdir()
    assert not check_command(f"cd {work}/src && make", policy=Policy(), cwd=work, home=HOME).hard
    assert check_command(f"cd {work.parent} && make", policy=Policy(), cwd=work, home=HOME).hard
