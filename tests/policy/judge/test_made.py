"""What a command may load of what the agent made, and the question that this leads to."""

from __future__ import annotations

from typing import Any

import pytest

from xun.policy.action import Run
from xun.policy.card import card
from xun.policy.decide import decide
from xun.policy.decision import Decision, Mode
from xun.policy.facts import Facts, Made, PathFact
from xun.policy.judge.loadable import loadable
from xun.policy.ledger import MAX_FILES, Ledger
from xun.policy.reach.needs import needed, read_command
from xun.policy.reach.targets import targets
from xun.policy.rules import Policy, Rule
from xun.policy.text.constructs import ASK

ROOT = "/w"


def facts_of(command: str, *made: str, folders: tuple[str, ...] = (), **more: Any) -> Facts:
    """The facts about `command` in a workspace where the agent made `made`, and everything else is a plain file."""
    paths, repositories = needed(read_command(command, ""), ROOT)
    found = {}
    for key, _ in paths:
        real = key.removesuffix("/.")
        found[key] = PathFact(real=real, kind="folder" if real == ROOT or real in folders else "file")
    files = tuple((f"{ROOT}/{name}", f"digest of {name}") for name in made)
    here: dict[str, tuple[str, ...] | None] = dict.fromkeys(repositories, ())
    return Facts(
        roots=(ROOT,), paths=found, repositories=dict.fromkeys(repositories, ()), others=here, made=Made(files=files)
    ).model_copy(update=more)


def judge(
    command: str, *made: str, allow: tuple[str, ...] = (), grants: tuple[Rule, ...] = (), mode: Mode = "manual",
    policy: Policy | None = None, **more: Any,
) -> Decision:  # fmt: skip
    policy = policy or Policy(commands=allow)
    return decide(Run(command=command, cwd=ROOT), facts_of(command, *made, **more), policy, grants, mode)


def codes(decision: Decision) -> list[str]:
    return [reason.code for reason in decision.reasons]


RUNNERS = [
    "pytest",
    "pytest -q tests",
    "python -m pytest",
    "python3 -m pytest -x",
    "python -m unittest",
    "ls && pytest",
]


@pytest.mark.spec("W05")
@pytest.mark.parametrize("command", RUNNERS)
def test_a_run_of_tests_asks_once_and_names_what_the_agent_made(command: str) -> None:
    assert judge(command).effect == "allow"
    decision = judge(command, "conftest.py")
    assert (decision.effect, codes(decision), decision.made) == ("ask", ["agent-made"], ("/w/conftest.py",))
    [reason] = decision.reasons
    assert reason.text == "it would run code that the agent made or changed without a person's yes: conftest.py"
    assert not decision.hard and decision.personal and decision.default == "once"
    assert decision.grantable == ()


@pytest.mark.parametrize(
    "command", ["make test", "npm test", "cargo test", "go test ./...", "bash build.sh", "./run.sh"]
)
@pytest.mark.parametrize("made", ["Makefile", "package.json", "src/x.json", "a.unknown", ".eslintrc", "CMakeLists.txt"])
def test_a_granted_program_without_a_table_may_load_whatever_is_no_plain_data(command: str, made: str) -> None:
    words = tuple(command.split()[:2])
    granted = (" ".join(words),) if words[0] in ("make", "npm", "cargo", "go", "bash") else (words[0],)
    assert judge(command, allow=granted).effect == "allow"
    assert codes(judge(command, made, allow=granted)) == ["agent-made"]
    assert judge(command, "README.md", "notes.txt", "a.png", "LICENSE", "data.csv", allow=granted).effect == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "cat conftest.py",
        "git status",
        "git diff",
        "grep -r x .",
        "python --version",
        "echo pytest",
        "find . -name x",
    ],
)
def test_what_runs_nothing_of_the_workspace_stays_quiet(command: str) -> None:
    assert judge(command, "conftest.py", "Makefile").effect == "allow"


@pytest.mark.parametrize(
    "command", ["mkdir a", "cp a b", "rm conftest.py", "git push", "git add -A", "ruff check", "sed -i s/a/b/ x.py"]
)
def test_granted_programs_that_do_only_what_their_words_say_stay_quiet(command: str) -> None:
    granted = " ".join(command.split()[:2]) if command.startswith(("git", "sed")) else command.split()[0]
    assert judge(command, "conftest.py", "Makefile", allow=(granted,)).effect == "allow"


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("brew bundle", "Brewfile"),
        ("brew install ./x.rb", "x.rb"),
        ("apt-get install ./x.deb", "x.deb"),
        ("open x.command", "x.command"),
    ],
)
def test_what_is_named_otherwise_may_load_what_the_agent_made_by_some_of_its_words(command: str, made: str) -> None:
    granted = (" ".join(command.split()[:2]) if not command.startswith("open") else command,)
    assert judge(command, allow=granted).effect == "allow"
    assert codes(judge(command, made, allow=granted)) == ["agent-made"]


