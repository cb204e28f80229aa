"""The policy of a run: the rules of its command line and policy files, and where the person's lasting yes goes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import escape
from pathlib import Path
from typing import Any

from xun.config.paths import Paths
from xun.config.policy_edit import append_rules
from xun.config.policy_target import PolicyTarget
from xun.config.unasked import unasked_in
from xun.policy.entries import check_write_path
from xun.policy.file import PolicyFile
from xun.policy.rules import Policy, Rule
from xun.policy.rules import Settings as PolicySettings
from xun.run_plan import RunPlan


def policy_of_run(plan: RunPlan, files: Sequence[PolicyFile], folder: Path, paths: Paths) -> Policy:
    """The policy of a run, with what the person said of the sandbox in this folder where no file says otherwise."""
    policy = policy_of_flags(plan.allow, plan.allow_write, plan.deny, folder, files)
    named = any("auto_allow_sandboxed" in file.settings.model_fields_set for file in files)
    if not named and unasked_in(folder, paths):
        policy.settings = policy.settings.model_copy(update={"auto_allow_sandboxed": True})
    return policy


def policy_of_flags(
    allow: Sequence[str],
    allow_write: Sequence[str],
    deny: Sequence[str],
    folder: Path,
    files: Sequence[PolicyFile] = (),
) -> Policy:
    """The default policy with the rules of a command line and of `files`, whose settings count first one first.

    Paths of the command line are relative to `folder`. Raises `PolicyError`.
    """
    denies = [Rule(effect="deny", kind="command", pattern=prefix, source="--deny") for prefix in deny]
    allows = [Rule(effect="allow", kind="command", pattern=prefix, source="--allow") for prefix in allow]
    writes = [_write_rule(path, folder) for path in allow_write]
    settings: dict[str, Any] = {}
    for file in files:
        settings = file.settings.model_dump(exclude_unset=True) | settings
    ruled = (rule for file in files for rule in file.rules)
    return Policy(rules=(*denies, *allows, *writes, *ruled), settings=PolicySettings.model_validate(settings))


def _write_rule(path: str, folder: Path) -> Rule:
    check_write_path(path)  # as it is written: an empty one would lead to the folder
    pattern = os.path.realpath(folder / path)
    check_write_path(pattern, os.path.realpath(folder))
    if path.endswith("/") and pattern == escape(pattern):
        pattern += "/"  # a folder, made yet or not
    return Rule(effect="allow", kind="write", pattern=pattern, source="--allow-write")


def keep_rules(paths: Paths, folder: Path, rules: Sequence[Rule]) -> str:
    """Keep rules for good: those whose source is the project in its file, all others in the person's own.

    Returns a line for each file that has new ones. Raises `ConfigError` where one cannot be changed.
    """
    lines: list[str] = []
    for in_project in (False, True):
        wanted = [rule for rule in rules if (rule.source == "project") is in_project]
        if wanted:
            target = PolicyTarget(paths, folder, in_project=in_project)
            saved = append_rules(target.path, wanted, project=target.project)
            told = ", ".join(f"allow {rule.kind} {rule.shown}" for rule in saved)
            left = target.agree()
            if told or left:
                head = f"saved to {target.path}: {told}" if told else f"{target.path} says it already"
                lines.append("; ".join(filter(None, (head, left))))
    return "\n".join(lines)
