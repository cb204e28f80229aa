"""The decision card: every part with its verdict, the rules that nearly matched, and the reason that decided."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.policy.judging import judge, rule
from xun.policy.card import Row, card, headline
from xun.policy.decision import Assessment, Decision
from xun.policy.judge.near import near_hosts, near_paths
from xun.policy.rules import Policy, Rule, Settings
from xun.policy.script.outline import Standing, outline


def parts(command: str, policy: Policy | None = None) -> list[tuple[int, str, str]]:
    rows = card(judge(command, policy))
    return [(row.depth, row.verdict, row.text) for row in rows if row.kind == "part"]


def texts(decision: Decision, kind: str) -> list[str]:
    return [row.text for row in card(decision) if row.kind == kind]


def test_each_part_stands_where_it_stands_in_the_command() -> None:
    assert parts("git status && (cd src; rm -rf y | tee z) 2>/dev/null || ls") == [
        (0, "allow", "git status"),
        (1, "allow", "&& (cd src"),
        (1, "ask", "; rm -rf y"),
        (1, "ask", "| tee z"),
        (0, "allow", "|| ls"),
    ]


def test_parts_of_an_unclear_text_are_shown_as_deep_as_they_stand() -> None:
    assert parts("echo $(git status | wc -l)") == [
        (0, "ask", "echo $(git status | wc -l)"),
        (1, "allow", "git status"),
        (1, "allow", "| wc -l"),
    ]


def test_places_that_cannot_be_told_are_shown_flat() -> None:
    assert outline("ls && pwd", 3) == [Standing()] * 3


def test_newlines_that_are_split_join_as_semicolons_do() -> None:
    policy = Policy(settings=Settings(newlines="split"))
    assert parts("ls\npwd", policy) == [(0, "allow", "ls"), (0, "allow", "; pwd")]


def test_a_rule_is_shown_with_the_place_it_lives_in() -> None:
    own = Rule(effect="allow", kind="command", pattern="npm test", source="policy.toml:12")
    decision = judge("npm test -- --ci", Policy(rules=[own]))
    assert (decision.rule, decision.pattern) == ("policy.toml:12", "npm test")
    assert "allowed by npm test (policy.toml:12)" in texts(decision, "note")


@pytest.mark.parametrize(
    ("command", "pattern", "why"),
    [
        ("npm run lint", "npm run test", "its word 3 is 'test', here it is 'lint'"),
        ("npm", "npm test", "its word 2 is 'test', here the command ends"),
        ("npm t*", "npm test", "its word 2 is 'test', here it is 't*'"),
        ("./npm test", "npm test", "the program is called as ./npm, which may be another one than npm"),
        ("git diff --output=x", "git diff", "it does not cover the rest: the option --output is not known to be"),
    ],
)
def test_a_rule_that_nearly_matched_says_why_it_did_not(command: str, pattern: str, why: str) -> None:
    decision = judge(
        command, Policy(rules=[rule("allow", "command", "npm test"), rule("allow", "command", "npm run test")])
    )
    assert decision.effect == "ask"
    found = {near.pattern: near.why for near in decision.segments[0].near}
    assert found[pattern].startswith(why)


def test_the_nearest_rule_comes_first_and_an_ended_one_says_so() -> None:
    ended = Rule(
        effect="allow", kind="command", pattern="npm run lint", source="policy.toml:3",
        until=datetime(2020, 1, 2, 3, 4, tzinfo=UTC),
    )  # fmt: skip
    used = Rule(effect="allow", kind="command", pattern="npm run", source="policy.toml:9", uses=0)
    far = rule("allow", "command", "npm ci")
    near = judge("npm run lint", Policy(rules=[far, used, ended])).segments[0].near
    assert [(one.pattern, one.why) for one in near[:2]] == [
        ("npm run lint", "it ended at 2020-01-02 03:04 UTC"),
        ("npm run", "it is used up"),
    ]


def test_a_cause_that_stands_above_and_a_rule_that_stood_there_are_not_told_again() -> None:
    rules = [Rule(effect="allow", kind="command", pattern="git push", source=f"policy.toml:{line}") for line in (3, 7)]
    one, two = (f"allow git push (policy.toml:{line})" for line in (3, 7))
    assert texts(judge("git push --force", Policy(rules=rules[:1])), "near") == [
        f"nearly: {one}, which does not cover that"
    ]
    assert texts(judge("git push --force", Policy(rules=rules)), "near") == [
        f"nearly: {one}, {two}, which do not cover that"
    ]
    ended = [one.model_copy(update={"until": datetime(2020, 1, 2, 3, 4, tzinfo=UTC)}) for one in rules]
    told = f"nearly: {one}, {two}, but it ended at 2020-01-02 03:04 UTC"
    assert texts(judge("git push && git push", Policy(rules=ended)), "near") == [told]


def test_a_part_that_is_allowed_has_no_near_rules_and_other_programs_none_either() -> None:
    assert judge("ls").segments[0].near == ()
    assert judge("frobnicate", Policy(rules=[rule("allow", "command", "npm test")])).segments[0].near == ()


def test_paths_and_hosts_have_near_rules_too() -> None:
    rules = [rule("allow", "write", "docs"), rule("allow", "write", "src/gen"), rule("deny", "write", "src")]
    near = near_paths("write", "/w/src/main.py", rules, None)
    assert [one.pattern for one in near] == ["src/gen", "docs"]
    assert near[0].why == "it does not cover /w/src/main.py"
    hosts = [rule("allow", "host", "api.example.com"), rule("allow", "host", "example.org")]
    assert [one.pattern for one in near_hosts("www.example.com", hosts, None)] == ["api.example.com"]


def test_the_reason_that_decided_is_the_strictest_one_and_names_its_part() -> None:
    decision = judge("npm ci && sudo ls")
    assert decision.deciding is not None and decision.deciding.code == "privilege"
    last = [row for row in card(decision) if row.text.startswith("decided by")]
    assert last == [
        Row("note", "decided by: sudo acts with other rights, in sudo ls, which only a person settles", 0, "ask")
    ]


def test_a_denied_command_names_the_rule_that_denied_it_before_anything_else() -> None:
    policy = Policy(
        rules=[Rule(effect="deny", kind="command", pattern="git push", reason="by hand", source="p.toml:4")]
    )
    decision = judge("npm ci; git push", policy)
    assert decision.effect == "deny"
    assert decision.deciding is not None and decision.deciding.rule == "p.toml:4"
    assert "decided by: by hand, in git push" in texts(decision, "note")


def test_every_reason_is_shown_once_and_those_of_the_whole_apart() -> None:
    decision = judge("echo a > ../x; ls /nonexistent/other")
    shown = texts(decision, "reason")
    assert len(shown) == len(decision.reasons)
    rows = card(decision)
    whole = rows.index(Row("note", "of the whole:"))
    assert any(row.kind == "reason" and row.verdict == "hard" for row in rows[whole:])


def test_the_assessor_and_what_always_would_save_are_on_the_card() -> None:
    rows = card(judge("npm ci"), Assessment(verdict="unsure", reason="it installs packages"))
    notes = [row.text for row in rows if row.kind == "note"]
    assert "always would allow: command npm ci" in notes
    assert "the risk assessor: unsure (it installs packages)" in notes


@pytest.mark.parametrize(
    ("command", "by", "allowed", "line"),
    [
        ("ls", "rule", True, "#4 · bash · allowed by the rules"),
        ("npm ci", "person", False, "#4 · bash · asked; you said no"),
        ("npm ci", "risk", True, "#4 · bash · asked; the risk assessor said yes"),
        ("ls", "person", False, "#4 · bash · allowed by the rules, held back with the rest of the call; you said no"),
    ],
)
def test_the_headline_says_who_settled_it(command: str, by: str, allowed: bool, line: str) -> None:
    assert headline(judge(command), number=4, tool="bash", by=by, allowed=allowed) == line
