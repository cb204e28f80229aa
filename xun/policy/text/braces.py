"""Brace expansion of a decoded word: one group without nesting, or braces that stay as they are."""

from __future__ import annotations

import re

from xun.policy.text.words import ANY, BRACE, BRACE_END, COMMA, STAR, Arg, Unclear

_RANGE = re.compile(r"(\d{1,4})\.\.(\d{1,4})")
# Braces stay as they are where nothing between them separates: `HEAD@{0}`, `{}`.
_LITERAL_BRACES = re.compile(
    rf"(?:[^{BRACE}{BRACE_END}]|{BRACE}(?:(?!\.\.)[^,{COMMA}{BRACE}{BRACE_END}])*{BRACE_END})*", re.DOTALL
)


def expand_braces(pattern: str) -> tuple[Arg, ...]:
    """The arguments of a word after brace expansion. Raises `Unclear` where it is not a simple one."""
    if BRACE not in pattern and BRACE_END not in pattern:
        return (Arg(pattern.replace(COMMA, ",")),)
    if _LITERAL_BRACES.fullmatch(pattern):
        return (Arg(pattern.replace(BRACE, "{").replace(BRACE_END, "}").replace(COMMA, ",")),)
    head, _, rest = pattern.partition(BRACE)
    inner, closed, tail = rest.partition(BRACE_END)
    if not closed or any(mark in part for part in (head, tail, inner) for mark in (BRACE, BRACE_END)):
        raise Unclear("brace", "its brace expansion is not a simple one")
    if "$" in pattern or "~" in pattern or "\\" in pattern or Arg(pattern).composed:
        raise Unclear("brace", "its brace expansion is not a simple one")
    words = [head + one + tail for one in _alternatives(inner)]
    if not all(words):
        raise Unclear("brace", "its brace expansion is not a simple one")
    return tuple(Arg(word.replace(COMMA, ",")) for word in words)


def _alternatives(inner: str) -> list[str]:
    if span := _RANGE.fullmatch(inner):
        first, last = int(span[1]), int(span[2])
        padded = any(len(side) > 1 and side.startswith("0") for side in span.groups())
        if padded or not 0 <= last - first < 100:
            raise Unclear("brace", "its brace expansion is not a simple one")
        return [str(number) for number in range(first, last + 1)]
    if COMMA not in inner or ".." in inner or not re.fullmatch(rf"[\w.,/+{STAR}{ANY}{COMMA}-]*", inner):
        raise Unclear("brace", "its brace expansion is not a simple one")
    return inner.split(COMMA)
