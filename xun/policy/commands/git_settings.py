"""`git config` where it reads: options first, then one name, for there git stops to read options."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands.spec import Refused, Table, Use
from xun.policy.text.words import Arg

# Values that nobody shows around, and what else of a person's own configuration is no business of a reader.
_PRIVATE = re.compile(r"(?i)token|pass|secret|header|credential|smtp|cookie|proxy|insteadof|auth(?!or)")
# The last word of a name that is private by itself, or ends in one: `github.pat`, `github.oauth-key`.
_PRIVATE_WORD = re.compile(r"(?:.*[.-])?(?:pat|pwd|pw|pin|key|apikey|accesskey|privatekey|secretkey)", re.IGNORECASE)
_KEY = re.compile(r"[A-Za-z][\w-]*(?:\.[\w./:@-]+)?\.[A-Za-z][\w-]*")
_CONFIG = Table(
    flags="lz",
    long="get get-all get-regexp list local global worktree show-origin show-scope name-only null bool int path "
    "type=text default=text includes no-includes",
    operands="text",
    most=1,
    ordered=True,
    ends=False,
)


def config(args: Sequence[Arg]) -> list[Use]:
    """`git config` with one name, or for all of the repository's own. A word behind a name is the value that it sets.

    That is so of an option too, and of `--`.
    """
    parsed = _CONFIG.parse(args)
    several = parsed.has("l", "list", "get-regexp")
    if several and not (parsed.has("local", "worktree") or parsed.has("name-only")):
        raise Refused("flag", "it would show all of one's own configuration too: add --local", flag="--list")
    names = [arg.text for arg in parsed.operands]
    if len(names) > 1:
        raise Refused("operand", "it sets the value that stands behind the name", flag=names[1])
    if not several and not (names and _KEY.fullmatch(names[0])):
        raise Refused("operand", f"{names[0] if names else 'git config'} names no setting that it would show")
    if not several and _is_private(names[0]):
        raise Refused("operand", f"{names[0]} may be private")
    if parsed.has("l", "list") and names:
        raise Refused("operand", "it takes fewer operands as a reader")
    return _CONFIG(args)


def _is_private(name: str) -> bool:
    return _PRIVATE.search(name) is not None or _PRIVATE_WORD.fullmatch(name) is not None
