"""A file that the program would read and that cannot be pinned ends the grant: nothing else is taken in its place."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from xun.config.paths import find_paths
from xun.config.project.grants import ProjectGrants
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy

FILES = {
    "Makefile": "test:\n\techo ok\n",
    "Rakefile": 'task :test do\n  sh "true"\nend\n',
    "justfile": "test:\n  echo ok\n",
    "taskfile.yaml": "version: 3\ntasks:\n  test:\n    cmds:\n      - echo ok\n",
    "setup.cfg": "[tox:tox]\n[testenv]\ncommands = pytest\n",
    "noxfile.py": "@nox.session\ndef tests(session):\n    session.run('pytest')\n",
    "package.json": json.dumps({"scripts": {"test": "jest"}}),
    "deno.jsonc": json.dumps({"tasks": {"test": "deno test"}}),
    "Cargo.toml": "",
}
# What each program reads before the file that was granted, or beside it.
BEFORE = {
    "make test": ("GNUmakefile", "makefile"),
    "rake test": ("rakefile", "rakelib/evil.rake"),
    "task test": ("Taskfile.yml", "taskfile.yml", "Taskfile.yaml"),
    "tox": ("tox.ini",),
    "deno task test": ("deno.json",),
    "cargo test": (".cargo/config.toml", "build.rs"),
    "npm test": (".npmrc",),
}
CASES = [(command, name) for command, names in BEFORE.items() for name in names]


def huge(path: Path) -> None:
    path.write_text("#" + "x" * 300_000)


def link_out(path: Path) -> None:
    outside = path.parent.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "evil").write_text("test:\n\tid\n")
    path.symlink_to(outside / "evil")


SPOILT: dict[str, Callable[[Path], object]] = {
    "is larger than 256 KiB": huge,
    "leads out of the project": link_out,
    "is not a regular file": os.mkfifo,
    "is a folder, not a file": os.mkdir,
    "is a link that leads nowhere": lambda path: path.symlink_to("nothing"),
}


@pytest.fixture
def project(work: Path) -> Path:
    """A project all of whose commands are granted."""
    for name, text in FILES.items():
        (work / name).write_text(text)
    grants = ProjectGrants(work, find_paths())
    grants.decide([command for command, _ in grants.show()], [])
    return work


def judge(command: str, project: Path) -> Decision:
    policy = Policy(rules=ProjectGrants(project, find_paths()).standing(command))
    return check_command(command, policy=policy, cwd=project)


@pytest.mark.parametrize("command", [*BEFORE, "just test", "nox"])
def test_what_was_granted_runs(command: str, project: Path) -> None:
    assert judge(command, project).effect == "allow"


@pytest.mark.parametrize("why", SPOILT)
@pytest.mark.parametrize(("command", "name"), CASES)
def test_a_file_that_is_read_first_and_cannot_be_pinned_asks_and_says_why(
    command: str, name: str, why: str, project: Path
) -> None:
    path = project / name
    path.parent.mkdir(exist_ok=True)
    if why == "leads out of the project" and path.parent != project:
        path.symlink_to(project.parent)
    else:
        SPOILT[why](path)
    decision = judge(command, project)
    assert decision.effect == "ask"
    assert f"{name} {why}" in decision.reasons[0].text


@pytest.mark.parametrize(("command", "name"), CASES)
def test_a_file_that_is_read_first_and_can_be_pinned_asks_too(command: str, name: str, project: Path) -> None:
    path = project / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("{}" if name.endswith("json") else "test:\n\tid\n")
    assert judge(command, project).effect == "ask"


@pytest.mark.parametrize(("command", "name"), [("make test", "GNUmakefile"), ("tox", "tox.ini"), ("nox", "noxfile.py")])
def test_what_is_no_text_asks(command: str, name: str, project: Path) -> None:
    (project / name).write_bytes(b"test:\n\tid\n#\xff\n")
    decision = judge(command, project)
    assert decision.effect == "ask" and f"{name} is not UTF-8 text" in decision.reasons[0].text


def test_the_commands_of_other_programs_still_run(project: Path) -> None:
    huge(project / "GNUmakefile")
    huge(project / "tox.ini")
    assert [judge(command, project).effect for command in ("make test", "tox")] == ["ask", "ask"]
    assert {judge(command, project).effect for command in ("nox", "npm test", "just test", "cargo test")} == {"allow"}


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (("tox.ini", "setup.cfg", "pyproject.toml", "tox.toml"), "tox"),
        (("GNUmakefile", "makefile", "Makefile"), "make test"),
        (("rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"), "rake test"),
        (("Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"), "task test"),
    ],
)
def test_the_file_that_counts_is_the_one_that_the_program_takes_first(
    order: tuple[str, ...], words: str, work: Path
) -> None:
    texts = {
        "tox.ini": "[testenv]\ncommands = {}\n", "setup.cfg": "[tox:tox]\n[testenv]\ncommands = {}\n",
        "pyproject.toml": '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ncommands = {}\n"""\n',
        "tox.toml": "[env_run_base]\ncommands = {}\n",
    }  # fmt: skip
    other = {"make test": "test:\n\t{}\n", "rake test": "task :test do\n sh '{}'\nend\n",
             "task test": "tasks:\n  test: {}\n"}  # fmt: skip
    for name in reversed(order):
        (work / name).write_text(texts.get(name, other.get(words, "")).format(f"by-{name}"))
        [shown] = [one for one, _ in ProjectGrants(work, find_paths()).found() if one.command == words]
        assert f"by-{name}" in "".join(shown.runs)


