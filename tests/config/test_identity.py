"""What is remembered of a folder by its path is not inherited by another folder in its place."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import require
from xun.config.identity import identity, is_same
from xun.config.paths import find_paths
from xun.config.project.grants import ProjectGrants
from xun.config.trust import distrust
from xun.config.trust_store import read_store
from xun.config.unasked import say_unasked, unasked_in

MAKEFILE = "test:\n\techo ok\n"


@pytest.fixture
def project(work: Path) -> Path:
    require("a file system that keeps births", not identity(work).endswith("@"))
    folder = work / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "Makefile").write_text(MAKEFILE)
    return folder


def clone_again(project: Path) -> None:
    """The same files at the same path, as another clone of it has them."""
    shutil.rmtree(project)
    (project / ".git").mkdir(parents=True)
    (project / "Makefile").write_text(MAKEFILE)


def test_a_folder_is_itself_whatever_happens_in_it(project: Path) -> None:
    known = identity(project)
    (project / "new").write_text("x")
    (project / "Makefile").unlink()
    (project / ".git" / "index").write_text("x")
    project.chmod(0o700)
    assert is_same(known, project)


def test_another_folder_in_its_place_is_another_though_inodes_are_used_again(project: Path) -> None:
    known = {identity(project)}
    for _ in range(20):
        clone_again(project)
        now = identity(project)
        assert not any(is_same(one, project) for one in known)
        known.add(now)
    assert len(known) == 21


def test_another_clone_in_the_same_folder_is_another_and_a_first_repository_is_not(project: Path) -> None:
    known = identity(project)
    shutil.rmtree(project / ".git")
    without = identity(project)
    assert not is_same(known, project)
    (project / ".git").mkdir()
    assert not is_same(known, project)
    assert is_same(without, project)


def test_a_folder_that_is_gone_or_was_never_told_is_no_known_one(project: Path) -> None:
    known = identity(project)
    shutil.rmtree(project)
    assert identity(project) == "" and not is_same(known, project)
    assert not is_same("", project) and not is_same(None, project)


def test_a_copy_that_keeps_all_it_can_is_another(project: Path) -> None:
    known = identity(project)
    project.rename(project.with_name("old"))
    subprocess.run(["cp", "-a", project.with_name("old"), project], check=True)
    assert not is_same(known, project)
    assert is_same(known, project.with_name("old"))


@pytest.mark.parametrize("yes", [True, False])
def test_another_clone_is_asked_about_the_sandbox_again(yes: bool, project: Path) -> None:
    paths = find_paths()
    say_unasked(project, paths, yes=yes)
    assert unasked_in(project, paths) is yes
    clone_again(project)
    assert unasked_in(project, paths) is None
    say_unasked(project, paths, yes=not yes)
    assert unasked_in(project, paths) is (not yes)


def test_commands_that_were_granted_to_another_clone_ask_and_are_offered_anew(project: Path) -> None:
    paths = find_paths()
    grants = ProjectGrants(project, paths)
    grants.decide([one for one, _ in grants.to_offer()], [])
    assert [rule.pattern for rule in ProjectGrants(project, paths).rules()] == ["make test"]
    say_unasked(project, paths, yes=True)
    clone_again(project)
    grants = ProjectGrants(project, paths)
    assert grants.rules() == ()
    assert [rule.lapsed for rule in grants.standing("make test")] == [
        "it was granted to another folder, which stood here before"
    ]
    offers = grants.to_offer()
    assert [(one.command, changed) for one, changed in offers] == [("make test", False)]
    grants.decide([], [offers[0][0]])
    assert grants.standing() == () and grants.to_offer() == ()
    assert read_store(paths.trust_file).unasked == {}  # of the clone that is gone


def test_distrust_takes_back_what_runs_unasked_too(project: Path) -> None:
    paths = find_paths()
    say_unasked(project, paths, yes=True)
    say_unasked(project.parent, paths, yes=True)
    distrust(project, paths)
    assert unasked_in(project, paths) is None
    assert unasked_in(project.parent, paths) is True
    assert list(read_store(paths.trust_file).places) == [str(project.parent)]
