"""How the arguments of a program are judged: a table of the options that keep it a reader, and its operands.

Names are taken exactly: an abbreviation that getopt would complete is unknown here, and what is unknown asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from xun.policy.text.prescreen import Problem
from xun.policy.text.words import HOLE, Arg

# What is done with a path: its content is read, only its name and metadata are shown, code in it is run, it becomes
# the working folder, it is a git revision or path (whose content or only name is shown), it is changed. Of a folder,
# all files in it are read: "tree" passes links over, "links" follows them, "searched" passes over what is hidden and
# ignored as well, and "compared" counts where git takes it for files outside its repository. What is in a folder is
# handed on by name, to a program that reads it ("named") or only tells about it ("listed"). It is moved or removed with
# all that is in it.
Mode = Literal[
    "read", "meta", "exec", "dir", "git", "gitname", "write", "tree", "links", "searched", "compared", "named",
    "listed", "moved",
]  # fmt: skip
_MODES: Mapping[str, Mode] = {
    "read": "read", "meta": "meta", "exec": "exec", "dir": "dir", "git": "git", "gitname": "gitname"
}  # fmt: skip
_DIGITS = re.compile(r"-\d+")


class Use(NamedTuple):
    """A path that a command touches, as its argument spells it.

    Where all files of a folder are read, `only` and `skip` hold the patterns of file names that it is limited to and
    that it passes over; a pattern with a slash behind it means what is below folders of that name. Where names are
    handed on, `odd` is an expression for those, from the folder on, that would be taken for something else, and `links`
    says whether links may be among them, `kept` that all are of files that git keeps.
    """

    arg: Arg
    mode: Mode
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    odd: str = ""
    links: bool = True
    kept: bool = False


class Refused(Exception):
    """An argument that is not known to keep the program a reader. `flag` is the option it is about, if any."""

    def __init__(self, code: str, text: str, *, hard: bool = False, flag: str | None = None) -> None:
        super().__init__(text)
        self.problem = Problem(code, text, hard)
        self.flag = flag

    def kept(self) -> Refused:
        """The same, to be kept: without the frames that it came through, and all that these hold."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self


Judge = Callable[[Sequence[Arg]], list[Use]]
Check = Callable[[Arg], None]


@dataclass(slots=True)
class Parsed:
    """Arguments sorted into options (name, value) and operands. Short options have names of one letter."""

    options: list[tuple[str, Arg | None]] = field(default_factory=list)
    operands: list[Arg] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)


