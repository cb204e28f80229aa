"""The word decoder: shell text to tokens, by bash's own rules, for a small closed set of constructs.

It knows nothing of the parser in `syntax`, which must agree with it on where every word and operator is. Whatever is
outside the set raises `Unclear`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from xun.policy.prescreen import Problem
from xun.policy.programs import word_set

MAX_ARGS = 4000

# Unquoted pattern and brace characters are kept apart from quoted ones as private-use code points, which the
# pre-screen keeps out of the text itself.
STAR, ANY, OPEN, CLOSE = "\ue000", "\ue001", "\ue002", "\ue003"
_BRACE, _BRACE_END, _COMMA = "\ue010", "\ue011", "\ue012"
_MARKS = {"*": STAR, "?": ANY, "[": OPEN, "]": CLOSE, "{": _BRACE, "}": _BRACE_END, ",": _COMMA}
_SHOWN = str.maketrans({mark: char for char, mark in _MARKS.items()})
_GLOB = re.compile(f"[{STAR}{ANY}{OPEN}]")

_OPERATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "(", ")")
_REDIRECTS = ("&>>", "<<<", "<<-", "&>", ">>", ">&", ">|", "<<", "<&", "<>", ">", "<")
_REFUSED_OPERATORS = {
    "&": Problem("background", "it starts something in the background (&)"),
    "|&": Problem("operator", "|& is not one of the operators that are judged"),
    ";;": Problem("syntax", ";; belongs to a case statement", hard=True),
}
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[.*\])?\+?=")
_RESERVED = word_set(
    "! { } [[ ]] (( )) case coproc do done elif else esac fi for function if in select then until while"
)
_RANGE = re.compile(r"(\d{1,4})\.\.(\d{1,4})")
# Braces stay as they are where nothing between them separates: `HEAD@{0}`, `{}`.
_LITERAL_BRACES = re.compile(
    rf"(?:[^{_BRACE}{_BRACE_END}]|{_BRACE}(?:(?!\.\.)[^,{_COMMA}{_BRACE}{_BRACE_END}])*{_BRACE_END})*", re.DOTALL
)
_DUPLICATION = re.compile(r"[0-9]?>&[12]")


class Unclear(Exception):
    """The text holds a construct outside the closed set."""

    def __init__(self, code: str, text: str, *, hard: bool = False) -> None:
        super().__init__(text)
        self.problem = Problem(code, text, hard)


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument as the program will get it. A `glob` stands for whatever file names it matches.

    `pattern` is the text with the active pattern characters as private-use marks; `text` shows them as written.
    `known` is false where the text holds something that only the shell can tell.
    """

    pattern: str
    known: bool = True

    @property
    def text(self) -> str:
        return self.pattern if self.pattern.isascii() else self.pattern.translate(_SHOWN)

    @property
    def glob(self) -> bool:
        return not self.pattern.isascii() and _GLOB.search(self.pattern) is not None

    @property
    def leading_glob(self) -> bool:
        """Can the first character of what it stands for be anything, a dash included?"""
        return self.glob and self.pattern[0] in (STAR, ANY, OPEN)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the text and the arguments it becomes: one, or several by brace expansion."""

    start: int
    end: int
    args: tuple[Arg, ...]
    plain: bool


@dataclass(frozen=True, slots=True)
class Operator:
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Redirect:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Newline:
    start: int
    end: int


Token = Word | Operator | Redirect | Newline


def scan(text: str, home: str) -> list[Token]:
    """The tokens of `text`. Raises `Unclear` at the first construct outside the closed set."""
    return _Scanner(text, home).tokens()


def decode(raw: str, home: str) -> tuple[Arg, ...]:
    """The arguments that one word becomes. Raises `Unclear` where that cannot be told, or where `raw` is more."""
    scanner = _Scanner(raw, home)
    scanner.command_position = False
    tokens = scanner.tokens()
    if len(tokens) != 1 or not isinstance(tokens[0], Word):
        raise Unclear("syntax", "it is not one word", hard=True)
    return tokens[0].args


class _Scanner:
    def __init__(self, text: str, home: str) -> None:
        self.text = text
        self.home = home
        self.at = 0
        self.command_position = True
        self.args = 0

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        while (token := self.next_token()) is not None:
            found.append(token)
            if isinstance(token, Word):
                self.command_position = False
                self.args += len(token.args)
                if self.args > MAX_ARGS:
                    raise Unclear("too-long", f"it holds more than {MAX_ARGS} words", hard=True)
            elif not isinstance(token, Redirect):
                self.command_position = True
        return found

    def next_token(self) -> Token | None:
        text = self.text
        while self.at < len(text) and text[self.at] in " \t":
            self.at += 1
        if self.at >= len(text):
            return None
        if text[self.at] == "#":
            end = text.find("\n", self.at)
            self.at = len(text) if end < 0 else end
            return self.next_token()
        if text[self.at] == "\n":
            self.at += 1
            return Newline(self.at - 1, self.at)
        if redirect := self.redirect():
            return redirect
        for operator in _OPERATORS:
            if text.startswith(operator, self.at):
                return self.operator(operator)
        return self.word()

    def operator(self, operator: str) -> Operator:
        if refused := _REFUSED_OPERATORS.get(operator):
            raise Unclear(refused.code, refused.text, hard=refused.hard)
        if operator == "(" and not self.command_position:
            raise Unclear("syntax", "a parenthesis stands where an argument is expected", hard=True)
        start = self.at
        self.at += len(operator)
        return Operator(start, self.at, operator)

    def redirect(self) -> Redirect | None:
        start = self.at
        at = start + 1 if self.text[start].isdigit() and self.text[start].isascii() else start
        operator = next((o for o in _REDIRECTS if self.text.startswith(o, at)), None)
        if operator is None:
            return None
        if operator.startswith("&") and at != start:
            return None
        self.at = at + len(operator)
        if self.text.startswith("(", self.at):
            raise Unclear("process-substitution", "it runs a command in <(…) or >(…)")
        if operator in (">", "&>", "<"):
            self.skip_blanks()
            target = self.word()
            if target.plain and target.args == (Arg("/dev/null"),):
                return Redirect(start, target.end)
        elif operator == ">&":
            self.skip_blanks()
            target = self.word()
            if _DUPLICATION.fullmatch(self.text[start : target.end]):
                return Redirect(start, target.end)
        raise Unclear("redirect", "it redirects to or from something else than /dev/null")

    def skip_blanks(self) -> None:
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1

    def word(self) -> Word:
        start = self.at
        out: list[str] = []
        plain = True
        while self.at < len(self.text) and (char := self.text[self.at]) not in " \t\n;|&()<>":
            if char == "'":
                out.append(self.single_quoted())
            elif char == '"':
                out.append(self.double_quoted())
            elif char == "\\":
                out.append(self.escaped())
            elif char == "$":
                out.append(self.dollar(start))
            elif char == "`":
                raise Unclear("substitution", "it runs a command in backquotes")
            elif char == "~":
                out.append(self.tilde(start))
            else:
                out.append(_MARKS.get(char, char))
                self.at += 1
                continue
            plain = False
        if self.at == start:
            raise Unclear("syntax", "a word is missing", hard=True)
        self.check(start, plain)
        args = (Arg("["),) if out == [OPEN] else _expand_braces("".join(out))
        if self.command_position and len(args) > 1:
            raise Unclear("brace", "brace expansion makes up the command", hard=True)
        return Word(start, self.at, args, plain)

    def check(self, start: int, plain: bool) -> None:
        raw = self.text[start : self.at]
        follows = self.text[self.at : self.at + 1]
        if follows == "(":
            raise Unclear("syntax", "a word runs into a parenthesis", hard=True)
        if follows in ("<", ">") and raw.endswith("}"):
            raise Unclear("redirect", "it redirects a named file descriptor")
        if raw.isdigit() and len(raw) > 1 and follows in ("<", ">"):
            raise Unclear("redirect", "it redirects a file descriptor above 9")
        if self.command_position:
            if plain and raw in _RESERVED:
                raise Unclear("compound", f"`{raw}` starts or ends a compound command")
            if _ASSIGNMENT.match(raw):
                raise Unclear("assignment", f"it sets a variable: {raw}")

    def single_quoted(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise Unclear("syntax", "a quote is not closed", hard=True)
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        return inner

    def double_quoted(self) -> str:
        out: list[str] = []
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return "".join(out)
            if char == "\\":
                following = self.text[self.at + 1 : self.at + 2]
                if following == "\n":
                    raise Unclear("line-continuation", "a line continuation splits a word", hard=True)
                out.append(following if following and following in '$`"\\' else "\\" + following)
                self.at += 2
            elif char == "$":
                out.append(self.quoted_dollar())
            elif char == "`":
                raise Unclear("substitution", "it runs a command in backquotes")
            else:
                out.append(char)
                self.at += 1
        raise Unclear("syntax", "a quote is not closed", hard=True)

    def escaped(self) -> str:
        char = self.text[self.at + 1 : self.at + 2]
        if char in ("", "\n"):
            raise Unclear("syntax", "a backslash stands at the end of a line", hard=True)
        self.at += 2
        return char

    def dollar(self, start: int) -> str:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "?":
            return self.status()
        if following in ("", " ", "\t") and self.at > start:
            self.at += 1
            return "$"
        raise _expansion(following)

    def quoted_dollar(self) -> str:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "?":
            return self.status()
        if following == '"':
            self.at += 1
            return "$"
        name = re.compile(r"\$(?:HOME(?![A-Za-z0-9_])|\{HOME\})").match(self.text, self.at)
        if name and self.home:
            self.at = name.end()
            return self.home
        raise _expansion(following)

    def status(self) -> str:
        """`$?` is one to three digits, whatever it stands for."""
        self.at += 2
        return "0"

    def tilde(self, start: int) -> str:
        following = self.text[self.at + 1 : self.at + 2]
        before = self.text[self.at - 1 : self.at] if self.at > start else ""
        self.at += 1
        if not before:
            if following not in ("", "/", " ", "\t", "\n", ";", "|", "&", ")") or not self.home:
                raise Unclear("expansion", "it names somebody's home folder")
            return self.home
        if before in "=:{,":
            raise Unclear("expansion", "a tilde inside a word may stand for a folder")
        return "~"


def _expansion(following: str) -> Unclear:
    if following == "(":
        return Unclear("substitution", "it runs a command in $(…)")
    if following and following in "'\"":
        return Unclear("quoting", "it uses $'…' or $\"…\" quoting")
    return Unclear("expansion", "it expands a variable")


def _expand_braces(pattern: str) -> tuple[Arg, ...]:
    """The arguments of a word after brace expansion: one group without nesting, or none."""
    if _BRACE not in pattern and _BRACE_END not in pattern:
        return (Arg(pattern.replace(_COMMA, ",")),)
    if _LITERAL_BRACES.fullmatch(pattern):
        return (Arg(pattern.replace(_BRACE, "{").replace(_BRACE_END, "}").replace(_COMMA, ",")),)
    head, _, rest = pattern.partition(_BRACE)
    inner, closed, tail = rest.partition(_BRACE_END)
    if not closed or any(mark in part for part in (head, tail, inner) for mark in (_BRACE, _BRACE_END)):
        raise Unclear("brace", "its brace expansion is not a simple one")
    if "$" in pattern or "~" in pattern or "\\" in pattern:
        raise Unclear("brace", "its brace expansion is not a simple one")
    words = [head + one + tail for one in _alternatives(inner)]
    if not all(words):
        raise Unclear("brace", "its brace expansion is not a simple one")
    return tuple(Arg(word.replace(_COMMA, ",")) for word in words)


def _alternatives(inner: str) -> list[str]:
    if span := _RANGE.fullmatch(inner):
        first, last = int(span[1]), int(span[2])
        padded = any(len(side) > 1 and side.startswith("0") for side in span.groups())
        if padded or not 0 <= last - first < 100:
            raise Unclear("brace", "its brace expansion is not a simple one")
        return [str(number) for number in range(first, last + 1)]
    if _COMMA not in inner or ".." in inner or not re.fullmatch(rf"[\w.,/+{STAR}{ANY}{_COMMA}-]*", inner):
        raise Unclear("brace", "its brace expansion is not a simple one")
    return inner.split(_COMMA)
