"""A reason names the settings that would let the rules decide, where these would, and only there."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from tests.policy.grammar import Lines
from tests.policy.judging import corpus, judge
from xun.policy.reach.needs import read_command
from xun.policy.rules import Policy, Settings
from xun.policy.text.constructs import Constructs

SETTLED = [
    ("wc -l < README.md", 'substitution = "inner"'), ('echo "$(date)"', 'substitution = "inner"'),
    ('x=$(git rev-parse HEAD); echo "$x"', 'substitution = "inner"'), ("ls\npwd", 'newlines = "split"'),
    ('for f in *.py; do wc -l "$f"; done', 'loops = "inner"'),
    ('ls\nfor f in *.py; do\nhead "$f"; done', 'newlines = "split" and loops = "inner"'),
    ('for f in a b; do\ndate; done; echo "$(pwd)"', 'newlines = "split" and substitution = "inner" and loops = "inner"'),
]  # fmt: skip


@pytest.mark.parametrize(("command", "settings"), SETTLED)
def test_the_settings_that_settle_a_text_are_named(command: str, settings: str) -> None:
    assert judge(command).reasons[0].text.endswith(f"where the policy says {settings}")
    on = Policy(
        settings=Settings.model_validate(dict(one.split(" = ") for one in settings.replace('"', "").split(" and ")))
    )
    assert judge(command, on).effect == "allow"


@pytest.mark.parametrize(
    "command",
    ["cat $(git ls-files)", "rm $(date)", "ls; echo $x", "while true; do ls; done", "ls &", "make\nls", "echo x > y"],
)
def test_none_are_named_where_none_would(command: str) -> None:
    assert not any("where the policy says" in reason.text for reason in judge(command).reasons)


def test_each_setting_only_adds_to_what_the_rules_decide() -> None:
    """So a text that all of them together do not settle need not be read with fewer."""
    lines = Lines(7, inner=True)
    on = [("newlines", "split"), ("substitution", "inner"), ("loops", "inner")]
    decided: Counter[int] = Counter()
    for text in [*dict.fromkeys(command for _, _, command in corpus())][::5] + [lines.line() for _ in range(300)]:
        for count in range(len(on) + 1):
            for names in combinations(on, count):
                if _decided(text, Constructs(**dict(names))):
                    decided[count] += 1
                    more = [one for one in on if one not in names]
                    assert all(_decided(text, Constructs(**dict((*names, one)))) for one in more), (text, names)
    assert 0 < decided[0] < decided[3]


def _decided(text: str, constructs: Constructs) -> bool:
    reading = read_command(text, "/home/a", constructs)
    return reading.script.clear and all(command.judged for command in reading.commands)
