"""The rules that nearly settled an action, and why they did not: what a person looks for who thought it was allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from xun.policy.decision import NOT_THE_REST, Near, RuleKind
from xun.policy.entries import PolicyError, words_of
from xun.policy.judge.prefixes import plain_words
from xun.policy.reach.needs import Command
from xun.policy.rules import DEFAULT_SOURCE, Policy, Rule
from xun.policy.tables.programs import base_name

MAX_NEAR = 3


def near_commands(
    command: Command, policy: Policy, grants: Sequence[Rule], refused: Mapping[Rule, str], now: datetime | None
) -> tuple[Near, ...]:
    """The allow rules that come nearest to `command`, the nearest first, at most `MAX_NEAR`.

    `refused` holds those that match its first words, with what they do not cover.
    """
    found = [(len(rule.pattern), _near(rule, f"{NOT_THE_REST}{why}")) for rule, why in refused.items()]
    found.sort(key=lambda one: -one[0])
    if len(found) < MAX_NEAR:
        names = dict.fromkeys((command.segment.argv[0], base_name(command.segment.argv[0])))
        rules = (*grants, *(rule for name in names for rule in policy.allowing(name)))
        views = tuple(dict.fromkeys((command.segment.argv, plain_words(command.program, command.segment.args))))
        shared = ((_shares(rule, views), rule) for rule in rules)
        # Of the default list, what only has the program in common says nothing.
        telling = (one for one in shared if one[0] > (1 if one[1].source == DEFAULT_SOURCE else 0))
        # What has become of a rule is a reason by itself.
        missed = [one for one in dict.fromkeys(telling) if one[1] not in refused and one[1].lapsed is None]
        missed.sort(key=lambda one: -one[0])
        found += [(agree, _missed(rule, views, now)) for agree, rule in missed[: MAX_NEAR - len(found)]]
    return tuple(one for _, one in found[:MAX_NEAR])


def near_paths(kind: RuleKind, path: str, rules: Iterable[Rule], now: datetime | None) -> tuple[Near, ...]:
    """The allow rules on `kind` that did not cover the resolved `path`, those with most of it first."""
    found = [
        (_shared(rule.pattern, path), _near(rule, _ended(rule, now) or f"it does not cover {path}"))
        for rule in rules
        if rule.kind == kind and rule.effect == "allow"
    ]
    found.sort(key=lambda one: -one[0])
    return tuple(one for _, one in found[:MAX_NEAR])


def near_hosts(host: str, rules: Iterable[Rule], now: datetime | None) -> tuple[Near, ...]:
    """The allow rules on other hosts of the same domain."""
    found = [
        _near(rule, _ended(rule, now) or f"{host} is another host")
        for rule in rules
        if rule.kind == "host" and rule.effect == "allow" and _domain(rule.pattern) == _domain(host)
    ]
    return tuple(found[:MAX_NEAR])


def _near(rule: Rule, why: str) -> Near:
    return Near(effect=rule.effect, kind=rule.kind, pattern=rule.pattern, rule=rule.source, why=why)


def _ended(rule: Rule, now: datetime | None) -> str | None:
    if rule.in_force(now):
        return None
    if rule.uses is not None and rule.uses <= 0:
        return "it is used up"
    return f"it ended at {rule.until:%Y-%m-%d %H:%M %Z}".rstrip()


def _shares(rule: Rule, views: Sequence[Sequence[str]]) -> int:
    """How many first words a rule has in common with a command, as written or without what stands between its names;
    0 where it is about another program or no prefix."""
    try:
        words = words_of(rule.pattern)
    except PolicyError:
        return 0
    seen = views[0]
    if words[0] == seen[0]:
        return max([_agreeing(words, view) for view in views])
    return _agreeing(words[1:], seen[1:]) + 1 if base_name(words[0]) == base_name(seen[0]) else 0


def _missed(rule: Rule, views: Sequence[Sequence[str]], now: datetime | None) -> Near:
    """Where a rule that shares words with a command parts from it."""
    words, seen = words_of(rule.pattern), views[0]
    if words[0] != seen[0]:
        return _near(rule, f"the program is called as {seen[0]}, which may be another one than {words[0]}")
    if ended := _ended(rule, now):
        return _near(rule, ended)
    agree = max([_agreeing(words, view) for view in views])
    if agree == len(words):
        return _near(rule, "a pattern or variable stands where it names a word")
    shown = next(view for view in views if _agreeing(words, view) == agree)
    has = f"here it is {shown[agree]!r}" if agree < len(shown) else "here the command ends"
    return _near(rule, f"its word {agree + 1} is {words[agree]!r}, {has}")


def _agreeing(words: Sequence[str], seen: Sequence[str]) -> int:
    for at, (one, other) in enumerate(zip(words, seen, strict=False)):
        if one != other:
            return at
    return min(len(words), len(seen))


def _shared(pattern: str, path: str) -> int:
    """How many of the names in a pattern, relative or not, the path has as well."""
    parts = [part for part in pattern.split("/") if part]
    return sum(1 for part in parts if part in path.split("/"))


def _domain(host: str) -> list[str]:
    return host.lower().rsplit(".", 2)[-2:]
