"""git telling about itself: a summary that it prints, or a page of the manual that another program shows.

`git COMMAND -h` is answered by git's own code, before hooks, pagers or aliases; each of these was traced. What a script
answers (`git submodule -h`), or an alias gets, is not among them. `git help COMMAND` and `git COMMAND --help` start the
program that `man.viewer`, `help.format` and `help.browser` name.
"""

from __future__ import annotations

from collections.abc import Sequence

from xun.policy.commands.spec import Refused
from xun.policy.tables.programs import word_set

_ALONE = word_set("--help -h help")
_SUMMARISED = word_set(
    "add am annotate apply archive blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick "
    "clean clone commit config count-objects describe diff diff-tree fetch for-each-ref format-patch fsck gc grep "
    "init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes pull push range-diff rebase reflog remote "
    "reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status switch "
    "symbolic-ref tag update-index var worktree"
)


def telling(words: Sequence[str]) -> tuple[str, ...]:
    """By which name the words behind `git` make it print about itself and do nothing else; empty where they do not."""
    if len(words) == 1 and words[0] in _ALONE:
        return "git", words[0]
    if words[:1] == ["--help"]:
        manual(words)
    return ("git", "-h") if len(words) == 2 and words[1] == "-h" and words[0] in _SUMMARISED else ()


def manual(words: Sequence[str]) -> None:
    """Raises `Refused` where the words behind `git` ask for a page of the manual."""
    if words[:1] in (["help"], ["--help"]) or words[1:2] == ["--help"]:
        named = next((word for word in words if word in _SUMMARISED), "COMMAND")
        text = f"it shows the manual by a program that git's settings may name; git {named} -h prints a summary"
        raise Refused("manual", text, flag=words[1])
