"""Links that a shell text makes itself: where a path through one leads is not told by what is on the disk before."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence, Set

from xun.policy.commands.spec import Use
from xun.policy.facts import Facts
from xun.policy.reach.needs import Command, Reading
from xun.policy.tables.programs import base_name
from xun.policy.text.words import Arg

_COPIES_AS_LINK = re.compile(r"-[A-Za-z]*[sl][A-Za-z]*|--(?:symbolic-link|link)")
_INTO = re.compile(r"(?:-[A-Za-z]*t|--target-directory=?)(.*)")


def made_links(reading: Reading, cwd: str, facts: Facts) -> Iterator[tuple[Command, str]]:
    """The commands of `reading` that may make links, and the paths of these, not resolved."""
    for command in reading.commands:
        for view in command.acting if not command.judged else ():
            if makes_links(view):
                for folder in reading.script.starts(cwd, command.segment):
                    yield from ((command, path) for path in links_of(command, view, folder, facts))


def makes_links(view: Sequence[Arg]) -> bool:
    """Does a command make a link, or another name for a file?"""
    name = base_name(view[0].text)
    return name == "ln" or (name == "cp" and any(_COPIES_AS_LINK.fullmatch(arg.text) for arg in view[1:]))


def links_of(command: Command, view: Sequence[Arg], folder: str, facts: Facts) -> Iterator[str]:
    """The paths of the links that one of the views of a command makes, not resolved."""
    operands = [arg for arg in view[1:] if not arg.text.startswith("-")]
    if not operands:
        return
    names = [posixpath.basename(arg.pattern.rstrip("/")) or arg.pattern for arg in operands]
    into = [match[1] for arg in view[1:] if (match := _INTO.fullmatch(arg.text)) and match[1]]
    last = operands[-1]
    key = command.keys(folder, Use(last, "write"))
    if len(operands) == 1 or into:
        places = [folder, *(posixpath.join(folder, one) for one in into)]
        yield from (posixpath.normpath(posixpath.join(place, name)) for place in places for name in names)
        return
    fact = facts.paths.get(key)
    stands = fact is not None and fact.kind == "folder"
    if not stands or (fact is not None and fact.is_symlink):
        yield posixpath.normpath(key)
    if stands:
        yield from (posixpath.normpath(posixpath.join(key, name)) for name in names[:-1])
    if any(_INTO.fullmatch(arg.text) for arg in view[1:]):
        first = command.keys(folder, Use(operands[0], "write"))
        yield from (posixpath.normpath(posixpath.join(first, name)) for name in names[1:])


def through_link(key: str, links: Set[str], *, final: bool) -> str | None:
    """The link of `links` that the path at `key` leads through; at its end too where `final`, or a slash follows."""
    if not links:
        return None
    path = posixpath.normpath(key)
    at = path if final or key.endswith("/") else posixpath.dirname(path)
    while at not in ("", "/"):
        if at in links:
            return at
        at = posixpath.dirname(at)
    return None
