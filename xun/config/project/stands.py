"""What variables and substitutions in the text of a script may stand for, as far as the text tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Literal

from xun.config.project.shell_words import INNER, NESTED, command_at, first_word, segments, unquoted, written
from xun.policy.tables.programs import base_name, word_set

Kind = Literal["shell", "make", "just", "tasks", "data"]
"""Scripts of a shell, Makefiles, justfiles, lists of tasks, and what is written in any other language."""
OWN, TOP, ELSEWHERE = "@own@", "@top@", "/@elsewhere@"
"""What stands for the folder of a script, for that of the repository, and for one that is none of the project's."""

_MOST_VALUES = 12  # of a variable
_MOST_SPELLINGS = 24  # of one command, by what its variables may stand for
_LONGEST = 10_000  # characters of one
_DEPTH = 4  # variables and substitutions in each other

_ARGUMENT = r"[\"']?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)(?:%/\*)?\}?[\"']?"
_SILENT = r"(?:\s*[&\d]?>&?\s*[\w/]+)*"
# By the shape of the text.
_KNOWN = tuple(
    (re.compile(pattern), stands)
    for pattern, stands in (
        (rf"\$\(\s*(?:dirname|realpath|readlink -f)\s+(?:--\s+)?{_ARGUMENT}\s*\)", OWN),
        (r"\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}", OWN),
        (rf"\$\(\s*dirname\s+(?:--\s+)?[\"']?{OWN}[\"']?\s*\)", OWN),
        (rf"\$\(\s*git rev-parse --show-toplevel{_SILENT}\s*\)|`git rev-parse --show-toplevel`", TOP),
        (r"\$\(\s*pwd(?:\s+-[LP])?\s*\)|`pwd`|\$\{?PWD\}?|\$[({]CURDIR[)}]|\$\{?INIT_CWD\}?", "."),
        (r"\{\{\s*(?:justfile_directory|invocation_directory|source_directory)\(\)\s*\}\}", "."),
        (r"\{\{\s*\.(?:ROOT_DIR|TASKFILE_DIR|USER_WORKING_DIR)\s*\}\}", "."),
        (r"\{(?:toxinidir|tox_root|projectroot|root)\}", "."),
        (rf"\$\(\s*(?:shell\s+)?(?:which|command -v|type -p)\s+([\w.+-]+){_SILENT}\s*\)", r"\1"),
        (r"\$\(\s*(?:npm|yarn|pnpm) bin\s*\)", "node_modules/.bin"),
        (r"\$\{?npm_execpath\}?", "npm"),
        (r"\$(?:\(MAKE\)|\{MAKE\}|MAKE\b)", "make"),
        (r"\$(?:\(SHELL\)|\{SHELL\}|SHELL\b)", "sh"),
        (r"\$\(\s*(?:shell\s+)?go env [A-Z]+\s*\)", ELSEWHERE),
        (r"\$\(\s*mktemp\b[^)]{0,200}\)|`mktemp\b[^`]{0,200}`|\$\{?(?:TMPDIR|RUNNER_TEMP)\}?", ELSEWHERE),
        (r"\$\{?HOME\}?(?=[/\"'\s;&|)]|$)", ELSEWHERE),
    )
)
_INSIDE = re.compile(
    r"\$\(\s*cd\s+(?:--\s+)?(?P<folder>\"[^\"$`]{0,200}\"|'[^']{0,200}'|[^\s\"'$`&;()]+)"
    + _SILENT
    + r"\s*(?:&&|;)\s*pwd(?:\s+-[LP])?\s*\)"
)
_ESCAPED = re.compile(r"\$'([^'\n]{0,500})'")
_SUBST = re.compile(r"\$[({]subst ([^,(){}$]+),([^,(){}$]*),([^(){}$]*)[)}]")
_SIMPLE = re.compile(r"\$[({](firstword|lastword|strip|abspath|realpath)\s+([^(){}$]*)[)}]")
_VARIABLE = re.compile(
    r"\$\$?\(\s*(?P<round>[\w.-]+)\s*\)"
    r"|\$\$?\{(?P<curly>[\w.]+)(?:\[[@*\d]+\])?(?::?[-=+?](?P<default>[^}]{0,500}))?\}"
    r"|\$\$?(?P<plain>[A-Za-z_]\w*)|\{\{\s*\.?(?P<double>[\w-]+)\s*\}\}"
)
_SET = (
    r"(?:^|[\s;&|(@\"'{])(?:(?:export|local|readonly|override|declare|typeset|set|var)\s+(?:-\w+\s+)?)?"
    r"(?P<name>[A-Za-z_][\w.-]*)%s(?:=|:{1,3}=|\+=|\?=|!=)[ \t]*(?=(?P<value>[^\n]{0,2000}))"
)
_SETS = re.compile(_SET % "", re.MULTILINE)
_SETS_APART = re.compile(_SET % r"[ \t]*", re.MULTILINE)
_LISTED = re.compile(r"^[ \t]+(?P<name>[A-Za-z_]\w*)\s*:[ \t]+(?P<value>[^\n]+)", re.MULTILINE)
_LOOP = re.compile(r"\bfor\s+(?P<name>\w+)\s+in\s+(?P<value>[^;\n]*)")
_DEFINES = re.compile(r"^define\s+(?P<name>\w+)[^\n]*\n(?P<value>.{0,2000}?)^endef", re.MULTILINE | re.DOTALL)
_OPAQUE = re.compile(r"\$[\w({]|`|\{\{")
# Known whatever they are: what is given to a script or function stands in the text that gives it.
_GIVEN = re.compile(r"\$(?:[\d@*#?!<^+|-]|\{[\d@*#?!][^}]{0,200}\}|\([@<^*+?%][DF]?\))")
# Functions of make whose results stand in the Makefile; those of `shell` do not, nor what others put together.
_FUNCTIONS = re.compile(
    r"\$[({](?:call|foreach|if|or|and|eval|info|warning|error|strip|sort|word|wordlist|firstword|lastword|notdir|dir|"
    r"filter|filter-out|wildcard)\s(?!.*(?:\$[({](?:shell|file|guile|subst|patsubst|add[a-z]+|join)\s|`))"
)
# What nobody but the person sets, and never to a file of the project.
_BUILT_IN = word_set(
    "CC CXX CPP AR AS LD FC LEX YACC RM PYTHON CARGO GO RUSTC TSC NODE npm_node_execpath HOSTCC LINT M2C PC CO GET "
    "MAKEINFO TANGLE WEAVE TEX CURDIR EDITOR PAGER JAVA JAVA_HOME CROSS_COMPILE"
)
_WRITTEN = re.compile(r"\$[({]|`|\{\{|\$(?:PWD|MAKE|SHELL|HOME|TMPDIR|INIT_CWD|npm_execpath)")
_WHOLE = re.compile(rf"\$\((?:shell\s+)?(?P<text>{NESTED}*+)\)(?:/.*)?", re.DOTALL)
_TELLING = word_set(
    "echo command which type test [ true false : uname basename dirname pwd for break continue exit hash"
)
_PRINTS = re.compile(r"print|write|open|system|popen|exec|import (?!sys)|input|read")


