"""What an earlier part of a text brings is not what was looked up: such texts ask, and what they would do is real."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.effects.ground import repository
from tests.policy.judging import rule
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Settings

CANARY = "canary-7f3a"
RULES = (
    "git", "cp", "mv", "ln", "rsync", "tar", "patch", "sed -i", "install", "find", "rm", "mkdir"
)  # fmt: skip
GIT = (
    "checkout switch merge reset restore stash worktree clone apply add commit cherry-pick rebase pull mv am read-tree"
)


def _rules() -> Iterator[str]:
    yield from (f"git {name}" for name in GIT.split())
    yield from ("git checkout --", "git stash pop")
    yield from (name for name in RULES if name != "git")


POLICY = Policy(rules=[rule("allow", "command", name) for name in _rules()], settings=Settings(newlines="split"))


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace beside a folder with a secret that links lead to where something brings them, and only then."""
    top = tmp_path_factory.mktemp("brought")
    (top / "outside").mkdir()
    (top / "outside" / "f").write_text(CANARY)
    work = repository(top / "work")
    (work / ".gitignore").write_text("secrets.json\nignored.env\n")
    (work / "shown").write_text("!.env\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "ignore")
    git(work, "branch", "-m", "main")
    _branch(work)
    (work / "x.patch").write_bytes(
        subprocess.run(["git", "diff", "main", "other", "--", "q"], cwd=work, check=True, capture_output=True).stdout
    )
    (work / "d" / "e").mkdir(parents=True)
    (work / "d" / "e" / "lk").symlink_to("../../outside/f")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "d")
    (work / "q").symlink_to("../outside/f")
    git(work, "add", "q")
    git(work, "stash", "-q")
    subprocess.run(["tar", "-cf", "a.tar", "-C", "d", "e"], cwd=work, check=True)
    _vendored(work / "vendor" / "repo")
    for name in (".env", "secrets.json"):
        (work / name).write_text(f"KEY={CANARY}\n")
    return top


