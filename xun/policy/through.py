"""Commands that read whole folders: which ones, for deny rules on what lies in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xun.policy.commands.spec import Use
from xun.policy.needs import HERE, Command
from xun.policy.programs import INTERPRETERS, STATE, base_name, word_set
from xun.policy.words import Arg

# They show content of every file that git keeps, unless paths limit them.
_GIT_SHOWING = word_set("diff show grep archive format-patch difftool whatchanged")
_GIT_LOGS = word_set("log reflog stash")
_PATCHES = re.compile(r"-[A-Za-z0-9]*[pucmULGW].*|--(?:patch|cc|unified|function-context|remerge-diff).*")
_SEARCHING = word_set("rg ag ack ugrep")
# They make or enter a folder, or take it for where they are: nothing in it is read by that.
_ENTERING = STATE | word_set("mkdir rmdir touch chmod chown chgrp git-lfs")


def shows_history(command: Command) -> bool:
    """Does a git command show the content of files that no path names?"""
    name = command.program.name
    if name[0] != "git" or len(name) < 2:
        return False
    words = [arg.text for arg in command.segment.args]
    if name[1] in _GIT_LOGS:
        return "show" in words or any(_PATCHES.fullmatch(word) for word in words[1:])
    return name[1] in _GIT_SHOWING


def folders_read(command: Command) -> Iterator[Use]:
    """The paths that, where they are folders, may be read with all that is in them."""
    if command.judged:
        uses = (*command.uses, *command.handed)
        yield from (use for use in uses if use.mode in ("read", "tree", "links", "git", "named"))
        return
    name = base_name(command.segment.args[0].text)
    if name in _ENTERING:
        return
    if name in _SEARCHING or (name == "grep" and _recursive(command.segment.args)):
        yield HERE
    for use in command.words:
        if use.arg.text != "/" or name not in INTERPRETERS:
            yield use


def _recursive(args: Sequence[Arg]) -> bool:
    return any(re.fullmatch(r"-[A-Za-z]*[rRd].*|--(?:dereference-)?recursive.*", arg.text) for arg in args[1:])
