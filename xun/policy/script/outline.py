"""Where the commands of a shell text stand in it: how deep, and what joins each to the one before. For showing only."""

from __future__ import annotations

from dataclasses import dataclass

from xun.policy.script.shell import read_script
from xun.policy.text.decoder import scan
from xun.policy.text.prescreen import Problem, join_lines, screen, strip_end
from xun.policy.text.words import Newline, Operator, Unclear, Word


@dataclass(frozen=True, slots=True)
class Standing:
    """`depth` counts the parentheses, substitutions and wrappers around a command; `joiner` is what stands before it.

    A joiner is an operator such as `&&`, or empty.
    """

    depth: int = 0
    joiner: str = ""


def outline(command: str, count: int) -> list[Standing]:
    """One entry for each of the `count` commands in a text, in their order; flat where their places cannot be told."""
    for found in (_by_tokens(command), _by_grammar(command)):
        if len(found) == count:
            return found
    return [Standing() for _ in range(count)]


def _by_tokens(command: str) -> list[Standing]:
    if screen(command):
        return []
    text = join_lines(strip_end(command))
    if isinstance(text, Problem):
        return []
    try:
        tokens = scan(text, "")
    except Unclear:
        return []
    found: list[Standing] = []
    depth, joiner, inside = 0, "", False
    for token in tokens:
        if isinstance(token, Word) and not inside:
            found.append(Standing(depth, joiner))
            joiner, inside = "", True
        elif isinstance(token, Newline):
            joiner, inside = ";" if found else "", False
        elif isinstance(token, Operator):
            inside = False
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            joiner = f"{joiner} (".strip() if token.text == "(" else joiner if token.text == ")" else token.text
    return found


def _by_grammar(command: str) -> list[Standing]:
    found: list[Standing] = []
    pipeline = 0
    for segment in read_script(command, "").segments:
        piped = bool(segment.pipeline) and segment.pipeline == pipeline
        found.append(Standing(len(segment.inside), "|" if piped else ""))
        pipeline = segment.pipeline
    return found
