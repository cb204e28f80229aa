"""Git is not let speak with a repository that starts programs here, whatever it is called and however it is named."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.policy.judging import HOME, codes, rule
from xun.gate.check import check_command
from xun.gate.made import MadeFiles
from xun.policy.decision import Decision
from xun.policy.judge.made import AGENT_MADE
from xun.policy.rules import Policy

ALLOWED = ("push", "fetch", "pull", "clone", "ls-remote", "remote add", "submodule update", "init", "archive", "commit")
EVIL = "[core]\n\tbare = true\n\talternateRefsCommand = touch ran; :\n"
OTHER = "other-repository"


def git(work: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=work, check=True, capture_output=True)


def bare(folder: Path, config: str = "[core]\n\tbare = true\n") -> None:
    for name in ("objects/info", "refs/heads"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(config)


@pytest.fixture
def repository(work: Path) -> Path:
    git(work, "init", "-q", "-b", "main", ".")
    bare(work / "evil", EVIL)
    bare(work / "plain.git")
    bare(work / "hooked")
    (work / "hooked" / "hooks").mkdir()
    (work / "hooked" / "hooks" / "post-receive").write_text("#!/bin/sh\n")
    bare(work / "led")
    (work / "led" / "objects" / "info" / "alternates").write_text("../../evil/objects\n")
    (work / "tree").mkdir()
    bare(work / "tree" / ".git", '[filter "x"]\n\tsmudge = touch ran\n')
    (work / "src").mkdir()
    return work


def judged(command: str, work: Path, made: MadeFiles | None = None) -> Decision:
    spelled = [command] if re.fullmatch(r"git [a-z][^&|;*\n]*", command) else []  # a repository that is no remote
    names = (*(f"git {name}" for name in ALLOWED), "cp", *spelled)
    policy = Policy(rules=[rule("allow", "command", name) for name in names])
    return check_command(command, policy=policy, cwd=work, home=HOME, made=made)


NAMED = [
    "git push ./evil HEAD:x", "git push evil main", "git push -- evil main", "git push file://{work}/evil HEAD",
    "git push {work}/evil HEAD", "git push --repo=evil", "git fetch ./evil", "git pull evil main", "git clone evil new",
    "git clone ./tree new", "git clone tree/.git new", "git ls-remote evil", "git remote add e ./evil",
    "git push hooked main", "git push led main", "cd src && git push ../evil x", "git -C src push ../evil x",
    "git clone --reference=evil https://x.org/a new", "timeout 5 git push ./evil x", "git push ../{name}/evil x",
]  # fmt: skip


@pytest.mark.parametrize("command", NAMED)
def test_a_repository_that_is_named_and_starts_programs_asks(command: str, repository: Path) -> None:
    decision = judged(command.format(work=repository, name=repository.name), repository)
    assert decision.effect == "ask" and OTHER in codes(decision), decision.reasons
    assert decision.grantable == ()


@pytest.mark.parametrize(
    "command",
    [
        "git push plain main", "git push plain.git main", "git clone plain.git new", "git push origin main", "git init new",
        "git push https://x.org/evil main", "git push git@x.org:evil main", "git fetch", "git commit -m push",
    ],
)  # fmt: skip
def test_one_that_starts_none_does_not(command: str, repository: Path) -> None:
    assert OTHER not in codes(judged(command, repository))


@pytest.mark.parametrize(
    "command",
    ["cd evil && git push origin x", "git -C evil push origin x", "git -C tree fetch", "cd tree && git commit -m x"],
)
def test_a_rule_speaks_of_the_repository_that_the_text_starts_in(command: str, repository: Path) -> None:
    decision = judged(command, repository)
    assert decision.effect == "ask" and OTHER in codes(decision), decision.reasons
    assert judged(command.replace("evil", "src").replace("tree", "src"), repository).effect == "allow"


@pytest.mark.parametrize(("helper", "effect"), [("store", "allow"), ("!touch ran", "ask"), ("./x", "ask")])
def test_what_is_asked_for_passwords_asks_unless_it_is_usual(helper: str, effect: str, repository: Path) -> None:
    git(repository, "config", "credential.helper", helper)
    assert judged("git push origin main", repository).effect == effect
    assert judged("git commit -m x", repository).effect == "allow"


def test_one_that_a_pattern_names_asks(repository: Path) -> None:
    assert judged("git push ev* x", repository).effect == "ask"


CONFIGURED = {
    "a remote": (".git/config", '[remote "bad"]\n\turl = ./evil\n', "git push bad x"),
    "where a remote is pushed to": (".git/config", '[remote "o"]\n\turl = https://x.org/a\n\tpushurl = evil\n', "git push o"),
    "the remote of a branch": (".git/config", '[branch "main"]\n\tremote = ./evil\n', "git pull"),
    "instead of another": (".git/config", '[url "evil"]\n\tinsteadOf = https://x.org/\n', "git push https://x.org/ y"),
    "a submodule": (".gitmodules", '[submodule "s"]\n\tpath = s\n\turl = ./evil\n', "git submodule update --init"),
    "a submodule's remote": (".git/modules/s/config", '[remote "o"]\n\turl = {work}/evil\n', "git fetch --all"),
    "objects of another": (".git/objects/info/alternates", "../../evil/objects\n", "git fetch"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGURED)
def test_a_repository_that_the_own_one_names_asks(name: str, repository: Path) -> None:
    path, text, command = CONFIGURED[name]
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    with (repository / path).open("a") as file:
        file.write(text.format(work=repository))
    decision = judged(command, repository)
    assert decision.effect == "ask" and OTHER in codes(decision), decision.reasons


@pytest.mark.parametrize("command", ["cp -r plain.git new && git push new x", "cp -r evil/* src && git push ./src x"])
def test_one_that_the_same_text_brings_asks(command: str, repository: Path) -> None:
    assert judged(command, repository).effect == "ask"


def test_a_remote_is_none_that_the_same_text_brings(repository: Path) -> None:
    assert judged("git pull && git push origin main", repository).effect == "allow"


@pytest.mark.parametrize(
    "path", ["plain.git/config", "plain.git/hooks/update", "plain.git/HEAD", "plain.git/objects/info/alternates"]
)
@pytest.mark.parametrize("command", ["git push ./plain.git x", "git fetch --all"])
def test_what_the_agent_made_of_a_repository_asks(path: str, command: str, repository: Path) -> None:
    made = MadeFiles()
    (repository / path).unlink(missing_ok=True)
    made.add([str(repository / path), str(repository / "src" / "a.py")])
    (repository / path).parent.mkdir(exist_ok=True)
    (repository / path).write_text({"HEAD": "ref: refs/heads/main\n"}.get(Path(path).name, "# plain\n"))
    (repository / "src" / "a.py").write_text("x = 1\n")
    decision = judged(command, repository, made)
    assert decision.effect == "ask"
    assert command != "git fetch --all" or AGENT_MADE in codes(decision)
    assert str(repository / "src" / "a.py") not in decision.made


def test_a_file_of_such_a_name_elsewhere_does_not(repository: Path) -> None:
    made = MadeFiles()
    made.add([str(repository / "src" / "config")])
    (repository / "src" / "config").write_text("x\n")
    assert judged("git fetch", repository, made).effect == "allow"


def test_it_would_run(repository: Path) -> None:
    """What the verdict is about: a push has the other repository's configuration run programs here."""
    git(repository, "-c", "user.email=a@b", "-c", "user.name=n", "commit", "--allow-empty", "-qm", "x")
    (repository / "evil" / "objects" / "info" / "alternates").write_text(f"{repository}/.git/objects\n")
    assert judged("git push ./evil HEAD:refs/heads/x", repository).effect == "ask"
    subprocess.run(
        ["git", "push", "./evil", "HEAD:refs/heads/x"], cwd=repository, capture_output=True, timeout=60, check=False
    )
    assert (repository / "evil" / "ran").exists()
