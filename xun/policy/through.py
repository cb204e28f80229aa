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
# They leave names and numbers of what changed, unless a patch is asked for beside them.
_WITHOUT_CONTENT = re.compile(
    r"-s|--(?:stat|compact-summary|numstat|shortstat|dirstat|summary|name-only|name-status|raw|quiet|no-patch)(?:=.*)?"
)
_SEARCHING = word_set("rg ag ack ugrep")
# They make or enter a folder, or take it for where they are: nothing in it is read by that.
_ENTERING = STATE | word_set("mkdir rmdir touch chmod chown chgrp git-lfs")


def shows_history(command: Command) -> bool:
    """Does a git command show the content of files that no path names?"""
    name = command.program.name
    if name[0] != "git" or len(name) < 2:
        return False
    words = [arg.text for arg in command.segment.args]
    patches = any(_PATCHES.fullmatch(word) for word in words[1:])
    if name[1] in _GIT_LOGS:
        return patches or ("show" in words and not _names_only(words))
    return name[1] in _GIT_SHOWING and (patches or name[1] not in ("diff", "show") or not _names_only(words))


def shows_secrets(command: Command, *, unchanged: bool) -> bool:
    """Does a git command show a file that is kept, `unchanged` on the disk or not, where no path limits it?"""
    words = command.segment.argv
    if command.program.name[:2] == ("git", "cat-file"):
        return any(word.startswith(("--batch", "-p")) for word in words) and not any(":" in word for word in words)
    if not shows_history(command):
        return False
    compares_disk = command.program.name[1] == "diff" and len(words) == 2
    return not (unchanged and compares_disk)


def _names_only(words: Sequence[str]) -> bool:
    return any(_WITHOUT_CONTENT.fullmatch(word) for word in words[1:])


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
