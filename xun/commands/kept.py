"""What the person's policy file and the project's allow: where a yes for good stays, and how it is taken back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from xun.config.paths import Paths
from xun.config.policy_edit import remove_rule
from xun.config.policy_file import load_policy, parse_policy, parse_project
from xun.config.policy_target import PolicyTarget
from xun.config.toml import ConfigError, decode
from xun.config.trust import trust_of
from xun.gate.gate import Gate
from xun.policy.entries import PolicyError, words_of
from xun.policy.file import missing
from xun.policy.rules import Rule


@dataclass(frozen=True, slots=True)
class KeptRule:
    """An allow rule of a policy file: as it counts, and as it is `written`. Whether it `counts` in this session."""

    rule: Rule
    written: Rule
    target: PolicyTarget
    counts: bool = True

    def ends(self, gate: Gate) -> str:
        """Where it is kept, and for how long."""
        until = f", until {self.rule.until:%Y-%m-%d %H:%M %Z}" if self.rule.until is not None else ""
        return f"kept in {place(self.rule.source, gate)}{until}" + ("" if self.counts else ", which you do not trust")

    def take_out(self) -> str:
        """Take it out of its file. Returns what is left to be done, "" where nothing is. Raises `ConfigError`."""
        remove_rule(self.target.path, self.written, project=self.target.project)
        return self.target.agree()

    def forget(self, gate: Gate) -> None:
        """Let it count no longer in this session either, once it is out of its file."""
        if any(same(self.written, other, gate) for other in load_policy(self.target.path).rules):
            return  # it stands there twice
        ours = [
            rule
            for rule in gate.policy.own_rules
            if same(rule, self.rule, gate) and rule.source.rpartition(":")[0] == str(self.target.path)
        ]
        gate.policy = gate.policy.without(*ours)


def kept_rules(paths: Paths | None, gate: Gate) -> tuple[list[KeptRule], list[str]]:
    """The allow rules of the person's policy file and of the project's, and what is wrong with a file. Reads them."""
    found: list[KeptRule] = []
    wrong: list[str] = []
    if paths is None:
        return found, wrong
    for read in (_of_person, _of_project):
        try:
            found += read(paths, gate)
        except ConfigError as error:
            wrong += error.mistakes
    return found, wrong


def _of_person(paths: Paths, gate: Gate) -> Iterator[KeptRule]:
    target = PolicyTarget(paths, gate.workspace.root)
    rules = load_policy(target.path).rules
    return (KeptRule(rule, rule, target) for rule in rules if _allows(rule))


def _of_project(paths: Paths, gate: Gate) -> list[KeptRule]:
    trust = trust_of(gate.workspace.root, paths)
    file = next((file for file in trust.files if file.kind == "policy"), None)
    if file is None:
        return []
    target = PolicyTarget(paths, gate.workspace.root, in_project=True)
    written = {rule.source: rule for rule in parse_policy(decode(file.content, str(file.path)), file.path).rules}
    in_force = {rule.source for rule in gate.policy.own_rules}  # by a yes for this run alone
    return [
        KeptRule(rule, written[rule.source], target, file in trust.usable or rule.source in in_force)
        for rule in parse_project(file).rules
        if _allows(rule)
    ]


def _allows(rule: Rule) -> bool:
    return rule.effect == "allow" and rule.in_force(datetime.now(UTC))


def same(rule: Rule, other: Rule, gate: Gate) -> bool:
    """Do both say the same, wherever they stand?"""
    if (rule.effect, rule.kind) != (other.effect, other.kind):
        return False
    if rule.kind == "command":
        try:
            return words_of(rule.pattern) == words_of(other.pattern)
        except PolicyError:
            return False
    return _whole(rule, gate).pattern == _whole(other, gate).pattern


def allowed_by(rule: Rule, more: Sequence[Rule], gate: Gate) -> str:
    """Where another rule stands that allows what `rule` does, among those in force and `more`; "" where none does."""
    wanted, now = _whole(rule, gate), datetime.now(UTC)
    for other in (*gate.policy.rules, *gate.allowlists.rules(), *gate.granted, *more):
        if other.effect == "allow" and other.in_force(now) and not missing([wanted], [_whole(other, gate)]):
            return place(other.source, gate)
    return ""


def _whole(rule: Rule, gate: Gate) -> Rule:
    if rule.kind not in ("write", "read"):
        return rule
    whole = os.path.normpath(os.path.join(gate.workspace.root, rule.pattern))  # noqa: PTH118 - a pattern is no path
    return rule.model_copy(update={"pattern": whole})


def place(source: str, gate: Gate) -> str:
    """`source` of a rule as short as it can be told: from the folder, or from home."""
    root = gate.workspace.root
    for folder, name in ((root, ""), (gate.home, "~/")):
        if Path(source).is_relative_to(folder):
            return f"{name}{Path(source).relative_to(folder)}"
    return source
