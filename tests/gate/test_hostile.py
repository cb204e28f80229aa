"""Commands that read more than they show, on a workspace that somebody prepared for it: what is on the disk decides."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import require
from tests.gate.test_gather import HOME, git, judge, repository
from tests.policy.judging import codes
from xun.gate.gather import gather
from xun.gate.inside import kept, searched, tree
from xun.gate.listing import MAX_ENTRIES, Budget, Spent
from xun.gate.repository import helper_programs
from xun.policy.action import Write
from xun.policy.decide import decide
from xun.policy.decision import Decision
from xun.policy.rules import Policy

__all__ = ["repository"]  # a fixture


@pytest.fixture
def prepared(work: Path, tmp_path: Path) -> Path:
    """A workspace with a secret, a link that leads out, a pipe, and files named like words of commands."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("canary\n")
    for folder in ("src", "one", "two", "node_modules/x"):
        (work / folder).mkdir(parents=True)
    for file in ("README.md", "src/app.py", "two/l", "delete", "expire", "node_modules/x/key.pem"):
        (work / file).write_text("x\n")
    (work / ".env").write_text("canary=1\n")
    (work / "deep").mkdir()
    (work / "deep" / ".env").write_text("canary=1\n")
    (work / "one/l").symlink_to(outside / "f")
    os.mkfifo(work / "pipe")
    return work


@pytest.mark.parametrize(
    "command",
    [
        'grep -r "" .', "grep -rn canary", "grep --recursive x", "grep -r x .e* .", "grep -r x deep*", "grep -r x *","grep -d recurse x", "egrep -r x .", "grep -r x src/..",
        "rg --hidden x", "rg -uu x", "rg -. x", "rg --no-ignore x .", "cd src && grep -r x ..",
        "grep -r --include='*' x .", "grep -r --exclude='*.py' x .", "grep -r --exclude=x --include='*.py' x .",
        "git grep --untracked .", "git grep --no-index x", "git grep --no-index --no-exclude-standard -e x", "git grep --untracked x .",
        "git -C src grep --untracked x ..",
    ],
)  # fmt: skip
def test_a_folder_with_a_secret_is_not_read_through(prepared: Path, command: str) -> None:
    assert "secret" in codes(judge(command, prepared))


@pytest.mark.parametrize(
    "command",
    [
        "grep -rn x src", "grep -r --include='*.py' x .", "grep -r --exclude='.env*' x .", "rg x", "rg --hidden x src",
        "rg --hidden -g '!.env' x", "rg --hidden -g '*.py' x .", "grep -r x node_modules", "grep x README.md", "ls -a",
        "diff -u README.md src/app.py", "diff -r --no-dereference one two", "git grep x", "git grep --untracked x src", "find . -name '.env'",
    ],
)  # fmt: skip
def test_other_searches_stay_quiet(prepared: Path, command: str) -> None:
    assert judge(command, prepared).effect == "allow"


@pytest.mark.parametrize("place", ["':/'", "'*'", "':(top)'", "'s\\\\rc'"])
def test_untracked_files_are_not_searched_by_a_pattern(place: str, prepared: Path) -> None:
    assert judge(f"git grep --untracked x {place}", prepared).hard


@pytest.mark.parametrize("command", ["diff one two", "diff one/ two", "diff one README.md", "cd one && diff . ../two"])
def test_folders_are_not_compared_through_links_that_lead_out(prepared: Path, command: str) -> None:
    assert "outside" in codes(judge(command, prepared))


def test_a_pipe_is_not_waited_for(prepared: Path) -> None:
    for command in ("cat pipe", "wc -l pip*", "grep x README.md pipe", "cat *"):
        assert "special-file" in codes(judge(command, prepared)), command
    assert judge("ls -l pipe", prepared).effect == "allow"


def test_a_name_that_a_pattern_makes_an_option_asks(prepared: Path) -> None:
    (prepared / "pipe").unlink()
    assert judge("grep x *", prepared).effect == "allow"
    (prepared / "-R").write_text("")
    assert codes(judge("grep x *", prepared)) == {"glob"}
    assert judge("grep x ./*", prepared).effect == "allow"


