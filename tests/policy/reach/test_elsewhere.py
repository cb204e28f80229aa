"""What is run outside the workspace, or has git work there: hard, unless a rule spells the script."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.policy.judging import HOME, rule
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule


def judged(command: str, place: Path, *rules: Rule) -> Decision:
    return check_command(command, policy=Policy(rules=rules), cwd=place, home=HOME)


RUN = [
    "cd ../other && pytest", "cd ~ && pytest", "pytest ../other", "python -m unittest discover -s ../other",
    "python ../other/x.py", "python3 -u ../other/x.py", "../other/x.sh", "~/x.sh", "bash ../other/x.sh", "source ../other/x.sh",
    ". ../other/x.sh", "bash -c ../other/x.sh", "timeout 5 ../other/x.sh", "cd ../other && ./x.sh", "node ../other/x.js",
    "git --git-dir=../other/.git commit", "git --git-dir ../other/.git commit", "GIT_DIR=../other/.git git commit",
    "export GIT_DIR=../other/.git; git commit", "GIT_WORK_TREE='../other' git checkout .",
]  # fmt: skip
QUIET = [
    "python scripts/x.py", "./x.sh", "cd src && ./x.sh", "/usr/bin/python3 x.py", "python /usr/lib/x.py", "~/.local/bin/foo",
    "/tmp/x.sh", "bash /tmp/x.sh", "node -e 1", "python -m http.server", "cat x | python3", "GIT_DIR=.git git status",
    "ls ../other", 'export PATH="$HOME/.cargo/bin:$PATH"; cargo build', "git commit -m 'set GIT_DIR=x'", "python3 -c 'import x'",
    "source ../other/.venv/bin/activate", "../other/.venv/bin/python x.py", "python /private/tmp/x.py",
]  # fmt: skip


@pytest.mark.parametrize("command", RUN)
def test_what_is_run_outside_the_workspace_is_hard(command: str, work: Path) -> None:
    assert "outside" in {reason.code for reason in judged(command, work).reasons if reason.hard}


@pytest.mark.parametrize("command", QUIET)
def test_what_is_run_here_or_is_installed_is_not(command: str, work: Path) -> None:
    assert not judged(command, work).hard


@pytest.mark.parametrize("command", ["LD_PRELOAD=./x.so ls", "export BASH_ENV=x; bash y", "env; LD_AUDIT=x ls"])
def test_a_variable_by_which_all_programs_load_something_is_hard(command: str, work: Path) -> None:
    assert "environment" in {reason.code for reason in judged(command, work).reasons if reason.hard}


def test_a_rule_that_spells_the_script_settles_it(work: Path) -> None:
    assert judged("../other/x.sh -v", work, rule("allow", "command", "../other/x.sh")).effect == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "pytest > /tmp/xun-none/out.txt 2>&1",
        "pytest -q | tee /tmp/xun-none",
        "mkdir -p /tmp/xun-none",
        "cp x /var/tmp/xun-none",
    ],
)
def test_a_file_that_is_put_aside_for_now_is_asked_about_for_soft_reasons(command: str, work: Path) -> None:
    decision = judged(command, work)
    assert decision.effect == "ask" and not decision.hard


@pytest.mark.parametrize(
    "command",
    ["rm -rf /tmp", "rm -rf /tmp/*", "echo x > /tmp/../etc/xun-none", "touch /tmp/xun-none/.bashrc", "chmod 777 /tmp",
     "echo x > /tmpx", "touch ../other/x", "tee /tmp/*.txt"],
)  # fmt: skip
def test_what_else_is_changed_there_is_hard(command: str, work: Path) -> None:
    assert judged(command, work).hard


def test_a_link_that_leads_out_of_there_is_hard(work: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder, "out").symlink_to("/etc/xun-none")
        assert judged(f"echo x > {folder}/out", work).hard


@pytest.mark.parametrize(
    "command",
    ["git commit -F ../notes.txt", "git commit --file ~/notes.txt", "git commit -F/etc/hostname", "git commit -aF ../x", "git -C src commit --templ ../../x"],
)  # fmt: skip
def test_a_message_from_a_file_outside_is_reading_there(command: str, work: Path) -> None:
    (work / "src").mkdir()
    decision = judged(
        command, work, rule("allow", "command", "git commit"), rule("allow", "command", "git -C src commit")
    )
    assert [reason.code for reason in decision.reasons] == ["outside"], decision.reasons


@pytest.mark.parametrize(
    "command",
    ["git commit -F msg.txt", "git commit -m 'see /etc/hostname'", "git commit -m -F", "git commit --fixup HEAD"],
)
def test_a_message_of_the_workspace_is_not(command: str, work: Path) -> None:
    assert judged(command, work, rule("allow", "command", "git commit")).effect == "allow"
