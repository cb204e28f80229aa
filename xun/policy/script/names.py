"""Commands that print names of files of the workspace, and nothing else: which names may come out of a pipeline.

What is told of them is never too little: a name is passed over only where every way to print it is closed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from xun.policy.commands.find import find, follows_links, limits, split_paths
from xun.policy.commands.git import LS_FILES
from xun.policy.commands.patterns import grep_limits, rg_limits
from xun.policy.commands.readers import READERS
from xun.policy.commands.search import GREP_TABLE, RG_TABLE
from xun.policy.commands.spec import Parsed, Refused, Table
from xun.policy.tables.programs import word_set
from xun.policy.text.words import Arg

# A pattern of git that says how names end, in whatever folder.
_OF_NAMES = re.compile(r"\*\.[\w.-]+")
# In the text of a command: blanks, quotes and what begins with the mark of an option or of a file of options.
_SPELLED_ODDLY = re.compile(r"[\s'\"\\]|^[-+@]")
_HERE = Arg(".")
# What a search passes over for being hidden.
HIDDEN = (".*", ".*/")


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a command prints: paths below `starts`, one a line, or with a zero byte behind each (`zero`).

    `only` and `skip` are patterns of file names that they are limited to and that are left out; one with a slash behind
    it means what is below folders of that name. `prefixed` says that each begins with where it was looked for, as
    written; `files` that no folder is among them, and `links` that links may be. `searched` says that what is hidden or
    ignored is left out, unless an ignore file brings it back, and `kept` that all are of files that git keeps.
    """

    starts: tuple[Arg, ...] = (_HERE,)
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    prefixed: bool = True
    zero: bool = False
    files: bool = False
    links: bool = True
    searched: bool = False
    kept: bool = False


def printed_names(args: Sequence[Arg]) -> Names:
    """The names that a command prints. Raises `Refused` where it may print something else than names."""
    producer = _PRODUCERS.get(args[0].text)
    if producer is None or not all(arg.known for arg in args):
        raise _anything(args)
    names = producer(args)
    for start in names.starts:
        if start.glob or (not names.zero and _SPELLED_ODDLY.search(start.text)):
            raise Refused("wrapper", f"which names {args[0].text} prints for {start.text} cannot be told")
    return names


def _anything(args: Sequence[Arg]) -> Refused:
    return Refused("wrapper", f"what {args[0].text} prints need not be names of files of the workspace")


def found_names(paths: Sequence[Arg], expression: Sequence[Arg]) -> Names:
    """The names that come through an expression of find."""
    found = limits(expression)
    return Names(
        starts=tuple(paths) or (_HERE,),
        only=found.only or (),
        skip=tuple(f"{name}/" for name in sorted(found.skip)),
        files=found.files,
        links=not found.files,
    )


def _by_find(args: Sequence[Arg]) -> Names:
    find(args[1:])
    paths, expression = split_paths(args[1:])
    words = [word.text for word in expression]
    zero = "-print0" in words
    if follows_links(args) or not {"-ls", "-printf"}.isdisjoint(words) or (zero and "-print" in words):
        raise _anything(args)
    return replace(found_names(paths, expression), zero=zero)


# Options of rg and grep that leave the names of files all that they print.
_RG_NAMING = word_set(
    "l files-with-matches files-without-match files i ignore-case s case-sensitive S smart-case w word-regexp x "
    "line-regexp F fixed-strings v invert-match U multiline P pcre2 e regexp t type T type-not g glob iglob u "
    "unrestricted hidden . no-ignore no-ignore-vcs no-ignore-dot no-ignore-parent max-depth d n line-number N "
    "no-line-number 0 null sort a text"
)
_GREP_NAMING = word_set(
    "l L files-with-matches files-without-match r recursive i ignore-case w word-regexp x line-regexp E F P G "
    "extended-regexp fixed-strings perl-regexp basic-regexp e regexp s no-messages v invert-match I a text n "
    "line-number Z null include exclude exclude-dir m max-count"
)


def _operands(parsed: Parsed, *pattern_options: str) -> list[Arg]:
    return parsed.operands if parsed.has(*pattern_options) else parsed.operands[1:]


def _by_rg(args: Sequence[Arg]) -> Names:
    parsed = RG_TABLE.parse(args[1:])
    lists = parsed.has("l", "files-with-matches", "files-without-match", "files")
    if not lists or not all(name in _RG_NAMING for name, _ in parsed.options):
        raise _anything(args)
    places = _operands(parsed, "e", "regexp", "files")
    only, skip = rg_limits(parsed, places or (_HERE,))
    hidden = parsed.has("g", "glob", "iglob", "hidden", ".", "u", "unrestricted", "no-ignore", "no-ignore-dot")
    return Names(
        starts=tuple(places) or (_HERE,),
        only=only,
        # Hidden files are passed over where nothing else is said.
        skip=(*skip, *(() if hidden else HIDDEN)),
        searched=not hidden,
        prefixed=bool(places),
        zero=parsed.has("0", "null"),
        files=True,
        links=False,
    )


