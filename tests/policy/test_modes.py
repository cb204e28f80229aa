"""Modes: what each lets through, asks about and refuses, as tables over the pure decider."""

from __future__ import annotations

from typing import Any

import pytest

from tests.policy.judging import HOME, WORKSPACE, rule
from xun.gate.check import check_command
from xun.policy.action import Action, Fetch, Read, UseTool, Write
from xun.policy.decide import decide
from xun.policy.decision import MODES, Decision, Mode
from xun.policy.facts import Facts, PathFact
from xun.policy.modes import judges
from xun.policy.rules import Policy

ROOT = str(WORKSPACE)
RULES = (
    rule("allow", "command", "npm test"),
    rule("allow", "command", "git branch"),
    rule("allow", "host", "docs.example"),
    rule("allow", "tool", "named"),
    rule("ask", "write", "asked.txt"),
    rule("deny", "write", "denied.txt"),
    rule("deny", "command", "git log"),
)


def run(command: str, mode: Mode) -> Decision:
    return check_command(command, policy=Policy(rules=RULES), cwd=WORKSPACE, home=HOME, mode=mode)


def judge(action: Action, mode: Mode) -> Decision:
    path = getattr(action, "path", f"{ROOT}/x")
    links = 2 if path.endswith("linked.txt") else 1
    real = "/etc/passwd" if path.endswith("leads-out.txt") else path
    kind: Any = "missing" if path.endswith("new.txt") else "file"
    facts = Facts(roots=(ROOT,), home=str(HOME), paths={path: PathFact(real=real, kind=kind, links=links)})
    return decide(action, facts, Policy(rules=RULES), (), mode)


def edit(name: str, op: Any = "edit") -> Write:
    return Write(path=name if name.startswith("/") else f"{ROOT}/{name}", op=op)


# manual, accept-edits, plan, auto
COMMANDS = {
    "ls | wc -l": "allow allow allow allow",
    "git diff && grep -rn x .": "allow allow allow allow",
    "cat a.txt > /dev/null": "allow allow allow allow",
    "echo hi > a.txt": "ask ask deny ask",
    "npm test": "allow allow deny allow",
    "ls && npm test": "allow allow deny allow",
    "git branch -D main": "ask ask deny ask",
    "python -m pytest tests": "allow allow deny allow",
    "pytest": "allow allow deny allow",
    "touch x": "ask ask deny ask",
    "sudo ls": "ask ask deny ask",
    "git log": "deny deny deny deny",
    "cat ~/.ssh/id_rsa": "ask ask deny ask",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_by_mode(command: str) -> None:
    assert " ".join(run(command, mode).effect for mode in MODES) == COMMANDS[command]


ACTIONS: list[tuple[Action, str]] = [
    (edit("a.txt"), "ask allow deny ask"),
    (edit("a.txt", "overwrite"), "ask allow deny ask"),
    (edit("a.txt", "delete"), "ask ask deny ask"),
    (edit("a.txt", "move"), "ask ask deny ask"),
    (edit("new.txt", "create"), "allow allow deny allow"),
    (edit("asked.txt"), "ask ask deny ask"),
    (edit("denied.txt"), "deny deny deny deny"),
    (edit("linked.txt"), "ask ask deny ask"),
    (edit("leads-out.txt"), "ask ask deny ask"),
    (edit(".git/hooks/pre-commit"), "ask ask deny ask"),
    (edit(".github/workflows/ci.yml"), "ask ask deny ask"),
    (edit("AGENTS.md"), "ask ask deny ask"),
    (edit("/etc/passwd"), "ask ask deny ask"),
    (edit(ROOT, "delete"), "deny deny deny deny"),  # it holds what a rule denies
    (Read(path=f"{ROOT}/a.txt"), "allow allow allow allow"),
    (Read(path="/etc/hosts"), "ask ask ask ask"),
    (Read(path=f"{ROOT}/.env"), "ask ask ask ask"),
    (Fetch(url="https://docs.example/a"), "allow allow allow allow"),
    (Fetch(url="https://other.example/a"), "ask ask deny ask"),
    (UseTool(name="known"), "allow allow allow allow"),
    (UseTool(name="dark", opaque=True), "allow allow deny allow"),
    (UseTool(name="named", opaque=True), "allow allow allow allow"),
]


@pytest.mark.parametrize(("action", "effects"), ACTIONS, ids=str)
def test_actions_by_mode(action: Action, effects: str) -> None:
    assert " ".join(judge(action, mode).effect for mode in MODES) == effects


@pytest.mark.parametrize("permission", ["allow", "ask"])
def test_what_a_tool_says_of_itself_does_not_count_in_plan_mode(permission: str) -> None:
    own = rule(permission, "tool", "deploy").model_copy(update={"source": "tool deploy"})
    action = UseTool(name="deploy", opaque=True)
    policy = Policy(rules=[own])
    assert decide(action, Facts(), policy).effect == permission
    assert decide(action, Facts(), policy, mode="plan").effect == "deny"


def test_a_mode_names_itself_in_what_it_decides() -> None:
    edited = judge(edit("a.txt"), "accept-edits")
    assert (edited.effect, edited.rule, edited.reasons) == ("allow", "mode accept-edits", ())
    refused = run("ls && npm test", "plan")
    assert refused.rule == "mode plan" and [reason.code for reason in refused.reasons] == ["mode"]
    assert not refused.reasons[0].hard and "plan mode" in refused.reasons[0].text
    assert [(s.text, s.effect, s.rule) for s in refused.segments] == [
        ("ls", "allow", "default list"),
        ("npm test", "deny", "mode plan"),
    ]
    assert refused.grantable == ()


def test_a_grant_does_not_change_anything_in_plan_mode() -> None:
    grants = [rule("allow", "write", f"{ROOT}/a.txt"), rule("allow", "command", "touch x")]
    facts = Facts(roots=(ROOT,), paths={f"{ROOT}/a.txt": PathFact(real=f"{ROOT}/a.txt", kind="file", links=1)})
    assert decide(edit("a.txt"), facts, Policy(), grants).effect == "allow"
    assert decide(edit("a.txt"), facts, Policy(), grants, "plan").effect == "deny"


def test_what_an_assessor_may_judge() -> None:
    kinds = ("run", "write", "fetch", "tool", "read")
    table = {mode: [kind for kind in kinds if judges(mode, kind)] for mode in MODES}
    assert table == {
        "manual": ["run"],
        "accept-edits": ["run"],
        "plan": [],
        "auto": ["run", "write", "fetch", "tool"],
    }