def test_too_large_a_folder_asks(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_ENTRIES >= 10_000
    for number in range(30):
        (work / f"d{number}").mkdir()
    monkeypatch.setattr("xun.gate.listing.MAX_ENTRIES", 20)
    assert judge("grep -r x .", work).effect == "ask"
    assert judge("ls */x", work).effect == "ask"


def test_what_was_cut_off_is_not_taken_for_all_there_is(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xun.gate.listing._SETTLED", -1)  # as if nothing had changed for long
    for number in range(30):
        (work / f"{number}.pem").write_text("x")
    with pytest.raises(Spent):
        Budget(left=20).listing(str(work))
    assert len(Budget().listing(str(work)).secrets) == 30


def test_outside_of_the_workspace_less_is_looked_at(work: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for number in range(30):
        (work / str(number)).write_text("")
        (outside / str(number)).write_text("")
    budget = Budget(roots=[str(work)], outside=40)
    assert (len(budget.entries(str(outside))), len(budget.entries(str(work)))) == (30, 30)
    for look in (budget.entries, Budget(roots=[str(work)], outside=20).listing):
        with pytest.raises(Spent):
            look(str(outside))


def test_the_root_of_all_is_not_looked_through(work: Path) -> None:
    budget = Budget(roots=[str(work)])
    looks = (tree, searched, lambda key, roots, budget: kept(key, roots, budget, []))
    assert [look("/", [str(work)], budget) for look in looks] == [None, None, None]
    assert budget == Budget(roots=[str(work)])


@pytest.mark.parametrize(
    "text",
    [
        "*a*a*a*a*a*a*a*a*a*a*b", "?*" * 60 + "b", "env " * 1500 + "x", "xargs " + "a " * 30_000, "eval " * 1500 + "ls",
        "git " + "-C a " * 1300 + "status", "sed '1" + " " * 8000 + "x' f", "sed -n '1" + " ," * 3900 + "x' f",
        "ls " + "*/*/*/*/zz " * 700, "echo " + "a{1..99} " * 800, "cd a; cd ../b; ls " + "x " * 3000, "(" * 60_000,
        "echo " + "$(echo " * 2000, "true && " * 1000 + "true",
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_nothing_takes_long(work: Path, text: str) -> None:
    (work / ("a" * 250)).write_text("")
    for number in range(300):
        (work / f"d{number}/e").mkdir(parents=True)
    command = text if " " in text or "(" in text else f"ls {text}"
    judge("true", work)
    start = time.process_time()  # of this process alone: other tests run beside it
    judge(command, work)
    assert time.process_time() - start < 1.0  # 0.1 s on an idle machine


# --- git


@pytest.mark.parametrize("command", ["git reflog delet[e] HEAD@{0}", "git reflog expir? --all", "git reflog -q expire"])
def test_a_file_name_is_no_action_of_reflog(prepared: Path, command: str) -> None:
    assert judge(command, prepared).effect == "ask"


@pytest.mark.parametrize(
    "pathspec",
    ["'.e*'", "'.en[v]'", "'\\.env'", "':(glob)**/.en?'", "':(icase).ENV'", "':/.env'", "'*.pem'", "'.[^a]nv'"],
)
def test_a_pathspec_picks_out_no_secret(repository: Path, pathspec: str) -> None:
    for command in (f"git log -p -- {pathspec}", f"git grep x -- {pathspec}", f"git show HEAD -- {pathspec}"):
        assert judge(command, repository).effect == "ask", command
    assert judge(f"git ls-files {pathspec}", repository).effect == "allow"


def evil(repository: Path) -> Path:
    script = repository / "evil"
    script.write_text(f"#!/bin/sh\ntouch {repository}/ran\ncat\n")
    script.chmod(0o755)
    return script


def test_a_git_folder_that_is_none_hides_no_repository_above(repository: Path) -> None:
    git(repository, "config", "core.fsmonitor", str(evil(repository)))
    (repository / "sub/.git").mkdir(parents=True)
    (repository / "sub/.git/HEAD").write_text("nonsense\n")
    for name in ("objects", "refs"):
        (repository / "sub/.git" / name).mkdir()
    git(repository, "-C", "sub", "status")
    assert (repository / "ran").exists()
    assert "git-configuration" in codes(judge("git -C sub status", repository))


def test_a_bare_repository_may_keep_its_objects_elsewhere(work: Path) -> None:
    git(work, "init", "-q", "--bare", "store")
    (work / "x").mkdir()
    (work / "x/HEAD").write_text("ref: refs/heads/main\n")
    (work / "x/commondir").write_text("../store\n")
    assert helper_programs(str(work / "x"), [str(work)]) == ("a bare repository",)


def test_blanks_in_the_name_of_a_git_folder_count(repository: Path) -> None:
    shutil.copytree(repository / ".git", repository / "real ")
    git(repository, "--git-dir=real ", "config", "core.fsmonitor", "evil")
    (repository / "sub").mkdir()
    (repository / "sub/.git").write_text("gitdir: ../real \n")
    assert helper_programs(str(repository / "sub"), [str(repository)]) == ("core.fsmonitor",)


def test_submodules_of_a_split_index_are_looked_into(repository: Path, tmp_path: Path) -> None:
    inner = repository / "inner"
    git(repository, "init", "-q", "inner")
    git(inner, "commit", "-q", "--allow-empty", "-m", "x")
    git(inner, "config", "core.fsmonitor", "evil")
    git(repository, "add", "inner")
    git(repository, "update-index", "--split-index")
    assert list((repository / ".git").glob("sharedindex.*"))
    assert helper_programs(str(repository), [str(repository)]) == ("core.fsmonitor",)


@pytest.mark.parametrize(
    "text",
    [
        '[lfs "extension.x"]\nclean = evil\n', '[lfs "customtransfer.x"]\npath = evil\n', "[format]\npretty = %G?\n",
        '[pretty]\nx = "%h %GS"\n', "[blame]\nignoreRevsFile = /etc/passwd\n",
    ],
)  # fmt: skip
def test_more_configuration_that_starts_or_shows_something(repository: Path, text: str) -> None:
    with (repository / ".git/config").open("a") as config:
        config.write(text)
    assert "git-configuration" in codes(judge("git log", repository))


# --- other files


def settle(work: Path, path: str, op: str, policy: Policy) -> Decision:
    action = Write.model_validate({"path": f"{work}/{path}", "op": op})
    return decide(action, gather(action, roots=[work], temp=None, home=HOME), policy)


def test_what_goes_with_a_folder_is_protected_too(work: Path) -> None:
    policy = Policy(write_paths=[str(work)])
    for path in ("gh/workflows/a.yml", "app/.git/config", "plain/a/b", "node_modules/x/.npmrc"):
        (work / path).parent.mkdir(parents=True)
        (work / path).write_text("x")
    (work / ".env").write_text("x")
    for path, op in (
        ("app", "delete"),
        ("app", "move"),
        (".github", "create"),
        (".env", "move"),
        (".config", "create"),
    ):
        assert settle(work, path, op, policy).hard, (path, op)
    for path, op in (
        ("plain", "delete"),
        ("plain", "move"),
        ("node_modules", "delete"),
        ("gh", "move"),
        ("n", "create"),
    ):
        assert settle(work, path, op, policy).effect == "allow", (path, op)


@pytest.mark.parametrize(
    "command",
    ["od -w canary", "od -c -w canary", "xxd a -a", "xxd a -plain", "strings -t @canary a", "sort a -k ../canary"],
)
def test_values_that_the_program_takes_for_files_ask(work: Path, tmp_path: Path, command: str) -> None:
    """Measured under strace: each of these opens, or writes, another file than its options let one think."""
    require("strace", shutil.which("bash") is not None)
    (work / "a").write_text("a\n")
    (work / "canary").symlink_to(tmp_path / "outside")
    decision = judge(command, work)
    assert decision.effect == "ask" and decision.reasons


def test_xxd_writes_to_what_looks_like_an_option(work: Path) -> None:
    require("xxd", shutil.which("xxd") is not None)
    (work / "a").write_text("a\n")
    subprocess.run(["xxd", "a", "-a"], cwd=work, check=False, stdin=subprocess.DEVNULL)
    assert (work / "-a").exists()
