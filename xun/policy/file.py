"""A policy file as rules and settings: what its keys mean, and what is wrong with them. It reads and writes no disk.

[[rule]]
effect = "allow"            # allow, ask or deny
command = "npm test"        # or one of write, read, tool, host
match = ["npm test -- --ci"]
not_match = ["npm testx"]
reason = "why"              # shown where it asks or denies
until = 2027-01-31T18:00:00Z

[settings]
risk = "off"
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from glob import escape
from typing import Any, cast, get_args

from pydantic import ValidationError

from xun.policy.decision import Effect, RuleKind, rule_lines
from xun.policy.entries import PolicyError, words_of
from xun.policy.paths import matches
from xun.policy.rules import Policy, Rule, Settings

Path = tuple[str | int, ...]
Place = Callable[[Path], str]
"""Where a key stands, as `FILE:LINE`. The first rule is at ("rule", 0)."""

_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)
_EFFECTS: tuple[Effect, ...] = get_args(Effect)
_FLAGS = ("sandbox", "network")
_KEYS = ("effect", *_KINDS, "match", "not_match", "reason", "until", *_FLAGS)
_TABLES = ("rule", "settings")
_SETTINGS = tuple(Settings.model_fields)
_BELOW = {"below [settings]": _SETTINGS, "below [[rule]]": _KEYS, "in config.toml": ("mode",)}


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """What a policy file says. `mistakes` are lines for the person; a file with any of them is not to be used.

    `places` says where each setting stands, `ignored` what of a project's file does not count, a line each.
    """

    rules: tuple[Rule, ...] = ()
    settings: Settings = field(default_factory=Settings)
    mistakes: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()


class _Mistake(Exception):
    """What is wrong with the key at `path`."""

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(text)
        self.path = path


def read_policy(data: Mapping[str, Any], place: Place, home: str) -> PolicyFile:
    """The rules and settings in `data`, which is a parsed TOML file. `home` is what `~` stands for."""
    mistakes = [f"{place((key,))}: {_unknown(key, _TABLES)}" for key in data if key not in _TABLES]
    rules: list[Rule] = []
    tables = data.get("rule", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        mistakes.append(f"{place(('rule',))}: rules are written as [[rule]], each with its keys below it")
        tables = []
    for index, table in enumerate(tables):
        at: Path = ("rule", index)
        try:
            rules.append(_rule(table, at, place(at), home))
        except _Mistake as mistake:
            mistakes.append(f"{place(mistake.path)}: {mistake}")
    settings = _settings(data.get("settings", {}), place, mistakes)
    places = {name: place(("settings", name)) for name in settings.model_fields_set}
    return PolicyFile(tuple(rules), settings, tuple(mistakes), places)


def _rule(table: Mapping[str, Any], at: Path, source: str, home: str) -> Rule:
    for key in table:
        if key not in _KEYS:
            raise _Mistake((*at, key), _unknown(key, _KEYS))
    effect = table.get("effect")
    if effect not in _EFFECTS:
        given = "is missing" if effect is None else f"is {_shown(effect)}"
        raise _Mistake((*at, "effect"), f"effect {given}; it must be one of {', '.join(_EFFECTS)}")
    kinds = [kind for kind in _KINDS if kind in table]
    if len(kinds) != 1:
        what = f"has {' and '.join(kinds)}" if kinds else "does not say what it is about"
        raise _Mistake(at, f"the rule {what}; give exactly one of {', '.join(_KINDS)}")
    kind = kinds[0]
    pattern = _text(table, kind, at)
    if kind in ("write", "read"):
        pattern = _path_pattern(pattern, (*at, kind), home)
    rule = Rule(
        effect=cast(Effect, effect),
        kind=kind,
        pattern=pattern,
        source=source,
        reason=_text(table, "reason", at) if "reason" in table else None,
        until=_until(table, at),
        sandbox=_flag(table, "sandbox", at, default=True),
        network=_flag(table, "network", at, default=False),
    )
    try:
        Policy(rules=[rule], defaults=False)
    except PolicyError as error:
        raise _Mistake((*at, kind), str(error)) from error
    _check_examples(rule, table, at)
    return rule


def _flag(table: Mapping[str, Any], key: str, at: Path, *, default: bool) -> bool:
    """How an allow rule for a command has it run."""
    value = table.get(key, default)
    if not isinstance(value, bool):
        raise _Mistake((*at, key), f"{key} must be true or false, without quotes; it is {_shown(value)}")
    if key in table and (table.get("effect") != "allow" or "command" not in table):
        text = f"{key} says how an allowed command runs: it stands only in allow rules for commands"
        raise _Mistake((*at, key), text)
    return value


def _check_examples(rule: Rule, table: Mapping[str, Any], at: Path) -> None:
    for key in ("match", "not_match"):
        for example in _examples(table, key, at):
            # The decider is loaded where there is something to decide: most files have no examples.
            from xun.policy.examples import mistaken

            if problem := mistaken(rule, example, expected=key == "match"):
                raise _Mistake((*at, key), f"{key}: {problem}")


def _text(table: Mapping[str, Any], key: str, at: Path) -> str:
    value = table[key]
    if not isinstance(value, str) or not value.strip():
        raise _Mistake((*at, key), f"{key} must be text in quotes, and not empty; it is {_shown(value)}")
    return value


def _path_pattern(pattern: str, at: Path, home: str) -> str:
    if pattern.startswith("~"):
        if pattern != "~" and not pattern.startswith("~/"):
            raise _Mistake(at, f"{_shown(pattern)}: only ~/ is known, your own home folder")
        pattern = f"{escape(home)}{pattern[1:]}"
    if any(mark in pattern for mark in "*?[") and ".." in pattern.split("/"):
        raise _Mistake(at, f"{_shown(pattern)} would never match: a pattern cannot go up with ..")
    return pattern.rstrip("/") or "/"


def _until(table: Mapping[str, Any], at: Path) -> datetime | None:
    value = table.get("until")
    if value is None:
        return None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise _Mistake((*at, "until"), "until must be a time with its zone, without quotes: 2027-01-31T18:00:00Z")
    return value


def _examples(table: Mapping[str, Any], key: str, at: Path) -> Sequence[str]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _Mistake((*at, key), f'{key} must be a list of examples, each in quotes: {key} = ["…"]')
    return value


def _settings(table: Any, place: Place, mistakes: list[str]) -> Settings:
    if not isinstance(table, dict):
        mistakes.append(f"{place(('settings',))}: settings must be a table: write [settings] and its keys below it")
        return Settings()
    for key, value in table.items():
        at = place(("settings", key))
        if key not in _SETTINGS:
            mistakes.append(f"{at}: {_unknown(key, _SETTINGS)}")
            continue
        try:
            Policy(settings=Settings.model_validate({key: value}, strict=True), defaults=False)
        except ValidationError as error:
            wanted = error.errors()[0].get("ctx", {}).get("expected", "true or false")
            mistakes.append(f"{at}: {key} must be {wanted}; it is {_shown(value)}".replace("'", '"'))
        except PolicyError as error:
            mistakes.append(f"{at}: {str(error).removeprefix('settings: ')}")
    return Settings() if mistakes else Settings.model_validate(table)


def _unknown(key: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, known, 1, 0.6)
    where = next((where for where, keys in _BELOW.items() if key in keys), None)
    if where and not near:
        return f"{key} does not stand here; it stands {where}"
    return f"unknown key {_shown(key)}; " + (f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}")


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def missing(rules: Sequence[Rule], there: Sequence[Rule]) -> tuple[Rule, ...]:
    """Those of `rules` that no rule of `there`, nor an earlier one of `rules`, covers already."""
    found: list[Rule] = []
    for rule in rules:
        if not any(_covers(other, rule) for other in (*there, *found)):
            found.append(rule)
    return tuple(found)


def _covers(wide: Rule, rule: Rule) -> bool:
    """Does `wide` say of everything what `rule` says of it? Of patterns of paths, only if they are absolute."""
    if (wide.effect, wide.kind) != (rule.effect, rule.kind) or wide.until is not None or wide.uses is not None:
        return False
    if wide.pattern == rule.pattern:
        return True
    if rule.kind == "command":
        words = words_of(wide.pattern)
        return words_of(rule.pattern)[: len(words)] == words
    literal = re.sub(r"\[([*?[])\]", r"\1", rule.pattern)
    if escape(literal) != rule.pattern:
        return False
    return matches(wide.pattern, literal, ()) if rule.kind in ("write", "read") else fnmatchcase(literal, wide.pattern)


def paragraph(rule: Rule, match: Sequence[str] = (), not_match: Sequence[str] = ()) -> str:
    """`rule` with its examples as a paragraph of a policy file."""
    lines = [*rule_lines(rule.effect, rule.kind, rule.pattern)]
    if rule.reason is not None:
        lines.append(f"reason = {_quoted(rule.reason)}")
    if rule.until is not None:
        lines.append(f"until = {rule.until.isoformat()}")
    lines += ["sandbox = false"] if not rule.sandbox else []
    lines += ["network = true"] if rule.network else []
    for key, examples in (("match", match), ("not_match", not_match)):
        if examples:
            lines.append(f"{key} = [{', '.join(map(_quoted, examples))}]")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # A JSON string is a basic string of TOML, except that TOML wants DEL escaped too.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
