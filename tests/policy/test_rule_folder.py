"""A rule for a script is for the one in the workspace's own folder, and a yes for one elsewhere is for that one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME, rule
from xun.gate.check import check_command
from xun.gate.gather import gather
from xun.gate.remember import of_session, rule_of
from xun.policy.action import Run
from xun.policy.decide import decide
from xun.policy.decision import Decision, Kept
from xun.policy.rules import Policy, Rule, Scope

SCRIPTS = ("./run.sh", "python x.py", "bash run.sh", "node a.js", "uv run x.py", "python -m tool", "sub/run.sh")


@pytest.fixture
def place(work: Path) -> Path:
    (work / "sub").mkdir()
    for file in ("run.sh", "x.py", "a.js", "sub/run.sh", "sub/x.py", "sub/a.js"):
        (work / file).write_text("x\n")
    return work


def judged(command: str, place: Path, folder: str = "", grants: tuple[Rule, ...] = ()) -> Decision:
    rules = [rule("allow", "command", one) for one in (*SCRIPTS, "npm test", "./gradlew")]
    cwd = place / folder
    if not grants:
        return check_command(command, policy=Policy(rules=rules), cwd=cwd, roots=[place], home=HOME)
    action = Run(command=command, cwd=str(cwd))
    return decide(action, gather(action, roots=[place], temp=None, home=HOME), Policy(), grants)


@pytest.mark.parametrize("command", SCRIPTS)
def test_a_rule_for_a_script_holds_where_the_workspace_begins(command: str, place: Path) -> None:
    assert judged(command, place).effect == "allow"
    decision = judged(command, place, "sub")
    assert decision.effect == "ask"
    assert "it names a script that may be another one in another folder than the workspace's own" in [
        reason.text for reason in decision.reasons
    ]


@pytest.mark.parametrize(
    "command", ["cd sub && ./run.sh", "pushd sub && ./run.sh", "cd sub; python x.py", "CDPATH=sub; cd x && ./run.sh"]
)
def test_and_not_where_the_text_itself_goes(command: str, place: Path) -> None:
    assert judged(command, place).effect == "ask"


@pytest.mark.parametrize("command", ["npm test", "ls", "cat x.py", "python -m pytest -q"])
def test_other_rules_hold_in_any_folder(command: str, place: Path) -> None:
    assert judged(command, place, "sub").effect == "allow"


def test_a_link_to_the_workspace_is_the_workspace(place: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(place)
    assert check_command(
        "./run.sh",
        policy=Policy(rules=[rule("allow", "command", "./run.sh")]),
        cwd=tmp_path / "link",
        roots=[place],
        home=HOME,
    ).effect == "allow"  # fmt: skip


def test_a_yes_for_the_session_is_for_the_folder_it_was_given_in(place: Path) -> None:
    asked = check_command("./run.sh", policy=Policy(), cwd=place / "sub", roots=[place], home=HOME)
    assert asked.grantable == ("./run.sh",)
    grants = tuple(of_session(asked, place))
    assert [grant.scope for grant in grants] == [Scope(folder=str(place / "sub"), arguments="any")]
    assert judged("./run.sh", place, "sub", grants).effect == "allow"
    assert judged("./run.sh --more", place, "sub", grants).effect == "allow"
    assert judged("./run.sh", place, "", grants).effect == "ask"
    assert judged("cd .. && ./run.sh", place, "sub", grants).effect == "ask"


def test_a_yes_where_the_workspace_begins_needs_no_folder(place: Path) -> None:
    asked = check_command("./other.sh", policy=Policy(), cwd=place, home=HOME)
    assert [grant.scope for grant in of_session(asked, place)] == [None]
    assert rule_of(Kept(kind="command", pattern="./other.sh", scope="session")).scope is None


def test_a_yes_that_was_edited_is_bound_where_it_names_a_script(place: Path) -> None:
    here = Scope(folder=str(place / "sub"), arguments="any")
    assert rule_of(Kept(kind="command", pattern="./run.sh", scope="session"), scope=here).scope == here
    assert rule_of(Kept(kind="command", pattern="npm test", scope="session"), scope=here).scope is None


def test_a_grant_of_a_whole_text_is_for_the_same_folder(place: Path) -> None:
    text = "./run.sh > out.txt"
    granted = (Rule(effect="allow", kind="command", pattern=text, source="session"),)
    assert judged(text, place, "", granted).effect == "allow"
    assert judged(text, place, "sub", granted).effect == "ask"


PINNED = ("npm test", "make test")


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ("git pull && npm test", "ask"), ("git checkout other && make test", "ask"), ("tar xf a.tar && npm test", "ask"), ("cp x.json package.json && npm test", "ask"),
        ("sed -i s/a/b/ package.json && npm test", "ask"), ("mv x.sh y.sh; npm test", "ask"), ("sed -i s/a/b/ Makefile && make test", "ask"),
        ("ln -s other sub && npm test", "ask"), ("npm test && git pull", "allow"), ("npm ci && npm test", "allow"), ("mkdir -p x && cp a x/ && npm test", "allow"),
        ("sed -i s/a/b/ src/a.js && npm test", "allow"), ("git checkout -b new && npm test", "allow"), ("git add -A && npm test", "allow"), ("rm -rf build && make test", "allow"),
        ("touch a.txt && npm test && make test", "allow"), ("cp -r src copy && npm test", "allow"),
    ],
)  # fmt: skip
def test_a_command_of_the_project_is_run_as_it_was_shown(command: str, effect: str, place: Path) -> None:
    (place / "src").mkdir()
    scope = Scope(folder=str(place))
    rules = [Rule(effect="allow", kind="command", pattern=one, source="project", scope=scope) for one in PINNED]
    others = (
        "git pull",
        "git checkout",
        "git add",
        "tar",
        "cp",
        "mv",
        "ln",
        "rm",
        "sed -i",
        "npm ci",
        "mkdir",
        "touch",
    )
    rules += [rule("allow", "command", one) for one in others]
    decision = check_command(command, policy=Policy(rules=rules), cwd=place, home=HOME)
    assert decision.effect == effect, [reason.text for reason in decision.reasons]


@pytest.mark.parametrize(
    "command", ["git pull && npm test", "git checkout other && npm test", "sed -i s/a/b/ package.json && npm test"]
)
def test_a_rule_of_the_person_says_nothing_of_what_it_runs(command: str, place: Path) -> None:
    rules = [rule("allow", "command", one) for one in ("npm test", "git pull", "git checkout", "sed -i")]
    assert check_command(command, policy=Policy(rules=rules), cwd=place, home=HOME).effect == "allow"
