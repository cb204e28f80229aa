"""What commands that no table judges read or change whole, by options or names that only they know: for hard reasons.

An option that is not known to be harmless must not hide which folders a search reads, and a loop or `xargs` not what a
command is handed of the names that another one prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xun.policy.commands import find_program
from xun.policy.commands.find import limits, split_paths
from xun.policy.commands.spec import Judge, Mode, Refused, Use
from xun.policy.reach.operands import prints_files, starts, swept
from xun.policy.reach.rewritten import in_place
from xun.policy.script.names import Names, printed_names
from xun.policy.tables.programs import CHANGERS, DESTROYERS, FILTERS, base_name, word_set
from xun.policy.text.words import Arg

_HERE = Arg(".")
_THROUGH: frozenset[Mode] = frozenset({"tree", "links", "searched"})
_MOST_OPTIONS = 6
_TABLED = word_set("grep egrep fgrep rg")
_SEARCHING = {"ag": "searched", "ack": "searched", "ugrep": "tree", "ug": "searched", "zgrep": "tree"}
_RECURSIVE = re.compile(r"-[A-Za-z]*[rR][A-Za-z0-9]*|--(?:dereference-)?recursive|--directories=recurse")
_HIDDEN = re.compile(r"-[A-Za-z]*[uHI][A-Za-z]*|--(?:hidden|no-ignore.*|unrestricted)")
# Options without a value, of which the next word is none.
_WITHOUT_VALUE = re.compile(
    r"--(?:line-buffered|follow|no-\w+|heading|pretty|\w+=.*|null-data|stats|trim|pcre2)|-[A-Za-z]"
)
_WHICH = frozenset("rRu")
_ACTS = word_set("-exec -execdir -ok -okdir -x -X --exec --exec-batch")
# They show nothing of what is in a file that they are given.
_NO_CONTENT = (
    DESTROYERS
    | CHANGERS
    | word_set("echo printf ls stat du file basename dirname realpath readlink test [ true wc git")
)
_CONTENT = (FILTERS - {"wc", "tr"}) | word_set("less more bat strings zcat base32 diff cmp comm join")


def read_through(args: Sequence[Arg]) -> Iterator[Use]:
    """The folders that a command reads with all that is in them, whatever options it has."""
    name = base_name(args[0].text)
    words = [arg.text for arg in args[1:]]
    if name in _TABLED:
        judge = find_program([Arg(name)]).judge
        if judge is not None and (name == "rg" or any(map(_RECURSIVE.fullmatch, words))):
            yield from _without_options(judge, args[1:])
    elif name in _SEARCHING and (_SEARCHING[name] == "searched" or any(map(_RECURSIVE.fullmatch, words))):
        mode: Mode = "tree" if any(map(_HIDDEN.fullmatch, words)) or _SEARCHING[name] == "tree" else "searched"
        yield from (Use(place, mode) for place in _operands(args[1:])[1:] or [_HERE])
    elif name == "diff" and any(map(_RECURSIVE.fullmatch, words)):
        yield from (Use(arg, "links") for arg in _operands(args[1:]))
    elif name in ("find", "fd", "fdfind"):
        yield from _executed(name, args)


def _without_options(judge: Judge, args: Sequence[Arg]) -> Iterator[Use]:
    """The folders by the table of a search, once the options are left out that it does not know."""
    rest = list(args)
    valued = False
    for _ in range(_MOST_OPTIONS):
        try:
            uses = [use for use in judge(rest) if use.mode in _THROUGH]
        except Refused as refused:
            at = next((at for at, arg in enumerate(rest) if arg.text == refused.flag), None)
            if at is None:
                break
            option = rest[at].text
            valued = valued or not _WITHOUT_VALUE.fullmatch(option)
            # Of several letters those are kept that say which files are read.
            kept = "" if option.startswith("--") else "".join(_WHICH.intersection(option))
            rest[at : at + 1] = [Arg(f"-{kept}")] if kept and f"-{kept}" != option else []
        else:
            yield from uses
            # The first operand may be the value of what is left out.
            if not valued or len(_operands(rest)) > 2:
                return
            yield Use(_HERE, _mode(args))
            return
    yield from (Use(place, _mode(args)) for place in _operands(rest)[1:] or [_HERE])


def _mode(args: Sequence[Arg]) -> Mode:
    recursive = any(_RECURSIVE.fullmatch(arg.text) or _HIDDEN.fullmatch(arg.text) for arg in args)
    return "tree" if recursive else "searched"


def _operands(args: Sequence[Arg]) -> list[Arg]:
    return [arg for arg in args if arg.text and not arg.text.startswith("-")]


def _executed(name: str, args: Sequence[Arg]) -> Iterator[Use]:
    """What `find -exec` and its like hand to a command that may show it."""
    words = [arg.text for arg in args]
    run = [at + 1 for at, word in enumerate(words[:-1]) if word in _ACTS]
    if not any(base_name(words[at]) not in _NO_CONTENT and not in_place(args[at:]) for at in run):
        return
    if name != "find":
        yield Use(_HERE, "tree" if any(map(_HIDDEN.fullmatch, words)) else "searched")
        return
    names = _found(args)
    yield from (Use(start, "tree", names.only, names.skip) for start in names.starts)


def _found(args: Sequence[Arg]) -> Names:
    """The names that find comes upon, as far as its expression tells."""
    end = next((at for at, arg in enumerate(args) if arg.text in _ACTS), len(args))
    plain = [arg for arg in args[1:end] if arg.text not in ("-H", "-L", "-P")]
    found = limits(split_paths(plain)[1])
    return Names(tuple(starts(args)), found.only or (), tuple(f"{one}/" for one in sorted(found.skip)))


def listed(commands: Sequence[Sequence[Arg]]) -> tuple[Use, ...]:
    """What the names lead to that some of `commands` print."""
    found: dict[Use, None] = {}
    for args in dict.fromkeys(map(tuple, commands)):
        try:
            names = printed_names(args)
        except Refused:
            continue
        found |= {
            Use(start, "named", names.only, names.skip, "", names.links, names.kept): None for start in names.starts
        }
    return tuple(found)


def reads_handed(views: Sequence[Sequence[Arg]]) -> bool:
    """May a command read files by names that other ones print? `views` are it and the commands that it runs."""
    return any(map(_reads_names, views)) and (_unknown(views) or takes_names(views))


def _reads_names(view: Sequence[Arg]) -> bool:
    return base_name(view[0].text) in _CONTENT and not in_place(view)


def _unknown(views: Sequence[Sequence[Arg]]) -> bool:
    """Does one that reads have a word which only a run tells, and which may be a name?"""
    return any(not arg.known and arg.text.startswith("$") for view in views if _reads_names(view) for arg in view[1:])


def takes_names(views: Sequence[Sequence[Arg]]) -> bool:
    """Is it a command that makes operands of what comes to it?"""
    return base_name(views[0][0].text) in ("xargs", "parallel")


def handed_to_change(views: Sequence[Sequence[Arg]], before: Sequence[Arg]) -> Iterator[Use]:
    """The folders in which `xargs` has a program change the files that the command before it names."""
    name = base_name(before[0].text)
    if not takes_names(views) or not prints_files(before) or name in ("echo", "printf"):
        return  # what is printed is known word by word
    changing = [base_name(view[0].text) for view in views]
    removes = not DESTROYERS.isdisjoint(changing)
    if not removes and CHANGERS.isdisjoint(changing) and not any(map(in_place, views)):
        return
    only: tuple[str, ...] = swept((*before, Arg("-delete"))) or () if name == "find" else ("*",)
    for start in starts(before) if name == "find" else _operands(before[1:]):
        yield Use(start, "write")
        yield Use(start, "moved", only)
