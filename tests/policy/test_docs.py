"""docs/policy.md and docs/policy-reference.md say what the code does."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import require
from tests.policy.judging import judge
from xun.config.paths import find_paths
from xun.exec.sandbox.find import find
from xun.policy.decide import PRECEDENCE
from xun.policy.decision import MODES
from xun.policy.file import read_policy

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "policy.md").read_text()
REFERENCE = (DOCS / "policy-reference.md").read_text()


def section(text: str, title: str) -> str:
    return text.partition(f"{title}\n")[2].partition("\n## ")[0]


def test_the_precedence_is_that_of_the_code() -> None:
    listed = re.findall(r"^\d\. (.*)$", section(PAGE, "## What happens to a command"), re.MULTILINE)
    assert tuple(listed) == PRECEDENCE


def test_the_modes_are_those_of_the_code() -> None:
    assert tuple(re.findall(r"^\| `([\w-]+)` \|", section(PAGE, "## Modes"), re.MULTILINE)) == MODES


def examples(text: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("text", [PAGE, REFERENCE], ids=["page", "reference"])
def test_the_example_is_a_policy_file(text: str) -> None:
    [example] = examples(text)
    file = read_policy(tomllib.loads(example), str, "/home/me")
    assert file.mistakes == () and len(file.rules) == 3


OUTPUTS = re.findall(r"```\n(\$ xun .*?)```", PAGE, re.DOTALL)
SESSION = "20261130-142501"  # as the page calls one
REPLAYED = ("make test -j4", "make test deploy", "cat .env")


def told(command: str, folder: Path) -> str:
    """What a command of the page prints, on both streams, with the folders as the page calls them."""
    env = os.environ | {"PATH": f"{folder.parent / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    )  # fmt: skip
    mine = done.stdout.replace(str(find_paths().policy_file), "/home/me/.config/xun/policy.toml")
    return mine.replace(str(folder.parent), "/home/me")


def prepare(work: Path) -> None:
    """The repository that the page speaks of."""
    subprocess.run(["git", "init", "-q"], check=True)
    (work / "src").mkdir()
    (work / "Makefile").write_text("test:\n\ttrue\n")
    (work / ".env").write_text("KEY=1\n")
    (work.parent / "notes.txt").write_text("notes\n")
    [example] = examples(PAGE)
    (work / "team.toml").write_text(example)
    (work / "bad.toml").write_text(example.replace('"make test deploy"', '"make test -s"'))
    program = work.parent / "bin" / "xun"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m xun "$@"\n')
    program.chmod(0o755)


def stored(work: Path) -> str:
    """A session in which a model wanted to run some commands; its id."""
    steps = [{"text": "", "calls": [{"tool": "bash", "arguments": {"command": command}}]} for command in REPLAYED]
    script = work.parent / "script.json"
    script.write_text(json.dumps([*steps, {"text": "done"}]))
    told(f"xun run --model scripted:{script} go", work)
    return told("xun sessions list", work).partition(" ")[0]


def test_the_outputs_of_the_page_are_what_the_program_says(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require("jq", shutil.which("jq") is not None)
    prepare(work)
    session = stored(work)
    monkeypatch.delenv("XUN_SANDBOX")
    confined = find()
    ran = 0
    for block in OUTPUTS:
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            said = told(command.replace(SESSION, session), work)
            if command == "xun policy sandbox" and confined != "bwrap":
                continue  # it names another one
            if confined is None:
                output = re.sub(r"^  runs in the sandbox.*\n", "", output, flags=re.MULTILINE)
            assert said == output, command
            ran += 1
    assert ran >= 13


CHOICES = [
    (command.replace("\\|", "|"), verdict)
    for commands, verdict in re.findall(
        r"^\| (`.*?`) \| (allow|ask|deny) \|",
        section(REFERENCE, "one may argue about"),
        re.MULTILINE,
    )
    for command in re.findall(r"`([^`]+)`", commands)
]


def test_there_are_choices() -> None:
    assert len(CHOICES) >= 14


@pytest.mark.parametrize(("command", "verdict"), CHOICES)
def test_the_choices_are_those_that_are_made(command: str, verdict: str) -> None:
    assert judge(command).effect == verdict


def test_pictures_are_there() -> None:
    names = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", PAGE)
    assert len(names) == 2 and all((DOCS / name).is_file() for name in names)


def test_the_page_can_be_read_in_ten_minutes_and_the_reference_is_found_from_it() -> None:
    assert len(PAGE.split()) <= 2200
    assert len(REFERENCE.splitlines()) <= 400
    assert "docs/policy-reference.md" in PAGE and "docs/policy.md" in REFERENCE
