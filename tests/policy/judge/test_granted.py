"""What the words of a command grant it in the sandbox: which repositories, and which paths and how."""

from __future__ import annotations

import pytest

from tests.policy.judge.test_confine import HOME, ROOT, judged
from xun.policy.action import Confinement
from xun.policy.facts import PathFact


def granted(command: str, **paths: PathFact) -> Confinement:
    confinement = judged(command, paths={fact.real: fact for fact in paths.values()}).confinement
    assert confinement is not None
    return confinement


@pytest.mark.parametrize(
    ("command", "folders"),
    [("git commit -m x", ROOT), ("cd proj && git commit -m x", f"{ROOT}/proj"), ("git -C a -C b add .", f"{ROOT}/a/b"),
     ("cd a && git -C ../b commit", f"{ROOT}/b"), ("git -c a.b=c -C sub commit", f"{ROOT}/sub")],
)  # fmt: skip
def test_git_may_change_the_repository_that_it_works_in(command: str, folders: str) -> None:
    confinement = granted(command)
    assert confinement.git and confinement.repositories == (folders,)
    assert not (confinement.checks_out or confinement.steps or confinement.nested)


@pytest.mark.parametrize(
    ("command", "more"),
    [("git commit -m checkout", ""), ("git commit -m rebase -- clone", ""), ("git tag checkout", ""),
     ("git -c alias.x=checkout add clone", ""), ("git add . && git push origin rebase", ""),
     ("git checkout other", "checks_out"), ("git stash", "checks_out"), ("git -C a rebase main", "checks_out steps"),
     ("git pull", "checks_out steps"), ("git clone x y", "checks_out nested"), ("git init", "nested"),
     ("git worktree add ../x", "checks_out nested"), ("gh pr checkout 3", "checks_out"), ("gh repo clone a/b", "checks_out nested"),
     ("make && git merge x", "checks_out"), ("bash -c 'git switch x'", "checks_out")],
)  # fmt: skip
def test_what_more_it_may_change_is_told_by_what_it_does_and_by_no_other_word(command: str, more: str) -> None:
    confinement = granted(command)
    found = [name for name in ("checks_out", "steps", "nested") if getattr(confinement, name)]
    assert " ".join(found) == more


def test_a_redirect_is_granted_its_file_and_no_folder() -> None:
    there = {"out": PathFact(real=f"{HOME}/out.txt"), "x": PathFact(real=f"{ROOT}/x.sh", kind="file")}
    for command in ("sh x.sh > ~/out.txt", "sh x.sh | tee ~/out.txt", "touch ~/out.txt"):
        confinement = granted(command, **there)
        assert (confinement.writable, confinement.folders) == ((f"{HOME}/out.txt",), ())
        assert f"may write {HOME}/out.txt" in confinement.told()


@pytest.mark.parametrize("command", ["mkdir ~/new", "cp a ~/new", "cp -r a ~/new", "mv a ~/new", "ln -s a ~/new"])
def test_where_a_folder_must_be_opened_the_question_says_so(command: str) -> None:
    there = {"new": PathFact(real=f"{HOME}/new"), "a": PathFact(real=f"{ROOT}/a", kind="file")}
    confinement = granted(command, **there)
    assert confinement.folders == (f"{HOME}/new",)
    assert f"may write in {HOME}, to make {HOME}/new" in confinement.told()


def test_a_folder_to_be_made_in_tmp_is_one_of_its_own() -> None:
    confinement = granted("mkdir -p /tmp/a", a=PathFact(real="/tmp/a"))
    assert confinement.plain and confinement.folders == ()


@pytest.mark.parametrize("command", ["cat /tmp/err.log", "cp /tmp/err.log .", "python3 x.py /tmp/err.log"])
def test_what_is_named_in_tmp_is_shown(command: str) -> None:
    confinement = granted(command, log=PathFact(real="/tmp/err.log", kind="file"))
    assert confinement.readable == ("/tmp/err.log",) and confinement.plain


@pytest.mark.parametrize(
    ("path", "kind"), [("/tmp", "folder"), ("/run/docker.sock", "other"), ("/run/user", "folder"), ("/tmp/s", "other"),
                       ("/etc/hosts", "file"), ("/tmp/none", "missing")],
)  # fmt: skip
def test_sockets_whole_folders_of_services_and_what_is_seen_anyway_are_not(path: str, kind: str) -> None:
    assert granted(f"cat {path}", one=PathFact(real=path, kind=kind)).readable == ()  # ty: ignore[invalid-argument-type]


def moving(command: str, **paths: PathFact) -> Confinement:
    from tests.policy.judge.test_confine import FACTS
    from xun.policy.action import Run
    from xun.policy.decide import decide
    from xun.policy.rules import Policy

    known = {fact.real: fact for fact in paths.values()} | {f"{ROOT}/.": PathFact(real=ROOT, kind="folder")}
    inner = (f"{ROOT}/proj/.git", f"{ROOT}/proj/.git")
    facts = FACTS.model_copy(update={"paths": known, "kept": {f"{ROOT}/proj": (inner,)}})
    decision = decide(Run(command=command, cwd=ROOT), facts, Policy())
    assert decision.hard and decision.confinement is not None
    return decision.confinement


def test_what_a_person_agrees_to_move_goes_with_all_that_is_in_it() -> None:
    proj = PathFact(real=f"{ROOT}/proj", kind="folder")
    assert moving("mv proj new", a=proj, b=PathFact(real=f"{ROOT}/new")).writable == (f"{ROOT}/proj", f"{ROOT}/new")
    into = moving("mv proj into", a=proj, b=PathFact(real=f"{ROOT}/into", kind="folder"))
    assert into.writable == (f"{ROOT}/proj", f"{ROOT}/into/proj")
    assert moving("rm -rf proj", a=proj).writable == (f"{ROOT}/proj",)


def test_a_workspace_in_tmp_is_written_as_any_other() -> None:
    from tests.policy.judge.test_confine import FACTS
    from xun.policy.action import Run
    from xun.policy.decide import decide
    from xun.policy.rules import Policy

    root = "/tmp/w"
    paths = {
        f"{root}/.": PathFact(real=root, kind="folder"),
        f"{root}/out": PathFact(real=f"{root}/out", kind="folder"),
    }
    facts = FACTS.model_copy(update={"roots": (root,), "paths": paths})
    confinement = decide(Run(command="ls out; make -C out", cwd=root), facts, Policy()).confinement
    assert confinement is not None and confinement.readable == ()
