"""Changing a policy file: rules are added at its end and taken out, and all else stays as it is, byte for byte."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from xun.config.paths import alone, private_folder, write_private, write_shared
from xun.config.policy_file import parse_policy
from xun.config.regular import UnreadableError, read_regular
from xun.config.toml import LIMIT, ConfigError, check_writable, decode, table_lines, unreadable, unwritable
from xun.policy.file import missing, paragraph
from xun.policy.rules import Rule

_FIRST_LINE = "# Your rules for xun, in every folder. `xun policy check COMMAND` says what they make of a command.\n"
_FIRST_LINE_OF_PROJECT = "# This project's rules for xun; each person is asked before they count.\n"
Examples = tuple[Sequence[str], Sequence[str]]
"""What a rule is to match, and what not."""


def append_rules(path: Path, rules: Sequence[Rule], *, project: Path | None = None) -> tuple[Rule, ...]:
    """Add those of `rules` that the file does not cover yet, at its end, and return them. All else stays as it is.

    The file is replaced at once, is its owner's alone, and is made where it is missing. That of a `project` lies in
    its folder and may be read by others. Raises `ConfigError`, and leaves it alone, where it has a mistake or cannot be
    written.
    """
    new: tuple[Rule, ...] = ()

    def longer(text: str) -> str:
        nonlocal new
        new = missing(rules, parse_policy(text, path).rules)
        return _with(text, [paragraph(rule) for rule in new], project)

    _change(path, longer, project)
    return new


def add_rule(
    path: Path, rule: Rule, examples: Examples = ((), ()), *, project: Path | None = None
) -> tuple[Rule, bool]:
    """Add `rule`, and return it as the file now has it, and True; or the rule that covers it already, and False.

    Raises `ConfigError` as `append_rules` does.
    """
    found: list[Rule] = []
    new = False

    def longer(text: str) -> str:
        nonlocal new
        there = parse_policy(text, path).rules
        found[:] = [one for one in there if not missing([rule], [one])]
        if found:
            return text
        text = _with(text, [paragraph(rule, *examples)], project)
        found[:] = parse_policy(text, path).rules[-1:]
        new = True
        return text

    _change(path, longer, project)
    return found[0], new


def remove_rule(path: Path, rule: Rule, *, project: Path | None = None) -> None:
    """Take `rule` out, which the file at `path` holds, with its keys and one blank line beside it.

    Raises `ConfigError` where it is not there any more, is written inline, or the file cannot be written.
    """

    def shorter(text: str) -> str:
        there = parse_policy(text, path).rules
        if rule not in there:
            raise ConfigError(f"{rule.source}: the rule is not there any more")
        index = there.index(rule)
        lines = table_lines(text, "rule", index)
        if lines is None:
            raise ConfigError(f"{rule.source}: it is written inline; change {path} with an editor")
        result = _cut(text, *lines)
        rest = [(one.effect, one.kind, one.pattern) for one in parse_policy(result, path).rules]
        expected = [(one.effect, one.kind, one.pattern) for one in (*there[:index], *there[index + 1 :])]
        if rest != expected:
            raise ConfigError(f"{rule.source}: it cannot be taken out alone; change {path} with an editor")
        return result

    _change(path, shorter, project)


def _cut(text: str, first: int, last: int) -> str:
    lines = text.split("\n")
    before, behind = lines[: first - 1], lines[last:]
    if before and not before[-1].strip():
        before.pop()
    elif len(behind) > 1 and not behind[0].strip():
        behind.pop(0)
    return "\n".join([*before, *behind])


def _with(text: str, paragraphs: Sequence[str], project: Path | None) -> str:
    if not paragraphs:
        return text
    ending = "\r\n" if "\r\n" in text else "\n"
    before = text or (_FIRST_LINE if project is None else _FIRST_LINE_OF_PROJECT)
    if not before.endswith("\n"):
        before += ending
    return before + "".join(ending + one.replace("\n", ending) for one in paragraphs)


def _change(path: Path, change: Callable[[str], str], project: Path | None) -> None:
    target = Path(os.path.realpath(path))  # a link to a file kept elsewhere stays a link
    if project is not None and not target.is_relative_to(os.path.realpath(project)):
        raise ConfigError(f"{path}: is a link that leads out of {project}")
    try:
        folder = target.parent
        # A link may lead to a folder that is not ours to close, nor to make.
        ours = project is None and os.path.realpath(path.parent) == str(folder)
        if ours:
            private_folder(folder)
        elif project is not None:
            folder.mkdir(exist_ok=True)
        with alone(folder):
            data = read_regular(target, LIMIT) or b""
            text = decode(data, str(path))
            new = change(text)
            if new == text:
                return
            check_writable(path)
            parse_policy(new, path)  # such as rules in one inline array, to which no table can be added
            mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
            (write_private if ours else write_shared)(target, mark + new.encode())
    except UnreadableError as error:
        raise unreadable(path, error) from None
    except OSError as error:
        raise unwritable(path, error) from error
