"""Rules, policies and both allowlists: what they take, what they refuse, and that they are an agent's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.policy.judging import effect, rule
from xun.policy.lists import Allowlists
from xun.policy.paths import matches
from xun.policy.rules import Policy, PolicyError, Rule
from xun.run_policy import policy_of_flags

TOO_MUCH = [
    "git", "git -C x", "bash", "sh", "env", "sudo", "sudo ls", "xargs", "xargs rm", "python", "python3", "python3.11",
    "python -c", "python -m", ".venv/bin/python", "/bin/bash", "node -e", "perl -e", "bash -c", "timeout 5", "nohup",
    "eval", "source", "exec", "command", "npx", "ssh", "find . -exec", "awk", "time", "doas", "env FOO=1 npm test",
    "bash -o pipefail", "bash --rcfile x", "bash -O extglob", "python -W ignore", "python -X dev", "node -r ./x",
    "perl -I lib", "ruby -I lib", "awk -f prog", "awk -v x=1", "python -u", "python -u -m", "bash -x",
]  # fmt: skip
NEVER = [
    "ls; pwd",
    "ls | cat",
    "ls > x",
    "ls &",
    "ls $x",
    "X=1 ls",
    "ls *",
    "ls '",
    "",
    "  ",
    "a\nb",
    "$(ls)",
    "(ls)",
    "l\u200bs",
]


@pytest.mark.parametrize("entry", TOO_MUCH)
def test_entries_that_would_allow_anything_are_refused(entry: str) -> None:
    with pytest.raises(PolicyError, match=r"cannot be allowed|would never match") as caught:
        Policy(commands=[entry])
    assert "\n" not in str(caught.value)
    with pytest.raises(PolicyError):
        Allowlists().add_command(entry)


@pytest.mark.parametrize("entry", NEVER)
def test_entries_that_never_match_are_refused(entry: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Allowlists().add_command(entry)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "entry",
    ["ls", "git status", "npm test", "python -m pytest", "python manage.py", "bash x.sh", "find src", "command -v"],
)
def test_other_entries_are_taken(entry: str) -> None:
    assert Allowlists([entry]).commands == [entry]
    assert effect(entry + " x", Policy(commands=[entry])) in ("allow", "ask")


@pytest.mark.spec("X-POL-01", "X-POL-02", "X-PRM-08")
def test_lists_are_edited_and_private(work: Path) -> None:
    one, other = Allowlists(), Allowlists()
    one.add_command('git commit -m "a b"')
    one.add_command("git commit -m 'a b'")
    assert one.commands == ['git commit -m "a b"'] and other.commands == []
    policy = Policy().copy(extra=one.rules())
    assert effect("git commit -m 'a b'", policy) == "allow"
    assert effect("git commit -m a b", policy) == "ask"
    assert one.remove_command("git commit -m 'a b'") and not one.remove_command("git commit -m x")
    assert one.rules() == ()
    (work / "real").mkdir()
    (work / "link").symlink_to("real")
    assert one.add_path("link/", work) == str(work / "real")
    assert one.write_paths == [str(work / "real")]
    assert [r.kind for r in one.copy().rules()] == ["write"]
    assert one.remove_path("real", work) and not one.remove_path("real", work)


TOO_WIDE = ["", " ", "/", "//", "/.", "/usr/..", "..", "../", "../..", "./..", "src/../..", "../.."]
ANY_FILE = ["*", "**", "/*", "/**", "**/*", "/*/**", "/?*"]


@pytest.mark.parametrize("path", TOO_WIDE)
def test_a_write_path_that_would_allow_nearly_any_is_refused_everywhere(path: str, work: Path) -> None:
    for make in (
        lambda: Policy(write_paths=["src", path]),
        lambda: Policy(rules=[rule("allow", "write", path)]),
        lambda: Policy().copy(extra=[rule("allow", "write", path)]),
        lambda: Allowlists().add_path(path, work),
        lambda: policy_of_flags((), (path,), (), work),
    ):
        with pytest.raises(PolicyError, match=r"write path|empty pattern") as caught:
            make()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["above", "above/x/.."])
def test_a_folder_above_the_workspace_is_refused_by_its_name_too(path: str, tmp_path: Path) -> None:
    work = tmp_path / "above" / "work"
    work.mkdir(parents=True)
    with pytest.raises(PolicyError, match="above the workspace"):
        Allowlists().add_path(tmp_path / path, work)
    with pytest.raises(PolicyError, match="above the workspace"):
        policy_of_flags((), (str(tmp_path / path),), (), work)


@pytest.mark.parametrize("pattern", ANY_FILE)
def test_a_pattern_for_any_file_cannot_allow_writes_and_can_refuse_them(pattern: str) -> None:
    with pytest.raises(PolicyError, match="the whole file system"):
        Policy(rules=[rule("allow", "write", pattern)])
    with pytest.raises(PolicyError, match="the whole file system"):
        Policy(write_paths=[pattern])
    Policy(rules=[rule("deny", "write", pattern), rule("ask", "write", pattern)])


@pytest.mark.parametrize("path", [".", "src/", "../beside", "*.md", "**/*.py", "src/**", "/tmp/x", "[a]", "..x"])
def test_other_write_paths_are_taken(path: str, work: Path) -> None:
    Policy(write_paths=[path], rules=[rule("allow", "write", path)])
    assert Allowlists().add_path(path, work)
    policy_of_flags((), (path,), (), work)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"commands": "git status"}, "commands must be a list of texts, not one text: write ['git status']"),
        ({"write_paths": "src/"}, "write_paths must be a list of texts, not one text: write ['src/']"),
        ({"write_paths": b"src/"}, "write_paths must be a list of texts, not one text: write [b'src/']"),
        ({"commands": 5}, "commands must be a list of texts, not 5"),
        ({"commands": ["ls", 5]}, "commands must be a list of texts, and 5 in it is none"),
        ({"write_paths": [None]}, "write_paths must be a list of texts, and None in it is none"),
        ({"rules": "x"}, "rules must be a list of rules, not one text: write ['x']"),
        ({"rules": ["x"]}, "rules must be a list of rules, and 'x' in it is none"),
        ({"rules": rule("deny", "read", "x")}, "rules must be a list of rules, not one: write ["),
        ({"settings": {"risk": "off"}}, "settings must be a Settings object, not {'risk': 'off'}"),
    ],
)
def test_values_of_the_wrong_kind_are_named(how: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError) as caught:
        Policy(**how)
    assert str(caught.value).startswith(said)
    if "rules" not in how and "settings" not in how:
        with pytest.raises(TypeError):
            Allowlists(**how)


def test_a_path_with_brackets_is_taken_as_it_is(work: Path) -> None:
    lists = Allowlists()
    lists.add_path("app/[id]", work)
    (only,) = lists.rules()
    assert matches(only.pattern, str(work / "app/[id]/page.tsx"), [str(work)])
    assert not matches(only.pattern, str(work / "app/i/page.tsx"), [str(work)])


def test_a_copy_is_independent_and_defaults_can_be_dropped() -> None:
    first = Policy(commands=["npm test"])
    second = first.copy(extra=[rule("deny", "command", "npm")])
    assert effect("npm test", first) == "allow" and effect("npm test", second) == "deny"
    assert len(second.rules) == len(first.rules) + 1
    assert Policy(defaults=False).rules == ()
    assert {r.source for r in Policy().rules} == {"default list"}


def test_rules_are_strict_data() -> None:
    with pytest.raises(ValidationError):
        Rule.model_validate({"effect": "allow", "kind": "command", "pattern": "ls", "comand": "x"})
    with pytest.raises(ValidationError):
        Rule.model_validate({"effect": "maybe", "kind": "command", "pattern": "ls"})
    with pytest.raises(PolicyError, match="empty pattern"):
        Policy(rules=[rule("deny", "tool", " ")])
    assert Rule.model_validate_json(rule("deny", "read", "**/x").model_dump_json()) == rule("deny", "read", "**/x")


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("src", "/w/src", True),
        ("src/", "/w/src/a/b", True),
        ("src", "/w/srcx", False),
        ("src", "/w/a/src", False),
        ("/w", "/w/x", True),
        ("/w/proj", "/w/proj-evil/x", False),
        ("**/.env*", "/w/.env", True),
        ("**/.env*", "/w/a/b/.env.local", True),
        ("**/.env*", "/w/env", False),
        ("*.py", "/w/a.py", True),
        ("*.py", "/w/a/b.py", False),
        ("src/**/x", "/w/src/x", True),
        ("src/**/x", "/w/src/a/b/x", True),
        ("src/*/x", "/w/src/a/b/x", False),
        ("**/node_modules", "/w/a/node_modules/b", True),
        ("[!a]x", "/w/bx", True),
        ("[!a]x", "/w/ax", False),
        (".", "/w/a", True),
        ("**", "/anything", True),
        ("a.b", "/w/aXb", False),
    ],
)
def test_path_patterns(pattern: str, path: str, covered: bool) -> None:
    assert matches(pattern, path, ["/w"]) == covered


def test_an_entry_that_changes_the_shell_holds_alone() -> None:
    policy = Policy(commands=["pushd", "umask", "alias", "hash"])
    assert effect("pushd src", policy) == "allow"
    for command in (
        "pushd / && cat etc/passwd",
        "umask 0; ls",
        "alias ls=rm; ls x",
        "hash -p ./x ls; ls",
        "ls; pushd x",
    ):
        assert effect(command, policy) == "ask", command


def test_a_policy_without_a_rule_is_a_copy_in_which_it_allows_nothing() -> None:
    policy = Policy(commands=["npm test", "make"])
    own, default = (rule for rule in policy.rules if rule.pattern in ("npm test", "cat"))
    less = policy.without(own, default)
    patterns = [rule.pattern for rule in less.rules]
    assert "make" in patterns and "npm test" not in patterns and "cat" not in patterns
    assert len(patterns) == len(policy.rules) - 2
    assert less.allowing("cat") == less.own("command", "allow")
    assert default in policy.allowing("cat") and default not in less.copy(extra=[own]).allowing("cat")
    assert own in less.copy(extra=[own]).rules, "what is added later counts"


@pytest.mark.parametrize("effect_", ["allow", "ask", "deny"])
@pytest.mark.parametrize(
    ("kind", "pattern"),
    [("read", "**/["), ("write", "src/[ab"), ("write", "[]"), ("read", "a\0b"), ("tool", "web_["), ("tool", "web search"),
     ("host", "http://x.example"), ("host", "x.example/path"), ("host", "x.example:443"), ("host", "me@x.example"), ("host", "x.example."),
     ("host", "x y")],
)  # fmt: skip
def test_a_pattern_that_never_matches_is_refused(effect_: str, kind: str, pattern: str) -> None:
    with pytest.raises(PolicyError, match="would never match") as caught:
        Policy(rules=[rule(effect_, kind, pattern)])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "pattern"), [("host", "*"), ("host", "**"), ("host", "*.*"), ("tool", "*"), ("tool", "?*")]
)
def test_a_pattern_for_any_host_or_tool_is_not_allowed_but_may_be_denied(kind: str, pattern: str) -> None:
    with pytest.raises(PolicyError, match="cannot be allowed"):
        Policy(rules=[rule("allow", kind, pattern)])
    assert Policy(rules=[rule("deny", kind, pattern)]).own_rules


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [("host", "*.x.example"), ("host", "X.example"), ("host", "::1"), ("host", "127.0.0.1"), ("tool", "web_*"), ("tool", "mcp__x__*"),
     ("read", "**/[.]env"), ("write", "old [[]1].txt"), ("write", "[]x]"), ("read", "**/*.[!a]")],
)  # fmt: skip
def test_other_patterns_are_taken(kind: str, pattern: str) -> None:
    assert Policy(rules=[rule("allow", kind, pattern)]).own_rules
