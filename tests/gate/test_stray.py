"""What a repository reads beside its configuration: pipes and devices, other repositories, and folders in none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.gate.test_gather import git, judge, repository
from tests.policy.judging import codes

__all__ = ["repository"]  # a fixture


@pytest.mark.parametrize("name", [".gitignore", ".mailmap", ".gitattributes", "sub/.gitignore", ".git/info/exclude"])
def test_a_pipe_that_git_would_read_asks(name: str, repository: Path) -> None:
    assert judge("git status", repository).effect == "allow"
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).unlink(missing_ok=True)
    os.mkfifo(repository / name)
    assert codes(judge("git status", repository)) == {"git-configuration"}


@pytest.mark.parametrize("key", ["core.excludesFile", "core.attributesFile", "mailmap.file", "diff.orderFile"])
@pytest.mark.parametrize(
    ("value", "asks"), [("/dev/zero", True), ("/proc/self/fd/0", True), ("lines", False), ("~/.ssh/id_rsa", True)]
)
def test_a_file_that_the_configuration_names_must_be_one(key: str, value: str, asks: bool, repository: Path) -> None:
    (repository / "lines").write_text("*.o\n")
    git(repository, "config", key, value)
    assert (judge("git log -1", repository).effect == "ask") == asks


def test_a_repository_that_leads_outside_asks(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    inner = repository / "sub"
    inner.mkdir()
    (inner / ".git").write_text(f"gitdir: {other}/.git\n")
    assert codes(judge("git -C sub show HEAD:x", repository)) == {"git-configuration"}
    (inner / ".git").unlink()
    (inner / ".git").symlink_to(other / ".git")
    assert codes(judge("cd sub && git log", repository)) == {"git-configuration"}


def test_objects_of_another_repository_ask(repository: Path, tmp_path: Path) -> None:
    (repository / ".git/objects/info").mkdir(exist_ok=True)
    (repository / ".git/objects/info/alternates").write_text(f"{tmp_path}/other/.git/objects\n")
    assert codes(judge("git log", repository)) == {"git-configuration"}


def test_a_work_tree_of_a_repository_elsewhere_passes(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "tree"
    git(repository, "commit", "-q", "--allow-empty", "-m", "one")
    git(repository, "worktree", "add", "-q", str(other))
    assert judge("git log", other).effect == "allow"


@pytest.mark.parametrize("command", ["git diff a b", "git diff -- a b", "git diff --stat -p a b", "git diff ./*"])
def test_folders_in_no_repository_are_compared_with_all_that_is_in_them(command: str, work: Path) -> None:
    for name in ("a", "b"):
        (work / name).mkdir()
        (work / name / "x.py").write_text("x\n")
    assert judge(command, work).effect == "allow"
    (work / "a/.env").write_text("KEY=1\n")
    assert codes(judge(command, work)) == {"secret"}
    git(work, "init", "-q")
    assert judge(command, work).effect == "allow"
