"""The scripts that the text of a task names: in whatever spelling, rather one too many than one too few."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from posixpath import join

_SHELL_FILES = (".sh", ".bash", ".zsh", ".mk", ".ps1", ".cmd", ".bat")
_PLAIN = re.compile(r"[\w./@-]+")
_WIDE = re.compile(r"(?:[^\s\"'`;&|()<>$\\]|\\[^\n])+")  # with all that may stand in a word of a shell
_QUOTED = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'")
_INTO = re.compile(r"(?<![\w./-])(?:(?:cd|pushd)\s+|-C\s*|--(?:directory|prefix|cwd|dir)(?:\s+|=))['\"]?([\w./@+-]+)")
_PATTERN = re.compile(r"[*?\[]")
_QUOTES = str.maketrans("", "", "'\"")
_LONGEST = 200  # characters of a name
_MOST_FOLDERS = 50  # that a text goes to


@lru_cache(maxsize=1024)
def shell_files(text: str) -> frozenset[str]:
    """The scripts that `text` names, by their names from the folder in which they run; patterns as patterns.

    They are those with the ending of one, and paths without an ending, which may be one. It may go to a folder
    first: each name counts from there too.
    """
    names = {name for word in set(_words(text)) if (name := _named(word))}
    folders = dict.fromkeys(into[1] for into in _INTO.finditer(text))
    inner = {join(folder, name) for folder in list(folders)[:_MOST_FOLDERS] for name in names}
    return frozenset(names | inner)


def is_pattern(name: str) -> bool:
    """Does a name stand for any number of files?"""
    return _PATTERN.search(name) is not None


def is_told(name: str) -> bool:
    """Is a name that of a script by its ending?"""
    return name.endswith(_SHELL_FILES)


def _words(text: str) -> Iterator[str]:
    yield from _PLAIN.findall(text)
    for spelt in (text, text.translate(_QUOTES)):
        yield from (re.sub(r"\\(.)", r"\1", word) for word in _WIDE.findall(spelt))
    yield from (one or other for one, other in _QUOTED.findall(text))


def _named(word: str) -> str:
    """The name that a word may be, empty for none. Behind a variable (`$(TOP)/x.sh`) a path begins with a slash."""
    if len(word) > 2 * _LONGEST:
        return ""
    name = re.sub(r"\{[^}]*\}", "*", word).lstrip("/").rstrip(".-/@")
    if not name or len(name) > _LONGEST or "\0" in name:
        return ""
    path = "/" in name and "." not in name.rpartition("/")[2] and not is_pattern(name)
    return name if is_told(name) or path else ""
