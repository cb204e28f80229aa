"""Glob patterns as regular expressions that cannot run wild, whatever pattern they were made from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from xun.errors import XunError

_MAX_EXPANDED = 256
_FOLDERS = "(?:[^/]+/)*"


class GlobError(XunError, ValueError):
    """The pattern is not a glob. The text says why."""


def matcher(pattern: str) -> Callable[[str], bool]:
    """A test of relative paths with `/` against a glob, as users of ripgrep and git know them.

    `*` and `?` stay within a name, `**` crosses folders, `[a-z]`, `[!a]` and `{a,b}` work, a backslash takes the next
    character as it is. Without a slash the pattern is for the name alone, in any folder. Raises `GlobError`.
    """
    alternatives = [_anywhere(alternative) for alternative in expand_braces(pattern.removeprefix("./"))]
    try:
        expressions = [re.compile(translate(alternative), re.DOTALL) for alternative in alternatives]
    except re.error as error:
        raise GlobError(f"invalid glob {pattern!r}: {error.msg}") from None
    return lambda path: any(expression.fullmatch(path) for expression in expressions)


def _anywhere(pattern: str) -> str:
    return pattern.lstrip("/") if "/" in pattern else f"**/{pattern}"


def expand_braces(pattern: str) -> list[str]:
    """`a.{js,ts}` as `a.js` and `a.ts`, nested ones too. Raises `GlobError` for more than 256 of them."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        current = waiting.pop()
        parts = _first_braces(current)
        if parts is None:
            done.append(current)
        else:
            before, choices, after = parts
            waiting += [before + choice + after for choice in reversed(choices)]
        if len(done) + len(waiting) > _MAX_EXPANDED:
            raise GlobError(f"invalid glob {pattern!r}: its braces stand for more than {_MAX_EXPANDED} patterns")
    return done


def _first_braces(pattern: str) -> tuple[str, list[str], str] | None:
    """The text before the first complete pair of braces, its alternatives, and the text after it."""
    depth = start = 0
    commas: list[int] = []
    for index, char in _unescaped(pattern):
        if char == "{":
            depth += 1
            if depth == 1:
                start, commas = index, []
        elif char == "," and depth == 1:
            commas.append(index)
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                edges = [start, *commas, index]
                choices = [pattern[left + 1 : right] for left, right in pairwise(edges)]
                return pattern[:start], choices, pattern[index + 1 :]
    return None


def _unescaped(pattern: str) -> Iterator[tuple[int, str]]:
    """The characters that mean something: neither escaped nor in a character class."""
    index = 0
    while index < len(pattern):
        char = pattern[index]
        if char == "\\":
            index += 2
            continue
        if char == "[":
            index = max(_class_end(pattern, index), index + 1)
            continue
        yield index, char
        index += 1


def translate(pattern: str) -> str:
    """The source of a regular expression for a whole path. Braces are ordinary characters here.

    Stars that are followed by another one are atomic: the first fit is as good as any, so a long pattern of many
    stars costs no more than a scan for each.
    """
    parts = [part for part in pattern.split("/") if part]
    groups: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            groups.append([])
        else:
            groups[-1].append(_name(part))
    first, *later = groups
    if not later:
        return "/".join(first)
    head = "".join(part + "/" for part in first)
    middle = "".join(f"(?>(?:[^/]+/)*?{''.join(part + '/' for part in group)})" for group in later[:-1] if group)
    return head + middle + (_FOLDERS + "/".join(later[-1]) if later[-1] else ".+")


def _name(part: str) -> str:
    """One component: everything but `/`."""
    fixed = [""]
    index = 0
    while index < len(part):
        source, index = _next(part, index)
        if source is None:
            if fixed[-1] or len(fixed) == 1:
                fixed.append("")
        else:
            fixed[-1] += source
    first, *later = fixed
    if not later:
        return first
    return first + "".join(f"(?>[^/]*?{piece})" for piece in later[:-1]) + "[^/]*" + later[-1]


def _next(part: str, index: int) -> tuple[str | None, int]:
    """The expression for what stands at `index` (None for a star), and where the next begins."""
    char = part[index]
    if char == "*":
        return None, index + 1
    if char == "?":
        return "[^/]", index + 1
    if char == "\\" and index + 1 < len(part):
        return re.escape(part[index + 1]), index + 2
    if char == "[":
        end = _class_end(part, index)
        if end > 0:
            return _class(part[index + 1 : end - 1]), end
    return re.escape(char), index + 1


def _class_end(pattern: str, start: int) -> int:
    """The index behind the `]` that closes the class begun at `start`; -1 if none does."""
    index = start + 1
    if pattern[index : index + 1] in ("!", "^"):
        index += 1
    if pattern[index : index + 1] == "]":
        index += 1
    while index < len(pattern) and pattern[index] != "]":
        index += 2 if pattern[index] == "\\" else 1
    return index + 1 if index < len(pattern) else -1


def _class(body: str) -> str:
    negated = body[0] in "!^"
    body = body[1:] if negated else body
    escaped = "".join("\\" + char if char in "[]^&~|" else char for char in _literal_escapes(body))
    return f"(?!/)[{'^' if negated else ''}{escaped}]"


def _literal_escapes(body: str) -> Sequence[str]:
    """The members of a class, each escaped one as a pair that `re` reads the same way."""
    members: list[str] = []
    index = 0
    while index < len(body):
        if body[index] == "\\" and index + 1 < len(body):
            members.append(re.escape(body[index + 1]))
            index += 2
        else:
            members.append("\\\\" if body[index] == "\\" else body[index])
            index += 1
    return members
