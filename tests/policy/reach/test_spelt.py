"""Options that name where a program writes bind however they are spelt, also under a rule that allows the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME, judge, rule
from xun.gate.check import check_command
from xun.policy.reach.spelt import places, spelt
from xun.policy.rules import Policy
from xun.policy.text.words import Arg

TARGETS = [
    "-t{}", "-t {}", "-vt{}", "-fvt {}", "--target-directory={}", "--target-directory {}", "--target={}", "--ta={}", "--t {}",
]  # fmt: skip
ELSEWHERE = [
    "tar xfC a.tar {}", "tar xCf {} a.tar", "tar -xC{} -fa.tar", "tar -xC {} -f a.tar", "tar --cd={} -xf a.tar", "tar --direc={} -xf a.tar",
    "tar --directory {} -xf a.tar", "tar -cf {}/a.tar docs", "tar -cvzf{}/a.tar docs", "tar --create --file={}/a.tar docs",
    "chmod -x {}/y", "chmod -R -w {}/y", "chmod --reference=x {}/y", "chmod --ref=x {}/y", "chmod --ref x {}/y", "chmod 755 {}/y",
    "chown --reference=x {}/y", "chgrp --reference=x {}/y", "mkfifo {}/n", "mkfifo -m 600 {}/n", "mkdir -pm700 {}/n", "install -d {}/x src",
    "cp a {}", "cp -S .bak a {}", "git clone --separate-git-dir={}/g . y", "git worktree remove {}/x",
    "git worktree move src {}/x", "tsc --outDir {}", "tsc --outdir={}", "tsc --declarationDir {}", "go build -o={}/x", "go build -o {}/x",
    "terraform plan -out={}/x", "terraform plan -chdir={}", "composer install -d {}", "composer install --working-dir={}",
    "gradle build -p {}", "gradle build --project-dir={}", "coverage html -d {}", "cmake -B{}", "pip install -t{} x", "unzip -qd{} a.zip",
    "unzip -qod {} a.zip", "cpio -iD {}", "patch -p1 -d{}", "wget -qO{}/x u", "curl -so {}/x u", "curl -o{}/x u", "x --outp={}", "x --dest {}",
]  # fmt: skip
HERE = [
    "mv a b", "mv -t src a b", "mv -S.bak a src/b", "mv -S .bak a src/b", "mv --suffix=.bak a src/b", "cp -t src a b", "ln -s a b",
    "install -m 755 a src/b", "install -d src/x src/y", "tar xf a.tar -C src", "tar -xC src -f a.tar", "tar czf a.tgz docs", "tar tf a.tar",
    "chmod +x src/a.py", "chmod -x src/a.py", "chown me src/a.py", "mkfifo n", "mkdir -pm700 src/n", "tsc --outDir dist",
    "go build -o bin/x ./...", "coverage html -d out", "cmake -B build", "git worktree remove sub",
]  # fmt: skip


def granted(command: str, place: Path, *rules: tuple[str, str, str]) -> str:
    words = [word for word in command.split() if not word.startswith("-")]
    prefix = " ".join(
        words[:2] if words[0] in ("git", "go", "terraform", "composer", "gradle", "coverage", "pip") else words[:1]
    )
    own = [rule(*one) for one in (("allow", "command", prefix), *rules)]
    decision = check_command(command, policy=Policy(rules=own), cwd=place, home=HOME)
    return "hard" if decision.hard else decision.effect


@pytest.fixture
def place(work: Path) -> Path:
    for folder in ("src", "docs", "sub", "migrations", "bin", ".github/workflows"):
        (work / folder).mkdir(parents=True)
    return work


@pytest.mark.parametrize("option", TARGETS)
@pytest.mark.parametrize("program", ["mv", "cp", "ln -s", "install"])
def test_a_target_folder_binds_however_it_is_named(option: str, program: str, place: Path) -> None:
    for folder in (".git/hooks", ".github/workflows", ".xun", "/etc", "../other"):
        assert granted(f"{program} {option.format(folder)} x", place) == "hard", folder
    denied = ("deny", "write", "migrations/")
    assert granted(f"{program} {option.format('migrations')} x", place, denied) == "deny"
    assert granted(f"{program} {option.format('src')} x", place, denied) == "allow"


@pytest.mark.parametrize("command", ELSEWHERE)
def test_what_leads_elsewhere_is_for_a_person_whatever_allows_the_program(command: str, place: Path) -> None:
    assert granted(command.format("../other"), place) == "hard"


@pytest.mark.parametrize("command", HERE)
def test_what_stays_in_the_workspace_is_left_to_the_rule(command: str, place: Path) -> None:
    assert granted(command, place) == "allow"
    assert not judge(command).hard


def test_what_is_moved_away_is_changed_too(place: Path) -> None:
    denied = ("deny", "write", "migrations/")
    for command in ("mv -t src migrations/1.sql", "mv migrations/1.sql src", "mv --ta=src -- migrations/1.sql"):
        assert granted(command, place, denied) == "deny"
    assert granted("cp -t src migrations/1.sql", place, denied) == "allow"


@pytest.mark.parametrize("option", ["-P", "--absolute-names", "--absolute", "-xPf x.tar"])
def test_an_archive_that_keeps_its_roots_may_write_anywhere(option: str, place: Path) -> None:
    assert granted(f"tar xf x.tar {option}", place) == "hard"


@pytest.mark.parametrize(
    "command", ["tar -cf- .", "tar -cvf - .", "tar cf - .", "tar --create -f- .", "tar --cre --file=- ."]
)
def test_an_archive_of_the_folder_holds_its_secrets(command: str, place: Path) -> None:
    (place / ".env").write_text("KEY=1\n")
    assert granted(command, place) == "hard"


def test_what_is_packed_file_by_file_goes_with_what_is_run_later(place: Path) -> None:
    (place / ".git/hooks").mkdir(parents=True)
    (place / ".git/hooks/pre-commit").write_text("x")
    assert granted("gzip -r .", place) == granted("gzip --recursive . src", place) == "hard"
    assert granted("gzip -r src", place) == granted("gzip README.md", place) == "allow"


def test_options_are_told_from_operands() -> None:
    told = spelt([Arg("mv"), Arg("-vS"), Arg(".b"), Arg("a"), Arg("--ta"), Arg("d"), Arg("--"), Arg("-t")])
    assert told is not None
    assert [arg.text for arg in told.operands] == ["a", "-t"]
    assert [(name, arg.text) for name, arg in told.values] == [("S", ".b"), ("target-directory", "d")]
    assert [arg.text for arg in places([Arg("tar"), Arg("xfC"), Arg("a.tar"), Arg("d")])] == ["d"]
    assert spelt([Arg("frobnicate"), Arg("-t"), Arg("x")]) is None
