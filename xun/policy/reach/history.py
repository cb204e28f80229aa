"""What a git command shows of what its repository keeps.

Content that nothing limits for certain is that of the whole repository. A limit is a plain path behind `--`, or one of
the disk where git would refuse the word if it were a revision as well. No tree or blob is one: git shows those whatever
the paths and the format are, except that `git show REVISION:PATH` shows what it names and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from xun.policy.commands import find_program
from xun.policy.commands.git import ENUMERATING, GREP_NAMING, NAMES_ALONE, NO_CONTENT, SHOWING, UNLIMITED
from xun.policy.commands.spec import Parsed, Refused, Table
from xun.policy.reach.needs import Command
from xun.policy.tables.programs import base_name, git_command_at, word_set
from xun.policy.text.words import Arg

# They show content of every file that git keeps, and no table tells what limits them.
_ALL = word_set("archive format-patch difftool range-diff fast-export bundle unpack-file diff-pairs merge-tree")
# And those that do where an option, or a word, asks for it: what they are about to take in or throw away.
_PATCH = r"-[A-Za-z]*p[A-Za-z]*|--pat.*"
_PATCHES = {
    "add": re.compile(_PATCH + r"|-[A-Za-z]*[ie][A-Za-z]*|--int(?:er.*)?|--ed.*"),
    "stage": re.compile(_PATCH + r"|-[A-Za-z]*[ie][A-Za-z]*|--int(?:er.*)?|--ed.*"),
    "commit": re.compile(_PATCH + r"|-[A-Za-z]*v[A-Za-z]*|--int(?:er.*)?|--verb.*"),
    "reset": re.compile(_PATCH),
    "restore": re.compile(_PATCH),
    "checkout": re.compile(_PATCH),
    "stash": re.compile(_PATCH + "|show"),
    "status": re.compile(r"-[a-z]*v.*|--verb.*"),
    "request-pull": re.compile(_PATCH),
    "checkout-index": re.compile("--te.*"),  # under names that tell nothing
    "merge-file": re.compile("--obj.*"),
    "rerere": re.compile("diff"),
    "bisect": re.compile("view|visualize"),
    "rebase": re.compile("--show.*"),
    "am": re.compile("--show.*"),
    "cherry-pick": re.compile("--show.*"),
}
# Without an option that asks for it, they show no content.
_LOGS = frozenset({"log", "whatchanged", "reflog", "diff-tree", "diff-index", "diff-files", "stash list"})
_WITH_DISK = word_set("diff diff-index diff-files")
_PLAIN_PATH = re.compile(r"[^:!^*?\[\]\\-][^*?\[\]\\]*")
_HEX = re.compile(r"[0-9a-fA-F]{4,64}|.*-g[0-9a-fA-F]{4,}")
# What git follows to a commit, if it is anything: `~2`, `^`, `^2`.
_PEELED = re.compile(r"(.*?)((?:[~^]\d*)+)")
_NAME = re.compile(r"@|@\{[\w-]*\}|[\w][\w./-]*(?:@\{[\w. :-]*\})?")
_IN_REVISION = re.compile(r"(?:(?P<revision>[^:]+)|:[0-3])?:(?!/)[\w.@+~][^:*?\[\]\\]*|(?P<root>[^:]+):")
_CHECKS_ALONE = word_set("t s e batch-check")
_KINDS = word_set("commit tree tag")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a git command may show the content of.

    It is that of the repository's `whole`, or what lies in `paths` and in those of `words` that are paths of the disk.
    `revisions`, and the words that are no paths, must each lead to a commit. Without `content` it shows none where they
    do, beyond what its own words name. `disk` says that it compares the disk with what was staged.
    """

    whole: bool = False
    content: bool = True
    disk: bool = False
    paths: tuple[Arg, ...] = ()
    words: tuple[Arg, ...] = ()
    revisions: tuple[str, ...] = ()

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of objects of which only the repository knows whether they are commits."""
        texts = (*self.revisions, *(arg.text for arg in self.words))
        return tuple(one for text in texts for one in objects_in(text) or ())


def stages(view: Sequence[Arg]) -> Literal["", "named", "new", "ignored"]:
    """Does a git command take in files that the repository does not keep: new ones, or ignored ones too?

    With "named" it takes in new ones by name alone: what is in them counts as changed since.
    """
    if base_name(view[0].text) != "git":
        return ""
    words = [arg.text for arg in view[1:]]
    at = git_command_at(words)
    if at >= len(words):
        return ""
    behind = words[at + 1 :]
    if words[at] == "add":
        if any(re.fullmatch(r"-[A-Za-z]*f[A-Za-z]*|--f.*", word) for word in behind):
            return "ignored"
        return "named" if any(re.fullmatch(r"-[A-Za-z]*N[A-Za-z]*|--inten.*", word) for word in behind) else "new"
    if words[at] == "stash":
        if any(re.fullmatch(r"-[A-Za-z]*a[A-Za-z]*|--al.*", word) for word in behind):
            return "ignored"
        return "new" if any(re.fullmatch(r"-[A-Za-z]*u[A-Za-z]*|--include-u.*", word) for word in behind) else ""
    return ""


def objects_in(text: str) -> list[str] | None:
    """What of a revision must be looked up to tell that it leads to commits alone. None where that cannot be told."""
    found: list[str] = []
    for part in re.split(r"\.{2,3}", text.removeprefix("^"), maxsplit=1):
        peeled = _PEELED.fullmatch(part)
        name = peeled[1] if peeled else part
        if name and not _NAME.fullmatch(name) and not _HEX.fullmatch(name):
            return None
        if _HEX.fullmatch(name) and not peeled:
            found.append(name)
    return found if text else None


def shown(command: Command) -> Shown | None:
    """What a git command shows of the files of its repository, or None where that is no content."""
    program, args = command.program, command.segment.args
    if program.name[0] != "git":
        return None
    if program.problem is not None:  # options that no table knows may stand before the subcommand
        at = next((at for at, arg in enumerate(args) if arg.text in SHOWING or arg.text in _ALL), None)
        if at is None:
            return None
        program = find_program((args[0], *args[at:]))
        args = (args[0], *args[at:])
    return _shown(program.name[1:], args[program.length :])


def _shown(name: Sequence[str], args: Sequence[Arg]) -> Shown | None:
    kind = name[0] if name else ""
    if kind in _ALL:
        return Shown(whole=True)
    table = SHOWING.get(" ".join(name))
    if table is None:
        asked = _PATCHES.get(kind)
        return Shown(whole=True) if asked and any(asked.fullmatch(arg.text) for arg in args) else None
    texts = [arg.text for arg in args]
    at = texts.index("--") if "--" in texts else len(args)
    if at < len(args) and not table.ends:
        return Shown(whole=True)
    try:
        parsed = table.parse(args[:at])
    except Refused:
        return _unknown(" ".join(name), args, table)
    if kind == "cat-file":
        return _object(parsed, args[at:])
    behind = tuple(args[at + 1 :]) if at < len(args) else None
    if kind == "grep":
        return _searched(parsed, behind)
    return _walked(" ".join(name), parsed, behind)


def _unknown(kind: str, args: Sequence[Arg], table: Table) -> Shown | None:
    """With options that its table does not know: content, unless a log has none but those that show none."""
    known = [arg.text.partition("=")[0].lstrip("-") for arg in args if arg.text.startswith("-")]
    asks = any(name in table.longs and name not in NO_CONTENT for name in known)
    patches = any(re.fullmatch(r"-[A-Za-z0-9]*[pucmULGSW].*", arg.text) for arg in args)
    quiet = kind in _LOGS or any(name in NAMES_ALONE for name in known)
    return None if quiet and not asks and not patches else Shown(whole=True)


def _object(parsed: Parsed, rest: Sequence[Arg]) -> Shown | None:
    """`git cat-file`: what stands in an object, of any kind."""
    names = {name for name, _ in parsed.options}
    if names and names <= _CHECKS_ALONE:
        return None
    if rest or not names <= {"p"} or len(parsed.operands) != 2 - len(names):
        return Shown(whole=True)
    kind, named = "" if names else parsed.operands[0].text, parsed.operands[-1]
    if kind in _KINDS or _names_content(named):
        return None
    return Shown(content=False, revisions=(named.text,)) if named.known and not named.glob else Shown(whole=True)


def _searched(parsed: Parsed, behind: Sequence[Arg] | None) -> Shown | None:
    """`git grep`: the first operand is the pattern, which must stand before `--` for that to part the paths."""
    if parsed.has(*GREP_NAMING):
        return None
    operands = list(parsed.operands)
    if not parsed.has("e", "f"):
        if not operands:
            return Shown(whole=True)
        operands = operands[1:]
    return _limited(operands, behind)


def _walked(kind: str, parsed: Parsed, behind: Sequence[Arg] | None) -> Shown | None:
    """The commands that show commits and differences."""
    asks = any(name not in NO_CONTENT for name, _ in parsed.options)
    content = asks or (kind not in _LOGS and not parsed.has(*NAMES_ALONE))
    if not content and kind != "show":
        return None
    if parsed.has(*UNLIMITED) or kind in ("stash list", "stash show", "reflog"):
        return Shown(whole=True)
    if kind != "show":
        disk = kind in _WITH_DISK and not parsed.has("cached", "staged", "merge-base", "base", "ours", "theirs")
        return _limited(parsed.operands, behind, disk=disk)
    if parsed.has(*ENUMERATING):
        return Shown(whole=True)
    operands = [arg for arg in parsed.operands if not _names_content(arg)]
    named = len(operands) < len(parsed.operands) and not operands and not behind
    return _limited(operands, behind, content=content and not named)


def _limited(
    operands: Sequence[Arg], behind: Sequence[Arg] | None, *, content: bool = True, disk: bool = False
) -> Shown:
    words = (*operands, *(behind or ()))
    if not all(arg.known and not arg.glob for arg in words) or not all(map(_plain, behind or ())):
        return Shown(whole=True)
    if behind is None:
        return Shown(content=content, disk=disk, words=tuple(operands))
    revisions = tuple(arg.text for arg in operands)
    return Shown(content=content, disk=disk and not operands, paths=tuple(behind), revisions=revisions)


def _plain(arg: Arg) -> bool:
    return _PLAIN_PATH.fullmatch(arg.text) is not None


def plain_words(words: Sequence[Arg]) -> Iterator[Arg]:
    """The words that are read as paths where something stands there."""
    return (arg for arg in words if _plain(arg))


def _names_content(arg: Arg) -> bool:
    """`REVISION:PATH`, which is judged by the name of the path: what it shows has that name, or is a list of names."""
    match = _IN_REVISION.fullmatch(arg.text)
    if match is None or arg.glob or not arg.known:
        return False
    revision = match["revision"] or match["root"]
    return revision is None or (".." not in revision and objects_in(revision) is not None and revision[0] != "^")
