"""What is looked up before a decision: links, patterns, folders, and what a repository would make git start."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import require
from xun.gate.gather import gather
from xun.gate.git_config import parse_config
from xun.gate.repository import helper_programs
from xun.policy.action import Read, Run, UseTool
from xun.policy.decide import decide
from xun.policy.decision import Decision
from xun.policy.rules import Policy

HOME = Path("/nonexistent/home")


def judge(command: str, work: Path, roots: list[Path] | None = None, temp: Path | None = None) -> Decision:
    action = Run(command=command, cwd=str(work))
    return decide(action, gather(action, roots=roots or [work], temp=temp, home=HOME), Policy())


def git(work: Path, *words: str) -> None:
    require("git", shutil.which("git") is not None)
    subprocess.run(["git", *words], cwd=work, check=True, capture_output=True)


@pytest.fixture
def repository(work: Path) -> Path:
    git(work, "init", "-q")
    (work / "x").write_text("one\n")
    (work / ".gitattributes").write_text("* diff=own filter=own\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "one")
    (work / "x").write_text("two\n")
    return work


def test_paths_are_resolved(work: Path, tmp_path: Path) -> None:
    (work / "file").write_text("x")
    (work / "twin").hardlink_to(work / "file")
    (work / "link").symlink_to(tmp_path)
    os.mkfifo(work / "pipe")
    action = Run(command="cat file link/x pipe missing", cwd=str(work))
    facts = gather(action, roots=[work], temp=None, home=HOME)
    assert facts.paths[f"{work}/file"].links == 2 and facts.paths[f"{work}/file"].kind == "file"
    assert facts.paths[f"{work}/link/x"].real == str(tmp_path / "x")
    assert facts.paths[f"{work}/pipe"].kind == "other"
    assert not facts.paths[f"{work}/missing"].exists
    assert facts.model_validate_json(facts.model_dump_json()) == facts


def test_a_link_out_of_the_workspace_asks(work: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (work / "link").symlink_to(tmp_path / "secret")
    (work / "inner").symlink_to(work)
    (work / "folder").symlink_to(tmp_path)
    for command in ("cat link", "cat *", "cat l*", "cat folder/secret", "cat */secret", "ls folder", "cd folder && ls",
                    "cd folder; ls", "cd inner/folder && ls", "git -C folder log", "cat lin[k]", "cat lin?", "wc {link,x}"):  # fmt: skip
        assert judge(command, work).effect == "ask", command
    for command in ("cat inner/x", "ls inner", "ls", "cat fo"):
        assert judge(command, work).effect == "allow", command


def test_cd_through_a_link_is_followed_both_ways(work: Path, tmp_path: Path) -> None:
    (work / "a/b").mkdir(parents=True)
    (work / "link").symlink_to(work / "a/b")
    (tmp_path / "x").write_text("x")
    assert judge("cd a/b && cat ../../x", work).effect == "allow"
    assert judge("cd link && cat ../x", work).effect == "allow"  # the kernel goes to a/x
    assert judge("cd link/.. && ls", work).effect == "ask"  # bash stays in the workspace, the kernel would be in a
    assert judge("cd link && cd .. && ls", work).effect == "ask"
    assert judge("cd a && cd .. && ls", work).effect == "allow"


def test_secrets_behind_patterns_and_links_ask(work: Path) -> None:
    (work / ".env").write_text("x")
    (work / "key.pem").write_text("x")
    (work / "plain").symlink_to(".env")
    for command in ("cat plain", "cat *", "cat .e*", "cat key.*", "head -1 .??v", "grep x p*"):
        assert judge(command, work).hard, command
    for command in ("ls *", "ls -la .env", "find . -name '.env*'", "stat plain"):
        assert judge(command, work).effect == "allow", command


def test_patterns_match_at_least_what_bash_matches(work: Path) -> None:
    require("bash", shutil.which("bash") is not None)
    for name in ("a.py", "b.py", "ab", "a]", "a[b", ".hidden", "d/x.py", "d/.x", "e/f/x.py", "c^", "-n"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("")
    for pattern in ("*", "*.py", "?.py", "[ab].py", "[!a].py", "[^a].py", "[a-c]*", "*/*.py", "**/*.py", ".*", "d/.*",
                    "a[[:punct:]]", "a\\[*", "[[]*", "*/f/*", "./*", "a[]]", "[.]*", "nothing*"):  # fmt: skip
        told = subprocess.run(
            ["bash", "-c", f"printf '%s\\0' {pattern}"], cwd=work, capture_output=True, check=True, text=True
        )
        words = [word for word in told.stdout.split("\0")[:-1] if (work / word).exists()]
        facts = gather(Run(command=f"ls {pattern}", cwd=str(work)), roots=[work], temp=None, home=HOME)
        (fact,) = [fact for key, fact in facts.paths.items() if not key.endswith("/.")] or [None]
        found = set(fact.matches or ()) if fact else set()
        assert {os.path.normpath(work / word) for word in words if word not in (".", "..")} <= {
            path.rstrip("/") for path in found
        } | {str(work), str(work / "d")}, pattern


def test_too_many_matches_ask(work: Path) -> None:
    for number in range(2100):
        (work / f"f{number}").touch()
    assert judge("cat f*", work).effect == "ask"
    assert judge("cat f1*", work).effect == "allow"


def test_the_own_temporary_folder_may_be_read_but_not_run(work: Path, tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    assert judge(f"cat {temp}/log", work, temp=temp).effect == "allow"
    assert judge(f"cd {temp} && ls", work, temp=temp).effect == "allow"
    assert judge(f"python -m pytest {temp}", work, temp=temp).effect == "ask"
    assert judge(f"cd {temp} && python -m pytest", work, temp=temp).effect == "ask"
    assert judge(f"cat {temp}/log", work).effect == "ask"


def test_every_root_counts(work: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert judge(f"cat {other}/x", work).effect == "ask"
    assert judge(f"cat {other}/x", work, roots=[work, other]).effect == "allow"


def test_without_home_a_tilde_means_nothing(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gather(Run(command="ls", cwd=str(work)), roots=[work], temp=None, home=HOME).home == str(HOME)
    monkeypatch.delenv("HOME")
    assert gather(Run(command="ls", cwd=str(work)), roots=[work], temp=None, home=HOME).home == ""


def test_other_actions_need_little(work: Path) -> None:
    assert gather(UseTool(name="x"), roots=[work], temp=None, home=HOME).paths == {}
    assert list(gather(Read(path=str(work / "x")), roots=[work], temp=None, home=HOME).paths) == [str(work / "x")]


def test_what_cannot_be_looked_up_asks(work: Path) -> None:
    (work / "loop").symlink_to("loop")
    assert judge("cat loop", work).effect == "ask"
    assert judge("cat " + "x" * 5000, work).effect == "ask"


# --- repositories


def test_a_plain_repository_is_harmless(repository: Path) -> None:
    git(repository, "config", "user.name", "x")
    git(repository, "config", "alias.s", "!touch canary")
    git(repository, "config", "core.fsmonitor", "true")
    git(repository, "config", "core.hooksPath", ".husky")
    git(repository, "remote", "add", "origin", "https://example.invalid/x.git")
    for command in ("git status", "git diff", "git log -p", "git show", "git blame x", "git -C . diff"):
        assert judge(command, repository).effect == "allow", command


@pytest.mark.parametrize(
    ("key", "value", "command"),
    [
        ("core.fsmonitor", "touch canary; true", "git status"),
        ("filter.own.clean", "touch canary; cat", "git diff"),
        ("diff.own.textconv", "touch canary; cat", "git log -p"),
        ("diff.own.command", "touch canary; true", "git diff"),
        ("diff.external", "touch canary; true", "git diff"),
    ],
)
def test_a_helper_program_runs_and_is_seen_before(repository: Path, key: str, value: str, command: str) -> None:
    """The danger is real: git starts the program. The decision comes before."""
    git(repository, "config", key, value)
    decision = judge(command, repository)
    assert decision.effect == "ask" and [r.code for r in decision.reasons] == ["git-configuration"]
    assert key in decision.reasons[0].text and decision.grantable == (" ".join(command.split()[:2]),)
    git(repository, *command.split()[1:])
    assert (repository / "canary").exists()


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\tpager = x", "[core] fsmonitor = ./x", "[CORE]\nFSMonitor = ./x", '[filter "a"]\nprocess = x', "[include]\npath = x",
        '[includeIf "gitdir:/"]\npath = x', "[gpg]\nprogram = x", '[gpg "ssh"]\nprogram = x', "[pager]\nlog = x",
        "[core]\nsshCommand = x", '[merge "a"]\ndriver = x', '[remote "o"]\nuploadpack = x', '[remote "o"]\npromisor = true',
        "[core]\nfsmonitor = tr\\\nue x", "[log]\nshowSignature", "[log]\nfollow = true", "[hook]\ncommand = x", "[core]\nworktree = /etc",
        "[diff.own]\ntextconv = x", '[submodule "x"]\nupdate = !x', '[filter "lfs"]\nclean = \"git-lfs clean -- %f; x\"',
    ],
)  # fmt: skip
def test_configuration_that_starts_something_asks(repository: Path, text: str) -> None:
    with (repository / ".git/config").open("a") as file:
        file.write("\n" + text + "\n")
    assert judge("git status", repository).effect == "ask"
    assert judge("git --version", repository).effect == "allow"
    assert judge("ls", repository).effect == "allow"


@pytest.mark.parametrize(
    "text",
    [
        '[filter "lfs"]\nclean = git-lfs clean -- %f\nsmudge = git-lfs smudge -- %f\nprocess = git-lfs filter-process\nrequired = true',
        "[core]\nfsmonitor = false", '[branch "x"]\nremote = o ; comment', '[user]\nname = "a # b"', "[push]\ndefault = simple",
        '[remote "o"]\nurl = https://x\nfetch = +refs/heads/*:refs/remotes/o/*', '[submodule "x"]\nactive = true', "[log]\nshowsignature = false\nfollow = no",
    ],
)  # fmt: skip
def test_usual_configuration_is_harmless(repository: Path, text: str) -> None:
    with (repository / ".git/config").open("a") as file:
        file.write("\n" + text + "\n")
    assert judge("git status", repository).effect == "allow"


def test_configuration_that_cannot_be_read_asks(repository: Path) -> None:
    config = repository / ".git/config"
    kept = config.read_text()
    for text in ("[core", "[core]\n= x", "[core]\na b", "# " + "x" * 300_000):
        config.write_text(kept + "\n" + text + "\n")
        assert judge("git status", repository).hard, text[:20]
    config.write_text(kept)
    assert judge("git status", repository).effect == "allow"


def test_submodules_and_worktrees_are_looked_into(repository: Path, tmp_path: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    git(inner, "commit", "-qm", "x", "--allow-empty")
    git(repository, "add", "inner")
    assert judge("git status", repository).effect == "allow"
    git(inner, "config", "core.fsmonitor", "./evil")
    assert judge("git status", repository).effect == "ask"
    git(inner, "config", "--unset", "core.fsmonitor")
    git(repository, "worktree", "add", "-q", "../tree")
    tree = tmp_path / "tree"
    assert judge("git status", tree).effect == "allow"
    git(repository, "config", "core.fsmonitor", "./evil")
    assert judge("git status", tree).effect == "ask"


def test_a_nested_bare_repository_asks(work: Path) -> None:
    git(work, "init", "-q", "--bare", "nest")
    assert judge("cd nest && git status", work).effect == "ask"
    assert judge("git -C nest log", work).effect == "ask"
    assert judge("ls nest", work).effect == "allow"


def test_a_hook_that_status_would_run_asks(repository: Path) -> None:
    hook = repository / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    assert judge("git status", repository).effect == "ask"


def test_a_folder_without_a_repository_has_no_helpers(work: Path) -> None:
    assert helper_programs(str(work), [str(work)]) == ()
    (work / ".git").write_text("nonsense")
    assert helper_programs(str(work), [str(work)]) is None


def test_configuration_is_read_as_git_reads_it(work: Path) -> None:
    text = (
        '[a "B c"] One = 1 ; x\n  two\n[A.b]\nthree = "x ; y" z # t\nfour = a\\\n b\nfive = \\"q\\" \\\\ \\t.\n'
        '[d "e\\"f"]\nsix =\n[g]\nseven = "a b"c\n'
    )
    (work / "config").write_text(text)
    require("git", shutil.which("git") is not None)
    told = subprocess.run(
        ["git", "config", "--file", "config", "--list", "-z"], cwd=work, check=True, capture_output=True, text=True
    ).stdout
    expected = [tuple(entry.partition("\n")[::2]) for entry in told.split("\0") if entry]
    assert list(parse_config(text)) == [
        (key, value if ("\n" in f"{key}\n{value}" and value) or key != "a.B c.two" else "true")
        for key, value in expected
    ]
