"""Policy files: what their keys mean, and that a mistake names itself, its place and what was meant."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime

import pytest

from tests.policy.judging import judge
from xun.policy.decision import rule_lines
from xun.policy.file import PolicyFile, missing, read_policy
from xun.policy.rules import Policy, Rule, Settings


def read(text: str) -> PolicyFile:
    """The file `f`, with the path of each key in place of its line."""
    return read_policy(tomllib.loads(text), lambda path: "f:" + ".".join(map(str, path)), "/home/me")


def rule(body: str) -> str:
    return f"[[rule]]\n{body}\n"


def test_every_key_of_a_rule() -> None:
    file = read("""
        [[rule]]
        effect = "allow"
        command = "npm test"
        match = ["npm test", "npm test -- --ci", "ls && npm test"]
        not_match = ["npm testx", "npm test; rm x", "npm", "env X=1 npm test"]
        [[rule]]
        effect = "deny"
        read = "**/.env*"
        reason = "secrets stay out of the conversation"
        match = [".env", "a/b/.env.local"]
        not_match = ["env", "a/env.py"]
        [[rule]]
        effect = "ask"
        tool = "web_*"
        until = 2027-01-31T18:00:00Z
        match = ["web_search"]
        [[rule]]
        effect = "allow"
        host = "*.Example.org"
        match = ["docs.example.org", "DOCS.EXAMPLE.ORG"]
        not_match = ["example.org", "example.org.evil.test"]
        [[rule]]
        effect = "allow"
        write = "~/notes/"
        [settings]
        risk = "off"
        newlines = "split"
    """)
    assert file.mistakes == ()
    assert [(r.effect, r.kind, r.pattern, r.source) for r in file.rules] == [
        ("allow", "command", "npm test", "f:rule.0"),
        ("deny", "read", "**/.env*", "f:rule.1"),
        ("ask", "tool", "web_*", "f:rule.2"),
        ("allow", "host", "*.Example.org", "f:rule.3"),
        ("allow", "write", "/home/me/notes", "f:rule.4"),
    ]
    assert file.rules[1].reason == "secrets stay out of the conversation"
    assert file.rules[2].until == datetime(2027, 1, 31, 18, tzinfo=UTC)
    assert file.settings == Settings(risk="off", newlines="split")
    decision = judge("npm test", Policy(rules=file.rules))
    assert (decision.effect, decision.rule) == ("allow", "f:rule.0")


def test_an_empty_file_says_nothing() -> None:
    assert read("") == read("[settings]\n") == PolicyFile()


MISTAKES = {
    'newlines = "split"': ("f:newlines: newlines does not stand here; it stands below [settings]",),
    'effect = "allow"': ("f:effect: effect does not stand here; it stands below [[rule]]",),
    'mode = "plan"': ("f:mode: mode does not stand here; it stands in config.toml",),
    '[settings]\ncommand = "ls"': ("f:settings.command: command does not stand here; it stands below [[rule]]",),
    "rules = 1": ('f:rules: unknown key "rules"; did you mean rule?',),
    "[rule]\neffect = 'allow'": ("f:rule: rules are written as [[rule]], each with its keys below it",),
    "settings = 1": ("f:settings: settings must be a table: write [settings] and its keys below it",),
    rule('effect = "allow"\ncomand = "ls"'): ('f:rule.0.comand: unknown key "comand"; did you mean command?',),
    rule('effect = "alow"\ncommand = "ls"'): ('f:rule.0.effect: effect is "alow"; it must be one of allow, ask, deny',),
    rule('command = "ls"'): ("f:rule.0.effect: effect is missing; it must be one of allow, ask, deny",),
    rule("effect = true\ntool = 'x'"): ("f:rule.0.effect: effect is true; it must be one of allow, ask, deny",),
    rule('effect = "allow"'): (
        "f:rule.0: the rule does not say what it is about; give exactly one of command, write, read, tool, host",
    ),
    rule('effect = "allow"\nread = "a"\nwrite = "a"'): (
        "f:rule.0: the rule has write and read; give exactly one of command, write, read, tool, host",
    ),
    rule('effect = "ask"\ncommand = " "'): (
        'f:rule.0.command: command must be text in quotes, and not empty; it is " "',
    ),
    rule('effect = "ask"\ncommand = ["ls"]'): (
        "f:rule.0.command: command must be text in quotes, and not empty; it is ['ls']",
    ),
    rule('effect = "deny"\ntool = "x"\nreason = 1'): (
        "f:rule.0.reason: reason must be text in quotes, and not empty; it is 1",
    ),
    rule('effect = "deny"\ntool = "x"\nuntil = "2027-01-01"'): (
        "f:rule.0.until: until must be a time with its zone, without quotes: 2027-01-31T18:00:00Z",
    ),
    rule('effect = "deny"\ntool = "x"\nuntil = 2027-01-01T00:00:00'): (
        "f:rule.0.until: until must be a time with its zone, without quotes: 2027-01-31T18:00:00Z",
    ),
    rule('effect = "deny"\ntool = "x"\nmatch = "x"'): (
        'f:rule.0.match: match must be a list of examples, each in quotes: match = ["…"]',
    ),
    rule('effect = "allow"\nread = "~root/x"'): ('f:rule.0.read: "~root/x": only ~/ is known, your own home folder',),
    rule('effect = "allow"\nread = "../*"'): (
        'f:rule.0.read: "../*" would never match: a pattern cannot go up with ..',
    ),
    rule('effect = "allow"\ncommand = "sudo ls"'): (
        "f:rule.0.command: 'sudo ls' cannot be allowed: sudo runs commands with other rights",
    ),
    rule('effect = "ask"\ncommand = "ls; pwd"'): (
        "f:rule.0.command: the prefix 'ls; pwd' would never match: commands are judged one by one, so give one",
    ),
    "[settings]\nrsik = 'on'": ('f:settings.rsik: unknown key "rsik"; did you mean risk?',),
    "[settings]\nrisk = 'maybe'": ('f:settings.risk: risk must be "on" or "off"; it is "maybe"',),
    "[settings]\nauto_allow_sandboxed = 'yes'": (
        'f:settings.auto_allow_sandboxed: auto_allow_sandboxed must be true or false; it is "yes"',
    ),
    "[settings]\nloops = 'outer'": ('f:settings.loops: loops must be "ask" or "inner"; it is "outer"',),
    rule('effect = "alow"\ntool = "x"') + rule('effect = "deny"') + "[settings]\nx = 1\n": (
        'f:rule.0.effect: effect is "alow"; it must be one of allow, ask, deny',
        "f:rule.1: the rule does not say what it is about; give exactly one of command, write, read, tool, host",
        'f:settings.x: unknown key "x"; known are newlines, substitution, loops, wrappers, risk, sandbox, auto_allow_sandboxed, tools',
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_says_where_it_is_and_what_is_known(text: str) -> None:
    assert read(text).mistakes == MISTAKES[text]


EXAMPLES = {
    # effect, kind, pattern: examples that it is about, and others
    ("allow", "command", "npm test"): (
        ["npm test", "npm test --watch", "npm test && ls"],
        ["npm tests", "npm", "npm test | sh", "npm test > out", "$(npm test)", "sudo npm test", "NODE=1 npm test", ""],
    ),
    ("allow", "command", "git log"): (["git log -p", "git log --oneline src"], ["git log --output=x", "git -c a=b log"]),
    ("allow", "command", "cat"): (["cat a.txt", "cat a | wc -l"], ["cat .env", "ls"]),
    ("deny", "command", "git push"): (
        ["git push", "git -C x push", "ls; git push --force", "env git push", "xargs git push"],
        ["git pull", "echo git push", "git pushx"],
    ),
    ("ask", "command", "rm"): (["rm x", "ls && rm -rf x", "sudo rm x"], ["rmdir x", "ls"]),
    ("allow", "write", "src/"): (["src/a.py", "src", "src/../src/b"], ["srcs/a.py", "src/../a", "/src/a", "../src/a"]),
    ("deny", "read", "**/*.pem"): (["a.pem", "x/y.pem", "/etc/z.pem"], ["a.pem.txt", "pem"]),
    ("ask", "tool", "mcp_*"): (["mcp_x"], ["xmcp_", "mcp"]),
    ("deny", "host", "*.internal"): (["a.internal", "A.INTERNAL"], ["internal", "a.internal.example"]),
}  # fmt: skip


@pytest.mark.parametrize("head", EXAMPLES, ids=" ".join)
def test_examples_are_checked_both_ways(head: tuple[str, str, str]) -> None:
    effect, kind, pattern = head
    yes, no = EXAMPLES[head]
    start = f'[[rule]]\neffect = "{effect}"\n{kind} = "{pattern}"\n'
    assert read(f"{start}match = {yes}\nnot_match = {no}\n").mistakes == ()
    for example in yes:
        [mistake] = read(f"{start}not_match = [{example!r}]\n").mistakes
        assert mistake.startswith(f'f:rule.0.not_match: not_match: "{example}" is covered by this rule')
    for example in no:
        [mistake] = read(f"{start}match = [{example!r}]\n").mistakes
        assert mistake.startswith(f'f:rule.0.match: match: "{example}" is not covered by this rule')


def test_an_example_of_a_rule_with_an_end_is_judged_as_if_it_were_in_force() -> None:
    text = rule('effect = "deny"\ncommand = "rm"\nuntil = 2001-01-01T00:00:00Z\nmatch = ["rm x"]\nnot_match = ["ls"]')
    assert read(text).mistakes == ()


def allow(kind: str, pattern: str, **more: object) -> Rule:
    return Rule.model_validate({"effect": "allow", "kind": kind, "pattern": pattern, **more})


COVERED = [
    (("command", "npm"), ("command", "npm test"), True),
    (("command", "npm test"), ("command", "npm"), False),
    (("command", "npm test"), ("command", "npm  'test'"), True),
    (("write", "/a"), ("write", "/a/b.txt"), True),
    (("write", "/a"), ("write", "/ab"), False),
    (("write", "/a"), ("write", "/a/[[]id]"), True),
    (("write", "/a/*.py"), ("write", "/a/x.py"), True),
    (("write", "a"), ("write", "/w/a"), False),
    (("read", "/a"), ("write", "/a"), False),
    (("host", "*.example"), ("host", "a.example"), True),
    (("host", "a.example"), ("host", "*.example"), False),
    (("tool", "web_*"), ("tool", "web_search"), True),
]


@pytest.mark.parametrize(("wide", "new", "covered"), COVERED)
def test_what_a_rule_covers_already_is_not_added(wide: tuple[str, str], new: tuple[str, str], covered: bool) -> None:
    assert missing([allow(*new)], [allow(*wide)]) == (() if covered else (allow(*new),))
    assert missing([allow(*wide), allow(*new)], []) == ((allow(*wide),) if covered else (allow(*wide), allow(*new)))


def test_a_rule_that_ends_or_denies_covers_nothing_lasting() -> None:
    new = allow("command", "npm test")
    ending = allow("command", "npm", until=datetime(2030, 1, 1, tzinfo=UTC))
    deny = allow("command", "npm").model_copy(update={"effect": "deny"})
    assert missing([new], [ending, deny]) == (new,)


@pytest.mark.parametrize(
    "text", ["npm test", 'echo "a b"', "a\\b", "é\u2028\x7f\x01", "'", '"""', "# x", "[a]", "\U0001f600"]
)
def test_any_text_survives_in_a_rule(text: str) -> None:
    data = tomllib.loads("\n".join(rule_lines("allow", "tool", text)))
    assert data == {"rule": [{"effect": "allow", "tool": text}]}
