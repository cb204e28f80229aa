"""Ask rules on paths bind the words of commands as they bind the tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from xun.gate.check import check_command
from xun.gate.gather import gather
from xun.policy.action import Run
from xun.policy.decide import decide
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule, Settings

ASKING = (
    Rule(effect="ask", kind="read", pattern="private/**", source="policy.toml:1"),
    Rule(effect="ask", kind="write", pattern="tests/**", source="policy.toml:2", reason="the tests are the person's"),
)
ALLOWING = tuple(
    Rule(effect="allow", kind="command", pattern=name) for name in ("cp", "mv", "rm", "tee", "sed -i", "touch", "tar")
)
ALL = Settings(newlines="split", substitution="inner", loops="inner", wrappers="inner")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    for name in ("private/p.md", "tests/old.py", "src/app.py", "run.sh"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("x\n")
    return work


def run(command: str, work: Path) -> Decision:
    policy = Policy(rules=[*ASKING, *ALLOWING], settings=ALL)
    return check_command(command, policy=policy, cwd=work, home=work.parent / "home")


@pytest.mark.parametrize(
    "command",
    ["cat private/p.md", "head private/*", "grep -r p private", "grep -r p .", "cp private/p.md x", "cd private && cat p.md",
     "for f in private/*; do cat $f; done", "cat src/../private/p.md", "cat < private/p.md | wc -l", "wc -l private/p.md",
     "find private -name '*.md' | xargs cat", "cp run.sh tests/zz", "cp run.sh tests", "mv run.sh tests/x", "rm tests/old.py",
     "echo x > tests/new", "tee tests/new", "sed -i s/x/y/ tests/old.py", "touch tests/new", "rm -rf tests", "mv tests t2",
     "tar xf a.tar -C tests", "ls && cat private/p.md"],
)  # fmt: skip
def test_a_path_that_a_rule_says_ask_about_asks_a_person(work: Path, command: str) -> None:
    decision = run(command, work)
    assert decision.effect == "ask" and decision.personal, decision
    assert any(reason.code == "ask-rule" and reason.rule for reason in decision.reasons), decision.reasons


def test_the_reason_is_that_of_the_rule(work: Path) -> None:
    (reason,) = run("cp run.sh tests", work).reasons
    assert (reason.text, reason.rule, reason.hard) == ("the tests are the person's", "policy.toml:2", False)


@pytest.mark.parametrize("command", ["cat src/app.py", "cp run.sh src", "cat tests/old.py", "ls", "rm src/app.py"])
def test_other_paths_do_not(work: Path, command: str) -> None:
    assert run(command, work).effect == "allow"


def test_a_grant_goes_before_an_ask_rule_and_a_deny_rule_before_both(work: Path) -> None:
    action = Run(command="cat private/p.md", cwd=str(work))
    facts = gather(action, roots=[work], temp=None, home=work.parent, sandbox=False)
    policy = Policy(rules=[*ASKING, *ALLOWING])
    for grant in (
        Rule(effect="allow", kind="read", pattern="private/p.md"),
        Rule(effect="allow", kind="command", pattern="cat private/p.md"),
    ):
        assert decide(action, facts, policy, [grant]).effect == "allow"
    denied = Rule(effect="deny", kind="read", pattern="private")
    assert decide(action, facts, policy.copy(extra=[denied])).effect == "deny"
