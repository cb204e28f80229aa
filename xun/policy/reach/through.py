"""Commands that read whole folders: which ones, for deny rules on what lies in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xun.policy.commands.spec import Use
from xun.policy.reach.needs import HERE, Command
from xun.policy.tables.programs import INTERPRETERS, STATE, base_name, word_set
from xun.policy.text.words import Arg

_SEARCHING = word_set("rg ag ack ugrep")
# They make or enter a folder, or take it for where they are: nothing in it is read by that.
_ENTERING = STATE | word_set("mkdir rmdir touch chmod chown chgrp git-lfs")


def folders_read(command: Command) -> Iterator[Use]:
    """The paths that, where they are folders, may be read with all that is in them."""
    if command.judged:
        uses = (*command.uses, *command.handed)
        yield from (use for use in uses if use.mode in ("read", "tree", "links", "searched", "git", "named"))
        return
    name = base_name(command.segment.args[0].text)
    if name in _ENTERING:
        return
    if name in _SEARCHING or (name == "grep" and _recursive(command.segment.args)):
        yield HERE
    yield from (use for use in command.whole if use.mode in ("tree", "links", "searched", "named"))
    for use in command.words:
        if use.arg.text != "/" or name not in INTERPRETERS:
            yield use


def _recursive(args: Sequence[Arg]) -> bool:
    return any(re.fullmatch(r"-[A-Za-z]*[rRd].*|--(?:dereference-)?recursive.*", arg.text) for arg in args[1:])
