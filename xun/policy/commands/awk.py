"""awk: programs that only compute and print.

A program is read token by token, by a closed set: patterns, `print` and `printf` without redirection or pipe, fields,
arithmetic, and functions that touch nothing but their arguments. gawk, mawk, busybox and the original differ in how
they read what lies outside it; where one of them may take a slash for a division and another for the beginning of an
expression, the program is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands.spec import Judge, Refused, Table, Use
from xun.policy.programs import word_set
from xun.policy.words import Arg

_FUNCTIONS = word_set(
    "length substr index split sub gsub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand gensub "
    "strftime systime mktime strtonum and or xor lshift rshift compl asort asorti"
)
_STATEMENTS = word_set("if else for in break continue next nextfile exit delete print printf BEGIN END")
# Everything else is a variable, but not these: they run, read, write or loop, or show or change what awk was given.
_REFUSED = word_set(
    "system getline close fflush while do function func return switch case default include load "
    "namespace eval nsfunc BEGINFILE ENDFILE ENVIRON PROCINFO SYMTAB FUNCTAB ARGV ARGC ARGIND"
)
_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)
    |(?P<newline>\n)
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<string>"(?:[^"\\\n]|\\[^\n])*")
    |(?P<operator>&&|\|\||>>|\+\+|--|[-+*%^=!<>]=|!~|\*\*|[-+*/%^=!<>~?:,;$(){}\[\]])""",
    re.VERBOSE | re.ASCII,
)
# A regular expression in which every awk finds its end at the same slash: none stands in brackets.
_REGEX = re.compile(r"/(?!=)(?:[^/\[\]\\\n]|\\[^\n]|\[\^?(?:\[:[a-z]+:\]|[^\]\[/\\\n])+\])*/")
# A conversion that pads without bound.
_WIDE = re.compile(r"%[-+ #0']*(?:\d{4}|\*|\d*\.(?:\d{4}|\*))")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)


def _refuse(what: str) -> Refused:
    return Refused("script", f"this awk program is not judged: {what}")


class _Program:
    """One pass over the text of a program.

    `last` says what stood before: an operand, a function's name, `++`, `$`, or anything that an operand may follow.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.last = "operator"
        self.word = ""
        self.printing = False
        self.open: list[str] = []

    def check(self) -> None:
        """Raises `Refused` at the first token outside the closed set."""
        while self.at < len(self.text):
            if self.text[self.at] == "/" and self.last not in ("operand", "builtin"):
                self.regex()
                continue
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                raise _refuse(f"it holds {self.text[self.at : self.at + 12]!r}")
            self.at = match.end()
            getattr(self, f"_{match.lastgroup}")(match[0])
        if self.open:
            raise _refuse("a bracket is not closed")

    def regex(self) -> None:
        match = _REGEX.match(self.text, self.at)
        if match is None or self.last in ("step", "field"):
            raise _refuse("where its regular expressions end may be read in two ways")
        self.at = match.end()
        self.last = "operand"

    def _space(self, _: str) -> None:
        """A blank changes nothing."""

    def _newline(self, _: str) -> None:
        self.last = "operator"

    def _number(self, _: str) -> None:
        self.last = "operand"

    def _string(self, text: str) -> None:
        if _WIDE.search(text):
            raise _refuse("it pads what it prints without bound")
        self.last = "operand"

    def _word(self, word: str) -> None:
        called = self.text.startswith("(", self.at)
        if word in _REFUSED or (called and word not in _FUNCTIONS | _STATEMENTS):
            raise _refuse(f"{word} does more than compute and print")
        self.word = word
        if word in ("print", "printf"):
            self.printing = True
        if word in _STATEMENTS:
            self.last = "operator"
        else:
            # `length / 2` and `length /x/` look the same.
            self.last = "builtin" if word in _FUNCTIONS else "operand"

    def _operator(self, text: str) -> None:
        if text == "/" and self.last == "builtin":
            raise _refuse("where its regular expressions end may be read in two ways")
        if text == ">>" or (self.printing and text in (">", ">=")):
            raise _refuse("what it prints may go to a file")
        if text in "({[":
            control = text == "(" and self.last == "operator" and self.word in ("if", "for")
            self.open.append("control" if control else text)
            self.last = "operator"
        elif text in ")}]":
            self.closed(text)
        else:
            self.printing = self.printing and text != ";"
            self.last = {"++": "step", "--": "step", "$": "field"}.get(text, "operator")
        self.word = ""

    def closed(self, text: str) -> None:
        opened = self.open.pop() if self.open else ""
        if {"control": ")", "(": ")", "{": "}", "[": "]"}.get(opened) != text:
            raise _refuse("its brackets do not match")
        self.printing = self.printing and text != "}"
        self.last = {"control": "operator", "{": "operator"}.get(opened, "operand")


# A loop that counts, or goes through an array, and what could keep it from its end.
_LOOP = re.compile(r"\bfor\b")
_COUNTS = re.compile(
    r"for[ \t]*\((?:[ \t]*\w+[ \t]+in[ \t]+\w+[ \t]*\)"
    r"|[ \t]*(\w+)[ \t]*=[^;(){}=]+;[ \t]*\1[ \t]*[<>]=?[^;{}=]+;[ \t]*(?:\1(?:\+\+|--)|(?:\+\+|--)\1)[ \t]*\))",
    re.ASCII,
)
_MORE_FIELDS = re.compile(r"\$[ \t]*\(?[ \t]*NF[ \t]*\+|\bNF[ \t]*(?:\+\+|[-+*/%^]?=(?!=))|(?:\+\+)[ \t]*NF\b")


def _program(arg: Arg) -> None:
    text = arg.text
    if arg.glob or not text.strip():
        raise _refuse("it is empty, or a pattern of files")
    if _LOOP.search(text) and not _ends(text):
        raise _refuse("it may loop without end")
    _Program(text).check()


def _ends(text: str) -> bool:
    """Does every loop of a program count on a variable that nothing else sets, to a bound that does not grow?"""
    loops = [_COUNTS.match(text, loop.start()) for loop in _LOOP.finditer(text)]
    for match in loops:
        if match is None:
            return False
        if name := match[1]:
            own = sum(1 for other in loops if other and other[1] == name)
            sets = rf"\b{name}[ \t]*(?:\+\+|--|[-+*/%^]?=(?!=))|(?:\+\+|--)[ \t]*{name}\b"
            if len(re.findall(sets, text)) > 2 * own:
                return False
    return _MORE_FIELDS.search(text) is None


def _assignment(arg: Arg) -> None:
    match = _ASSIGNED.match(arg.text)
    if match is None or arg.glob or match[1] in _REFUSED | _FUNCTIONS | _STATEMENTS:
        raise Refused("operand", f"-v {arg.text} is not a plain variable", flag="-v")


_AWK = Table(
    valued={"F": "text", "v": "assignment"},
    first="program",
    ordered=True,
    checks={"program": _program, "assignment": _assignment},
)


def _awk(args: Sequence[Arg]) -> list[Use]:
    """`awk [-F FS] [-v NAME=VALUE]… PROGRAM [FILE | NAME=VALUE]…`."""
    operands = _AWK.parse(args).operands
    if not operands:
        raise Refused("script", "the program of awk is missing")
    given = [operand for operand in operands[1:] if _ASSIGNED.match(operand.text)]
    for operand in given:
        _assignment(operand)
    return _AWK([arg for arg in args if not any(arg is one for one in given)])


AWK: dict[str, Judge] = {"awk": _awk, "gawk": _awk, "mawk": _awk, "nawk": _awk}