@dataclass(frozen=True, slots=True)
class Table:
    """The options and operands of one program that keep it a reader.

    `flags`: short options without a value; `glued`: with an optional value glued on; `valued`: letter to the kind of
    its value. `long` is a text of names: `name` takes no value, `name?` an optional one after `=`, `name=kind` one, and
    `name==kind` one that must follow `=`, for programs that would not take the next argument.
    A kind is "text", "number", "width", "pads" (a format), a path mode, or a name in `checks`. `first` is the kind
    of the first operand where it differs. `most` limits the operands. `digits` admits `-5`. `globs` says that no
    option of the program does harm, so that a pattern may stand anywhere. `words` are options such as `-ps` that
    look like clusters and are none. `separate` marks a program that takes the value of a short option from the next
    argument, always, and `ordered` one for which options end at the first operand. Without `ends`, options do not
    end at `--` for certain: the program takes it for an operand, or drops it before others read what follows.
    `then` looks at the whole and may raise `Refused`.
    """

    flags: str = ""
    glued: str = ""
    valued: Mapping[str, str] = field(default_factory=dict)
    long: str = ""
    operands: str = "read"
    first: str | None = None
    most: int | None = None
    digits: bool = False
    globs: bool = False
    words: str = ""
    separate: bool = False
    ordered: bool = False
    ends: bool = True
    checks: Mapping[str, Check] = field(default_factory=dict)
    then: Callable[[Parsed], None] | None = None
    longs: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        longs: dict[str, str] = {}
        for entry in self.long.split():
            name, separator, kind = entry.partition("=")
            # `name==kind` leaves a kind that begins with "=".
            longs[name.rstrip("?")] = kind if separator else "?" if name.endswith("?") else ""
        object.__setattr__(self, "longs", longs)

    def __call__(self, args: Sequence[Arg]) -> list[Use]:
        parsed = self.parse(args)
        for index, operand in enumerate(parsed.operands):
            kind = self.first if index == 0 and self.first else self.operands
            if operand.glob and (self.most is not None or kind != self.operands):
                raise Refused("glob", f"a pattern stands where one argument is expected: {operand.text}")
            self.value(kind, operand, parsed)
        if self.most is not None and len(parsed.operands) > self.most:
            raise Refused("operand", f"it takes at most {self.most} operands as a reader")
        if self.then:
            self.then(parsed)
        return parsed.uses

    def parse(self, args: Sequence[Arg]) -> Parsed:
        """Sort `args`. Raises `Refused` at the first option that is not in the table."""
        parsed = Parsed()
        queue = list(args)
        while queue:
            arg = queue.pop(0)
            text = arg.text
            if text == "--":
                if not self.ends:
                    raise Refused("flag", "what stands behind -- may be read as options all the same", flag="--")
                parsed.operands += queue
                break
            if arg.leading_glob and not self.globs:
                raise Refused("glob", f"{text} may stand for an option: write ./{text}")
            if self.digits and _DIGITS.fullmatch(text):
                parsed.options.append(("digits", arg))
            elif self.ordered and parsed.operands and text.startswith("-") and text != "-":
                raise Refused("flag", f"{text} behind an operand is an operand too", flag=text)
            elif text.startswith("--"):
                self.take_long(arg, queue, parsed)
            elif text.startswith("-") and text != "-":
                self.take_short(arg, queue, parsed)
            else:
                parsed.operands.append(arg)
        return parsed

    def take_long(self, arg: Arg, queue: list[Arg], parsed: Parsed) -> None:
        name, separator, value = arg.pattern[2:].partition("=")
        kind = self.longs.get(name)
        if kind is None or (separator and kind == "") or Arg(name).glob:
            raise Refused("flag", f"the option --{Arg(name).text} is not known to be harmless", flag=arg.text)
        taken = Arg(value) if separator else None
        if kind.startswith("="):
            kind = kind[1:]
            if taken is None:
                raise Refused("flag", f"--{name} takes its value after =", flag=arg.text)
        if kind not in ("", "?") and taken is None:
            taken = self.next_value(f"--{name}", queue, parsed)
        if taken is not None:
            if taken.glob and kind not in ("?", "text", "fileglob"):
                raise Refused("glob", f"the value of --{name} is a pattern")
            self.value("text" if kind == "?" else kind, taken, parsed)
        parsed.options.append((name, taken))

    def take_short(self, arg: Arg, queue: list[Arg], parsed: Parsed) -> None:
        text = arg.text
        if arg.glob:
            raise Refused("glob", f"{text} may stand for other options")
        if text in self.words.split():
            parsed.options.append((text, None))
            return
        for at in range(1, len(text)):
            letter, rest = text[at], text[at + 1 :]
            if letter in self.flags:
                parsed.options.append((letter, None))
                continue
            if letter in self.glued:
                parsed.options.append((letter, Arg(rest) if rest else None))
                return
            kind = self.valued.get(letter)
            if kind is None:
                raise Refused("flag", f"the option -{letter} is not known to be harmless", flag=text)
            if rest and self.separate:
                raise Refused("flag", f"-{letter} takes its value from the next argument", flag=text)
            value = Arg(rest) if rest else self.next_value(f"-{letter}", queue, parsed)
            self.value(kind, value, parsed)
            parsed.options.append((letter, value))
            return

    def next_value(self, option: str, queue: list[Arg], parsed: Parsed) -> Arg:
        if not queue:
            raise Refused("missing", f"the value of {option} is missing")
        value = queue.pop(0)
        if value.glob:
            raise Refused("glob", f"the value of {option} is a pattern")
        if parsed.operands and self.operands in ("read", "meta") and value.text:
            # Where options end at the first operand (BSD, POSIXLY_CORRECT), this is an operand too.
            parsed.uses.append(Use(value, self.operands))
        return value

    def value(self, kind: str, arg: Arg, parsed: Parsed) -> None:
        """Judge a value or operand by its kind: note it where it is a path, raise `Refused` where it does not fit."""
        if kind == "text":
            return
        if not arg.known or HOLE in arg.pattern:
            self.unknown(kind, arg, parsed)
        elif mode := _MODES.get(kind):
            if arg.text == "":
                raise Refused("operand", "an empty path")
            if arg.text != "-":
                parsed.uses.append(Use(arg, mode))
        elif kind in _SIZES:
            _SIZES[kind](arg)
        else:
            self.checks[kind](arg)

    def unknown(self, kind: str, arg: Arg, parsed: Parsed) -> None:
        """A path that only a run tells: a pipe is read without one, others can be looked up as far as they are told."""
        if kind not in ("read", "meta") or arg.form not in ("stream", "place", "split"):
            raise Refused("expansion", f"{arg.text} is not known to be harmless here")
        if arg.form != "stream":
            parsed.uses.append(Use(arg, _MODES[kind]))


def number(arg: Arg) -> None:
    """Raise `Refused` unless `arg` is a plain number, with a sign or unit at most."""
    if not re.fullmatch(r"[+-]?\d{1,12}(\.\d+)?([bcdhkmswKMGTPE]i?B?)?", arg.text):
        raise Refused("operand", f"{arg.text!r} is not a plain number")


def width(arg: Arg) -> None:
    """Raise `Refused` unless `arg` is a width, or some stops, of what takes as much memory: four digits at most."""
    if not re.fullmatch(r"[/+]?\d{1,4}(?:,[/+]?\d{1,4})*", arg.text):
        raise Refused("operand", f"{arg.text!r} is not a plain width: it may take all memory")


# A conversion that is as wide as a number says, in formats of printf, of dates and of find.
_WIDE = re.compile(r"%[^%A-Za-z]*(?:\d{5}|\*)")


def pads(arg: Arg) -> None:
    """Raise `Refused` where a format pads what it prints without bound."""
    if _WIDE.search(arg.text):
        raise Refused("operand", f"{arg.text!r} pads what it prints without bound")


_SIZES: Mapping[str, Check] = {"number": number, "width": width, "pads": pads}


def offset(arg: Arg) -> None:
    """Raise `Refused` unless `arg` is a decimal or hexadecimal offset."""
    if not re.fullmatch(r"[+-]{0,2}(0x)?[0-9a-fA-F]{1,12}", arg.text):
        raise Refused("operand", f"{arg.text!r} is not an offset")


def fixed(*allowed: str, most: int = 1) -> Judge:
    """A judge for a program that is harmless with nothing, or with these words alone."""

    def judge(args: Sequence[Arg]) -> list[Use]:
        for arg in args:
            if arg.glob or arg.text not in allowed:
                raise Refused("operand", f"{arg.text} is not known to be harmless here", flag=arg.text)
        if len(args) > most:
            raise Refused("operand", "it takes fewer arguments as a reader")
        return []

    return judge
