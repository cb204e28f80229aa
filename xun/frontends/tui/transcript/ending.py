"""How a command ended, as the first line of its result tells it."""

from __future__ import annotations

import re
from typing import NamedTuple

_CUT = re.compile(r"stopped: more than (\d+ \w+) of output(?: \((?=\w))?")  # how it ended may follow
_ENDINGS = (
    (re.compile(r"exit code (\d+|unknown)"), "exit {}"),
    (re.compile(r"killed by (\w+)"), "killed by {}"),
    (re.compile(r"timed out after ([\d.e+]+ s);"), "timed out after {}"),
)


class Ending(NamedTuple):
    """What is said of it in a few words, and whether all went well."""

    words: str
    good: bool


def ending_of(result: str) -> Ending | None:
    """How the command ended whose result this is. None for the result of anything else."""
    if cut := _CUT.match(result):
        rest = ending_of(result[cut.end() :].partition("\n")[0])
        return Ending(f"cut off at {cut[1]}" + (f", {rest.words}" if rest else ""), good=False)
    for pattern, words in _ENDINGS:
        if found := pattern.match(result):
            return Ending(words.format(found[1]), found[0] == "exit code 0")
    return None
