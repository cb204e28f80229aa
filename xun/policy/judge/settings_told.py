"""Which settings would let the rules decide on a text that holds a construct which asks as things are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from xun.policy.reach.needs import Reading, read_command
from xun.policy.text.constructs import Constructs
from xun.policy.text.prescreen import Problem

_ON = {"newlines": "split", "substitution": "inner", "loops": "inner"}
# The problems that one of the settings may settle.
_CODES = frozenset(
    {"newline", "substitution", "process-substitution", "expansion", "assignment", "redirect", "compound", "test"}
)


def with_settings(reading: Reading, text: str, home: str, constructs: Constructs) -> Iterator[Problem]:
    """The problems of a text, the first of them with the fewest settings under which it would have none."""
    first, *others = reading.script.problems or (None,)
    if first is None:
        return
    soft = all(problem.code in _CODES and not problem.hard for problem in reading.script.problems)
    settings = _settling(text, home, constructs) if soft else ""
    told = f"; the rules may decide on that where the policy says {settings}" if settings else ""
    yield Problem(first.code, first.text + told, first.hard)
    yield from others


def _settling(text: str, home: str, constructs: Constructs) -> str:
    off = [name for name in _ON if getattr(constructs, name) == "ask"]
    for count in range(1, len(off) + 1):
        for names in combinations(off, count):
            on = constructs._replace(**{name: _ON[name] for name in names})
            found = read_command(text, home, on)
            if found.script.clear and all(command.judged for command in found.commands):
                return " and ".join(f'{name} = "{_ON[name]}"' for name in names)
    return ""
