"""What an allow rule for a command covers, in words for who adds one."""

from __future__ import annotations

from collections.abc import Sequence

from xun.policy.commands import default_commands
from xun.policy.entries import words_of
from xun.policy.reach.uncovered import left_out
from xun.policy.tables.runners import names_script, of_folder

_MORE = "runs, changes or reaches more than these say"


def covered_by(pattern: str) -> str:
    """The commands that an allow rule for `pattern` covers, as far as nothing else speaks against one.

    Raises `PolicyError` where no command can begin so.
    """
    words = words_of(pattern)
    known = default_commands()
    tabled = any(" ".join(words[:count]) in known for count in (1, 2, 3))
    where = "" if tabled or not _bound(words) else ", in the workspace's own folder"
    exception = "is not known to be harmless" if tabled else "; or ".join((*left_out(words), _MORE))
    return f"commands whose first words are `{pattern}`{where}, unless what follows {exception}"


def _bound(words: Sequence[str]) -> bool:
    """Is what they name another file in another folder, so that the rule is for the workspace's own alone?"""
    return ("/" in words[0] and not words[0].startswith("/")) or names_script(words) or of_folder(words)
