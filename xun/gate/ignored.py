"""What a search that honours ignore files passes over by itself, told for certain or not at all.

Only patterns of one plain name count as passing something over, and only where no line may bring it back.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from posixpath import lexists

from xun.gate.listing import IGNORE_FILES
from xun.workspace.regular import NotRegularError, read_regular

_MAX_FILE = 256 * 1024
_PLAIN = re.compile(r"(/?)(?:\*\*/)?([\w.+@-]*\*?[\w.+@-]*)(/?)")
_STRANGE = re.compile(r"[\[\]{}\\]")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of the ignore files of one folder. `git` are those that count in a repository alone, and `repository`
    says that one begins here."""

    folder: str
    passing: tuple[str, ...] = ()
    git: tuple[str, ...] = ()
    returning: tuple[str, ...] = ()
    repository: bool = False


class Unending(Exception):
    """An ignore file is a pipe or a device."""


def lines_above(folder: str) -> list[Lines]:
    """The ignore files that bind what is in `folder` from above it, the outermost first. Raises `Unending`."""
    found: list[Lines] = []
    path = posixpath.dirname(folder)
    while path != folder:
        found.insert(0, lines_of(path))
        folder, path = path, posixpath.dirname(path)
    return found


def lines_of(folder: str, names: Sequence[str] = IGNORE_FILES) -> Lines:
    """The ignore files in `folder`, of these names. Raises `Unending`."""
    passing: list[str] = []
    git: list[str] = []
    returning: list[str] = []
    sources = [(name, posixpath.join(folder, name)) for name in names if name in IGNORE_FILES]
    sources.append((".gitignore", posixpath.join(folder, ".git/info/exclude")))
    for name, path in sources:
        for line in _lines(path):
            if line.startswith("!"):
                returning.append(line[1:])
            else:
                (git if name == ".gitignore" else passing).append(line)
    return Lines(folder, tuple(passing), tuple(git), tuple(returning), lexists(posixpath.join(folder, ".git")))


def _lines(path: str) -> Iterator[str]:
    try:
        data = read_regular(path, _MAX_FILE)
    except NotRegularError as error:
        if stat.S_ISDIR(error.mode):
            return
        raise Unending from None
    except (OSError, ValueError):
        return
    # Of a file that is too long to be read, any line may bring anything back.
    text = "!*" if data is None else os.fsdecode(data.removeprefix(b"\xef\xbb\xbf"))
    for line in text.split("\n"):
        pattern = line.rstrip()
        if pattern and not pattern.startswith("#"):
            yield pattern


def passed_over(name: str, folder: str, lines: Sequence[Lines], *, is_folder: bool) -> bool:
    """Is what has this name in `folder` surely passed over, by a pattern or for being hidden?"""
    if brought_back(name, lines, is_folder=is_folder):
        return False
    if name.startswith("."):
        return True
    begins = max((at for at, one in enumerate(lines) if one.repository), default=len(lines))
    for at, one in enumerate(lines):
        counting = (*one.passing, *(one.git if at >= begins else ()))
        if any(_names(pattern, name, one.folder == folder, is_folder=is_folder) for pattern in counting):
            return True
    return False


def left_out(name: str, folder: str, lines: Sequence[Lines], *, is_folder: bool) -> bool:
    """Is what has this name in `folder` surely ignored by git, hidden or not?"""
    if brought_back(name, lines, is_folder=is_folder):
        return False
    begins = max((at for at, one in enumerate(lines) if one.repository), default=len(lines))
    counting = [(one, pattern) for one in lines[begins:] for pattern in one.git]
    return any(_names(pattern, name, one.folder == folder, is_folder=is_folder) for one, pattern in counting)


def brought_back(name: str, lines: Sequence[Lines], *, is_folder: bool) -> bool:
    """May a line of an ignore file bring back what has this name?"""
    return any(_may_name(pattern, name, is_folder=is_folder) for one in lines for pattern in one.returning)


def _names(pattern: str, name: str, here: bool, *, is_folder: bool) -> bool:
    match = _PLAIN.fullmatch(pattern)
    if match is None or not match[2]:
        return False
    if (match[1] and not here) or (match[3] and not is_folder):
        return False
    return fnmatchcase(name, match[2])


def _may_name(pattern: str, name: str, *, is_folder: bool) -> bool:
    if _STRANGE.search(pattern):
        return True
    *parts, last = [part for part in pattern.split("/") if part] or ["*"]
    if any(part != "**" and fnmatchcase(name, part) for part in parts):
        return True
    return fnmatchcase(name, last) and (is_folder or not pattern.endswith("/"))
