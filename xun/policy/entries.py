"""What may stand on an allowlist: a prefix of words that names a program and can match, or a path short of all."""

from __future__ import annotations

import posixpath
import re
import shlex
from functools import lru_cache
from pathlib import PurePosixPath

from xun.errors import ConfigurationError
from xun.policy.paths import matches, special
from xun.policy.tables.programs import INTERPRETERS, MANY, PRIVILEGED, WRAPPERS, base_name
from xun.policy.tables.runners import CODE_MODULES, RUNNERS, opaque, runner_length

_CODE_FLAGS = re.compile(r"-[A-Za-z]*[ceEp]|--eval|--print|--exec|--command|-|-i|-S.*")

# Options that take no value: of Python, and of every other interpreter.
_PYTHON_SWITCHES = frozenset({"-u", "-B", "-s", "-S", "-I", "-O", "-OO", "-q", "-v", "-b", "-d"})
_SWITCHES = frozenset({"-x", "-w"})


# By itself it does what the project says, and what it runs of its words is told apart.
_ALONE = frozenset({"tox", "git", "gh", "gcloud"})
# A setting of git, or a way to look at some, other than those that name programs or other files of settings.
_SETTING = re.compile(
    r"(?!(?:alias|filter|include|includeif|url|pager|gpg|credential|sendemail|trailer|merge|diff|difftool|mergetool|man|web"
    r"|browser|guitool|lfs|protocol|safe)\.|core\.(?:hookspath|editor|pager|fsmonitor|sshcommand|askpass|gitproxy"
    r"|alternaterefscommand|worktree|attributesfile)$|sequence\.editor$|init\.templatedir$|uploadpack\.|.*\."
    r"(?:cmd|command|path|helper|driver|textconv|program|uploadpack|receivepack|vcs)$)[\w-]+\.[\w.-]+"
    r"|--get|--get-all|--get-regexp|--list|-l|get|list",
    re.IGNORECASE,
)


class PolicyError(ConfigurationError):
    """A rule or list entry that cannot be used. The message is one line that says which and why."""


@lru_cache(maxsize=1024)
def words_of(pattern: str) -> tuple[str, ...]:
    """The words of a command pattern, quotes removed. Raises `PolicyError` where no command can begin with them."""
    from xun.policy.script.shell import read_script  # an agent starts without reading shell text

    if pattern in ("[", "[["):
        return (pattern,)  # a command by itself, though no complete one
    script = read_script(pattern, "")
    if script.problems:
        raise PolicyError(f"the prefix {pattern!r} would never match: {script.problems[0].text}")
    if len(script.segments) != 1:
        raise PolicyError(f"the prefix {pattern!r} would never match: commands are judged one by one, so give one")
    segment = script.segments[0]
    if segment.text != pattern.strip():
        raise PolicyError(f"the prefix {pattern!r} would never match: redirections and operators are judged apart")
    if any(arg.glob for arg in segment.args):
        raise PolicyError(f"the prefix {pattern!r} would never match: it is compared word by word, without patterns")
    return segment.argv


def check_allowed(pattern: str) -> tuple[str, ...]:
    """The words of an entry that is to allow commands. Raises `PolicyError` where it would allow anything at all."""
    from xun.policy.reach.uncovered import gives_code, running_option  # an agent starts without these tables

    words = words_of(pattern)
    name = base_name(words[0])
    rest = words[1:]
    if name == "git":
        _check_git(pattern, rest)
    elif name in PRIVILEGED:
        raise PolicyError(f"{pattern!r} cannot be allowed: {name} runs commands with other rights")
    elif name in WRAPPERS and not _only_looks(name, rest):
        raise PolicyError(f"{pattern!r} cannot be allowed: {name} runs whatever is given to it")
    elif option := running_option(words):
        raise PolicyError(f"{pattern!r} cannot be allowed: with {option}, {name} runs what is given to it")
    elif length := runner_length(words):
        _check_run(pattern, words, length)
    elif not rest and name in RUNNERS and name in MANY - _ALONE:
        raise PolicyError(f"{pattern!r} cannot be allowed: {name} runs other programs too; name its command")
    elif name in INTERPRETERS:
        _check_interpreter(pattern, name, rest)
    elif option := gives_code(words, len(words) - 1):
        raise PolicyError(f"{pattern!r} cannot be allowed: behind {option}, {name} may run what is given to it")
    return words


def check_pattern(kind: str, pattern: str, *, allows: bool) -> None:
    """Refuse a pattern for paths, hosts or tools that matches nothing it seems to, or would allow any host or tool.

    Raises `PolicyError`.
    """
    never = f"the {kind} pattern {pattern!r} would never match"
    if "\0" in pattern:
        raise PolicyError(f"{never}: no name holds a NUL character")
    if _OPEN.search(_CLASS.sub("", pattern)):
        raise PolicyError(f"{never}: its [ is not closed; write [[] for the character itself")
    if kind == "host" and not _HOST.fullmatch(pattern):
        raise PolicyError(
            f"{never}: name the host alone, as in docs.example or *.docs.example, without https://, port or path"
        )
    if kind == "tool" and any(char.isspace() for char in pattern):
        raise PolicyError(f"{never}: the name of a tool has no blanks")
    if allows and kind in ("host", "tool") and not pattern.strip("*?.[]!"):
        raise PolicyError(
            f"the {kind} pattern {pattern!r} cannot be allowed: it is any {kind}; name those that may be used"
        )


