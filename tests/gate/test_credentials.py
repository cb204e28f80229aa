"""Passwords and tokens in git's configuration: whoever would show them asks, and nobody else does."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.policy.judging import HOME, effect, rule
from xun.gate.credentials import holds_credentials, settings_with_secrets
from xun.gate.gather import gather
from xun.policy.action import Read, Run
from xun.policy.decide import decide
from xun.policy.decision import Decision
from xun.policy.reading import ReadFilter
from xun.policy.rules import Policy

TOKEN = "ghp_" + "0123456789abcdefghij"
WITH_TOKEN = f"https://me:{TOKEN}@example.org/a.git"


@pytest.fixture
def repository(work: Path) -> Path:
    git(work, "init", "-q")
    git(work, "remote", "add", "origin", WITH_TOKEN)
    git(work, "remote", "add", "plain", "git@example.org:a.git")
    (work / "README.md").write_text("x\n")
    return work


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, check=True)


def judged(command: str, work: Path, home: Path, policy: Policy | None = None) -> Decision:
    action = Run(command=command, cwd=str(work))
    return decide(action, gather(action, roots=[work], temp=None, home=home, sandbox=False), policy or Policy())


SHOWING = [
    "git remote -v", "git remote --verbose", "git remote get-url origin", "git remote get-url --all origin",
    "git config --get remote.origin.url", "git config remote.origin.url", "git config get remote.origin.url",
    "git config Remote.origin.URL", "git config -l", "git config --list", "git config list", "git config --local -l",
    "git config --local --get-regexp '^remote'", "git config --get-regexp url", "git config --get-all remote.origin.url",
    "git config --get-urlmatch remote https://x", "git remote show origin", "git remote show -n origin",
    "git ls-remote", "git ls-remote --get-url origin", "git var -l", "git submodule init", "git request-pull HEAD origin",
    "cat .git/config", "head -5 .git/config", "grep url .git/config", "grep -r url .git", "grep -r x .", "cat .git/*",
    "rg --hidden x", "rg url .git", "sed -n 1,9p .git/config", "cat < .git/config", "python -c 'open(\".git/config\")'",
    "find . -name config | xargs cat", "find . ! -not -path './.git/*' | xargs cat", "find . -path './.git/*' | xargs cat", "find .git | xargs grep url", "tar czf a.tgz .", "cp .git/config x", "cp -r . ../x",
    "cd .git && cat config", "git -C sub/.. remote -v", "git --no-pager remote -v", "timeout 5 git remote -v",
    "bash -c 'git remote -v'", "git -P config -l", "ls && git remote -v | cat", "git --paginate remote -v",
    "cd sub && git remote -v", "echo \"$(git remote -v)\"", "git remote -v; ls", "xargs git config --get remote.origin.url",
]  # fmt: skip
OTHERS = [
    "git remote", "git remote get-url plain", "git config --get user.name", "git config user.email", "git status", "git log",
    "git config --local --get-regexp '^user'", "git config -l --name-only", "git branch -vv", "cat .git/HEAD", "ls -la .git",
    "git config --get remote.plain.url", "git config --get-all remote.origin.fetch", "git config --local --name-only -l",
    "cat README.md", "rg x", "grep -r --exclude-dir=.git x .", "find . -name '*.md' | xargs cat", "ls .git/config",
    "git -C other remote -v", "find . ! -path './.git/*' | xargs ls", "find . -not -path './.git/*' -type f | xargs grep x",
]  # fmt: skip


@pytest.mark.parametrize("command", SHOWING)
def test_what_would_show_a_token_asks_a_person(command: str, repository: Path) -> None:
    (repository / "sub").mkdir()
    decision = judged(command, repository, HOME)
    assert any(reason.hard and reason.code == "secret" for reason in decision.reasons), decision.reasons
    assert TOKEN not in decision.model_dump_json()


@pytest.mark.parametrize("command", OTHERS)
def test_others_are_left_alone(command: str, repository: Path) -> None:
    git(repository, "init", "-q", "other")
    decision = judged(command, repository, HOME)
    assert decision.effect == "allow", decision.reasons


@pytest.mark.parametrize("command", [command for command in SHOWING if effect(command) == "allow"])
def test_without_a_token_none_of_it_asks(command: str, repository: Path) -> None:
    (repository / "sub").mkdir()
    git(repository, "remote", "set-url", "origin", "https://example.org/a.git")
    assert judged(command, repository, HOME).effect == "allow"


@pytest.mark.parametrize("way", ["-C ../work", "--git-dir=../work/.git", "--git-dir ../work/.git", "-p -C .. -C work"])
def test_a_repository_elsewhere_is_looked_at(way: str, repository: Path) -> None:
    (repository / "../other").mkdir()
    decision = judged(f"git {way} remote -v", repository / "../other", HOME)
    assert "remote.origin.url" in str(decision.reasons)


def test_long_lines_take_no_time(repository: Path) -> None:
    """Each place in them must not be looked at from each place before it."""
    with (repository / ".git/config").open("a") as file:
        file.write(f"[a]\nb = {'a' * 200_000}\nc = {'a://b:' * 5_000}\n")
    assert holds_credentials(str(repository / ".git/config"))


def test_no_rule_allows_it(repository: Path) -> None:
    allowing = Policy(rules=[rule("allow", "command", "git remote -v"), rule("allow", "read", ".git")])
    assert judged("git remote -v", repository, HOME, allowing).hard
    action = Read(path=str(repository / ".git/config"))
    assert decide(action, gather(action, roots=[repository], temp=None, home=HOME), allowing).hard


def test_a_search_leaves_it_out_as_reading_it_asks(repository: Path) -> None:
    kept = ReadFilter(Policy(), (), roots=[str(repository)], at=datetime.now(UTC), holds=holds_credentials)
    assert kept.effect(str(repository / ".git/config")) == "ask"
    assert kept.effect(str(repository / ".git/HEAD")) == "allow"


def test_addresses_are_put_together_from_the_persons_own_settings_too(work: Path) -> None:
    git(work, "init", "-q")
    git(work, "config", "--global", f"url.{WITH_TOKEN}.insteadOf", "https://example.org/")
    git(work, "remote", "add", "origin", "https://example.org/a.git")
    for command in ("git remote -v", "git config -l", "git config --get-regexp insteadof", "git config -l --name-only"):
        decision = judged(command, work, HOME)
        assert decision.hard and "url.https://…@example.org" in str(decision.reasons), command
        assert TOKEN not in decision.model_dump_json()
    for command in ("git config --local -l", "git config --get user.name", "git remote"):
        assert judged(command, work, HOME).effect == "allow", command


def test_a_work_tree_shows_what_its_repository_holds(repository: Path) -> None:
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x")
    git(repository, "worktree", "add", "-q", "tree")
    assert judged("git -C tree remote -v", repository, HOME).hard
    assert judged("cd tree && git config --local -l", repository, HOME).hard


@pytest.mark.parametrize(
    "setting",
    [f'[remote "o"]\nurl = {WITH_TOKEN}', f'[remote "o"]\npushurl = https://{TOKEN}@example.org/a',
     '[http "https://example.org/"]\nextraheader = AUTHORIZATION: basic eDp5', "[github]\ntoken = 0123456789",
     '[credential]\nhelper = "!f() { echo password=x; }; f"', "[sendemail]\nsmtppass = hunter22", "[imap]\npass = hunter22",
     '[remote "o"]\nurl = "https://me:p@ss@example.org/a"', '[submodule "s"]\nurl = ssh://me:word@example.org/a',
     f"[http]\nproxy = http://me:{TOKEN}@proxy", "broken = https://me:password1@example.org"],
)  # fmt: skip
def test_what_holds_a_secret(setting: str, work: Path) -> None:
    git(work, "init", "-q")
    config = work / ".git/config"
    with config.open("a") as file:
        file.write(f"{setting}\n")
    assert holds_credentials(str(config))


@pytest.mark.parametrize(
    "setting",
    ['[remote "o"]\nurl = https://example.org/a', '[remote "o"]\nurl = https://me@example.org/a', '[remote "o"]\nurl = ssh://git@example.org:22/a',
     '[remote "o"]\nurl = git@example.org:a', '[remote "o"]\nurl = https://me:@example.org/a', "[http]\nsslCertPasswordProtected = true",
     '[credential]\nhelper = store', '[http]\nextraheader = X-Trace: 1', '[remote "o"]\nurl = https://me:${TOKEN}@example.org/a',
     "[color]\nui = auto", '[remote "o"]\nurl = /srv/a', '[remote "o"]\nurl = https://some-organisation@example.org/a'],
)  # fmt: skip
def test_what_holds_none(setting: str, work: Path) -> None:
    git(work, "init", "-q")
    config = work / ".git/config"
    with config.open("a") as file:
        file.write(f"{setting}\n")
    assert not holds_credentials(str(config))
    assert settings_with_secrets(str(work), HOME) == {}


def test_what_is_no_configuration_is_not_looked_into(work: Path) -> None:
    (work / "config").write_text(f'[remote "o"]\nurl = {WITH_TOKEN}\n')
    (work / ".git").mkdir()
    (work / ".git/config").mkdir()
    assert not holds_credentials(str(work / "config"))
    assert not holds_credentials(str(work / ".git/config"))
