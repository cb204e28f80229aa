"""What the model is told about the sandbox that its command ran in, where that explains why it failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xun.policy.action import Confinement

if TYPE_CHECKING:
    from xun.exec.run import Completed

_REFUSED = re.compile(
    r"read-only file system|operation not permitted|permission denied|device or resource busy"
    r"|\bE(?:ROFS|PERM|ACCES|BUSY)\b|network is unreachable|could not resolve"
    r"|name resolution|name or service not known|no address associated"
    r"|getaddrinfo|\bE(?:AI_AGAIN|NOTFOUND|NETUNREACH)\b|failed to connect|connection refused|dns error",
    re.IGNORECASE,
)
_NOT_SET_UP = re.compile(r"^(?:bwrap: |xun: the sandbox could not be set up|sandbox-exec: )")
_WAY_OUT = "unsandboxed=true asks the person to run it outside"


def notes(completed: Completed, confinement: Confinement) -> list[str]:
    """Lines to put behind the result of a command that ran in the sandbox."""
    lines: list[str] = []
    if completed.put_aside:
        paths = ", ".join(map(str, completed.put_aside))
        lines.append(f"[moved away, as it is run or trusted later: {paths}; make such files with the file tools]")
    if completed.stopped:
        lines.append("[what it left running was stopped: a command that is to leave something running ends with &]")
    if completed.appeared:
        paths = ", ".join(map(str, completed.appeared))
        lines.append(
            f"[new since the last command, and run or trusted later: {paths}; something that was left running may have"
            " made it: tell the person unless you know who did]"
        )
    if completed.returncode and _NOT_SET_UP.match(completed.stderr):
        lines.append(f"[the sandbox could not be set up and nothing was run; {_WAY_OUT}]")
    elif completed.returncode and (_REFUSED.search(completed.stderr) or _REFUSED.search(completed.stdout)):
        git = "" if confinement.git else " and the repository"
        network = "" if confinement.network else "; there is no network"
        closed = f"what is outside the workspace{git} is read-only{network}"
        lines.append(f"[it ran in the sandbox, which may be why it failed: {closed}; {_WAY_OUT}]")
    return lines
