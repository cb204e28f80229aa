"""How a command leaves out a file that holds secrets, as its program spells it: what a reason may advise."""

from __future__ import annotations

import re

from xun.policy.decision import Reason
from xun.policy.reach.needs import Command
from xun.policy.tables.programs import base_name

_WAY = re.compile(r"leave (\S+) out$")
_COPIERS = frozenset({"tar", "bsdtar", "rsync"})
_SAFE = re.compile(r"[\w.+@-]+")


def with_way_out(reason: Reason, command: Command) -> Reason:
    """`reason` with the very option by which the command would pass over the file that it names, where there is one."""
    program = base_name(command.segment.args[0].text)
    # Where no table reads the options, the name in one would count as that of a file.
    told = command.judged or program in _COPIERS
    match = _WAY.search(reason.text) if told and reason.code == "secret" else None
    if match is None or not _SAFE.fullmatch(match[1]):
        return reason
    name, folder = match[1], match[1] == ".git"
    match program:
        case "grep" | "egrep" | "fgrep":
            option = f"--exclude-dir={name}" if folder else f"--exclude={name}"
        case "rg":
            option = f"--glob='!{name}'"  # as one word it may stand anywhere
        case "tar" | "bsdtar" | "rsync":
            option = f"--exclude={name}"
        case _:
            return reason
    return reason.model_copy(update={"text": reason.text.removesuffix(match[0]) + f"leave it out with {option}"})
