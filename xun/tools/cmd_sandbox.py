"""What the model is told about the sandbox that its command ran in, where that explains why it failed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from xun.policy.action import Confinement

if TYPE_CHECKING:
    from xun.exec.run import Completed

_REFUSED = re.compile(
    r"read-only file system|operation not permitted|permission denied|device or resource busy|cross-device link"
    r"|\bE(?:ROFS|PERM|ACCES|BUSY|XDEV)\b|network is unreachable|could not resolve"
    r"|name resolution|name or service not known|no address associated"
    r"|getaddrinfo|\bE(?:AI_AGAIN|NOTFOUND|NETUNREACH)\b|failed to connect|connection refused|dns error",
    re.IGNORECASE,
)
_NOT_SET_UP = re.compile(r"^(?:bwrap: |xun: the sandbox could not be set up|sandbox-exec: )")
_WAY_OUT = "unsandboxed=true asks the person to run it outside"


# What a command has of its own in the sandbox, whatever stands there outside.
_PRIVATE = re.compile(r"(?<![\w.])/(?:tmp|var/tmp|run)/[\w.]")
_MISSING = re.compile(r"no such file or directory|\bENOENT\b|cannot find|not found", re.IGNORECASE)


def notes(completed: Completed, confinement: Confinement, command: str = "") -> list[str]:
    """Lines to put behind the result of `command`, which ran in the sandbox."""
    lines = [*_looked_after(completed)]
    said = f"{completed.stderr}\n{completed.stdout}"
    if not completed.returncode:
        return lines
    if _NOT_SET_UP.match(completed.stderr):
        lines.append(f"[the sandbox could not be set up and nothing was run; {_WAY_OUT}]")
    elif _REFUSED.search(said):
        lines.append(f"[it ran in the sandbox, which may be why it failed: {_closed(confinement)}; {_WAY_OUT}]")
    elif confinement.sandbox == "bwrap" and _PRIVATE.search(command) and _MISSING.search(said):
        lines.append(
            "[it ran in the sandbox, where /tmp, /var/tmp and /run are its own: of the person's it sees the files that"
            f" the command names; {_WAY_OUT}]"
        )
    return lines


def _looked_after(completed: Completed) -> Iterator[str]:
    """What was done about what it left behind."""
    if completed.put_aside:
        paths = ", ".join(map(str, completed.put_aside))
        yield (
            f"[moved away, as it is run or trusted later: {paths}; make such files with the file tools. The person"
            " finds it in put-aside, in xun's state folder]"
        )
    if completed.stopped:
        yield "[what it left running was stopped: a command that is to leave something running ends with &]"
    if completed.appeared:
        paths = ", ".join(map(str, completed.appeared))
        yield (
            f"[new since the last command, and run or trusted later: {paths}; something that was left running may have"
            " made it: tell the person unless you know who did]"
        )


def _closed(confinement: Confinement) -> str:
    git = "" if confinement.git else " and the repository"
    network = "" if confinement.network else "; there is no network"
    if confinement.sandbox == "landlock":
        top = (
            "what is there can be changed, but nothing new made, at the top of the workspace and beside protected files"
        )
        return f"what is outside the workspace{git} is read-only; {top}: make it with the file tools or deeper{network}"
    return f"what is outside the workspace{git} is read-only{network}"
