"""What a command may run in turn, as far as its words tell: read for hard reasons and deny rules alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from xun.policy.commands import find_program
from xun.policy.commands.spec import Use
from xun.policy.reach.code_texts import removed_in_code, run_by_option, run_in_code
from xun.policy.reach.prose import without_prose
from xun.policy.script.folders import Steps
from xun.policy.script.shell import read_script
from xun.policy.tables.programs import (
    CHANGERS,
    DESTROYERS,
    ENDERS,
    FETCHERS,
    INTERPRETERS,
    MANY,
    PRIVILEGED,
    RUNS_OTHERS,
    SHELLS,
    STATE,
    WRAPPERS,
    base_name,
    word_set,
)
from xun.policy.tables.runners import runner_end
from xun.policy.text.words import Arg

_MAX_NESTED = 3
_MAX_VIEWS = 64
_FIRST_VIEWS = 8
_CHANGING = DESTROYERS | CHANGERS | {"dd", "find"}
_OPENED = SHELLS | {"eval", "git"}
# Where a word behind a program that nobody knows is one of these, the program may well run it.
_RUN = (WRAPPERS | DESTROYERS | PRIVILEGED | FETCHERS | SHELLS | ENDERS | {"git"}) - word_set("fetch http https kill .")
# A text that begins with one of these is a command rather than a sentence.
_BEGINS = _RUN | CHANGERS | INTERPRETERS | MANY | word_set("cd pushd echo printf cat")
# Take their words for what they say, and run none of them.
_RUNS_NOTHING = (
    DESTROYERS | CHANGERS | STATE | word_set("dd less more man zcat bat tar zip unzip 7z gcc g++ cc clang apt-cache")
)
# Behind these stand names of packages, not of programs to run.
_PACKAGES = word_set("install add i remove uninstall get update upgrade info search show view help why")
_FIRST_WORD = re.compile(r"[\s({!]*([\w./+-]+)")
_STRING = re.compile(r"""(?:"([^"\n]{3,400})"|'([^'\n]{3,400})')""")
# By what the shells of databases and editors run a command.
_SHELL_OUT = re.compile(r"(?:\.(?:shell|system)[ \t]+|\\?![ \t]*)(\S[^\n'\"]*)")
_SED_RUNS = re.compile(r"(?:^|[\d$/;{}\s,])e[ \t]+(\S[^\n]*)")
_TEXT_MARKS = frozenset(" ;|&\n$`(")


def may_run_words(args: Sequence[Arg]) -> bool:
    """May the program run what some of its later words name? Not one that a table knows, or that only changes files."""
    name = base_name(args[0].text)
    if name in RUNS_OTHERS or runner_end([arg.text for arg in args]):
        return True
    return name not in _RUNS_NOTHING and name != "git" and find_program(args).judge is None


