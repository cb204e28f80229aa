"""docs/policy.md says what the code does."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.policy.judging import judge
from xun.policy.decide import PRECEDENCE
from xun.policy.decision import MODES
from xun.policy.file import read_policy

TEXT = (Path(__file__).parents[2] / "docs" / "policy.md").read_text()


def test_the_precedence_is_that_of_the_code() -> None:
    section = TEXT.partition("## Precedence\n")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\d\. (.*)$", section, re.MULTILINE)) == PRECEDENCE


def test_the_modes_are_those_of_the_code() -> None:
    section = TEXT.partition("## Modes\n")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE)) == MODES


def test_the_example_is_a_policy_file() -> None:
    [example] = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    file = read_policy(tomllib.loads(example), str, "/home/me")
    assert file.mistakes == () and len(file.rules) == 3


TOUR = re.findall(r"```\n\$ xun (policy check [^\n]*)\n(.*?)```", TEXT, re.DOTALL)


def test_the_tour_shows_decisions() -> None:
    assert len(TOUR) == 3


@pytest.mark.parametrize(("words", "output"), TOUR)
def test_what_the_tour_shows_is_what_the_program_says(words: str, output: str, work: Path) -> None:
    (work / "src").mkdir()
    subprocess.run(["git", "init", "-q"], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "xun", *shlex.split(words)], capture_output=True, text=True, check=False
    )
    assert done.stdout == output


CHOICES = [
    (command.replace("\\|", "|"), verdict)
    for commands, verdict in re.findall(
        r"^\| (`.*?`) \| (allow|ask|deny) \|",
        TEXT.partition("one may argue about\n")[2].partition("\n## ")[0],
        re.MULTILINE,
    )
    for command in re.findall(r"`([^`]+)`", commands)
]


def test_there_are_choices() -> None:
    assert len(CHOICES) >= 14


@pytest.mark.parametrize(("command", "verdict"), CHOICES)
def test_the_choices_are_those_that_are_made(command: str, verdict: str) -> None:
    assert judge(command).effect == verdict


def test_pictures_are_there_and_the_page_is_short() -> None:
    for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", TEXT):
        assert (Path(__file__).parents[2] / "docs" / name).is_file(), name
    assert len(TEXT.splitlines()) <= 400
