"""The commands of a text as a shell would take it apart, loosely: of any text, in time that grows with its length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xun.policy.tables.programs import base_name, word_set

NESTED = r"[^()]"
for _ in range(4):
    NESTED = rf"(?:[^()]|\({NESTED}*+\))"
INNER = re.compile(rf"[$<>]\((?P<round>{NESTED}*+)\)|`(?P<back>[^`]*+)`")
"""What a text runs to take what that puts out."""
_TOKEN = re.compile(
    r"(?P<end>[;&|\n()]+)|(?P<note>(?<![^\s;&|()])\#[^\n]*)|(?P<less><(?!<))|(?P<redirect>[<>]+)"
    r"|(?P<word>(?:\\(?:.|\n)|'[^']*+'|\"(?:\\(?:.|\n)|[^\"\\])*+\"|\$\("
    + NESTED
    + r"*+\)|\$\{[^}\n]{0,500}+\}|`[^`]*+`"
    r"|\{\{[^}\n]{0,500}+\}\}|[^\s;&|()<>\"'`\\])+)|(?P<odd>[\"'`\\])"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
# They only run what stands behind them, behind options and settings of their own.
_BEFORE = word_set(
    "if then else elif while until do ! { time exec command builtin env sudo nice nohup xargs timeout stdbuf setsid "
    "cross-env npx bunx dotenv eval caffeinate ionice unbuffer trap watch"
)
_ENDS = word_set("} fi done esac then else do")
_HERE = re.compile(r"<<-?\s*[\"']?(\w+)")
_SHELL = re.compile(r"(?<![\w.-])(?:ba|z|da|k)?sh(?![\w.-])")
_WIDE = 4000  # characters of a line that is looked at for a text given to a program


def segments(line: str) -> Iterator[str]:
    """The commands of a text, as they are written."""
    found: list[str] = []
    for token in _TOKEN.finditer(line):
        if token["end"]:
            yield " ".join(found)
            found = []
        elif token["word"]:
            found.append(token["word"])
        elif token["less"]:
            found.append("<")
    if found:
        yield " ".join(found)


def written(segment: str) -> list[str]:
    """The words of a command, as they are written."""
    return [token["word"] or "<" for token in _TOKEN.finditer(segment) if token["word"] or token["less"]]


def first_word(text: str) -> str:
    """The word that a text begins with, as it is written."""
    found = _TOKEN.match(text)
    return (found["word"] or "") if found else ""


def unquoted(word: str) -> str:
    """A word without its quotes and backslashes."""
    if "\\" not in word and "'" not in word and '"' not in word:
        return word
    return re.sub(r"\\(.)|[\"']", r"\1", word, flags=re.DOTALL)


def command_at(words: list[str]) -> int:
    """Where the command stands among its words, behind what only runs it."""
    at, before = 0, False
    while at < len(words):
        word = words[at]
        if _ASSIGNMENT.match(word) or word in _ENDS:
            at += 1
        elif base_name(word) in _BEFORE:
            at, before = at + 1, True
        elif before and re.fullmatch(r"-.*|\d+[smh]?", word):
            at += 1
        else:
            break
    return at


def without_given(text: str) -> tuple[str, list[str]]:
    """A script without the texts that it gives to programs (`<<END`), and these; what a shell is given stays."""
    lines = text.split("\n")
    ends: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        ends.setdefault(line.strip(), []).append(at)
    kept: list[str] = []
    given: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        kept.append(line)
        mark = _HERE.search(line[:_WIDE]) if "<<" in line else None
        end = next((one for one in ends.get(mark[1], ()) if one > at), None) if mark else None
        if mark is not None and end is not None and not _SHELL.search(line[:_WIDE]):
            kept[-1] = line[: mark.start()]
            given.append("\n".join(lines[at + 1 : end]))
            at = end
        at += 1
    return "\n".join(kept), given
