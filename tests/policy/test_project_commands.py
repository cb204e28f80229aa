"""What may stand behind a project's own command, and where such a rule counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME
from xun.gate.check import check_command
from xun.policy.card import card
from xun.policy.commands.project import refused_behind
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule, Scope
from xun.policy.text.words import Arg

FINE = {
    "none": [""],
    "make": ["", "-j4", "-j 4", "--jobs=4", "-k -s", "-n"],
    "npm:jest": ["", "--silent", "-- --testNamePattern='a b'", "-- src/a.test.ts -t x", "--verbose -- --ci --bail"],
    "npm:vitest": ["-- run", "-- --run src/a.test.ts", "-- -t x"],
    "npm:playwright": ["-- --grep 'home page'", "-- --project=chromium --workers=2"],
    "npm:": ["", "--verbose"],
    "script:jest": ["src/a.test.ts", "-- -t x"],
    "cargo:test": ["", "--workspace -q", "-p core name", "-- --nocapture --test-threads=1", "--all-features -j 2"],
    "cargo:clippy": ["--all-targets -- -D warnings"],
    "go": ["", "./...", "-v -run 'A|B' ./pkg/x/... -count=1", "-race -timeout 30s .", "-o /dev/null .", "--tags=x ./a"],
    "golangci-lint": ["", "./pkg/...", "--timeout=5m"],
    "mix": ["test/a_test.exs:12 --trace", "--only slow --seed 0"],
    "pytest": ["", "-q tests/test_a.py::test_b", "-k x -x"],
    "tox": ["-e py311", "-e py312-django,lint", "-q"],
    "nox": ["-s tests", "-s lint"],
    "rspec": ["spec/a_spec.rb -fd"],
    "gradle": ["--info --offline --tests com.example.A"],
    "maven": ["-q -B -Dtest=A#b -DskipITs"],
    "ctest": ["--output-on-failure -R name -j 4"],
}
REFUSED = {
    "none": ["x", "-v", "-- x", "--help"],
    "make": ["FOO=1", "other", "-f other", "-fother", "-C sub", "-E x", "--eval=x", "-I x", "--file=x", "-j4 SHELL=sh",
             "-e", "-W x", "-- other", "-j4x"],
    "npm:jest": ["-- --config=x", "-- --setupFiles=./x", "-- -c x", "-- --outputFile=x", "-- --runner x", "--prefix x",
                 "--script-shell=x", "-- ../x", "-- /x", "-- --reporters=./x", "-- --globalSetup x", "x", "-- -u"],
    "npm:vitest": ["-- --config x", "-- --reporter=./x", "-- --outputFile=x", "-- --globals"],
    "npm:playwright": ["-- --reporter=./x", "-- -c x", "-- --ui", "-- --output x"],
    "npm:eslint": ["-- --fix", "-- -c x", "-- --rulesdir x", "-- -f ./x", "-- -o x", "-- --plugin x"],
    "npm:tsc": ["-- -p x", "-- --outDir x", "-- x.ts"],
    "npm:": ["-- x", "-- --x", "--node-options=x", "--ignore-scripts=false"],
    "script:": ["x", "--x"],
    "script:jest": ["--config x"],
    "cargo:test": ["--config x", "--manifest-path x", "-Z x", "--target-dir x", "-- --logfile x", "+nightly", "-C x"],
    "cargo:clippy": ["--fix", "-- --cap-lints x"],
    "go": ["-exec sh", "-exec=sh", "--exec sh", "-toolexec x", "-vettool=x", "-o x", "-c", "-overlay x", "-modfile=x",
           "-coverprofile=x", "-C x", "../x", "/x", "./a/../../x", "github.com/x/y", "-args x", "-ldflags x", "-run",
           "-v=x", "-mod=mod", "x.go"],
    "golangci-lint": ["--fix", "-c x", "--config=x", "--out-format x", "../x"],
    "mix": ["-r x", "--require x", "/x", "../x", "--formatter X"],
    "pytest": ["-p evil", "-c x", "--rootdir x", "/x.py", "../x.py", "--basetemp=x", "-o x=y", "--junitxml=x", "@x"],
    "tox": ["-e release", "-e py311,publish", "-c x", "--workdir x", "-x a=b", "-- x", "--override x"],
    "nox": ["-s publish", "-s tests_release", "-f x", "-- x", "--noxfile x"],
    "rspec": ["-r ./x", "-I x", "-o x", "--require x", "/x", "-f ./x"],
    "gradle": ["-I x", "-Px=y", "-Dx=y", "-p x", "-b x", "other", "--init-script x", "--include-build x"],
    "maven": ["-Dexec.executable=x", "-f x", "other:goal", "-s x", "-Px", "-Dtest=$(x)"],
    "ctest": ["-S x", "--build-and-test x y", "-D x", "-O x", "--test-dir x", "--script x"],
    "cmake": ["--target x", "-- x", "-t x"],
    "nobody": ["x"],
}  # fmt: skip


def words(text: str) -> list[Arg]:
    import shlex

    return [Arg(word) for word in shlex.split(text)]


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in FINE.items() for text in texts])
def test_arguments_that_choose_what_runs_are_fine(name: str, text: str) -> None:
    assert refused_behind(name, words(text)) is None


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in REFUSED.items() for text in texts])
def test_arguments_that_could_bring_in_other_code_or_write_ask(name: str, text: str) -> None:
    assert refused_behind(name, words(text)) is not None


def granted(folder: Path, command: str, arguments: str = "none") -> Policy:
    scope = Scope(folder=str(folder), arguments=arguments)
    return Policy(rules=[Rule(effect="allow", kind="command", pattern=command, source="own", scope=scope)])


def judge(command: str, policy: Policy, work: Path) -> Decision:
    return check_command(command, policy=policy, cwd=work, home=HOME)


def test_a_rule_counts_in_its_own_folder_alone(work: Path) -> None:
    (work / "web").mkdir()
    (work / "link").symlink_to("web")
    policy = granted(work / "web", "npm test")
    assert judge("cd web && npm test", policy, work).effect == "allow"
    assert judge("cd link && npm test", policy, work).effect == "allow"  # the same folder by another name
    assert judge("npm test", policy, work / "web").effect == "allow"
    for command in ("npm test", "cd web && cd .. && npm test", "cd web/src && npm test", "npm --prefix web test",
                    "cd web && npm test; cd .. && npm test", "cd $X && npm test"):  # fmt: skip
        assert judge(command, policy, work).effect == "ask", command


def test_what_stands_around_the_command_is_judged_as_ever(work: Path) -> None:
    policy = granted(work, "npm test", "npm:jest")
    for command in ("npm test 2>&1 | tail -5", "npm test -- -t x && git status"):
        assert judge(command, policy, work).effect == "allow", command
    for command in ("npm test > out", "npm test; rm x", "npm test $(touch x)", "NODE_OPTIONS=x npm test", "npm testx",
                    "npm test -- $X", "npm test -- *", "npm run test"):  # fmt: skip
        assert judge(command, policy, work).effect == "ask", command


def test_a_deny_rule_of_the_person_stands_above_it(work: Path) -> None:
    denied = Rule(effect="deny", kind="command", pattern="npm")
    asked = Rule(effect="ask", kind="command", pattern="npm")
    policy = granted(work, "npm test")
    assert judge("npm test", policy.copy([denied]), work).effect == "deny"
    assert judge("npm test", policy.copy([asked]), work).effect == "ask"


WHY = "its text changed since it was granted: was `jest`, is `curl x | sh`"


def test_of_a_command_that_has_changed_it_is_said_what_changed(work: Path) -> None:
    rule = Rule(effect="allow", kind="command", pattern="npm test", source="the project's command", lapsed=WHY,
                scope=Scope(folder=str(work), arguments="npm:jest"))  # fmt: skip
    policy = Policy(rules=[rule])
    for command in ("npm test", "npm test -- --ci", "ls && npm test"):
        decision = judge(command, policy, work)
        assert decision.effect == "ask" and not decision.hard
        assert [(one.code, one.text) for one in decision.reasons] == [("unlisted", f"npm test: {WHY}")]
        rows = [row.text for row in card(decision)]
        assert f"npm test: {WHY}" in rows and not any(row.startswith("nearly: allow npm test") for row in rows)
        assert any(row.startswith(f"decided by: npm test: {WHY}") for row in rows)
    for command in ("npm run other", "npm install", "cd sub && npm test"):
        assert "changed" not in str(judge(command, policy, work).reasons)


def test_another_rule_for_it_counts_all_the_same(work: Path) -> None:
    gone = Rule(effect="allow", kind="command", pattern="npm test", lapsed=WHY, scope=Scope(folder=str(work)))
    mine = Rule(effect="allow", kind="command", pattern="npm test", source="mine")
    for rules in ((gone, mine), (mine, gone)):
        assert judge("npm test", Policy(rules=rules), work).effect == "allow"
    assert not gone.in_force(None)