@pytest.mark.parametrize("command", ["brew install jq", "brew info user/tap/x", "apt-get install curl", "open x.html"])
def test_a_package_by_its_name_and_a_page_are_no_code_of_the_workspace(command: str) -> None:
    granted = (" ".join(command.split()[:2]),)
    assert judge(command, "Brewfile", "x.rb", "x.html", allow=granted).effect == "allow"


def test_git_counts_where_its_repository_starts_programs() -> None:
    name = ".githooks/pre-commit"
    files = ((f"/w/{name}", "digest"),)
    assert judge("git commit -m x", name, allow=("git commit",)).effect == "allow"
    configured = {"/w/.": ("core.fsmonitor",)}
    assert codes(judge("git commit -m x", name, allow=("git commit",), repositories=configured)) == ["agent-made"]
    hooked = Made(files=files, hooks=("pre-commit",))
    for command, effect in (
        ("git commit -m x", "ask"),
        ("git push", "ask"),
        ("git add -A", "allow"),
        ("git log", "allow"),
    ):
        facts = facts_of(command).model_copy(update={"made": hooked})
        policy = Policy(commands=["git commit", "git push", "git add"])
        assert decide(Run(command=command, cwd=ROOT), facts, policy).effect == effect, command
    watched = Made(files=files, hooks=("reference-transaction",))
    facts = facts_of("git fetch").model_copy(update={"made": watched})
    assert decide(Run(command="git fetch", cwd=ROOT), facts, Policy(commands=["git fetch"])).effect == "ask"


@pytest.mark.parametrize(
    ("name", "python", "anything"),
    [
        ("a.py", True, True), ("A.PY", True, True), ("a.pth", True, True), ("x.cpython-312.so", True, True),
        ("pytest.ini", True, True), ("setup.cfg", True, True), ("pyproject.toml", True, True), ("a.pyi", True, True),
        ("test_x.txt", True, True), ("x.egg-info/entry_points.txt", True, True), ("requirements-dev.txt", True, True),
        ("package.json", False, True), ("Makefile", False, True), ("a.yaml", False, True), ("a.mdx", False, True),
        ("CMakeLists.txt", True, True), ("a.py ", True, True), ("notes.txt", False, False), ("README.md", False, False),
        ("a.rst", False, False), ("logo.png", False, False), ("LICENSE", False, False), ("data.CSV", False, False),
    ],
)  # fmt: skip
def test_which_files_a_run_may_load(name: str, python: bool, anything: bool) -> None:
    assert loadable(f"/w/{name}", "python") is python
    assert loadable(f"/w/{name}", "any") is anything


def test_text_counts_where_doctests_are_run_and_where_it_is_named() -> None:
    assert judge("pytest", "docs/a.md").effect == "allow"
    assert codes(judge("pytest docs/a.rst", "docs/a.rst")) == ["agent-made"]
    doctests = Made(files=(("/w/docs/a.md", "d"),), doctests=True)
    decision = decide(
        Run(command="pytest", cwd=ROOT), facts_of("pytest").model_copy(update={"made": doctests}), Policy()
    )
    assert codes(decision) == ["agent-made"]
    for command in ("make -f notes.md", "make --file=notes.md", "make -fnotes.md"):
        assert codes(judge(command, "notes.md", allow=("make",))) == ["wrapper"], "no rule covers that option"


def test_neither_a_grant_of_the_very_command_nor_the_assessor_settles_it() -> None:
    exact = Rule(effect="allow", kind="command", pattern="npm test", source="session")
    decision = judge("npm test", "package.json", grants=(exact,))
    assert decision.effect == "ask" and decision.personal
    assert judge("npm test", grants=(exact,)).effect == "allow"


def test_beside_a_part_that_asks_it_is_one_more_reason_that_only_a_person_settles() -> None:
    decision = judge("pytest && touch x", "conftest.py")
    assert set(codes(decision)) == {"unlisted", "agent-made"} and decision.personal and decision.grantable == ()
    deciding = decision.deciding
    assert deciding is not None and deciding.code == "agent-made"


def test_what_asks_by_itself_is_left_to_whoever_may_settle_it() -> None:
    assert codes(judge("npm test", "package.json")) == ["unlisted"]
    assert codes(judge("rm -r x", "package.json")) == ["unlisted"]


