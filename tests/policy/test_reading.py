"""The filter for many files says of each what a decision on reading that file alone says."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from xun.gate.gather import gather
from xun.policy.action import Read
from xun.policy.decide import decide
from xun.policy.reading import ReadFilter
from xun.policy.rules import Policy, Rule, RuleKind

FOLDERS = ["", "sub", "sub/deep", ".ssh", ".SSH/x", "a/.docker", "docs", "docs/.aws", "o[d]d"]
NAMES = ["plain.py", ".env", ".ENV.local", ".env.example", "config.json", "id_rsa", "x.pem", "a+b", "notes"]
SETS = {
    "none": [],
    "deny": [("deny", "**/.env*"), ("deny", "sub/**")],
    "folders": [("deny", "docs"), ("ask", "sub/"), ("deny", "./.ssh/../a")],
    "patterns": [("ask", "*.py"), ("ask", "**/no?es"), ("deny", "o[[]d]d/*"), ("deny", "**/[a-c]+b")],
    "all": [("ask", "**")],
    "both": [("ask", "sub/**"), ("deny", "**/*.pem"), ("allow", "**")],
}


def rule(effect: str, pattern: str, kind: RuleKind = "read", until: datetime | None = None) -> Rule:
    return Rule.model_validate({"effect": effect, "kind": kind, "pattern": pattern, "until": until})


@pytest.mark.parametrize("extra", [False, True])
@pytest.mark.parametrize("name", SETS)
def test_the_same_as_a_decision_on_each_file(name: str, extra: bool, work: Path, tmp_path: Path) -> None:
    added = tmp_path / "added"
    added.mkdir()
    roots = [work, added] if extra else [work]
    policy = Policy(rules=[*(rule(*one) for one in SETS[name]), rule("deny", "docs", "write")])
    grants = [rule("allow", "sub/deep"), rule("allow", str(work / "notes")), rule("allow", "docs", "write")]
    filtered = ReadFilter(policy, grants, roots=[str(root) for root in roots], at=datetime.now(UTC))
    seen: Counter[str] = Counter()
    for root, folder, file in product(roots, FOLDERS, NAMES):
        path = root / folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        action = Read(path=str(path))
        effect = decide(action, gather(action, roots=roots, temp=None, home=tmp_path), policy, grants).effect
        assert filtered.effect(str(path)) == effect, path
        seen[effect] += 1
    assert seen["ask"] and (seen["allow"] or name == "all")
    assert bool(seen["deny"]) == any(effect == "deny" for effect, _ in SETS[name])


def test_a_rule_that_has_ended_no_longer_counts(work: Path) -> None:
    now = datetime.now(UTC)
    policy = Policy(rules=[rule("deny", "a", until=now), rule("deny", "b", until=now + timedelta(hours=1))])
    filtered = ReadFilter(policy, [], roots=[str(work)], at=now)
    assert filtered.effect(f"{work}/a") == "allow"
    assert filtered.effect(f"{work}/b") == "deny"
