"""docs/policy.md says what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

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
