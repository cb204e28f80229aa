"""What a command has run, or takes for a repository, that may lie outside: its script, and the folders of git."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from xun.policy.tables.programs import INTERPRETERS, base_name, word_set
from xun.policy.text.words import Arg

_SOURCING = frozenset({"source", "."})
# Options of interpreters behind which code stands, or the name of a module.
_NO_FILE = re.compile(r"-[A-Za-z]*[cemnpM].*|--(?:eval|print|command)\b.*")
_GIT_FOLDERS = ("--git-dir", "--work-tree")
_NAMED = re.compile(
    r"(?:^|[\s;&|(])(?:GIT_DIR|GIT_WORK_TREE|GIT_COMMON_DIR|GIT_INDEX_FILE|GIT_OBJECT_DIRECTORY)="
    r"('[^']*'|\"[^\"]*\"|[^\s;&|()]+)"
)
_LOADS = re.compile(r"(?:^|[\s;&|(])(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND)=[^\s;&|]")
# What somebody has put aside for now, by its own name.
_ASIDE = re.compile(r"/(?:private/)?(?:var/)?tmp/")
# They edit or show what they are given.
_NO_SCRIPTS = word_set("vim vi nvim view ex ed emacs emacsclient sqlite3 psql mysql awk gawk mawk nawk m4")


def scripts(args: Sequence[Arg]) -> Iterator[Arg]:
    """The files that a command runs, as it spells them: the program by its path, the script of an interpreter."""
    yield from (arg for arg in _scripts(args) if not _ASIDE.match(arg.text))


def _scripts(args: Sequence[Arg]) -> Iterator[Arg]:
    name = base_name(args[0].text)
    if "/" in args[0].text:
        yield args[0]
    if name in _SOURCING or (name in INTERPRETERS and name not in _NO_SCRIPTS):
        script = next((arg for arg in args[1:] if not arg.text.startswith("-") or _NO_FILE.fullmatch(arg.text)), None)
        if script is not None and not script.text.startswith("-") and script.known and "://" not in script.text:
            yield script


def git_folders(args: Sequence[Arg]) -> Iterator[Arg]:
    """The folders that a git command is told to take for its repository."""
    if base_name(args[0].text) != "git":
        return
    for arg, following in pairwise((*args, Arg(""))):
        name, equals, value = arg.text.partition("=")
        if name in _GIT_FOLDERS and (value or following.text):
            yield Arg(value) if equals else following


def folders_by_variable(text: str) -> Iterator[Arg]:
    """The folders that a text tells git by variables."""
    yield from (Arg(match[1].strip("'\"")) for match in _NAMED.finditer(text))


def loading(text: str) -> str | None:
    """The variable that a text sets and by which every program then loads or runs something."""
    match = _LOADS.search(text)
    return match[1] if match else None
