"""What a rule comes to before it is kept: every line is an answer of the decider."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gate.standing import Standing
from xun.gate.reach import Reach, reach
from xun.policy.action import Action, Fetch, Run, Write
from xun.policy.decision import Answer, Kept, RuleKind, Scope

pytestmark = pytest.mark.anyio


async def reached(
    work: Path, action: Action, kind: RuleKind, pattern: str, scope: Scope = "session", *past: Action
) -> Reach:
    stand = Standing(work, answer=Answer.no())
    for one in past:
        await stand.check(one)
    stand.questions.clear()
    await stand.check(action)
    [ask] = stand.questions
    return reach(stand.gate, Kept(kind=kind, pattern=pattern, scope=scope), ask.decisions)


async def test_of_what_was_before_it_names_what_it_would_have_let_pass(work: Path) -> None:
    def run(command: str) -> Run:
        return Run(command=command, cwd=str(work))

    past = [run("npm run lint"), run("npm run lint"), run("npm run build > out"), run("npm ci"), run("npm run a && ls")]
    found = await reached(work, run("npm run test"), "command", "npm run", "session", *past)
    assert found.covers
    assert found.before == ("npm run test", "npm run a && ls", "npm run lint")


async def test_what_passes_and_what_still_asks_are_told_apart(work: Path) -> None:
    found = await reached(work, Run(command="npm run test", cwd=str(work)), "command", "npm run")
    assert "npm run a b" in found.permits
    assert {"npm run > out.txt", "npm run; rm -rf x", "npm run $(id)"} & set(found.asks)
    assert any("npm takes any arguments" in line for line in found.warnings)


async def test_a_rule_that_does_not_cover_the_question_says_so(work: Path) -> None:
    found = await reached(work, Run(command="npm run test && npm ci", cwd=str(work)), "command", "npm run test")
    assert not found.covers


async def test_a_rule_has_its_part_where_the_others_do_not_do_without_it(work: Path) -> None:
    stand = Standing(work, answer=Answer.no())
    await stand.check(Run(command="npm run test && make lint && npm ci", cwd=str(work)))
    [ask] = stand.questions

    def parts(pattern: str, *others: str) -> tuple[bool, bool]:
        rules = [Kept(kind="command", pattern=one, scope="session") for one in (pattern, *others)]
        found = reach(stand.gate, rules[0], ask.decisions, rules[1:])
        return found.covers, found.part

    assert parts("npm run", "make lint", "npm ci") == (False, True)
    assert parts("make lint", "npm run", "npm ci") == (False, True)
    assert parts("s you like", "make lint", "npm ci") == (False, False)
    assert parts("s you like", "npm run", "make lint", "npm ci") == (False, False)
    assert parts("npm run", "bash", "make lint") == (False, False)


@pytest.mark.parametrize("pattern", ["bash", "npm run | sh", "  ", "git"])
async def test_what_cannot_be_a_rule_is_a_problem(pattern: str, work: Path) -> None:
    found = await reached(work, Run(command="npm run test", cwd=str(work)), "command", pattern)
    assert found.problem and not found.permits


async def test_a_path_counts_its_files_and_never_lets_protected_ones_pass(work: Path) -> None:
    (work / "src").mkdir()
    for name in ("a.py", "b.py"):
        (work / "src" / name).write_text("x")
    found = await reached(work, Write(path=str(work / "src" / "a.py"), op="edit"), "write", "src", "user")
    assert found.covers
    assert f"edit {work}/src/b.py" in found.permits
    assert f"edit {work}/.git/hooks/pre-commit" in found.asks
    assert "it covers 2 files that are there now" in found.warnings
    assert any("every folder you work in" in line for line in found.warnings)
    whole = await reached(work, Write(path=str(work / "src" / "a.py"), op="edit"), "write", ".")
    assert "it covers every file of the workspace" in whole.warnings


async def test_a_host_is_no_other_host(work: Path) -> None:
    found = await reached(work, Fetch(url="https://docs.example/x"), "host", "docs.example")
    assert found.covers
    assert "fetch https://docs.example.example.net/" in found.asks