# What a grant covers: the very words, and behind them only what chooses what of the project runs.

COVERED = [
    "make test", "make test -j4", "make test -s 2>&1 | tail -5", "npm test", "npm test -- src/a.test.js --ci", "npm run test",
    "tox", "tox -e py311", "nox -s tests", "cargo test", "cargo test -p core -- --nocapture", "go test ./...",
    "go test -run A -count=1 ./pkg/...",
]  # fmt: skip
NOT_COVERED = [
    "make", "make other", "make test other", "make test -f other", "make test -fother", "make test --file=other",
    "make test --makefile other", "make test -C sub", "make -C sub test", "make test --directory=sub", "make test -I inc",
    "make test --include-dir=inc", "make test --eval=x", "make test --eval x", "make test -E x", "make test SHELL=./x",
    "make test -- other", "make test -- SHELL=./x", "make test -W x", "make -f other test", "MAKEFLAGS=--eval=x make test",
    "MAKEFILES=other make test", "./make test", "sub/make test", "npm test --prefix sub", "npm --prefix sub test",
    "npm test -C sub", "npm test --script-shell=./x", "npm test --node-options=x", "npm test -w a", "npm test --workspaces",
    "npm test -- --config x", "npm test -- --globalSetup x", "npm run test:other", "npm test; npm run other", "npm exec test",
    "NODE_OPTIONS='-r ./x' npm test", "tox -c other", "tox --conf=other", "tox --root sub", "tox --workdir x", "tox -x a=b",
    "tox -- x", "tox exec -- x", "tox devenv", "tox run -c other", "nox -f other", "nox --noxfile=other", "nox -- x",
    "cargo test --config x", "cargo --config x test", "cargo test --manifest-path sub/Cargo.toml", "cargo test -C sub",
    "cargo -C sub test", "cargo test -Z x", "cargo +nightly test", "cargo test --target-dir x", "cargo run",
    "RUSTC_WRAPPER=./x cargo test", "go test -exec ./x ./...", "go test -exec=./x ./...", "go test -toolexec ./x ./...",
    "go test -vettool ./x", "go test -overlay x", "go test -C sub ./...", "go -C sub test ./...", "go test ../...",
    "go test -args x", "go test -modfile x", "go test -o x", "GOFLAGS=-exec=./x go test ./...", "go run ./...",
]  # fmt: skip


@pytest.fixture
def with_go(project: Path) -> Path:
    (project / "go.mod").write_text("module x\n")
    grants = ProjectGrants(project, find_paths())
    grants.decide([command for command, _ in grants.show()], [])
    return project


def test_a_grant_covers_what_chooses_what_of_the_project_runs(with_go: Path) -> None:
    assert {command: judge(command, with_go).effect for command in COVERED} == dict.fromkeys(COVERED, "allow")


def test_a_grant_covers_nothing_that_changes_what_runs(with_go: Path) -> None:
    (with_go / "sub").mkdir()
    assert {command: judge(command, with_go).effect for command in NOT_COVERED} == dict.fromkeys(NOT_COVERED, "ask")
