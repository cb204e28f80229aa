"""A rule for a git command speaks of the repository that one works in: another one's hooks and programs ask."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule

ALLOWED = ("git commit", "git checkout", "git stash", "git push origin main", "git lg", "git difftool")
POLICY = Policy(rules=[Rule(effect="allow", kind="command", pattern=words, source="test") for words in ALLOWED])
HOOK = "hooks/post-commit"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "ground"
    for folder in (work, work / "inner", work / "src"):
        folder.mkdir()
    for folder in (work, work / "inner"):
        subprocess.run(["git", "-C", folder, "init", "-q"], check=True)
    (work / ".git" / HOOK).write_text("#!/bin/sh\n")  # the person's own
    return work


def judge(command: str, work: Path) -> Decision:
    return check_command(command, policy=POLICY, cwd=work, home=work.parent)


def configure(repository: Path, key: str) -> None:
    subprocess.run(["git", "-C", repository, "config", key, "touch ran"], check=True)


@pytest.mark.parametrize(
    "command",
    ["git -C inner commit -m x", "cd inner && git commit -m x", "(cd inner; git stash)", "git -C inner push origin main",
     "cd src && git -C ../inner checkout -b z"],
)  # fmt: skip
def test_the_hooks_of_another_repository_ask(command: str, work: Path) -> None:
    assert judge(command, work).effect == "allow"
    (work / "inner" / ".git" / HOOK).write_text("#!/bin/sh\n")
    decision = judge(command, work)
    assert decision.effect == "ask" and any(HOOK in reason.text for reason in decision.reasons)


@pytest.mark.parametrize(
    "key",
    ["alias.lg", "trailer.x.command", "difftool.x.cmd", "interactive.diffFilter", "sequence.editor", "gpg.program",
     "credential.helper", "browser.x.cmd", "http.proxy", "core.editor", "core.askPass"],
)  # fmt: skip
def test_so_do_the_programs_of_its_configuration_whatever_the_command(key: str, work: Path) -> None:
    configure(work / "inner", key)
    assert judge("git -C inner commit -m x", work).effect == "ask"
    configure(work, key)
    assert judge("git commit -m x", work).effect == "allow"


def test_one_that_cannot_be_told_asks(work: Path) -> None:
    (work / "inner" / ".git" / "config").write_bytes(b"[core")
    assert judge("git -C inner commit -m x", work).effect == "ask"


@pytest.mark.parametrize("command", ["git -C . commit -m x", "cd src && git commit -m x", "git -C src/.. stash"])
def test_the_repository_that_one_works_in_is_no_other_from_any_of_its_folders(command: str, work: Path) -> None:
    assert judge(command, work).effect == "allow"
