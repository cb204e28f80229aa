"""The commands that a program is told to run by an option or in its code, as texts: for hard reasons and deny rules."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from xun.policy.text.words import Arg

# Options whose value is run, by program; one letter each, or long names.
_RUN_BY_OPTION: Mapping[str, re.Pattern[str]] = {
    "env": re.compile(r"-[a-zA-Z]*S(.+)|--split-string=(.+)", re.DOTALL),
    "man": re.compile(r"-[a-zA-Z]*P(.*)|--pager(?:=(.*))?", re.DOTALL),
    "rsync": re.compile(r"-[a-zA-Z0-9]*e(.*)|--(?:rsh|rsync-path)(?:=(.*))?", re.DOTALL),
    "make": re.compile(r"-c|--eval(?:=(.*))?", re.DOTALL),
}
_MAKES = {"gmake": "make"}
# In a rule of make a command stands behind one of these.
_RECIPES = re.compile(r"[;\n\t]|\$\(shell |:\s")
_STRING = r"(?:\"[^\"\n]{1,200}\"|'[^'\n]{1,200}')"
_STRINGS = re.compile(_STRING)
_LISTED = re.compile(rf"{_STRING}(?:\s*,\s*\[?\s*{_STRING})+")
_STARTS = re.compile(r"subprocess|spawn|exec|system|popen|Popen|\brun\b|\bcall\b|open3|fork")
_TICKED = re.compile(r"`([^`\n]{3,400})`|(?:%x|qx)[({\[|/]([^)}\]|/\n]{3,400})")
_TICKING = frozenset({"perl", "ruby", "irb", "php", "awk", "lua"})
_REMOVED = re.compile(
    r"(?:\b(?:remove|unlink|rmdir|removedirs|rmtree|rm|rmSync|rmdirSync|unlinkSync)|File\.delete|FileUtils\.rm\w*)"
    rf"\s*\(?\s*({_STRING})|\bPath\(\s*({_STRING})\s*\)\.(?:unlink|rmdir)"
)


def run_by_option(name: str, args: Sequence[Arg]) -> Iterator[str]:
    """The texts among `args` that the program `name` runs as commands."""
    name = _MAKES.get(name, name)
    option = _RUN_BY_OPTION.get(name)
    for at, arg in enumerate(args[1:], 1) if option else ():
        match = option.fullmatch(arg.text) if option else None
        if match is None:
            continue
        following = args[at + 1].text if at + 1 < len(args) else ""
        value = next(filter(None, match.groups()), None) or following
        yield from (_RECIPES.split(value.replace(")", " ")) if name == "make" else [value])


def run_in_code(name: str, code: str) -> Iterator[str]:
    """The commands in the code of the interpreter `name` that stand in lists of words or between backquotes."""
    if _STARTS.search(code):
        for match in _LISTED.finditer(code):
            yield " ".join(string[1:-1] for string in _STRINGS.findall(match[0]))
    if name in _TICKING:
        yield from (match[1] or match[2] for match in _TICKED.finditer(code))


def removed_in_code(code: str) -> Iterator[str]:
    """What code removes by a call, as commands that would."""
    for match in _REMOVED.finditer(code):
        yield f"rm -rf {shlex.quote((match[1] or match[2])[1:-1])}"
