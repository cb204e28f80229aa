"""What the settings for substitutions, loops and wrappers add: each case of the corpus, in a workspace with files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME, corpus
from xun.gate.check import check_command
from xun.policy.rules import Policy, Settings

INNER = Policy(settings=Settings(newlines="split", substitution="inner", loops="inner", wrappers="inner"))
AUTO = [command for name, _, command in corpus() if name == "inner_auto"]
ASK = [command for name, _, command in corpus() if name == "inner_ask"]


@pytest.fixture
def place(work: Path) -> Path:
    (work / "src").mkdir()
    for name, text in (
        ("README.md", "a\n"),
        ("src/a.py", "a = 1\n"),
        ("data.json", "{}\n"),
        (".env", "K=1\n"),
        ("x", ""),
    ):
        (work / name).write_text(text)
    return work


@pytest.mark.parametrize("command", AUTO)
def test_what_the_settings_add_is_not_asked_about(command: str, place: Path) -> None:
    assert check_command(command, policy=INNER, cwd=place, home=HOME).reasons == ()


@pytest.mark.parametrize("command", ASK)
def test_what_is_near_to_it_is_asked_about_whatever_the_settings(command: str, place: Path) -> None:
    assert check_command(command, policy=INNER, cwd=place, home=HOME).effect == "ask"
