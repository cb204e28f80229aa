"""The word decoder: shell text to tokens, by bash's own rules, for a small closed set of constructs.

It knows nothing of the parser in `syntax`, which must agree with it on where every word and operator is. Whatever is
outside the set raises `Unclear`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.tables.environment import harmless
from xun.policy.tables.programs import word_set
from xun.policy.text.braces import expand_braces
from xun.policy.text.constructs import ASK, Constructs
from xun.policy.text.prescreen import MAX_DEPTH, Problem
from xun.policy.text.quotes import Quotes
from xun.policy.text.words import (
    ANY,
    BRACE,
    BRACE_END,
    CLOSE,
    COMMA,
    MARKS,
    OPEN,
    STAR,
    Arg,
    Newline,
    Operator,
    Redirect,
    Substitution,
    Token,
    Unclear,
    Variable,
    Word,
)

MAX_ARGS = 4000

_OPERATOR = re.compile(r"&&|\|\||;;|\|&|[;|&()]")
_REDIRECT = re.compile(r"&>>|<<<|<<-|&>|>>|>&|>\||<<|<&|<>|>|<")
_REDIRECTING = re.compile(r"[0-9]?[<>]|&>")
_OPERATING = frozenset("&|;()")
_REFUSED_OPERATORS = {
    "&": Problem("background", "it starts something in the background (&)"),
    "|&": Problem("operator", "|& is not one of the operators that are judged"),
    ";;": Problem("syntax", ";; belongs to a case statement", hard=True),
}
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[.*\])?\+?=")
_RESERVED = word_set(
    "! { } [[ ]] (( )) case coproc do done elif else esac fi for function if in select then until while"
)
_GROUPS = word_set("! { }")
_COMPOUNDS = word_set("for do done if then elif else fi")
_QUOTING = frozenset("'\"\\$`~")
# A word of nothing that the shell acts on; most are.
_BARE = re.compile(r"[\w./:=@%+-]+(?=[ \t\n;|&)]|\Z)", re.ASCII)
# Characters of a word that stand for themselves wherever they are.
_LITERAL = re.compile(r"""[^\s;|&()<>'"\\$`~*?\[\]{},]+""")
_JOINS = ("&&", "||")  # what joins tests in `[[ … ]]`
_TEST = re.compile(
    r"\[\[[ \t]+(?:[^()<>&|;{}~`*?\[\]\\\n]|\"\$\([\w ./-]+\)\"|(?<=[ \t])(?:&&|\|\|)(?=[ \t]))+[ \t]\]\](?=[\s;&|)]|$)"
)
_FILE_ALONE = re.compile(r"\$\([ \t]*<[^<(&>]")
_DUPLICATION = re.compile(r"[0-9]?>&[12]")
# Variables that a text may set: no program and no shell obeys a name like these.
_OWN_NAME = re.compile(r"(?!npm_|histchars$|auto_resume$|[a-z_]*proxy$)[a-z][a-z0-9_]{0,30}")


def scan(text: str, home: str, constructs: Constructs = ASK) -> list[Token]:
    """The tokens of `text`. Raises `Unclear` at the first construct outside the closed set."""
    return _Scanner(text, home, constructs).tokens()


def decode(raw: str, home: str) -> tuple[Arg, ...]:
    """The arguments that one word becomes. Raises `Unclear` where that cannot be told, or where `raw` is more."""
    scanner = _Scanner(raw, home, ASK)
    scanner.command_position = False
    tokens = scanner.tokens()
    if len(tokens) != 1 or not isinstance(tokens[0], Word):
        raise Unclear("syntax", "it is not one word", hard=True)
    return tokens[0].args


class _Scanner(Quotes):
    """Reads `text` from `at` to `end`, or to the parenthesis that closes a substitution."""

    def __init__(
        self, text: str, home: str, constructs: Constructs, at: int = 0, end: int | None = None, depth: int = 0
    ) -> None:
        super().__init__(text, home, at, len(text) if end is None else end, variables=constructs.variables)
        self.constructs = constructs
        self.depth = depth
        self.command_position = True
        self.args = 0
        self.open = 0
        self.tested = 0  # up to where `[[ … ]]` reaches
        self.head = ""  # what must come next in the head of a loop: its "name" or "in"

    def tokens(self, *, closed: bool = False) -> list[Token]:
        """All tokens; of the text of a `closed` substitution, those before its own parenthesis."""
        found: list[Token] = []
        while (token := self.next_token()) is not None:
            if isinstance(token, Operator) and token.text in "()":
                self.open += 1 if token.text == "(" else -1
                if closed and self.open < 0:
                    return found
            found.append(token)
            if self.head and not isinstance(token, Word) and self.text[token.start : token.end] != "for":
                raise Unclear("compound", "it holds a loop over no list")
            if isinstance(token, Word):
                self.command_position = bool(token.assigns)
                self.args += len(token.args)
                if self.args > MAX_ARGS:
                    raise Unclear("too-long", f"it holds more than {MAX_ARGS} words", hard=True)
            elif not isinstance(token, Redirect):
                self.command_position = not (isinstance(token, Operator) and token.text in ("for", "in"))
        if closed:
            raise Unclear("syntax", "a substitution is not closed", hard=True)
        return found

    def next_token(self) -> Token | None:
        text = self.text
        self.skip_blanks()
        if self.at >= self.end:
            return None
        if text[self.at] == "#":
            if self.depth:
                # Older versions of bash look for the closing parenthesis in comments too.
                raise Unclear("substitution", "a comment stands in a command in $(…)")
            end = text.find("\n", self.at, self.end)
            self.at = self.end if end < 0 else end
            return self.next_token()
        if text[self.at] == "\n":
            self.at += 1
            return Newline(self.at - 1, self.at)
        if self.constructs.substitution == "inner" and not self.command_position and self.starts("<("):
            return self.stream()
        if _REDIRECTING.match(text, self.at, self.end):
            return self.redirect()
        if self.at < self.tested and text.startswith(_JOINS, self.at):
            self.at += 2
            return Word(self.at - 2, self.at, (Arg(text[self.at - 2 : self.at]),), plain=True)
        if text[self.at] in _OPERATING:
            found = _OPERATOR.match(text, self.at, self.end)
            assert found is not None
            return self.operator(found[0])
        return self.word()

    def starts(self, what: str) -> bool:
        return self.text.startswith(what, self.at, self.end)

    def operator(self, operator: str) -> Operator:
        if refused := _REFUSED_OPERATORS.get(operator):
            raise Unclear(refused.code, refused.text, hard=refused.hard)
        if operator == "(" and not self.command_position:
            raise Unclear("syntax", "a parenthesis stands where an argument is expected", hard=True)
        if self.starts("(("):
            # An arithmetic command runs what the value of a variable in it says; the grammar does not see all of them.
            raise Unclear("compound", "it holds an arithmetic command, or two parentheses that look like one")
        start = self.at
        self.at += len(operator)
        return Operator(start, self.at, operator)

    def redirect(self) -> Redirect:
        start = self.at
        at = start + 1 if self.text[start] not in "<>&" else start
        found = _REDIRECT.match(self.text, at, self.end)
        assert found is not None
        operator = found[0]
        self.at = found.end()
        if self.char() == "(":
            raise Unclear("process-substitution", "it runs a command in <(…) or >(…)")
        if operator in (">", "&>", "<"):
            self.skip_blanks()
            target = self.target()
            if target.plain and target.args == (Arg("/dev/null"),):
                return Redirect(start, target.end)
            if operator == "<" and at == start and self.constructs.substitution == "inner" and self.names(target):
                return Redirect(start, target.end, target.args[0])
        elif operator == ">&":
            self.skip_blanks()
            target = self.target()
            if _DUPLICATION.fullmatch(self.text[start : target.end]):
                return Redirect(start, target.end)
        raise Unclear("redirect", "it redirects to or from something else than /dev/null")

    def target(self) -> Word:
        word = self.word(target=True)
        assert isinstance(word, Word)
        return word

    def names(self, target: Word) -> bool:
        """Does the text tell one file?"""
        return len(target.args) == 1 and bool(target.args[0].text) and not target.pieces and not target.args[0].glob

    def skip_blanks(self) -> None:
        text, at, end = self.text, self.at, self.end
        while at < end and text[at] in " \t":
            at += 1
        self.at = at

    # --- words

    def word(self, *, target: bool = False) -> Word | Operator:
        start = self.at
        if bare := _BARE.match(self.text, start, self.end):
            return self.bare_word(start, bare[0], target=target)
        out: list[str] = []
        plain = True
        self.pieces = []
        while True:
            if literal := _LITERAL.match(self.text, self.at, self.end):
                out.append(literal[0])
                self.at = literal.end()
            char = self.char()
            if not char or char in " \t\n;|&()<>":
                break
            if char in _QUOTING:
                out.append(self.quoting(char, start))
                plain = False
            else:
                out.append(MARKS.get(char, char))
                self.at += 1
        if self.at == start:
            raise Unclear("syntax", "a word is missing", hard=True)
        raw = self.text[start : self.at]
        self.check_end(raw)
        pattern = "".join(out)
        if target:
            return Word(start, self.at, expand_braces(pattern), plain, tuple(self.pieces))
        if self.head and not plain:
            raise Unclear("compound", "it holds a loop over no list")
        if plain and (reserved := self.reserved(start, raw)):
            return reserved
        if self.command_position and _ASSIGNMENT.match(raw):
            return self.assignment(start, raw, pattern)
        args = (Arg(raw),) if pattern in (OPEN, OPEN + OPEN) and plain else expand_braces(pattern)
        if self.command_position:
            self.check_name(args)
        return Word(start, self.at, args, plain, tuple(self.pieces))

    def bare_word(self, start: int, raw: str, *, target: bool) -> Word | Operator:
        self.at = start + len(raw)
        self.pieces = []
        if not target and (self.head or self.command_position):
            if reserved := self.reserved(start, raw):
                return reserved
            if self.command_position and "=" in raw and _ASSIGNMENT.match(raw):
                return self.assignment(start, raw, raw)
        return Word(start, self.at, (Arg(raw),), plain=True)

    def check_name(self, args: Sequence[Arg]) -> None:
        if len(args) > 1:
            raise Unclear("brace", "brace expansion makes up the command", hard=True)
        # Of a variable by itself the text may tell what it stands for: see `flow`.
        alone = len(self.pieces) == 1 and len(args[0].pattern) == 1 and isinstance(self.pieces[0], Variable)
        if self.pieces and not alone:
            raise Unclear("substitution", "which program it runs cannot be told", hard=True)

    def check_end(self, raw: str) -> None:
        follows = self.char()
        if follows == "(":
            raise Unclear("syntax", "a word runs into a parenthesis", hard=True)
        if follows in ("<", ">") and raw.endswith("}"):
            raise Unclear("redirect", "it redirects a named file descriptor")
        if raw.isdigit() and len(raw) > 1 and follows in ("<", ">"):
            raise Unclear("redirect", "it redirects a file descriptor above 9")

    def reserved(self, start: int, raw: str) -> Operator | None:
        """A word that is part of a compound command, where it stands as one."""
        if self.head == "name":
            if not own_name(raw):
                raise Unclear("compound", f"it holds a loop that sets {raw}, which other programs may obey")
            self.head = "in"
        elif self.head == "in":
            if raw != "in":
                raise Unclear("compound", "it holds a loop over no list")
            self.head = ""
            return Operator(start, self.at, raw)
        elif self.command_position and raw in _RESERVED and not self.tests(start):
            if raw in ("[[", "]]"):
                raise Unclear("test", "of [[ … ]], tests of plain words are judged, joined by && and || alone")
            if raw not in _GROUPS and not (raw in _COMPOUNDS and self.constructs.loops == "inner"):
                raise Unclear("compound", f"`{raw}` starts or ends a compound command")
            self.head = "name" if raw == "for" else ""
            return Operator(start, self.at, raw)
        return None

    def tests(self, start: int) -> bool:
        """Does `[[ … ]]` begin here, of words alone that mean the same in `[ … ]`?"""
        found = _TEST.match(self.text, start, self.end) if self.constructs.loops == "inner" else None
        self.tested = found.end() if found else self.tested
        return found is not None

    def assignment(self, start: int, raw: str, pattern: str) -> Word:
        name = raw.partition("=")[0]
        if harmless(raw, inner=self.constructs.substitution == "inner"):
            return Word(start, self.at, (Arg(raw),), plain=False, assigns=name, aside=True)
        value = pattern[len(name) + 1 :].replace(COMMA, ",").replace(CLOSE, "]")
        literal = not any(mark in value for mark in (STAR, ANY, OPEN, BRACE, BRACE_END))
        if self.constructs.substitution != "inner" or not own_name(name) or not literal:
            followed = self.constructs.substitution == "inner" and literal
            why = "; of variables, those with small names are followed, which no program obeys" if followed else ""
            raise Unclear("assignment", f"it sets a variable: {raw}{why}")
        return Word(start, self.at, (Arg(value),), plain=False, pieces=tuple(self.pieces), assigns=name)

    # --- substitutions

    def substitution(self, opening: str, *, quoted: bool) -> Substitution:
        """`$(…)` or `<(…)`: it ends at its own parenthesis."""
        if self.constructs.substitution != "inner":
            raise Unclear("substitution", "it runs a command in $(…)")
        start = self.at
        if opening == "$(" and _FILE_ALONE.match(self.text, self.at, self.end):
            raise Unclear("substitution", "it puts in a file with $(< FILE): write $(cat FILE)")
        inner = self.within(self.at + len(opening), self.end)
        tokens = inner.tokens(closed=True)
        self.at = inner.at
        return Substitution(start, self.at, opening, tuple(tokens), quoted)

    def backquoted(self, *, quoted: bool) -> str:
        """It ends at the next backquote; what is escaped in it is not followed."""
        start, end = self.at, self.text.find("`", self.at + 1, self.end)
        inside = self.text[start + 1 : end]
        if self.constructs.substitution != "inner" or end < 0 or "\\" in inside or (quoted and '"' in inside):
            raise Unclear("substitution", "it runs a command in backquotes")
        tokens = self.within(start + 1, end).tokens()
        self.at = end + 1
        return self.put_in(Substitution(start, end + 1, "`", tuple(tokens), quoted))

    def within(self, at: int, end: int) -> _Scanner:
        if self.depth >= MAX_DEPTH:
            raise Unclear("nesting", f"it is nested more than {MAX_DEPTH} deep", hard=True)
        return _Scanner(self.text, self.home, self.constructs, at, end, self.depth + 1)

    def stream(self) -> Word:
        """`<(…)` as a word of its own: the path of a pipe."""
        start = self.at
        self.pieces = []
        if self.text[start - 1] not in " \t":
            raise Unclear("process-substitution", "it runs a command in <(…) or >(…)")
        mark = self.put_in(self.substitution("<(", quoted=True))
        if self.char() not in ("", " ", "\t", "\n", ";", "|", "&", ")"):
            raise Unclear("process-substitution", "it runs a command in <(…) or >(…)")
        return Word(start, self.at, (Arg(mark),), plain=False, pieces=tuple(self.pieces))


def own_name(name: str) -> bool:
    """Is it the name of a variable that no program and no shell obeys?"""
    return _OWN_NAME.fullmatch(name) is not None
