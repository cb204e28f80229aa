"""A project's policy file stays below the person's: it may forbid as it likes, and allow what is its own."""

from __future__ import annotations

import tomllib

import pytest

from tests.policy.judging import effect
from xun.policy.action import Write
from xun.policy.decide import decide
from xun.policy.facts import Facts, PathFact
from xun.policy.file import PolicyFile, read_policy
from xun.policy.project import below_the_person
from xun.policy.rules import Policy, Rule, Settings

FOLDER = "/w/[odd] name"


def project(text: str, folder: str = FOLDER) -> PolicyFile:
    found = read_policy(tomllib.loads(text), lambda key: f"p:{'.'.join(map(str, key))}", "/home/me")
    assert found.mistakes == ()
    return below_the_person(found, folder)


def test_deny_and_ask_rules_all_count_wherever_they_reach() -> None:
    text = """
        [[rule]]
        effect = "deny"
        read = "/srv/**"
        [[rule]]
        effect = "ask"
        command = "git push"
        [[rule]]
        effect = "deny"
        write = "**/*.lock"
    """
    file = project(text)
    assert [rule.pattern for rule in file.rules] == ["/srv/**", "git push", "**/*.lock"]
    assert file.ignored == ()


def test_no_rule_of_a_project_lifts_one_of_the_person() -> None:
    file = project('[[rule]]\neffect = "allow"\ncommand = "make test"\n[[rule]]\neffect = "deny"\ncommand = "git log"')
    denied = Rule(effect="deny", kind="command", pattern="make", source="mine")
    asked = Rule(effect="ask", kind="command", pattern="make test", source="mine")
    allowed = Rule(effect="allow", kind="command", pattern="git log", source="mine")
    for order in ((*file.rules, denied), (denied, *file.rules)):
        assert effect("make test", Policy(rules=order)) == "deny"
    assert effect("make test", Policy(rules=(*file.rules, asked))) == "ask"
    assert effect("make test", Policy(rules=file.rules)) == "allow"
    assert effect("git log", Policy(rules=(allowed, *file.rules))) == "deny"


@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("pattern", ["/etc", "~/notes", "../other", "/w/[odd] names", FOLDER, "/w/o name/src"])
def test_an_allow_rule_for_paths_elsewhere_is_ignored_and_named(kind: str, pattern: str) -> None:
    file = project(f'[[rule]]\neffect = "allow"\n{kind} = "{pattern}"')
    assert file.rules == ()
    [line] = file.ignored
    assert line.startswith("p:rule.0: allow ") and "outside its own folder" in line


@pytest.mark.parametrize("pattern", ["src", "src/", "*.md", "**/*.md", ".", "/w/[[]odd] name/src"])
def test_other_allow_rules_for_paths_count_in_the_project_alone(pattern: str) -> None:
    [rule] = project(f'[[rule]]\neffect = "allow"\nwrite = "{pattern}"').rules
    policy = Policy(rules=[rule])
    inside, outside = f"{FOLDER}/src/a.md", "/other/src/a.md"
    if pattern == "*.md":
        inside = f"{FOLDER}/a.md"
    for path, expected in ((inside, "allow"), (outside, "ask")):
        facts = Facts(
            roots=(FOLDER, "/other"), home="/home/me", paths={path: PathFact(real=path, kind="file", links=1)}
        )
        assert decide(Write(path=path, op="overwrite"), facts, policy).effect == expected, rule.pattern


LOOSENING = {
    "newlines": '"split"', "wrappers": '"inner"', "substitution": '"inner"', "loops": '"inner"', "sandbox": '"off"',
    "auto_allow_sandboxed": "true",
}  # fmt: skip


@pytest.mark.parametrize("name", LOOSENING)
def test_a_setting_that_loosens_is_ignored_with_its_line(name: str) -> None:
    file = project(f"[settings]\n{name} = {LOOSENING[name]}")
    assert file.settings == Settings() and file.settings.model_fields_set == set()
    [line] = file.ignored
    assert line.startswith(f"p:settings.{name}: {name} = {LOOSENING[name]} is ignored: a project cannot loosen")


def test_every_setting_has_its_strict_values_named() -> None:
    from xun.policy.project import _STRICT

    assert set(_STRICT) == set(Settings.model_fields)
    assert all(info.default in _STRICT[name] for name, info in Settings.model_fields.items())


@pytest.mark.parametrize("flag", ["sandbox = false", "network = true"])
def test_a_project_lets_no_command_out_of_the_sandbox(flag: str) -> None:
    file = project(f'[[rule]]\neffect = "allow"\ncommand = "make test"\n{flag}')
    [rule] = file.rules
    assert (rule.sandbox, rule.network) == (True, False)
    [line] = file.ignored
    assert line.startswith(f"p:rule.0: {flag} is ignored")


def test_a_setting_that_tightens_counts() -> None:
    file = project('[settings]\nrisk = "off"\nnewlines = "ask"')
    assert (file.settings.risk, file.ignored) == ("off", ())
