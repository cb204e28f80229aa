"""Which settings would let the rules decide on a text that holds a construct which asks as things are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from xun.policy.reach.needs import Reading, read_command
from xun.policy.script.shell import read_script
from xun.policy.text.constructs import Constructs
from xun.policy.text.prescreen import Problem

_ON = {"newlines": "split", "substitution": "inner", "loops": "inner"}
# The problems that settings may settle, each with those of which it takes one.
_SETTLING = {
    "newline": frozenset({"newlines"}),
    **dict.fromkeys(("substitution", "process-substitution", "assignment", "redirect"), frozenset({"substitution"})),
    "expansion": frozenset({"substitution", "loops"}),
    **dict.fromkeys(("compound", "test"), frozenset({"loops"})),
}


def with_settings(reading: Reading, text: str, home: str, constructs: Constructs) -> Iterator[Problem]:
    """The problems of a text, the first of them with the fewest settings under which it would have none."""
    first, *others = reading.script.problems or (None,)
    if first is None:
        return
    settings = _settling(reading.script.problems, text, home, constructs)
    told = f"; the rules may decide on that where the policy says {settings}" if settings else ""
    yield Problem(first.code, first.text + told, first.hard)
    yield from others


def _settling(problems: Sequence[Problem], text: str, home: str, constructs: Constructs) -> str:
    if any(problem.hard or problem.code not in _SETTLING for problem in problems):
        return ""
    off = [name for name in _ON if getattr(constructs, name) == "ask"]
    # Each setting only adds to what is judged: what all of them together do not settle, no few do.
    if not off or not _settled(off, text, home, constructs):
        return ""
    few = (names for count in range(1, len(off)) for names in combinations(off, count))
    fit = (names for names in few if not any(_SETTLING[problem.code].isdisjoint(names) for problem in problems))
    fewest = next((names for names in fit if _settled(names, text, home, constructs)), off)
    return " and ".join(f'{name} = "{_ON[name]}"' for name in fewest)


def _settled(names: Sequence[str], text: str, home: str, constructs: Constructs) -> bool:
    """Would the rules decide on the text with these settings on?"""
    on = constructs._replace(**{name: _ON[name] for name in names})
    if not read_script(text, home, on).clear:
        return False
    found = read_command(text, home, on)
    return found.script.clear and all(command.judged for command in found.commands)