@dataclass(slots=True)
class Behind:
    """The commands that a command may run in turn: what follows a wrapper, and the text given to a shell.

    Any word behind a wrapper may be the command, so every tail of its arguments is a view. `guessed` are those that a
    program may run that is not known to. `tails` holds the views that change what their operands name, up to one that
    names all that a later one could. `inner` are the commands of texts, each with the folders it may run in, and
    `written` and `read` the files that the texts redirect to and from.
    """

    home: str
    views: list[tuple[Arg, ...]] = field(default_factory=list)
    guessed: list[tuple[Arg, ...]] = field(default_factory=list)
    tails: list[tuple[Arg, ...]] = field(default_factory=list)
    inner: list[tuple[tuple[Arg, ...], tuple[Steps, ...]]] = field(default_factory=list)
    written: list[tuple[Use, tuple[Steps, ...]]] = field(default_factory=list)
    read: list[tuple[Use, tuple[Steps, ...]]] = field(default_factory=list)
    cut: bool = False

    def open(self, args: Sequence[Arg], depth: int = 0, *, sure: bool = True) -> None:
        """Look at what `args` may run."""
        if depth >= _MAX_NESTED:
            return
        name = base_name(args[0].text)
        if name == "parallel":
            args = [arg for arg in args if not arg.text.startswith(":::")]
        for text in run_by_option(name, args):
            self.text(text, depth, sure=sure and name == "env")
        begins = 1 if name in WRAPPERS else runner_end([arg.text for arg in args])
        if begins:
            self.wrapped(args, begins, depth, sure=sure)
        elif name in SHELLS:
            self.texts(args, depth, sure=sure)
            self.guess(args, depth)
        elif name == "git":
            self.git(args, depth)
        elif name in ("alias", "export", "declare", "typeset", "local", "readonly"):
            for arg in args[1:]:
                value = arg.text.partition("=")[2]
                if value in PRIVILEGED:
                    self.text(value, depth, sure=False)
                self.sentence(value, depth)
        elif may_run_words(args) or name == "sed":
            self.guess(args, depth)
        if name == "eval" and len(args) > 1:
            self.text(" ".join(arg.text for arg in args[1:]), depth, sure=sure)

    def wrapped(self, args: Sequence[Arg], begins: int, depth: int, *, sure: bool) -> None:
        most = len(args)
        if most > _MAX_VIEWS:
            # Nobody settles this but a person: what the first words say is enough for a deny rule.
            self.cut, most = True, begins + (1 if depth else _FIRST_VIEWS)
        for at in range(begins, most):
            if most == len(args) and self.full():
                return
            text = args[at].text
            if text and not text.startswith("-"):
                self.tail(tuple(args[at:]), depth, sure=sure)
        self.texts(args[begins - 1 :], depth, sure=sure)

    def texts(self, args: Sequence[Arg], depth: int, *, sure: bool) -> None:
        for arg in args[1:]:
            if self.full():
                return
            if not _TEXT_MARKS.isdisjoint(arg.text):
                self.text(arg.text, depth, sure=sure)

    def guess(self, args: Sequence[Arg], depth: int) -> None:
        """What a program may run that is not known to run anything: words and texts that look like commands."""
        name = base_name(args[0].text)
        managed = name in MANY and any(arg.text in _PACKAGES for arg in args[1:3])
        for at, arg in enumerate(without_prose(args)[1:], 1):
            if self.full():
                return
            found = base_name(arg.text)
            if found in _RUN and not managed and not (name in MANY and found in DESTROYERS and at <= 2):
                self.tail(tuple(without_prose(args)[at:]), depth, sure=False)
            elif not _TEXT_MARKS.isdisjoint(arg.text):
                self.sentence(arg.text.partition("=")[2] if arg.text.startswith("-") else arg.text, depth)
                if name == "sed" or (name in INTERPRETERS and name not in SHELLS):
                    self.script(name, arg.text, depth)

    def script(self, name: str, code: str, depth: int) -> None:
        """The texts in the code of an interpreter that look like commands."""
        for kind in (_SED_RUNS,) if name == "sed" else (_STRING, _SHELL_OUT):
            for match in kind.finditer(code):
                self.sentence(match[match.lastindex or 1], depth)
        if name != "sed":
            for text in run_in_code(name, code):
                self.sentence(text, depth)
            for text in removed_in_code(code):
                self.text(text, depth, sure=False)

    def git(self, args: Sequence[Arg], depth: int) -> None:
        """What git runs itself: aliases and helpers of its configuration, and texts for its options."""
        rest = without_prose(args)
        for before, arg in pairwise(rest):
            key, equals, value = arg.text.partition("=")
            if before.text == "-c" and key.lower().startswith("alias."):
                self.alias(value, rest, depth)
            elif before.text.lower().startswith("alias."):
                self.alias(arg.text, rest, depth)
            elif before.text == "-c" or (equals and key.startswith("-")):
                self.sentence(value, depth)
            else:
                self.sentence(arg.text.removeprefix("-x").removeprefix("ext::"), depth)

    def alias(self, value: str, args: Sequence[Arg], depth: int) -> None:
        if value.startswith("!"):
            self.text(value[1:], depth, sure=False)
        else:
            self.guessed.append((Arg("git"), *map(Arg, value.split()), *args[3:]))

    def full(self) -> bool:
        self.cut = self.cut or len(self.views) + len(self.guessed) >= _MAX_VIEWS
        return self.cut

    def tail(self, view: tuple[Arg, ...], depth: int, *, sure: bool) -> None:
        (self.views if sure else self.guessed).append(view)
        name = base_name(view[0].text)
        if name in _CHANGING and not any(base_name(before[0].text) in DESTROYERS for before in self.tails):
            self.tails.append(view)
        if name in _OPENED:
            self.open(view, depth + 1, sure=sure)

    def sentence(self, text: str, depth: int) -> None:
        """A text that some program may take for a command, where it begins as one."""
        if (match := _FIRST_WORD.match(text)) and match.end() < len(text) and base_name(match[1]) in _BEGINS:
            self.text(text, depth, sure=False)

    def text(self, text: str, depth: int, *, sure: bool) -> None:
        script = read_script(text, self.home)
        for operator, target in script.redirects:
            if not target.text.isdigit() and target.text != "/dev/null":
                use = Use(target, "read" if operator == "<" else "write")
                (self.read if operator == "<" else self.written).append((use, script.ends))
        for segment in script.segments:
            self.inner.append((segment.args, segment.folders))
            (self.views if sure else self.guessed).append(segment.args)
            self.open(segment.args, depth + 1, sure=sure)


def tails(args: Sequence[Arg], name: str) -> Iterator[tuple[Arg, ...]]:
    """What stands behind the program of a command, from each word on that may be the program `name`."""
    if may_run_words(args):
        rest = without_prose(args)
        for at, arg in enumerate(rest[1:], 1):
            if base_name(arg.text) == name:
                yield tuple(rest[at:])
