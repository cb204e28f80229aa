"""Searches through folders: what they come upon by themselves, what ignore files bring back, and how much is looked at."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import require
from tests.policy.judging import HOME, rule
from xun.gate.gather import gather
from xun.policy.action import Run
from xun.policy.decide import decide
from xun.policy.decision import Decision
from xun.policy.rules import Policy


@pytest.fixture
def place(work: Path) -> Path:
    for folder in ("src", "config", ".aws", "build", ".git/objects", ".git/refs"):
        (work / folder).mkdir(parents=True)
    for file in ("src/a.py", "src/b.ts", ".aws/credentials", ".env", "README.md"):
        (work / file).write_text("KEY=1\n")
    (work / ".git/HEAD").write_text("ref: refs/heads/main\n")
    return work


def judged(command: str, place: Path) -> Decision:
    action = Run(command=command, cwd=str(place))
    facts = gather(action, roots=[place], temp=None, home=HOME, sandbox=False)
    return decide(action, facts, Policy(rules=[rule("allow", "command", "printf")]))


def hard(command: str, place: Path) -> set[str]:
    return {reason.code for reason in judged(command, place).reasons if reason.hard}


SEARCHES = ["rg KEY", "rg KEY .", "rg -n KEY config .", "rg '' -t yaml", "rg -l KEY | xargs cat", "rg --files | xargs cat", "timeout 5 rg KEY",
            "find src -type f | xargs rg KEY ."]  # fmt: skip


@pytest.mark.parametrize("command", [*SEARCHES, "rg '' config", "cd config && rg KEY"])
@pytest.mark.parametrize(
    "name", ["config/credentials.json", "config/secrets.yml", "config/server.key", "config/a.tfstate"]
)
def test_a_search_comes_upon_secrets_that_are_not_hidden(command: str, name: str, place: Path) -> None:
    assert hard(command, place) == set()
    (place / name).write_text("KEY=1\n")
    assert hard(command, place) == {"secret"}


@pytest.mark.parametrize("command", SEARCHES)
@pytest.mark.parametrize(
    ("file", "line"),
    [(".ignore", "!.env"), (".rgignore", "!.aws"), (".gitignore", "!.env*"), (".ignore", "!*"), (".gitignore", "!**/.aws/"),
     (".ignore", "!.[e]nv"), (".git/info/exclude", "!.env"), ("../.ignore", "!.env"), (".ignore", "# x\n\n!/.e?v")],
)  # fmt: skip
def test_an_ignore_file_brings_hidden_secrets_back(command: str, file: str, line: str, place: Path) -> None:
    (place / file).parent.mkdir(exist_ok=True)
    (place / file).write_text(f"node_modules\n{line}\n")
    assert hard(command, place) == {"secret"}


@pytest.mark.parametrize("line", ["!.github", "!.env.example", "!src/.keep", "!.gitkeep", "*.log", "!*.md"])
def test_others_bring_nothing_back(line: str, place: Path) -> None:
    (place / ".gitignore").write_text(f"{line}\n")
    assert judged("rg KEY", place).effect == "allow"


@pytest.mark.parametrize(
    ("line", "passes"),
    [("server.key", True), ("*.key", True), ("/config", True), ("config/", True), ("**/config/", True), ("/server.key", False),
     ("server.key/", False), ("config/*.key", False), ("*.key\n!server.*", False), ("server.[k]ey", False)],
)  # fmt: skip
def test_what_is_ignored_for_certain_is_passed_over(line: str, passes: bool, place: Path) -> None:
    (place / "config/server.key").write_text("x")
    (place / ".gitignore").write_text(f"{line}\n")
    assert (hard("rg KEY", place) == set()) == passes
    assert hard("rg --no-ignore KEY", place) == hard("grep -r KEY .", place) == {"secret"}


def test_a_gitignore_counts_only_in_a_repository(place: Path) -> None:
    (place / "config/server.key").write_text("x")
    (place / ".gitignore").write_text("server.key\n")
    (place / ".git/HEAD").unlink()
    (place / ".git").rename(place / "git")
    assert hard("rg KEY", place) == {"secret"}


@pytest.mark.parametrize("command", ["cat src/a.py | rg KEY", "printf x | rg -o KEY", "rg KEY src", "rg KEY src -t py", "rg -t py KEY", "rg -l KEY",
                                     "rg --files", "rg -c KEY", "rg KEY -g '*.ts'", "rg KEY -g '*.{ts,tsx}'", "rg KEY -g 'src/**'",
                                     "rg KEY -g '*.ts' -g '!dist'", "rg KEY -g '!config'", "grep -rn --include='*.py' --exclude=x KEY .",
                                     "grep -rn --exclude-dir=config --exclude-dir=.aws --exclude='.env*' KEY .", "grep -Rn KEY src"])  # fmt: skip
def test_searches_that_come_upon_no_secret_pass(command: str, place: Path) -> None:
    (place / "config/server.key").write_text("x")
    assert judged(command, place).effect == "allow"


@pytest.mark.parametrize("command", ["rg KEY -g '!dist' -g '*'", "rg KEY -g '*.ts' --iglob 'SERVER*'", "rg KEY -g '!*.key' -g '*er.*'",
                                     "grep -r --exclude=x --include='*.py' KEY config", "rg -t yaml KEY", "rg KEY -g 'config/**'"])  # fmt: skip
def test_patterns_that_let_it_through_do_not(command: str, place: Path) -> None:
    (place / "config/server.key").write_text("x")
    assert hard(command, place) == {"secret"}


@pytest.mark.parametrize("file", [".ignore", "src/.gitignore", "../.rgignore"])
def test_an_ignore_file_that_never_ends_is_hard(file: str, place: Path) -> None:
    os.mkfifo(place / file)
    assert hard("rg KEY", place) == hard("rg --files", place) == {"special-file"}


def test_a_link_to_a_folder_is_not_followed_unseen(place: Path) -> None:
    (place / "src/in").symlink_to(place / "config")
    assert judged("grep -R KEY src", place).effect == "ask" and judged("grep -r KEY src", place).effect == "allow"


@pytest.mark.parametrize(
    "command",
    ["grep -r KEY .", "find . -type f | xargs cat", "rg --hidden KEY", "rg KEY", "tar cf - .", "zip -r x.zip .", "cp -r . /tmp/x", "rm -rf s*"],
)  # fmt: skip
def test_more_than_can_be_looked_at_is_hard(command: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        (place / f"src/x{number}").write_text("")
    monkeypatch.setattr("xun.gate.listing.MAX_ENTRIES", 25)
    assert "too-many" in hard(command, place)


def test_what_is_remembered_of_a_folder_is_forgotten_when_it_changes(place: Path) -> None:
    long_ago = time.time_ns() - 10**12
    for folder in (place, place / "src"):
        os.utime(folder, ns=(long_ago, long_ago))
    assert hard("grep -r KEY src", place) == hard("grep -r KEY src", place) == set()
    (place / "src/server.key").write_text("x")
    os.utime(place / "src", ns=(long_ago, long_ago))
    assert hard("grep -r KEY src", place) == {"secret"}
    (place / "src/server.key").rename(place / "src/plain")
    assert hard("grep -r KEY src", place) == set()


# --- patterns of files, which rg and grep read differently


@pytest.fixture
def hidden(place: Path) -> Path:
    """A place with secrets in the folder itself and in one below it."""
    (place / "src/.env").write_text("KEY=1\n")
    (place / "config/server.key").write_text("KEY=1\n")
    return place


REACHING = [
    "rg KEY -t py -g '*'", "rg KEY --type rust -g '*' src", "rg KEY -t py --iglob '*'", "rg KEY -g 'src/**' src", "rg KEY -g 'src/*' src",
    "rg KEY -g 'src/**' ./src", "rg -l KEY -g 'src/**' src | xargs cat", "rg --files -g 'src/**' src | xargs cat",
    "grep -rn KEY . --exclude='**/.env' --exclude='*.key' --exclude=credentials", "grep -rn KEY . --exclude='**/*'",
    "grep -rn KEY . --exclude='!*'", "grep -rn KEY . --exclude='!.env' --exclude='!*.key'", "grep -rn KEY . --exclude='*/.env'",
    "grep -rn KEY . --exclude='{.env,*.key,credentials}'", "grep -rl KEY . --exclude='**/*' | xargs cat",
    "grep -rn KEY . --exclude-dir='**/src' --exclude='*.key'",
]  # fmt: skip


@pytest.mark.parametrize("command", REACHING)
def test_a_pattern_leaves_out_no_more_than_its_program_takes_it_for(command: str, hidden: Path) -> None:
    assert "secret" in hard(command, hidden)


KEPT_OUT = [
    "rg KEY -t py", "rg KEY -t py -g '!tests'", "rg KEY -t py -g '*.py'", "rg KEY -g '*.py' src", "rg KEY -g '**/*.py'",
    "rg KEY -g 'docs/**'", "rg -l KEY -g '*.py' src | xargs cat", "grep -rn KEY . --include='*.py'", "grep -rn KEY src --include='*.{py,md}'",
    "grep -rn KEY . --exclude='.e*' --exclude='*.key' --exclude-dir=.aws", "grep -rn KEY . --exclude='*'",
    "grep -rn KEY . --include='!x' --exclude=x",
]  # fmt: skip


@pytest.mark.parametrize("command", KEPT_OUT)
def test_a_pattern_that_leaves_the_secrets_out_passes(command: str, hidden: Path) -> None:
    assert judged(command, hidden).effect == "allow"


@pytest.mark.parametrize("command", [*REACHING, *KEPT_OUT])
def test_the_program_itself_shows_no_secret_where_it_passes(command: str, hidden: Path) -> None:
    require("rg", shutil.which("rg") is not None)
    for secret in ("src/.env", "config/server.key", ".env", ".aws/credentials"):
        (hidden / secret).write_text("KEY=topsecret\n")
    done = subprocess.run(["bash", "-c", command], cwd=hidden, capture_output=True, text=True, check=False)
    assert "topsecret" not in done.stdout or judged(command, hidden).effect == "ask"
