"""Secrets that a repository keeps, or is told to keep: no git command shows them unasked, whatever shows a difference."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule

# All that a person may have allowed for good: what is secret stays so.
ALLOWED = ("git add", "git commit", "git reset", "git restore", "git stash", "git bisect", "git rebase", "git am",
           "git rerere", "git request-pull", "rm", "cp", "mv", "sed -i")  # fmt: skip
POLICY = Policy(rules=tuple(Rule(effect="allow", kind="command", pattern=words, source="test") for words in ALLOWED))
Judge = Callable[[str], Decision]


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True)


def judge_in(folder: Path, *, ignored: bool = False, kept: bool = False) -> Judge:
    git(folder, "init", "-q")
    (folder / "README.md").write_text("x\n")
    (folder / ".env").write_text("SECRET=1\n")
    if ignored:
        (folder / ".gitignore").write_text(".env\n")
    git(folder, "add", *(["README.md"] + [".env"] * kept + [".gitignore"] * ignored))
    git(folder, "commit", "-qm", "first")
    return lambda command: check_command(command, policy=POLICY, cwd=folder, home=folder.parent)


def shows_secret(decision: Decision) -> bool:
    return decision.effect == "ask" and any(reason.code == "secret" and reason.hard for reason in decision.reasons)


SHOWING = [
    "git add -p", "git add --patch", "git add -i", "git add -e", "git stage -p", "git commit -v --dry-run -a",
    "git commit -p -m x", "git reset -p HEAD~1", "git restore -p .", "git bisect view -p", "git bisect visualize",
    "git request-pull -p HEAD~1 . HEAD", "git rebase --show-current-patch", "git am --show-current-patch=diff",
    "git rerere diff", "git stash -p", "git stash show", "git status -v", "git merge-tree HEAD~1 HEAD",
]  # fmt: skip


@pytest.mark.parametrize("command", SHOWING)
def test_whatever_shows_a_difference_is_asked_about_where_the_repository_keeps_secrets(
    command: str, tmp_path: Path
) -> None:
    assert shows_secret(judge_in(tmp_path, kept=True)(command))


@pytest.mark.parametrize(
    "command", ["git commit -m x", "git add .", "git add -u", "git reset HEAD", "git restore README.md", "git stash"]
)
def test_what_shows_none_stays_quiet_there(command: str, tmp_path: Path) -> None:
    assert judge_in(tmp_path, kept=True)(command).effect == "allow"


def test_a_file_taken_in_by_name_alone_counts_as_changed(tmp_path: Path) -> None:
    judge = judge_in(tmp_path)
    assert shows_secret(judge("git add -N . && git diff"))
    assert shows_secret(judge("git add --intent-to-add . && git diff"))
    assert judge("git add . && git diff").effect == "allow"  # which compares with what was just taken in
    git(tmp_path, "add", "-N", ".")
    assert shows_secret(judge("git diff"))


@pytest.mark.parametrize(
    "first",
    ["rm .gitignore", "cp README.md .gitignore", "mv .gitignore x", "sed -i /env/d .gitignore", "rm .g*", "mv * x"],
)
def test_what_is_taken_in_once_an_ignore_file_changed_is_anything(first: str, tmp_path: Path) -> None:
    judge = judge_in(tmp_path, ignored=True)
    assert shows_secret(judge(f"{first} && git add -A && git diff --cached"))
    assert judge("git add -A && git diff --cached").effect == "allow"