def plain(text: str) -> str:
    """`text` with what stands for known folders and programs in the place of that."""
    if "$" not in text and "`" not in text and "{" not in text:
        return text
    text = _ESCAPED.sub(_decoded, text)
    for _ in range(2):
        for pattern, stands in _KNOWN:
            text = pattern.sub(stands, text)
        text = _INSIDE.sub(lambda found: found["folder"].strip("\"'"), text)
        text = _SUBST.sub(lambda found: found[3].replace(found[1], found[2]), text)
        text = _SIMPLE.sub(_made, text)
    return text


def _decoded(found: re.Match[str]) -> str:
    """A word in `$'…'` as one in plain quotes."""
    try:
        return "'" + found[1].encode("latin-1", "replace").decode("unicode_escape").replace("'", "") + "'"
    except UnicodeDecodeError:
        return found[0]


def _made(found: re.Match[str]) -> str:
    """What one of make's simple functions makes of plain words."""
    words = found[2].split()
    match found[1]:
        case "firstword":
            return "".join(words[:1])
        case "lastword":
            return "".join(words[-1:])
        case _:
            return " ".join(words)


def values_of(text: str, kind: Kind) -> dict[str, list[str]]:
    """What each variable may stand for."""
    found: dict[str, list[str]] = {}
    for pattern in (
        _SETS if kind == "shell" else _SETS_APART,
        _LOOP,
        _DEFINES,
        *((_LISTED,) if kind == "tasks" else ()),
    ):
        for one in pattern.finditer(text):
            values = found.setdefault(one["name"], [])
            if len(values) < _MOST_VALUES:
                values += _alternatives(one["value"], loop=pattern is _LOOP, whole=kind == "make")
    return found