@pytest.mark.parametrize(
    ("command", "rule", "network"),
    [("npm install", "npm install", False), ("cd x && npm ci", "npm ci", False), ("uv sync", "uv sync", False),
     ("pip install -e .", "pip install", False), ("make deploy", "make deploy", True),
     ("npx x", "npx x", False)],
)  # fmt: skip
def test_in_a_sandbox_that_holds_more_than_the_plain_one_it_asks(command: str, rule: str, network: bool) -> None:
    policy = Policy(rules=[Rule(effect="allow", kind="command", pattern=rule, source="policy.toml:3", network=network)])
    decision = judge(command, "package.json", "x/e.js", policy=policy, sandbox="bwrap", folders=("/w/x",))
    assert codes(decision) == ["agent-made"] and decision.confinement is not None and decision.confinement.network
    assert judge(command, policy=policy, sandbox="bwrap", folders=("/w/x",)).effect == "allow"


@pytest.mark.parametrize(
    "command", ["npm view x", "aws s3 ls", "curl x.org", "cargo search x", "git fetch", "gh pr list"]
)
def test_what_only_asks_others_stays_quiet_with_the_network_too(command: str) -> None:
    policy = Policy(commands=[" ".join(command.split()[:2]) if command.split()[0] != "curl" else "curl"])
    decision = judge(command, "package.json", policy=policy, sandbox="bwrap")
    assert decision.effect == "allow" and decision.confinement is not None and decision.confinement.network


def test_gh_starts_hooks_where_it_has_git_work() -> None:
    hooked = Made(files=(("/w/check.sh", "digest"),), hooks=("post-checkout",))
    facts = facts_of("gh pr checkout 3").model_copy(update={"made": hooked, "sandbox": "bwrap"})
    assert codes(decide(Run(command="gh pr checkout 3", cwd=ROOT), facts, Policy(commands=["gh pr checkout"]))) == [
        "agent-made"
    ]


def test_in_the_plain_sandbox_it_runs_unasked_and_outside_of_it_asks() -> None:
    decision = judge("pytest", "conftest.py", sandbox="bwrap")
    assert decision.effect == "allow" and decision.confinement is not None and decision.confinement.plain
    outside = Rule(effect="allow", kind="command", pattern="pytest", source="policy.toml:3", sandbox=False)
    decision = judge("pytest", "conftest.py", sandbox="bwrap", policy=Policy(rules=[outside]))
    assert (codes(decision), decision.confinement) == (["agent-made"], None)


def test_plan_mode_is_what_it_was() -> None:
    assert codes(judge("pytest", "conftest.py", mode="plan")) == codes(judge("pytest", mode="plan")) == ["mode"]


def test_three_are_named_and_the_card_has_them_all() -> None:
    names = [f"test_{letter}.py" for letter in "abcde"]
    decision = judge("pytest", *names, "x/conftest.py")
    # What every run loads comes first, however many names stand before it.
    assert decision.reasons[0].text.endswith(": x/conftest.py, test_a.py, test_b.py and 3 more")
    rows = [row.text for row in card(decision)]
    assert [row for row in rows if row.startswith("/w/test_")] == [f"/w/{name}" for name in names]
    assert [segment.effect for segment in decision.segments] == ["ask"]
    assert decision.segments[0].rule == "default list"


def test_where_it_is_not_known_any_more_it_asks_and_says_so() -> None:
    lost = facts_of("pytest").model_copy(update={"made": Made(lost=True)})
    [reason] = decide(Run(command="pytest", cwd=ROOT), lost, Policy()).reasons
    assert reason.code == "agent-made" and reason.text.endswith("which files these are is not known any more")
    assert (
        decide(
            Run(command="ls", cwd=ROOT), facts_of("ls").model_copy(update={"made": Made(lost=True)}), Policy()
        ).effect
        == "allow"
    )


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("echo x > conftest.py", {"/w/conftest.py"}),
        ("cat a >> b.py", {"/w/b.py"}),
        ("cp notes.txt conftest.py", {"/w/conftest.py"}),
        ("mv notes.txt tests", {"/w/tests/notes.txt"}),
        ("tee a.py b.py", {"/w/a.py", "/w/b.py"}),
        ("touch a.py", {"/w/a.py"}),
        ("sort < a", set()),
    ],
)
def test_what_a_command_may_write(command: str, written: set[str]) -> None:
    action = Run(command=command, cwd=ROOT)
    found = set(targets(action, facts_of(command, folders=("/w/tests",)), ASK))
    assert written <= found
    assert bool(written) == bool(found)


def test_a_ledger_keeps_what_was_there_first_and_never_forgets_silently() -> None:
    ledger = Ledger()
    ledger.add([("/w/a", "first")], lambda _: True)
    ledger.add([("/w/a", "second")], lambda _: True)
    assert ledger.files == {"/w/a": "first"} and not ledger.lost
    ledger.add([(f"/w/{number}", None) for number in range(MAX_FILES)], lambda path: path != "/w/a")
    assert len(ledger.files) == MAX_FILES and not ledger.lost and "/w/a" not in ledger.files
    ledger.add([("/w/more", None)], lambda _: True)
    assert len(ledger.files) == MAX_FILES and ledger.lost
    ledger.drop(list(ledger.files), found=True)
    assert ledger.empty
