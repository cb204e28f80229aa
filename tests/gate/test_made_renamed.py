"""Code that the agent made, and that an earlier part of the same text gives another name or brings back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.policy.judging import HOME, codes, rule
from xun.gate.check import check_command
from xun.gate.made import MadeFiles
from xun.policy.decision import Decision
from xun.policy.judge.made import AGENT_MADE
from xun.policy.rules import Policy

ALLOWED = (
    "cp",
    "mv",
    "install",
    "ln",
    "rsync",
    "find",
    "mkdir",
    "git mv",
    "git checkout",
    "git stash",
    "make test",
    "npm test",
)


@pytest.fixture
def made(work: Path) -> MadeFiles:
    """The agent made `notes.txt`, `d/data.txt` and `gone.py`, which is no longer there."""
    files = MadeFiles()
    (work / "d").mkdir()
    (work / "src").mkdir()
    (work / "src" / "own.py").write_text("x = 1\n")
    files.add([str(work / name) for name in ("notes.txt", "d/data.txt", "gone.py")])
    for name in ("notes.txt", "d/data.txt"):
        (work / name).write_text("import os\n")
    return files


def judged(command: str, work: Path, made: MadeFiles) -> Decision:
    policy = Policy(rules=[rule("allow", "command", name) for name in ALLOWED])
    return check_command(command, policy=policy, cwd=work, home=HOME, made=made)


@pytest.mark.spec("W05")
@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("cp notes.txt conftest.py && python -m pytest -q", "notes.txt"),
        ("mv notes.txt conftest.py && pytest", "notes.txt"),
        ("install notes.txt conftest.py && pytest", "notes.txt"),
        ("ln -s notes.txt conftest.py && pytest", "notes.txt"),
        ("rsync notes.txt conftest.py && pytest", "notes.txt"),
        ("git mv notes.txt conftest.py && pytest", "notes.txt"),
        ("cp notes.txt a.bak && mv a.bak conftest.py && pytest", "notes.txt"),
        ("cp notes.txt Makefile; make test", "notes.txt"),
        ("cp notes.txt package.json && npm test", "notes.txt"),
        ("cp -t src notes.txt && mv src/notes.txt src/test_a.py && cd src && pytest", "notes.txt"),
        ("cp -r d tests && mv tests/data.txt tests/conftest.py && pytest", "d/data.txt"),
        ("cp d/*.txt conftest.py && pytest", "d/data.txt"),
        ("find d -name data.txt -exec cp {} conftest.py + && pytest", "d/data.txt"),
        ("git checkout other && pytest", "gone.py"),
        ("git stash pop && make test", "gone.py"),
    ],
)
def test_it_is_asked_about_by_the_name_it_had(command: str, file: str, work: Path, made: MadeFiles) -> None:
    decision = judged(command, work, made)
    assert decision.effect == "ask" and AGENT_MADE in codes(decision)
    assert str(work / file) in decision.made


@pytest.mark.parametrize(
    "command",
    [
        "pytest && cp notes.txt conftest.py", "cp notes.txt docs.txt && pytest", "mkdir -p x && cp notes.txt x/ && pytest", "cp src/own.py conftest.py && pytest",
        "cp notes.txt other.md && make test", "cp -r d e && pytest", "pytest && git checkout other", "git checkout -b new && pytest",
    ],
)  # fmt: skip
def test_what_no_run_loads_is_not(command: str, work: Path, made: MadeFiles) -> None:
    decision = judged(command, work, made)
    assert AGENT_MADE not in codes(decision), decision.made


def test_it_would_be_run(work: Path, made: MadeFiles) -> None:
    (work / "notes.txt").write_text("open('ran', 'w').close()\n")
    command = "cp notes.txt conftest.py && python -m pytest -q"
    assert judged(command, work, made).effect == "ask"
    subprocess.run(["bash", "-c", command], cwd=work, capture_output=True, timeout=60, check=False)
    assert (work / "ran").exists()
