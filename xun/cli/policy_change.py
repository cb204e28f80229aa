"""`xun policy add` and `xun policy remove`: one rule of the person's file or the project's, and nothing else of it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

import typer

from xun.cli import exits
from xun.cli.options import Folder, policy_folder
from xun.config.paths import find_paths
from xun.config.policy_edit import add_rule, remove_rule
from xun.config.policy_file import load_policy, policy_files
from xun.config.policy_target import PolicyTarget
from xun.config.trust import trust_of
from xun.frontends.text import visible
from xun.gate.check import check_command, check_path
from xun.policy.file import read_policy
from xun.policy.judge.covering import covered_by
from xun.policy.paths import protected, special
from xun.policy.rules import Rule
from xun.result import XunError
from xun.run_policy import policy_of_flags

_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}  # seconds
_ADD = "xun policy add [allow|ask|deny] command|write|read|tool|host PATTERN, several words in quotes"
InProject = Annotated[bool, typer.Option("--project", help="In .xun/policy.toml of the project.")]


def _effect_of(rule: Rule, target: PolicyTarget) -> tuple[str, str]:
    """What is made of the command or path of `rule` as things stand, and why."""
    files = policy_files(target.paths, (), trust_of(target.folder, target.paths))
    policy = policy_of_flags((), (), (), target.folder, files)
    if rule.kind == "read" or rule.kind == "write":
        decision = check_path(rule.kind, rule.pattern, policy=policy, cwd=target.folder)
    else:
        decision = check_command(rule.pattern, policy=policy, cwd=target.folder)
    if not decision.reasons:
        return decision.effect, f"by {decision.rule}" if decision.rule else ""
    first = decision.reasons[0]
    return decision.effect, first.text + (", which only a person settles" if first.hard else "")


def add(
    words: Annotated[list[str], typer.Argument(metavar="[allow|ask|deny] KIND PATTERN", help="The rule.")],
    project: InProject = False,
    reason: Annotated[str | None, typer.Option(help="Shown where it asks or denies.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Its end: 2h, 7d, 2027-01-31T18:00:00Z.")] = None,
    match: Annotated[list[str] | None, typer.Option(help="What it must match; repeatable.")] = None,
    not_match: Annotated[list[str] | None, typer.Option(help="What it must not match; repeatable.")] = None,
    cwd: Folder = None,
) -> int:
    """Add one rule at the end of your policy file. Exit: 0, 2 for a rule that would not do what it says."""
    try:
        rule = _rule(words, reason, until, match or (), not_match or ())
        target = PolicyTarget(find_paths(), policy_folder(cwd), in_project=project)
        before = _effect_of(rule, target) if rule.kind == "command" else ("", "")
        added, new = add_rule(target.path, rule, (match or (), not_match or ()), project=target.project)
        if not new:
            said = f"{added.source} says so already ({added.effect} {added.kind} {added.shown})"
            print(visible("; ".join(filter(None, (f"nothing added: {said}", target.waiting)))))
            return exits.OK
        meaning = target.agree() or _meaning(rule, before, target)
    except XunError as error:
        return exits.fail(str(error))
    print(visible(f"added to {added.source}: {rule.effect} {rule.kind} {rule.shown}"))
    print(visible(f"  {meaning}"))
    return exits.OK


def _rule(words: Sequence[str], reason: str | None, until: str | None, match: Sequence[str], no: Sequence[str]) -> Rule:
    """The rule that is asked for. Raises `XunError` for one that would not match, allow anything, or end before now."""
    effect, kind, pattern = words if len(words) == 3 else ("allow", *words) if len(words) == 2 else ("", "", "")
    if not pattern or (len(words) == 2 and words[0] in ("allow", "ask", "deny")):
        raise XunError(f"give a rule: {_ADD}")
    table = {"effect": effect, kind: pattern, "match": list(match), "not_match": list(no)}
    if kind not in ("command", "write", "read", "tool", "host"):
        raise XunError(f"{kind} is no kind of rule: {_ADD}")
    if reason is not None:
        table["reason"] = reason
    if until is not None:
        table["until"] = _end(until)
    found = read_policy({"rule": [table]}, lambda _: "", os.path.expanduser("~"))  # noqa: PTH111 - it never raises
    if found.mistakes:
        raise XunError(f"not added: {found.mistakes[0].removeprefix(': ')}")
    rule = found.rules[0].model_copy(update={"pattern": pattern})
    if rule.effect == "allow" and rule.kind == "write":
        _check_write(found.rules[0].pattern)
    return rule


def _check_write(pattern: str) -> None:
    if special(pattern):
        raise XunError(f"not added: {pattern} leads into /proc, /sys or /dev, where writes always ask")
    if protected(pattern if pattern.startswith("/") else f"/{pattern}"):
        raise XunError(f"not added: {pattern} is run or trusted later: writes there always ask")


def _end(text: str) -> datetime:
    span = re.fullmatch(r"(\d{1,6})([mhdw])", text)
    now = datetime.now(UTC).replace(microsecond=0)
    try:
        end = now + timedelta(seconds=int(span[1]) * _UNITS[span[2]]) if span else datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise XunError(f"--until {text}: give a time with its zone, 2027-01-31T18:00:00Z, or 30m, 2h, 7d, 2w") from None
    if end.tzinfo is None:
        raise XunError(
            f"--until {text}: the time has no zone; write {text}{'' if 'T' in text else 'T00:00:00'}Z for UTC"
        )
    if end <= now:
        raise XunError(f"--until {text}: that is over already")
    return end


def _meaning(rule: Rule, before: tuple[str, str], target: PolicyTarget) -> str:
    """What is different now, in a word."""
    if rule.effect == "deny":
        return "refused from now on, whatever else allows it"
    if rule.kind != "command":
        if (
            rule.effect == "allow"
            and rule.kind in ("read", "write")
            and not any(mark in rule.pattern for mark in "*?[")
        ):
            effect, why = _effect_of(rule, target)
            if effect != "allow":
                return f"`{rule.shown}` still gives {effect}: {why}"
        what = {"write": "writes there", "read": "reading there", "tool": "the tool", "host": "fetches from there"}
        ends = "no longer asks" if rule.kind in ("tool", "read") else "no longer ask"
        verb = ends if rule.effect == "allow" else ends.removeprefix("no longer ") + " from now on"
        return f"{what[rule.kind]} {verb}"
    was, now = before, _effect_of(rule, target)
    if rule.effect == "ask":
        return "asks from now on, whatever allows it"
    if now[0] != "allow":
        return f"`{rule.shown}` alone still gives {now[0]}: {now[1]}; `xun policy check` judges a whole command"
    if was[0] == "allow":
        return f"newly permits: nothing by itself, `{rule.shown}` was allowed already ({was[1]})"
    return f"newly permits: {covered_by(rule.shown)}"


def remove(
    what: Annotated[
        str, typer.Argument(metavar="PATTERN | FILE:LINE", help="The rule, as `xun policy list` shows it.")
    ],
    project: InProject = False,
    effect: Annotated[Literal["allow", "ask", "deny"] | None, typer.Option(help="Only a rule of this effect.")] = None,
    kind: Annotated[
        Literal["command", "write", "read", "tool", "host"] | None, typer.Option(help="Only a rule of this kind.")
    ] = None,
    cwd: Folder = None,
) -> int:
    """Take one rule out of your policy file; the rest stays as it is. Exit: 0, 2 where it is not exactly one."""
    try:
        target = PolicyTarget(find_paths(), policy_folder(cwd), in_project=project)
        there = [
            rule
            for rule in load_policy(target.path).rules
            if effect in (None, rule.effect) and kind in (None, rule.kind)
        ]
        found = [rule for rule in there if _means(what, rule, target)]
        if not found:
            raise XunError(f"no rule {what} in {target.path}; `xun policy list` shows what is in force, and from where")
        if len(found) > 1:
            places = ", ".join(f"{rule.source} ({rule.effect} {rule.kind})" for rule in found)
            raise XunError(f"{what} is more than one rule: {places}; name it by its FILE:LINE")
        rule = found[0]
        remove_rule(target.path, rule, project=target.project)
        then = target.agree()
    except XunError as error:
        return exits.fail(str(error))
    print(
        visible(f"removed from {rule.source}: {rule.effect} {rule.kind} {rule.shown}" + (f"; {then}" if then else ""))
    )
    return exits.OK


def _means(what: str, rule: Rule, target: PolicyTarget) -> bool:
    name, colon, line = what.rpartition(":")
    if colon and line.isdecimal() and name:
        same = os.path.realpath(Path(name).expanduser()) == os.path.realpath(target.path) or name == target.path.name
        if same:
            return rule.source == f"{target.path}:{int(line)}"
    home = os.path.expanduser("~")  # noqa: PTH111 - it never raises
    return what == rule.pattern or (what.startswith("~/") and f"{home}{what[1:]}".rstrip("/") == rule.pattern)