_CLASS = re.compile(r"\[[^\]].*?\]|\[\].*?\]", re.DOTALL)
_OPEN = re.compile(r"\[")
# A name, or a pattern of names; an IPv6 address is the one that holds colons.
_HOST = re.compile(r"[^\s/:@]*[^\s/:@.]|[0-9a-fA-F:.*?]*:[0-9a-fA-F:.*?]*")


def check_write_path(pattern: str, folder: str | None = None) -> None:
    """Refuse a path, or a pattern for paths, that is to allow writes and would allow nearly any.

    `folder` is what it is taken from, where that is known: what is above it would cover all that stands beside it.
    Raises `PolicyError`.
    """
    if not pattern.strip():
        raise PolicyError("an empty write path")
    above = _ONLY_UP.fullmatch(posixpath.normpath(pattern)) is not None
    if not above and matches(re.sub("^/+", "/", pattern), _ANYWHERE, [_ELSEWHERE]):
        raise PolicyError(f"the write path {pattern!r} is the whole file system; name the folders that may be written")
    if folder is not None:
        there = posixpath.normpath(posixpath.join(folder, pattern))
        above = above or there in map(str, PurePosixPath(folder).parents)
    if above:
        raise PolicyError(f"the write path {pattern!r} is above the workspace; name the folders that may be written")


# A file and a folder that cannot be there, so that only a pattern for anything covers the one from the other.
_ANYWHERE, _ELSEWHERE = "/\0/\0", "/\0-"
_ONLY_UP = re.compile(r"\.\.(?:/\.\.)*")


def _only_looks(name: str, rest: tuple[str, ...]) -> bool:
    """Two wrappers have forms that run nothing: `command -v`, and find without an action that executes."""
    if name == "command":
        return rest[:1] in (("-v",), ("-V",))
    return name == "find" and not any(word.startswith(("-exec", "-ok")) for word in rest)


def _check_git(pattern: str, rest: tuple[str, ...]) -> None:
    from xun.policy.reach.uncovered import running_option

    if rest == ("--version",):
        return
    words = list(rest)
    while words and words[0].startswith("-"):
        flag = words.pop(0)
        if flag in ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path") and words:
            words.pop(0)
    if not words:
        raise PolicyError(f"{pattern!r} cannot be allowed: name the git command too, such as git status")
    if option := running_option(("git", *words)):
        raise PolicyError(f"{pattern!r} cannot be allowed: with {option}, git runs what is given to it")
    if words[0] == "config" and not _SETTING.fullmatch(" ".join(words[1:2])):
        raise PolicyError(f"{pattern!r} cannot be allowed: some settings of git name programs; name a harmless one")
    if runner_length(("git", *words)):
        raise PolicyError(f"{pattern!r} cannot be allowed: git {words[0]} runs whatever is given to it")


def _check_run(pattern: str, words: tuple[str, ...], length: int) -> None:
    """What is run behind `uv run` and its kin must be an entry by itself."""
    shown = " ".join(words[:length])
    if opaque(words):
        raise PolicyError(f"{pattern!r} cannot be allowed: {shown} runs whatever is given to it")
    rest = words[length:]
    if base_name(words[0]) == "coverage":
        rest = ("python", *rest)
    if rest[:1] == ("--",):
        rest = rest[1:]
    if not rest or rest[0].startswith("-"):
        raise PolicyError(f"{pattern!r} cannot be allowed: name the program right after {shown}")
    try:
        check_allowed(shlex.join(rest))
    except PolicyError as error:
        raise PolicyError(f"{pattern!r} cannot be allowed: behind {shown}, {error}") from None


def _check_interpreter(pattern: str, name: str, rest: tuple[str, ...]) -> None:
    if rest in (("--version",), ("-V",), ("-v",), ("-version",)):
        return
    if any(_CODE_FLAGS.fullmatch(word) for word in rest):
        raise PolicyError(f"{pattern!r} cannot be allowed: {name} runs the code that is given to it")
    words = list(rest)
    if any(special(word) for word in words):
        raise PolicyError(f"{pattern!r} cannot be allowed: {name} runs the code that it is sent")
    while words and words[0] in (_PYTHON_SWITCHES if base_name(name) == "python" else _SWITCHES):
        words.pop(0)
    if words and words[0].startswith("-") and words[0] != "-m":
        # What follows may be its value, and no program: behind it, code could still be given.
        raise PolicyError(f"{pattern!r} cannot be allowed: name the script or module right after {name}")
    if len(words) < (2 if words[:1] == ["-m"] else 1):
        raise PolicyError(f"{pattern!r} cannot be allowed: {name} runs any program; name the script or module")
    if words[:2] == ["-m", "coverage"]:
        if len(words) < 3:
            raise PolicyError(f"{pattern!r} cannot be allowed: coverage runs other programs too; name its command")
        check_allowed(shlex.join(words[1:]))
    if words[:1] == ["-m"] and words[1].partition(".")[0] in CODE_MODULES:
        raise PolicyError(f"{pattern!r} cannot be allowed: the module {words[1]} runs the code that is given to it")
