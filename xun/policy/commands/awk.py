"""awk: programs that only compute and print.

A program is read token by token, by a closed set: patterns, `print` and `printf` without redirection or pipe, fields,
arithmetic, and functions that touch nothing but their arguments. gawk, mawk, busybox and the original differ in how
they read what lies outside it; where one of them may take a slash for a division and another for the beginning of an
expression, the program is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from xun.policy.commands.spec import Judge, Refused, Table, Use
from xun.policy.tables.programs import word_set
from xun.policy.text.words import Arg

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
_WHY = dict.fromkeys(("while", "do"), "may go round for ever") | dict.fromkeys(
    ("function", "func", "return", "switch", "case", "default"), "is not followed"
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
# One that another string may go on with.
_OPEN_ENDED = re.compile(r"(?<!%)(?:%%)*%[-+ #0']*\d*\.?\d*\"$")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
# Formats are written out: one that is put together, or read, may pad without bound.
_FORMATS = re.compile(r"\b(?:printf[ \t]*\(?|sprintf[ \t]*\()[ \t]*", re.ASCII)
_FORMAT = re.compile(r"\"(?:[^\"\\\n]|\\[^\n])*\"[ \t]*(?:[,;)}\n]|$)")


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
        if _WIDE.search(text) or _OPEN_ENDED.search(text):
            raise _refuse("it pads what it prints without bound")
        self.last = "operand"

    def _word(self, word: str) -> None:
        called = self.text.startswith("(", self.at)
        if word in _REFUSED or (called and word not in _FUNCTIONS | _STATEMENTS):
            raise _refuse(f"{word} {_WHY.get(word, 'does more than compute and print')}")
        self.word = word
        if word in ("printf", "sprintf"):
            self.format()
        if word in ("print", "printf"):
            self.printing = True
        if word in _STATEMENTS:
            self.last = "operator"
        else:
            # `length / 2` and `length /x/` look the same.
            self.last = "builtin" if word in _FUNCTIONS else "operand"

    def format(self) -> None:
        begins = _FORMATS.match(self.text, self.at - len(self.word))
        if begins is None or not _FORMAT.match(self.text, begins.end()):
            raise _refuse("the format that it prints with is not written out")

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
    r"for[ \t]*\((?:[ \t]*(?P<key>\w+)[ \t]+in[ \t]+\w+[ \t]*\)"
    r"|[ \t]*(?P<name>\w+)[ \t]*=(?P<first>[^;{}=]+);[ \t]*(?P=name)[ \t]*(?P<compared>[<>])=?(?P<last>[^;{}=<>?]+);"
    r"[ \t]*(?:(?P=name)(?P<step>\+\+|--)|(?P<before>\+\+|--)(?P=name))[ \t]*\))",
    re.ASCII,
)
_BOUND = re.compile(
    r"(?P<measure>NF|NR|FNR|length)(?:[ \t]*\([ \t]*(?P<measured>\$?\w*)[ \t]*\))?(?:[ \t]*[-+/][ \t]*\d{1,4})?"
    r"|(?P<name>[A-Za-z_]\w*)(?:[ \t]*[-+/][ \t]*\d{1,4})?",
    re.ASCII,
)
# What a bound may be given: how many there are of something, or one more than before.
_MEASURED = r"=[ \t]*(?:(?:split|length|asorti?|index)[ \t]*\([^()]*\)|F?NR|NF|\d{1,4})[ \t]*(?=[;})\n]|$)"
_MAX_DIGITS = 5  # of all bounds that are numbers together: one loop may stand in another
# What may grow with each round by more than it is given.
_GROWS = re.compile(r"\bg?sub\b|\bgensub\b|\b(\w+)[ \t]*=[^=;}\n]*\b\1\b[^;}\n]*\b\1\b", re.ASCII)
# What sets how many fields there are, or one far behind the last: all before it are made.
_SETS_COUNT = re.compile(
    r"(?<!\$)\bNF[ \t]*[-+*/%^]?=(?!=)[ \t]*(?!(?:\d{1,4}|NF[ \t]*[-+][ \t]*\d{1,4})[ \t]*(?:[;})\n]|$))", re.ASCII
)
_NEAR_FIELD = re.compile(r"\d{1,4}|NF|\([ \t]*NF[ \t]*[-+][ \t]*\d{1,4}[ \t]*\)", re.ASCII)
_COUNTER = re.compile(r"\bfor[ \t]*\([ \t]*(\w+)[ \t]*=", re.ASCII)
# A variable that a value is given, and the value; and what a value may be that does not grow with each round.
_GIVEN = re.compile(r"(?<![\w$])([A-Za-z_]\w*)(?:\[[^\]]*\])?[ \t]*=(?![=~])([^;}\n]*)", re.ASCII)
_NAMED = re.compile(r"(?<![\w$])([A-Za-z_]\w*)(?![\w(])", re.ASCII)
# Two operands beside each other, with nothing but blanks between them, are joined.
_JOINED = re.compile(r"[\w\])\"$][ \t]+[\w(\"$]|\"[\w($]|[\w\])]\"|\)[\w($]", re.ASCII)
_MAX_OWN_FIELDS = 4
_OWN_FIELD = re.compile(r"\$[ \t]*(\d+)[ \t]*=[^;}\n=]*\$[ \t]*\1\b[^;}\n]*\$[ \t]*\1\b", re.ASCII)
_SETS_FIELD = re.compile(r"\$[ \t]*(\w+|\([^()]*\))[ \t]*(?:\+\+|--|[-+*/%^]?=(?!=))|(?:\+\+|--)[ \t]*\$", re.ASCII)


def _program(arg: Arg) -> None:
    text = arg.text
    if arg.glob or not text.strip():
        raise _refuse("it is empty, or a pattern of files")
    if _LOOP.search(text) and not _ends(text):
        raise _refuse("it may loop without end")
    _Program(text).check()
    if _fills(text) or _doubles(text):
        raise _refuse("it may take all memory")


def _fills(text: str) -> bool:
    """May it make more fields than anybody needs?"""
    if _SETS_COUNT.search(text):
        return True
    fields = (match[1] for match in _SETS_FIELD.finditer(text) if match[1])
    counters = set(_COUNTER.findall(text))
    return not all(_NEAR_FIELD.fullmatch(field) or field in counters for field in fields)


def _doubles(text: str) -> bool:
    """May a text be joined with itself, by one variable or through others, and so grow with each round?"""
    if len(_OWN_FIELD.findall(text)) > _MAX_OWN_FIELDS:
        return True
    given = [(name, _branches(value)) for name, value in _GIVEN.findall(_STRINGS.sub('"', text))]
    # What is never given anything that was given before stays as long as it is.
    growing = {name for name, _ in given}
    while flat := {
        name for name in growing if not any(_uses(one, growing) for n, bs in given if n == name for one in bs)
    }:
        growing -= flat
    joined = (one for _, branches in given for one in branches if _JOINED.search(one.strip()))
    return any(len(_uses(one, growing)) > 1 for one in joined)


_STRINGS = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')


def _branches(value: str) -> list[str]:
    """The values that an expression may have, conditions left out."""
    return value.rpartition("?")[2].split(":")


def _uses(value: str, names: Set[str]) -> list[str]:
    return [name for name in _NAMED.findall(value) if name in names]


def _ends(text: str) -> bool:
    """Does every loop of a program count, by something that nothing else sets, to a bound that does not grow?"""
    found = [_COUNTS.match(text, loop.start()) for loop in _LOOP.finditer(text)]
    loops = [match for match in found if match]
    counting = [match for match in loops if match["name"]]
    if len(loops) < len(found) or (counting and _GROWS.search(text)):
        return False
    counters = {match["name"] for match in counting}
    if counters & {match["key"] for match in loops}:
        return False
    if any(len(_settings(name, text)) > 2 * sum(match["name"] == name for match in loops) for name in counters):
        return False
    # A field beyond the last one makes more of them, and a new text of all may.
    fields = {match[1] for match in _SETS_FIELD.finditer(text)} if counting else set()
    if not all(field in counters or (field and re.fullmatch(r"[1-9]\d?", field)) for field in fields):
        return False
    digits = 0
    for match in counting:
        up = (match["step"] or match["before"]) == "++"
        bounds = [_digits(match[end].strip(), text, counters, counting[0].start()) for end in ("first", "last")]
        if up != (match["compared"] == "<") or None in bounds:
            return False
        digits += max(filter(None, bounds), default=0)
    return digits <= _MAX_DIGITS and not (counting and _settings("(?:N[FR]|FNR)", text))


def _settings(name: str, text: str) -> list[int]:
    """Where a program sets the variable `name`."""
    sets = rf"(?<!\$)\b{name}[ \t]*(?:\+\+|--|[-+*/%^]?=(?!=))|(?:\+\+|--)[ \t]*{name}\b"
    return [match.start() for match in re.finditer(sets, text, re.ASCII)]


def _digits(bound: str, text: str, counters: Set[str], begins: int) -> int | None:
    """The digits of a bound that is a number, 0 for one that the input bounds, None for any other.

    `counters` count in loops of their own, the first of which `begins` there: a bound is set before that.
    """
    if re.fullmatch(r"-?\d{1,9}", bound):
        return len(bound.lstrip("-0"))
    match = _BOUND.fullmatch(bound)
    if match is None:
        return None
    name = match["measured"] if match["measure"] else match["name"]
    if match["measure"] in ("NF", "NR", "FNR"):
        return 0 if not name else None
    if not name or name in counters:
        return 0
    if name.startswith("$"):
        return 0 if _SETS_FIELD.search(text) is None else None
    sets = _settings(name, text)
    if any(at > begins for at in sets) or name in _REFUSED | _FUNCTIONS:
        return None
    if match["measure"]:
        return 0
    measured = len(re.findall(rf"\b{name}[ \t]*(?:{_MEASURED}|\+\+|--)|(?:\+\+|--)[ \t]*{name}\b", text))
    return 0 if measured == len(sets) else None


def _assignment(arg: Arg) -> None:
    match = _ASSIGNED.match(arg.text)
    if match is None or arg.glob or match[1] in _REFUSED | _FUNCTIONS | _STATEMENTS:
        raise Refused("operand", f"-v {arg.text} is not a plain variable", flag="-v")
    if match[1] in ("OFMT", "CONVFMT", "NF"):
        raise Refused("operand", f"-v {arg.text} may pad without bound what it prints", flag="-v")


# A value of a variable that is a large number.
_FAR = re.compile(r"=\W*(?:\d{5}|\d*\.?\d*[eE]|0[xX]|[+-]?(?:inf|nan))", re.IGNORECASE)
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
    if _LOOP.search(operands[0].text) and any(_FAR.search(arg.text) for arg in args if arg is not operands[0]):
        raise _refuse("it may loop as often as a number says that it is given")
    return _AWK([arg for arg in args if not any(arg is one for one in given)])


AWK: dict[str, Judge] = {"awk": _awk, "gawk": _awk, "mawk": _awk, "nawk": _awk}
