"""What to say of words that name no command where there is no terminal to open the screen on."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

_SHOWN = 80  # characters of a task that are repeated; a longer one is named only


def without_terminal(words: Sequence[str], commands: Sequence[str]) -> str:
    """One line on `words`, the arguments of `xun`, none of them an option.

    A first word that is one word is taken for a command that there is not: a prompt is a sentence, or comes
    after `--`.
    """
    task = " ".join(words[1:] if words[:1] == ["--"] else words)
    shown = shlex.quote(task) if 0 < len(task) <= _SHOWN else '"TASK"'
    if task.startswith("-"):
        shown = f"-- {shown}"
    first = words[0] if words else ""
    if first in ("", "--") or any(char.isspace() for char in first):
        return f"standard input and output are no terminal; for one task use: xun run {shown}"
    if first == "help":
        return "there is no command help; see xun --help, and xun COMMAND --help"
    from difflib import get_close_matches

    near = get_close_matches(first.lower(), commands, n=2)
    known = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(commands)}."
    return f"there is no command {first}; {known} For one task use: xun run {shown}"
