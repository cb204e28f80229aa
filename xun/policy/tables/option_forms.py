"""Expressions for the options of programs, and the forms in which a command line gives one.

What is matched is one word of a command, or an option with the next word behind `=`: `-s x` counts as `-s=x` too, so
that an expression may speak of values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache


def completed(letters: str = "", names: str = "", more: str = "") -> str:
    """Options of a program that completes long names: letters in clusters, names in any length, others as given."""
    return _joined(letters, (short(name) for name in names.split()), more)


def exact(letters: str = "", names: str = "", more: str = "") -> str:
    """The same for a program that takes long names in full alone."""
    return _joined(letters, (re.escape(name) for name in names.split()), more)


def short(name: str) -> str:
    """A name, and what begins it."""
    return name[:1] + "".join(f"(?:{re.escape(char)}" for char in name[1:]) + ")?" * len(name[1:])


def other_than(option: str, values: str) -> str:
    """The option with a value that is none of `values`, words with a blank between: those are built in."""
    return rf"(?:{option})=?(?!(?:{'|'.join(values.split())})$)[^=].*"


def leading_out(options: str) -> str:
    """The option with a path that may lead out of the workspace: absolute, at home or upwards."""
    return rf"(?:{options})=?(?:[/~]|\.\.(?:/|$)|.*/\.\.(?:/|$)).*"


def _joined(letters: str, names: Iterator[str], more: str) -> str:
    parts = [rf"-[A-Za-z0-9]*[{letters}].*"] if letters else []
    parts += [rf"--{name}(?:=.*)?" for name in names]
    return "|".join([*parts, more] if more else parts)


@lru_cache(maxsize=512)
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.DOTALL)


def matching(expression: str, words: Sequence[str], covered: int) -> str:
    """The first word behind `covered` that the expression matches, alone or with its value; empty where none does.

    An option that it matches with a value alone is behind `covered` where its value is.
    """
    known = _compiled(expression)
    for at in range(max(covered - 1, 1), len(words)):
        word = words[at]
        if known.fullmatch(word):
            if at >= covered:
                return word
            continue
        value = words[at + 1] if word.startswith("-") and "=" not in word and at + 1 < len(words) else None
        if value is not None and known.fullmatch(f"{word}={value}"):
            return f"{word} {value}"
    return ""
