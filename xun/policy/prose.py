"""Arguments that are text for people, or patterns to look for, and name no file: messages, titles, expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xun.policy.programs import base_name, word_set
from xun.policy.words import Arg

# By program, and for git by command: the options whose value is text, glued on, behind `=` or as the next word.
_MESSAGE = re.compile(r"(-[A-Za-z]*m|--message)(?:=?(.*))?", re.DOTALL)
_TITLES = re.compile(r"(-[tb]|--title|--body|--notes|--comment|--description)(?:=?(.*))?", re.DOTALL)
_GIT_MESSAGES = word_set("commit tag merge stash notes revert cherry-pick")
_SEARCHING = word_set("grep egrep fgrep zgrep rg ag ack")
# Give the pattern in another way, so that the first operand is a file.
_GIVES_PATTERN = re.compile(r"-[A-Za-z0-9]*[ef].*|--(?:regexp|file|files|type-list)(?:=.*)?")
_EXCLUDES = re.compile(r"(--exclude)(?:=(.*))?", re.DOTALL)
_OPTIONS: Mapping[str, re.Pattern[str]] = {
    "gh": _TITLES, "glab": _TITLES, "tar": _EXCLUDES, "bsdtar": _EXCLUDES, "rsync": _EXCLUDES
}  # fmt: skip


def without_prose(args: Sequence[Arg]) -> Sequence[Arg]:
    """The arguments that may name a file. What only the shell can tell stays."""
    name = base_name(args[0].text)
    if name in _SEARCHING:
        return _without_pattern(args)
    option = _OPTIONS.get(name)
    if name == "git" and len(args) > 1 and args[1].text in _GIT_MESSAGES:
        option = _MESSAGE
    return args if option is None else _without_values(args, option)


def _without_pattern(args: Sequence[Arg]) -> Sequence[Arg]:
    if any(_GIVES_PATTERN.fullmatch(arg.text) for arg in args[1:]):
        return args
    first = next((at for at, arg in enumerate(args) if at and not arg.text.startswith("-")), None)
    if first is None or not args[first].known:
        return args
    return [*args[:first], *args[first + 1 :]]


def _without_values(args: Sequence[Arg], option: re.Pattern[str]) -> Sequence[Arg]:
    kept: list[Arg] = []
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        match = option.fullmatch(arg.text)
        if match is None:
            kept.append(arg)
        elif not match[2] and rest and rest[0].known:
            rest.pop(0)
        elif not arg.known:
            kept.append(arg)
    return kept
