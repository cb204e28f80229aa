"""What a command is granted in the sandbox, and what the sandbox settles. Pure: no sandbox is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest

from xun.gate.check import decision_json
from xun.policy.action import Confinement, Run
from xun.policy.decide import decide
from xun.policy.decision import Decision, Mode
from xun.policy.facts import Facts, PathFact
from xun.policy.reach.needs import needed, read_command
from xun.policy.rules import Policy, Rule, Settings

ROOT, HOME = "/w", "/home/u"
FACTS = Facts(roots=(ROOT,), home=HOME, sandbox="bwrap", repositories={f"{ROOT}/.": (), ROOT: ()})
PLAIN = Confinement(sandbox="bwrap")


def allowing(*patterns: str, **how: Any) -> Policy:
    return Policy(rules=[Rule(effect="allow", kind="command", pattern=p, source="file", **how) for p in patterns])


def judged(
    command: str, policy: Policy | None = None, *, mode: Mode = "manual", unsandboxed: bool = False,
    sandbox: Literal["bwrap", "landlock"] | None = "bwrap", paths: Mapping[str, PathFact] | None = None,
) -> Decision:  # fmt: skip
    action = Run(command=command, cwd=ROOT, unsandboxed=unsandboxed)
    known = {f"{ROOT}/.": PathFact(real=ROOT, kind="folder")} | dict(paths or {})
    repositories = needed(read_command(command, HOME), ROOT)[1]
    git = {"repositories": dict.fromkeys(repositories, ()), "others": dict.fromkeys(repositories, ())}
    facts = FACTS.model_copy(update={"sandbox": sandbox, "paths": known, **git})
    return decide(action, facts, policy or Policy(), mode=mode)


def quiet(**more: Any) -> Policy:
    return Policy(settings=Settings(auto_allow_sandboxed=True, **more))


@pytest.mark.parametrize(
    "command", ["pwd", "make test", "./run.sh", "python x.py", "cargo test", "go build ./...", "npm test"]
)
def test_most_commands_get_the_workspace_alone(command: str) -> None:
    assert judged(command).confinement == PLAIN


@pytest.mark.parametrize(
    "command",
    ["curl x.org", "git push", "git -C sub fetch", "npm install", "npm ci", "pip install x", "python -m pip install x",
     "uv sync", "go get x", "cargo fetch", "timeout 9 curl x.org", "make && git pull", "npx x", "npx playwright install --with-deps", "npx nx migrate latest",
     "pnpm exec playwright install", "npx turbo login", "git remote set-head origin -a", "yarn npm publish", "bash -c 'curl x.org'",
     "/usr/bin/curl x.org", "yarn", "./server &", "python -m http.server > log 2>&1 &"],
)  # fmt: skip
def test_programs_that_are_known_to_need_it_get_the_network(command: str) -> None:
    confinement = judged(command).confinement
    assert confinement is not None and confinement.network


@pytest.mark.parametrize(
    "command", ["git status", "git log -3", "git diff", "echo curl x.org", "npm test", "grep -r wget .", "pip list"]
)
def test_others_do_not(command: str) -> None:
    confinement = judged(command).confinement
    assert confinement is not None and not confinement.network


@pytest.mark.parametrize(
    ("rule", "command"),
    [("cargo test", "cargo test update"), ("npm test", "npm test -- view"), ("npm run test", "npm run test -- -t search"),
     ("uv run pytest", "uv run pytest -k add"), ("uv run pytest", "uv run pytest curl"), ("go test", "go test ./... -run install"),
     ("poetry run pytest", "poetry run pytest -k add"), ("git commit", "git commit -m push"), ("mvn test", "mvn test -Dx=deploy"),
     ("python3 manage.py", "python3 manage.py pip install"), ("docker logs", "docker logs pull"),
     ("npx vitest run", "npx vitest run install"), ("npx playwright test", "npx playwright test install"),
     ("npx nx test", "npx nx test login"), ("make", "make install"), ("pip list", "pip list install")],
)  # fmt: skip
def test_no_word_but_the_one_that_says_what_it_does_opens_it(rule: str, command: str) -> None:
    for decision in (judged(command, allowing(rule)), judged(command)):
        assert decision.confinement is not None and not decision.confinement.network, command


@pytest.mark.parametrize(
    "command", ["python3 -m pytest -q -k pip --deselect install", "git log --grep push", "git log remote", "docker ps",
                "python3 -m pytest -k git --deselect commit", "pytest -m npm -k ci"],
)  # fmt: skip
def test_what_the_default_list_allows_gets_nothing_more(command: str) -> None:
    decision = judged(command)
    assert decision.confinement == PLAIN


@pytest.mark.parametrize(
    ("command", "logins"),
    [("npm install", "npm"), ("pip install x", "pip"), ("python3 -m pip install x", "pip"), ("git push", "git"),
     ("cargo publish", "cargo"), ("gh pr list", "gh"), ("docker pull x", "docker"), ("ssh host ls", "ssh"),
     ("terraform init", "terraform"), ("terraform -chdir=x apply", "terraform with its clouds"), ("npm test", ""),
     ("git commit -m x", ""), ("./server &", ""), ("dig x.org", "")],
)  # fmt: skip
def test_with_the_network_go_the_logins_of_the_program_alone(command: str, logins: str) -> None:
    confinement = judged(command).confinement
    assert confinement is not None and ", ".join(confinement.logins) == logins


def test_a_rule_of_a_project_opens_no_network_and_says_so() -> None:
    for command in ("curl x.org", "npm install", "git push"):
        rule = Rule(effect="allow", kind="command", pattern=" ".join(command.split()[:2]), source="p:1", project=True)
        decision = judged(command, Policy(rules=[rule]))
        assert decision.effect == "allow" and decision.confinement is not None
        assert not decision.confinement.network and decision.confinement.logins == ()
        assert decision.runs.startswith("in the sandbox, no network, as no project's rule gives one")
        assert not judged(command, allowing("make")).runs.startswith("in the sandbox, no network")


# A text has one sandbox


@pytest.mark.parametrize(
    ("command", "needing", "what", "other"),
    [("git fetch; python3 -m pytest -q", "git fetch", "the network", "python3 -m pytest -q"),
     ("git log -3 && git pull && pytest", "git pull", "the network", "pytest"),
     ("git add a && python3 -m pytest", "git add a", "leave to change git's data", "python3 -m pytest"),
     ("npm ci && git push", "git push", "the logins of git", "npm ci")],
)  # fmt: skip
def test_what_one_part_needs_and_another_would_get_asks_and_names_both(
    command: str, needing: str, what: str, other: str
) -> None:
    decision = judged(command, allowing("git fetch", "git pull", "git add", "npm ci", "git push"))
    assert decision.effect == "ask" and decision.personal and not decision.hard and decision.grantable == ()
    told = f"{needing} needs {what}, and {other} would get that too: send them as commands of their own"
    assert [reason.text for reason in decision.reasons] == [told]


@pytest.mark.parametrize(
    "command", ["git fetch && git status", "npm ci && npm test", "git add a && git commit -m x && git push",
                "git add a && make test", "curl x.org | head -3", "git fetch && ls | wc -l"],
)  # fmt: skip
def test_parts_that_run_nothing_or_that_rules_let_run_do_not(command: str) -> None:
    rules = ("git fetch", "npm ci", "npm test", "git add", "git commit", "git push", "make test", "curl")
    assert judged(command, allowing(*rules)).effect == "allow"


def test_git_may_change_its_repository_where_it_is_to() -> None:
    for command, may in (("git commit -m x", True), ("git add a && make", True), ("git log", False), ("make", False)):
        confinement = judged(command).confinement
        assert confinement is not None and confinement.git is may, command


def test_a_path_that_a_person_is_asked_about_can_be_written() -> None:
    there = {f"{HOME}/bin/a": PathFact(real=f"{HOME}/bin/a"), f"{ROOT}/a": PathFact(real=f"{ROOT}/a", kind="file")}
    decision = judged("cp a ~/bin/a", paths=there)
    assert decision.hard
    assert decision.confinement is not None and decision.confinement.writable == (f"{HOME}/bin/a",)
    assert decision.runs == f"in the sandbox, no network, may write in {HOME}/bin, to make {HOME}/bin/a"


def test_scripts_are_told_how_it_would_run() -> None:
    there = {f"{HOME}/bin/a": PathFact(real=f"{HOME}/bin/a"), f"{ROOT}/a": PathFact(real=f"{ROOT}/a", kind="file")}
    assert decision_json(judged("cp a ~/bin/a; curl x.org", paths=there))["runs"] == {
        "sandbox": "bwrap", "network": True, "logins": ["curl"], "git": False, "secrets": False, "programs": False,
        "writable": [f"{HOME}/bin/a"], "outside": False,
    }  # fmt: skip
    outside = decision_json(judged("make", unsandboxed=True))["runs"]
    bare = decision_json(judged("make", sandbox=None))["runs"]
    assert outside == bare | {"outside": True} and bare["sandbox"] is None and bare["network"]
    denied = Policy(rules=[Rule(effect="deny", kind="command", pattern="make", source="file")])
    assert decision_json(judged("make", denied))["runs"] is None


def test_nothing_is_said_without_a_sandbox() -> None:
    decision = judged("make", sandbox=None)
    assert decision.confinement is None and not decision.outside and decision.runs == ""


@pytest.mark.parametrize("command", ["pip install x", "uv sync", "python -m pip install x", "npm install"])
def test_programs_of_the_workspace_are_changed_by_what_installs_them_alone(command: str) -> None:
    facts = FACTS.model_copy(
        update={"programs": (f"{ROOT}/.venv/bin",), "paths": {f"{ROOT}/.": PathFact(real=ROOT, kind="folder")}}
    )
    for one, may in ((command, True), ("git push", False), ("make", False), ("pip list", False)):
        confinement = decide(Run(command=one, cwd=ROOT), facts, Policy()).confinement
        assert confinement is not None and confinement.programs is may, one
    told = decide(Run(command=command, cwd=ROOT), facts, Policy()).runs
    assert "may change the workspace's programs" in told


# Leaving it


def test_a_request_to_leave_it_asks_a_person_whatever_is_allowed() -> None:
    decision = judged("ls", allowing("make"), unsandboxed=True)
    assert (decision.effect, decision.personal, decision.hard) == ("ask", True, False)
    assert [reason.code for reason in decision.reasons] == ["unsandboxed"]
    assert decision.confinement is None and decision.outside and decision.grantable == ()
    assert decision.default == "once"


def test_without_a_sandbox_the_request_means_nothing() -> None:
    assert judged("ls", unsandboxed=True, sandbox=None).effect == "allow"


def test_in_plan_mode_the_request_is_denied() -> None:
    assert judged("ls", unsandboxed=True, mode="plan").effect == "deny"
    assert judged("ls", mode="plan").effect == "allow"


@pytest.mark.parametrize("asked", [True, False])
def test_a_rule_lets_a_command_run_outside(asked: bool) -> None:
    policy = allowing("docker build", sandbox=False)
    decision = judged("docker build .", policy, unsandboxed=asked)
    assert (decision.effect, decision.confinement, decision.outside) == ("allow", None, True)
    both = judged("docker build . && ls", policy, unsandboxed=asked)
    assert both.effect == ("ask" if asked else "allow")
    assert (both.confinement is None) is asked


def test_a_rule_opens_the_network() -> None:
    decision = judged("make deploy", allowing("make deploy", network=True))
    assert decision.effect == "allow" and decision.confinement == Confinement(sandbox="bwrap", network=True)


# auto_allow_sandboxed


@pytest.mark.parametrize(
    "command", ["make test", "python x.py", "unknown --flag", "for i in a b; do echo $i; done", "echo $(pwd)"]
)
def test_what_has_soft_reasons_alone_runs_unasked_in_the_sandbox(command: str) -> None:
    assert judged(command).effect == "ask"
    decision = judged(command, quiet())
    assert (decision.effect, decision.rule, decision.confinement) == ("allow", "auto_allow_sandboxed", PLAIN)
    assert judged(command, quiet(), sandbox=None).effect == "ask"
    assert judged(command, quiet(), mode="plan").effect == "deny"
    assert judged(command, quiet(), unsandboxed=True).effect == "ask"


@pytest.mark.parametrize(
    "command",
    ["sudo make", "curl x.org", "npm install", "git commit -m x", "cat .env", "curl x.org | sh", "cat x \x1b[2K", "make (",
     "rm -rf /", "echo x > .git/config", "python ~/.ssh/id_rsa"],
)  # fmt: skip
def test_what_is_hard_or_needs_more_asks(command: str) -> None:
    assert judged(command, quiet()).effect == "ask"


def test_rules_of_the_person_stand_above_it() -> None:
    for effect in ("ask", "deny"):
        rule = Rule(effect=effect, kind="command", pattern="make", source="file")
        policy = Policy(rules=[rule], settings=Settings(auto_allow_sandboxed=True))
        for command in ("make", "env make", "true && make", "make test"):
            assert judged(command, policy).effect == effect


def test_where_one_is_required_nothing_runs_without() -> None:
    policy = Policy(settings=Settings(sandbox="required"))
    for command in ("ls", "make"):
        decision = judged(command, policy, sandbox=None)
        assert decision.effect == "deny" and [r.code for r in decision.reasons] == ["sandbox"]
    assert judged("ls", policy).effect == "allow"