def _by_grep(args: Sequence[Arg]) -> Names:
    parsed = GREP_TABLE.parse(args[1:])
    lists = parsed.has("l", "L", "files-with-matches", "files-without-match")
    if not lists or not all(name in _GREP_NAMING for name, _ in parsed.options):
        raise _anything(args)
    places = _operands(parsed, "e", "regexp")
    through = parsed.has("r", "recursive")
    if not places and not through:
        raise _anything(args)
    only, skip = grep_limits(parsed)
    return Names(
        starts=tuple(places) or (_HERE,),
        only=only,
        skip=skip,
        prefixed=bool(places),
        zero=parsed.has("Z", "null"),
        files=True,
        links=not through,
    )


def _by_ls(args: Sequence[Arg]) -> Names:
    """`ls` of the folder itself: of another, it prints names without the folder they are in."""
    parsed = _table("ls").parse(args[1:])
    if parsed.operands or not all(name in "1AtrSUvX" for name, _ in parsed.options):
        raise _anything(args)
    hidden = () if parsed.has("A") else HIDDEN[:1]
    return Names(skip=("*/", *hidden), prefixed=False)


# Options of `git ls-files` that leave the names of files all that it prints.
_KEPT_NAMING = word_set("c cached m modified o others exclude-standard z deduplicate")
_PLAIN_PATH = re.compile(r"[\w./+@-]+")


def _by_git(args: Sequence[Arg]) -> Names:
    """`git ls-files`, below the folder it runs in: of a name that is odd it prints another spelling."""
    if len(args) < 2 or args[1].text != "ls-files":
        raise _anything(args)
    parsed = LS_FILES.parse(args[2:])
    if not all(name in _KEPT_NAMING for name, _ in parsed.options):
        raise _anything(args)
    only = [place.text for place in parsed.operands if _OF_NAMES.fullmatch(place.text)]
    places = [place for place in parsed.operands if _PLAIN_PATH.fullmatch(place.text)]
    if len(only) + len(places) != len(parsed.operands) or (only and places) or any(one.glob for one in parsed.operands):
        raise _anything(args)
    # What others keep in a repository of their own is listed by the name of its folder.
    kept = not parsed.has("o", "others")
    return Names(tuple(places) or (_HERE,), tuple(only), prefixed=False, zero=parsed.has("z"), kept=kept)


def _table(name: str) -> Table:
    table = READERS[name]
    assert isinstance(table, Table)
    return table


_PRODUCERS: Mapping[str, Callable[[Sequence[Arg]], Names]] = {
    "find": _by_find, "rg": _by_rg, "grep": _by_grep, "egrep": _by_grep, "fgrep": _by_grep, "ls": _by_ls, "git": _by_git
}  # fmt: skip


# Commands that print some of the lines they are given: the options that leave each as it was.
_GREP_PASSING = word_set(
    "v invert-match i ignore-case E F P G w x e a extended-regexp fixed-strings perl-regexp regexp z null-data m "
    "max-count"
)
_PASSING: Mapping[str, frozenset[str]] = {
    "sort": word_set("b d f g i M n R r V u z k t S reverse unique numeric-sort version-sort zero-terminated key"),
    "uniq": word_set("i u d z"),
    "head": word_set("n q lines digits z zero-terminated"),
    "tail": word_set("n q lines digits z zero-terminated"),
    "grep": _GREP_PASSING, "egrep": _GREP_PASSING, "fgrep": _GREP_PASSING,
}  # fmt: skip


def passes_lines(args: Sequence[Arg], *, zero: bool) -> bool:
    """Does a command print some of what it is given, each line (or what ends in a zero byte) as it was, and no more?"""
    name = args[0].text
    options = _PASSING.get(name)
    if options is None or not all(arg.known and not arg.glob for arg in args):
        return False
    table = GREP_TABLE if options is _GREP_PASSING else _table(name)
    try:
        parsed = table.parse(args[1:])
    except Refused:
        return False
    operands = 0 if options is not _GREP_PASSING or parsed.has("e", "regexp") else 1
    ends = parsed.has("z", "zero-terminated", "null-data")
    return len(parsed.operands) == operands and ends == zero and all(name in options for name, _ in parsed.options)