def _branch(work: Path) -> None:
    """The branch `other`: links that lead out, and a secret that it keeps."""
    git(work, "checkout", "-qb", "other")
    (work / "q").symlink_to("../outside/f")
    (work / "q2").symlink_to("../../outside/f")
    (work / "deep").mkdir()
    (work / "deep" / "server.key").write_text(f"KEY={CANARY}\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "other")
    git(work, "checkout", "-q", "main")


def _vendored(folder: Path) -> None:
    """A repository whose configuration has git run a program."""
    folder.mkdir(parents=True)
    (folder / "a").write_text("x\n")
    (folder / ".gitattributes").write_text("* filter=x\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    (folder / "a").write_text("y\n")
    git(folder, "config", "filter.x.clean", f"echo {CANARY} >> $HOME/ran; cat")


@pytest.fixture
def work(ground: Path, tmp_path: Path) -> Path:
    shutil.copytree(ground, tmp_path / "ground", symlinks=True)
    return tmp_path / "ground" / "work"


def judged(command: str, work: Path) -> Decision:
    return check_command(command, policy=POLICY, cwd=work, home=work.parent / "home")


def run(command: str, work: Path) -> str:
    """What it prints, and what it has a program of a repository's configuration leave behind."""
    home = work.parent / "home"
    home.mkdir()
    env = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {f"GIT_{who}_{what}": "t@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(["bash", "-c", command], cwd=work, env=env, capture_output=True, text=True, timeout=60)
    left = home / "ran"
    return done.stdout + (left.read_text() if left.exists() else "")


LEAKS = [
    # git brings links
    "git checkout other -- q && cat q", "git checkout -q other && cat q", "git switch other && cat q", "git merge -q other && cat q",
    "git reset --hard other && head -1 q", "git restore --source=other q && cat q", "git restore -s other q; tail q", "git stash pop && cat q",
    "git cherry-pick other && cat q", "git rebase -q other && cat q", "git pull -q --no-rebase . other && cat q", "git apply x.patch && cat q",
    "git worktree add w other && cat w/q2", "git clone -q -b other . c && cat c/q2", "git clone -q -b other . c && cd c && cat q2",
    "git checkout other -- q && grep canary q", "cat README.md && git checkout other -- q && cat README.md && cat q", "git checkout other -- q\ncat q",
    # and secrets that other commits keep, or that it is told to keep
    "git merge -q other && grep -r canary deep", "git cherry-pick other && git show", "git merge -q other && git diff HEAD~1",
    "git add -A && git commit -qm x && git show", "git add . && git diff --cached", "git add -f secrets.json && git diff --cached",
    # links in what is copied, moved, unpacked, patched; links as such
    "cp -r d/e d2 && cat d2/lk", "cp -a d/e d2 && cat d2/lk", "cp -R d/e d2 && cd d2 && cat lk", "cp -r d/. . && cat sub/../e/lk; cp -r d/e d2; cat d2/lk",
    "cp -a d/e/lk d/lk; mv d/e d2 && cat d2/lk", "git mv d/e d2 && cat d2/lk", "mv -t sub d/e && mv sub/e d2 && cat d2/lk",
    "ln -s ../outside/f q && cat q", "ln -s ../outside q && cat q/f", "ln -s ../outside q && cd q && cat f", "ln -s ../outside q && grep -R canary .",
    "tar xf a.tar && mv e d2 && cat d2/lk", "patch -s -p1 -i x.patch && cat q", "cp -r d/e d2 && bash -c 'cat d2/lk'",
    # what says what a search passes over
    "cp shown .ignore && rg canary", "mv .gitignore old && rg canary", "sed -i d .gitignore && rg canary .", "rm .gitignore; rg canary",
    # repositories with a configuration of their own
    "cp -r vendor/repo r && git -C r diff", "cp -r vendor/repo r; cd r && git diff", "mv vendor/repo r && git -C r diff", "cp -a vendor r && git -C r/repo diff",
    "cp -r vendor/repo/. sub && cd sub && git diff", "ln -s vendor/repo r && git -C r diff", "ln -s vendor/repo r && cd r && git diff",
]  # fmt: skip


@pytest.mark.parametrize("command", LEAKS)
def test_what_would_show_or_run_what_it_brings_asks(command: str, work: Path) -> None:
    require("rg", "rg " not in command or shutil.which("rg") is not None)
    require("patch", not command.startswith("patch") or shutil.which("patch") is not None)
    decision = judged(command, work)
    assert decision.effect == "ask" and decision.personal, [reason.text for reason in decision.reasons]
    assert CANARY in run(command, work), "it proves nothing if there is nothing to hide"


@pytest.mark.parametrize("command", [command for command in LEAKS if command.count("&&") == 1 and ";" not in command])
def test_sent_apart_the_second_part_is_judged_by_what_is_there_then(command: str, work: Path) -> None:
    first, second = command.split(" && ")
    run(first, work)
    assert judged(second, work).effect == "ask"


ORDINARY = [
    "mkdir -p new && cp README.md new/ && ls new", "mkdir -p new && cp README.md new/ && cat new/README.md", "cp -r src new && cat new/app.py && rg foo new",
    "cp -r src new && git status && git diff", "cp -r src new && grep -r foo new", "mv src lib && cat lib/app.py", "git mv x.py y.py && cat y.py && git status",
    "git checkout -b feature && cat README.md", "git switch -c feature && cat README.md", "git pull && git log --oneline -5", "git stash && git status && git stash pop",
    "git checkout main && git pull && git branch --show-current", "cd src && git pull && git status", "git restore src && cat src/app.py && git diff",
    "git checkout -- README.md && cat README.md && sed -i s/a/b/ README.md", "git merge other && git log --oneline -3 && git diff --stat HEAD~1",
    "sed -i s/foo/baz/ src/app.py && git diff && rg baz src", "git add README.md && git diff --cached && git commit -m x", "git add -A && git status && git diff --cached --stat",
    "rm -rf build && mkdir build && cat README.md", "ln -s src/app.py app && ls -l app && cat README.md", "tar xf a.tar && ls -la e",
    "cat README.md && cp -r d/e d2", "git diff && git checkout -q other", "rg foo && git merge other && ls", "git commit -am x && git push; cat README.md",
    "git add src && git diff --cached -- src/app.py", "git stash pop && git diff -- src/app.py", "git stash pop && git diff --stat", "tar xf a.tar -C sub && git status",
]  # fmt: skip


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_chains_pass(command: str, work: Path) -> None:
    policy = POLICY.copy(extra=[rule("allow", "command", "git push")])
    decision = check_command(command, policy=policy, cwd=work, home=work.parent / "home")
    assert decision.effect == "allow", [reason.text for reason in decision.reasons]
