"""Helpers of the policy tests: corpora, and decisions on a workspace that need not exist."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule

CORPUS = Path(__file__).parent.parent / "corpus"
WORKSPACE = Path("/nonexistent/ws")
HOME = Path("/nonexistent/home")
DEFAULTS = Policy()  # judging changes no policy, and the tests judge tens of thousands of commands by this one


def judge(command: str, policy: Policy | None = None, cwd: Path = WORKSPACE) -> Decision:
    return check_command(command, policy=policy or DEFAULTS, cwd=cwd, home=HOME)


def effect(command: str, policy: Policy | None = None) -> str:
    return judge(command, policy).effect


def rule(effect: str, kind: str, pattern: str) -> Rule:
    return Rule.model_validate({"effect": effect, "kind": kind, "pattern": pattern, "source": "test"})


def codes(decision: Decision) -> set[str]:
    return {reason.code for reason in decision.reasons}


def corpus() -> Iterator[tuple[str, str, str]]:
    """(class, expectation, command) of both corpora."""
    for line in (CORPUS / "policy.jsonl").read_text().splitlines():
        row = json.loads(line)
        yield row["class"], row["expect"], row["command"]
    for line in (CORPUS / "policy_variants.jsonl").read_text().splitlines():
        row = json.loads(line)
        for command in row["commands"]:
            yield row["class"], row["expect"], command
