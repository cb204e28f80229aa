"""A reason names the settings that would let the rules decide, where these would, and only there."""

from __future__ import annotations

import pytest

from tests.policy.judging import judge
from xun.policy.rules import Policy, Settings

SETTLED = [
    ("wc -l < README.md", 'substitution = "inner"'), ('echo "$(date)"', 'substitution = "inner"'),
    ('x=$(git rev-parse HEAD); echo "$x"', 'substitution = "inner"'), ("ls\npwd", 'newlines = "split"'),
    ('for f in *.py; do wc -l "$f"; done', 'loops = "inner"'),
    ('ls\nfor f in *.py; do\nhead "$f"; done', 'newlines = "split" and loops = "inner"'),
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
