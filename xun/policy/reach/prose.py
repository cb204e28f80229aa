"""Arguments that are text for people, or patterns to look for, and name no file: messages, titles, expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xun.policy.tables.programs import base_name, word_set
from xun.policy.text.words import Arg

# By program, and for git by command: the options whose value is text, glued on, behind `=` or as the next word.
# `--body-file` is another than `--body`, and no letter before the last one of a cluster takes a value.
_MESSAGE = re.compile(r"-[abd-sv-zA-BD-EG-RT-WYZ]*m(.*)|--message(?:(?==)(.*))?", re.DOTALL)
_TITLES = re.compile(r"-[tb](.*)|--(?:title|body|notes|comment|description)(?:(?==)(.*))?", re.DOTALL)
_GIT_MESSAGES = word_set("commit tag merge stash notes revert cherry-pick")
_SEARCHING = word_set("grep egrep fgrep zgrep rg ag ack")
# Give the pattern in another way, so that the first operand is a file.
_GIVES_PATTERN = re.compile(r"-[A-Za-z0-9]*[ef].*|--(?:regexp|file|files|type-list)(?:=.*)?")
_EXCLUDES = re.compile(r"--exclude(?:(?==)(.*))?", re.DOTALL)
_OPTIONS: Mapping[str, re.Pattern[str]] = {
    "gh": _TITLES, "glab": _TITLES, "tar": _EXCLUDES, "bsdtar": _EXCLUDES, "rsync": _EXCLUDES
}  # fmt: skip


# Programs of perl that match, substitute and print, and do nothing else: no code in a pattern, no variables but those
# of the match, no file. Of any other nobody can tell which files its text makes up.
_PATTERN = r"/(?:[^/\\$@{(\n]|\\[^\n]|\((?!\?\??\{)|\{\d+(?:,\d*)?\}|\$(?=/))*/"
_MATCH = rf"!?\s*m?{_PATTERN}[imsxg]*"
_PRINT = r'print(?:\s+(?:\$_|"(?:[^"\\$@\n]|\\[nt]|\$[\d._])*"))?'
_SUBSTITUTE = rf"s{_PATTERN}(?:[^/\\$@\n]|\\[^\n]|\$\d)*/[gims]*"
_STATEMENT = re.compile(
    rf"(?:{_PRINT}\s+(?:if|unless)\s*{_MATCH}|{_MATCH}\s*(?:&&|and)\s*{_PRINT}|{_PRINT}|{_SUBSTITUTE})?"
)
_GIVES_PROGRAM = re.compile(r"-[nplaw]*e")
_PERL_OPTION = re.compile(r"-[nplaw]*(?:i(?:\.\w+)?)?|--")


def without_prose(args: Sequence[Arg]) -> Sequence[Arg]:
    """The arguments that may name a file. What only the shell can tell stays."""
    name = base_name(args[0].text)
    if name in _SEARCHING:
        return _without_pattern(args)
    if name == "perl":
        return _without_program(args)
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


def _without_program(args: Sequence[Arg]) -> Sequence[Arg]:
    """The arguments of perl but a program that names no file: it is the only one, and nothing else is loaded."""
    giving = [at for at, arg in enumerate(args) if at and _GIVES_PROGRAM.fullmatch(arg.text)]
    if len(giving) != 1 or giving[0] + 1 >= len(args):
        return args
    program = args[giving[0] + 1]
    rest = (*args[1 : giving[0]], *args[giving[0] + 2 :])
    plain = all(_PERL_OPTION.fullmatch(arg.text) for arg in rest if arg.text.startswith("-"))
    if not plain or not program.known or not all(_STATEMENT.fullmatch(one.strip()) for one in program.text.split(";")):
        return args
    return [arg for arg in args if arg is not program]


def _without_values(args: Sequence[Arg], option: re.Pattern[str]) -> Sequence[Arg]:
    kept: list[Arg] = []
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        match = option.fullmatch(arg.text)
        if match is None:
            kept.append(arg)
        elif not any(match.groups()) and rest and rest[0].known:
            rest.pop(0)
        elif not arg.known:
            kept.append(arg)
    return kept
