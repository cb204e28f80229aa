"""What a project file says, a line for each rule or setting: for the person who is to agree to it, or to its change."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xun.config.redact import redact
from xun.config.toml import ConfigError, decode, parse

if TYPE_CHECKING:
    from xun.config.trust import ProjectFile

_MOST = 500  # lines that are kept of one file


def summary(file: ProjectFile) -> tuple[str, ...]:
    """A line for each rule of a policy file, each setting of a configuration; nothing for files of plain text.

    Never raises: what is wrong with the file is a line too.
    """
    if file.kind not in ("policy", "config"):
        return ()
    try:
        lines = _rules(file) if file.kind == "policy" else _settings(file)
        found = [redact(line.replace("\r", "\\r").replace("\n", "\\n")) for line in lines]  # one line stays one
    except ConfigError as error:
        found = [f"a mistake: {mistake}" for mistake in error.mistakes]
    more = [f"and {len(found) - _MOST} more lines"] if len(found) > _MOST else []
    return (*found[:_MOST], *more)


def allows(file: ProjectFile) -> bool:
    """Whether `file` has a rule by which something runs without a question. False where it cannot be read."""
    from xun.config.policy_file import parse_project

    if file.kind != "policy":
        return False
    try:
        return any(rule.effect == "allow" for rule in parse_project(file).rules)
    except ConfigError:
        return False  # with a mistake in it, none of its rules counts


def changes(before: Sequence[str], now: Sequence[str]) -> tuple[str, ...]:
    """What went (`- …`) and what came (`+ …`), each in the order of its file."""
    gone, come = Counter(before) - Counter(now), Counter(now) - Counter(before)
    return (*(f"- {line}" for line in _taken(before, gone)), *(f"+ {line}" for line in _taken(now, come)))


def _taken(lines: Sequence[str], counts: Counter[str]) -> Iterator[str]:
    for line in lines:
        if counts[line] > 0:
            counts[line] -= 1
            yield line


def _rules(file: ProjectFile) -> Iterator[str]:
    from xun.config.policy_file import parse_project

    found = parse_project(file)
    for rule in found.rules:
        until = f" until {rule.until:%Y-%m-%d %H:%M %Z}" if rule.until else ""
        reason = f" ({rule.reason})" if rule.reason else ""
        yield f"{rule.effect} {rule.kind} {rule.pattern}{until}{reason}"
    for name, value in found.settings.model_dump(exclude_unset=True).items():
        yield f"setting {name} = {json.dumps(value)}"
    for note in found.ignored:
        yield f"ignored: {note}"


def _settings(file: ProjectFile) -> Iterator[str]:
    from xun.config.settings import USER_ONLY

    where = str(file.path)
    for key, value in _flat(parse(decode(file.content, where), where), ""):
        ignored = "  (ignored in a project)" if key.partition(".")[0] in USER_ONLY else ""
        yield f"{key} = {value}{ignored}"


def _flat(data: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", json.dumps(value, default=str, ensure_ascii=False)
