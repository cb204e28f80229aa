"""What typer finds wrong with a command line, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typer.exceptions import TyperException

NOT_BUILT = ("--plain", "--add-dir")
_QUOTED = ("run", "policy")  # commands with an argument that holds spaces


def explained(error: TyperException, words: Sequence[str]) -> str:
    """One line, or several that become one, on why `words` are refused."""
    context: Any = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "xun")
    if type(error).__name__ == "NoArgsIsHelpError":  # typer does not export it; its message is the whole help
        return f"{path} needs a command: {', '.join(context.command.commands)}; see {path} --help"
    message = error.format_message().replace(": Value error, ", ": ")
    extra = message.removeprefix("Got unexpected extra argument(s) ")
    if extra != message:
        hint = "; put quotes around what belongs together" if words and words[0] in _QUOTED else ""
        return f"too many arguments: {extra[1:-1]}{hint}"
    name = message.removeprefix("No such option: ").split()[0].rstrip(".")
    if name in NOT_BUILT:
        return f"{name} is not built yet"
    return f"{message}; see {path} --help" if message.startswith("No such option") else message
