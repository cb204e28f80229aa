"""What is known of the output of a command, for where it becomes words of another one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xun.policy.text.statements import Chain, Simple

_FEW = 100
# Programs whose output holds no character that the shell would act on, with the arguments that keep it so.
_SAFE = r"[\w./:@+,=-]+"
_PLAIN: Mapping[str, re.Pattern[str]] = {
    name: re.compile(arguments)
    for name, arguments in {
        "date": r"(?:-u )?(?:\+[\w%:.,/ -]*)?",
        "nproc": "",
        "arch": "",
        "whoami": "",
        "id": r"-(?:u|g|un|gn|nu|ng)",
        "uname": r"(?:-[amnrsv]+)?",
        "seq": r"(?:-?\d+ ?){1,3}",
        "wc": rf"(?:-[lwcm] ?)+(?:{_SAFE} ?)*",
        "basename": rf"{_SAFE}(?: {_SAFE})?",
        "dirname": _SAFE,
        "git": r"rev-parse (?:--short |--abbrev-ref |--verify )?(?:HEAD|@)|branch --show-current"
        r"|rev-list --count [\w./~^-]+",
    }.items()
}


def folder_itself(chain: Chain, text: str) -> bool:
    """Does it print the path of the folder it runs in, and nothing else?"""
    return _spelled(chain.only, text) == "pwd"


def plain_output(chain: Chain, text: str) -> bool:
    """Does it print words that stay as they are where the shell splits them and looks for patterns?"""
    if len(chain.parts) != 1 or chain.parts[0][1].negated:
        return False
    last = chain.parts[0][1].stages[-1]
    spelled = _spelled(last, text) if isinstance(last, Simple) else None
    name, _, arguments = (spelled or "").partition(" ")
    return name in _PLAIN and _PLAIN[name].fullmatch(arguments) is not None


def most_words(chain: Chain, text: str) -> int:
    """How many words a command puts out at most that is known to put out plain ones."""
    last = chain.parts[0][1].stages[-1]
    spelled = _spelled(last, text) if isinstance(last, Simple) else None
    name, _, arguments = (spelled or "").partition(" ")
    if name != "seq":
        return _FEW
    numbers = [int(number) for number in arguments.split()]
    first, step = (numbers[0] if len(numbers) > 1 else 1), (abs(numbers[1]) if len(numbers) > 2 else 1)
    return abs(numbers[-1] - first) // (step or 1) + 1


def _spelled(command: Simple | None, text: str) -> str | None:
    """Its words with blanks between, when they are all known and its errors do not join its output."""
    if command is None or ">&" in text[command.start : command.end]:
        return None
    args = [arg for word in command.words for arg in word.args]
    if any(word.assigns or word.pieces for word in command.words) or any(arg.glob for arg in args):
        return None
    return " ".join(arg.text for arg in args)