def _alternatives(value: str, *, loop: bool, whole: bool) -> list[str]:
    value = re.sub(r"\s#.*", "", value).strip()
    if loop and "$(" not in value and "`" not in value:
        return value.split()[:_MOST_VALUES]
    word = first_word(value)
    bare = word.strip("\"'") if word[:1] in ("'", '"') else word
    return [value, bare] if whole and bare != value else [value if whole else bare]


def spellings(segment: str, values: Mapping[str, list[str]]) -> list[str]:
    """A command with what its variables may stand for, in each way."""
    found = [segment]
    if "$" not in segment and "{{" not in segment:
        return found
    for _ in range(_DEPTH):
        new = list(dict.fromkeys(one for spelt in found for one in _once(spelt, values)))[:_MOST_SPELLINGS]
        if new == found:
            break
        found = new
    return found


def _once(text: str, values: Mapping[str, list[str]]) -> Iterator[str]:
    """`text` with the values of its variables, one after another."""
    names: dict[str, list[str]] = {}
    for one in _VARIABLE.finditer(text):
        known = list(values.get(_name(one), ()))
        if one["default"] and not known:
            known.append(one["default"])
        if known := [value for value in known if one[0] not in value]:
            names.setdefault(one[0], known)
    if not names:
        yield text
        return
    for stands in islice(product(*names.values()), _MOST_SPELLINGS):
        spelt = text
        for name, value in zip(names, stands, strict=True):
            spelt = spelt.replace(name, value)
        yield plain(spelt[:_LONGEST]) if _WRITTEN.search(spelt) else spelt


def _name(found: re.Match[str]) -> str:
    return found["round"] or found["curly"] or found["plain"] or found["double"] or ""


def behind_variable(word: str) -> str:
    """A path without a variable before its first slash."""
    return re.sub(r"^(?:\$[({]?[\w.]+[)}]?|\{\{[^}]{0,200}\}\})/", "", word)


def leads(word: str) -> bool:
    """Does only a run tell which folder a word is?"""
    return _OPAQUE.search(word) is not None or _GIVEN.search(word) is not None


def opaque(word: str, depth: int = 0) -> bool:
    """Is it, as it is written, a command of which only a run tells what it is?"""
    word = behind_variable(word.strip('"'))
    whole = _VARIABLE.fullmatch(word)
    if (whole and _name(whole) in _BUILT_IN) or _FUNCTIONS.match(word):
        return False
    if inner := _WHOLE.fullmatch(word):
        return depth >= _DEPTH or not all(_tells(written(one), depth) for one in segments(inner["text"]))
    left = _GIVEN.sub("", re.sub(r"'[^']*'|\\\$", "", word))
    return _OPAQUE.search(left) is not None


def _tells(words: list[str], depth: int) -> bool:
    """Does a command print no words but those that it is given, or none?"""
    bare = list(map(unquoted, words))
    first = command_at(bare)
    name = base_name(bare[first]) if first < len(bare) else "true"
    if any(INNER.search(word) and opaque(word, depth + 1) for word in words):
        return False
    quiet = name.startswith("python") and bare[first + 1 : first + 2] == ["-c"]
    return name in _TELLING or (quiet and not _PRINTS.search(" ".join(bare[first + 2 :])))
