"""Tokens to statements: the structure of a text made of the closed set of constructs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xun.policy.text.words import Newline, Operator, Redirect, Token, Unclear, Word

# A newline ends a command where none of these stands before it.
_CLOSERS = frozenset({")", "}", "do", "done", "then", "elif", "else", "fi"})


class Simple(NamedTuple):
    """A simple command, or a list of assignments: its words and its span."""

    words: tuple[Word, ...]
    start: int
    end: int


class Group(NamedTuple):
    """`(…)`, which keeps to itself what it changes, or `{…}`."""

    subshell: bool
    body: Chain


class Loop(NamedTuple):
    """`for NAME in WORDS; do …; done`."""

    name: str
    words: tuple[Word, ...]
    body: Chain


class Choice(NamedTuple):
    """`if …; then …; elif …; else …; fi`: conditions with what follows each, and what else follows."""

    branches: tuple[tuple[Chain, Chain], ...]
    otherwise: Chain | None


Statement = Simple | Group | Loop | Choice


class Pipeline(NamedTuple):
    stages: tuple[Statement, ...]
    negated: bool = False


class Chain(NamedTuple):
    """Pipelines, each with the operator before it: `&&`, `||` or `;`."""

    parts: tuple[tuple[str, Pipeline], ...]

    @property
    def only(self) -> Simple | None:
        """The one simple command that it consists of, if it does."""
        if len(self.parts) != 1 or self.parts[0][1].negated or len(self.parts[0][1].stages) != 1:
            return None
        statement = self.parts[0][1].stages[0]
        return statement if isinstance(statement, Simple) else None


def parse(tokens: Sequence[Token]) -> Chain:
    """The statements that `tokens` make up. Raises `Unclear` where they do not make up any."""
    parser = _Parser(tokens)
    chain = parser.chain()
    if parser.at != len(tokens):
        raise Unclear("syntax", f"{parser.operator() or 'a word'} stands where it does not belong", hard=True)
    return chain


class _Parser:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def operator(self) -> str:
        token = self.peek()
        if isinstance(token, Newline):
            return ";"
        return token.text if isinstance(token, Operator) else ""

    def skip_newlines(self) -> None:
        while isinstance(self.peek(), Newline):
            self.at += 1

    def expect(self, text: str) -> None:
        if self.operator() != text or isinstance(self.peek(), Newline):
            raise Unclear("syntax", f"{text} is missing", hard=True)
        self.at += 1

    def chain(self) -> Chain:
        parts: list[tuple[str, Pipeline]] = []
        joined = ";"
        self.skip_newlines()
        while True:
            parts.append((joined, self.pipeline()))
            joined = self.operator()
            if joined not in ("&&", "||", ";"):
                return Chain(tuple(parts))
            self.at += 1
            self.skip_newlines()
            if joined == ";" and self.ended():
                return Chain(tuple(parts))

    def ended(self) -> bool:
        return self.at >= len(self.tokens) or self.operator() in _CLOSERS

    def pipeline(self) -> Pipeline:
        negated = self.operator() == "!"
        if negated:
            self.at += 1
        stages = [self.statement()]
        while self.operator() == "|":
            self.at += 1
            self.skip_newlines()
            stages.append(self.statement())
        return Pipeline(tuple(stages), negated)

    def statement(self) -> Statement:
        match self.operator():
            case "(" | "{" as opening:
                statement = self.group(opening)
            case "for":
                statement = self.loop()
            case "if":
                statement = self.choice()
            case _:
                return self.simple()
        while isinstance(self.peek(), Redirect):
            self.at += 1
        return statement

    def group(self, opening: str) -> Group:
        self.expect(opening)
        body = self.chain()
        self.expect(")" if opening == "(" else "}")
        return Group(opening == "(", body)

    def loop(self) -> Loop:
        self.expect("for")
        name = self.words()
        self.expect("in")
        words = self.words()
        if len(name) != 1 or not words or self.operator() != ";":
            raise Unclear("compound", "it holds a loop over no list")
        self.at += 1
        self.skip_newlines()
        self.expect("do")
        body = self.chain()
        self.expect("done")
        return Loop(name[0].args[0].text, words, body)

    def choice(self) -> Choice:
        self.expect("if")
        branches: list[tuple[Chain, Chain]] = []
        otherwise: Chain | None = None
        while True:
            condition = self.chain()
            self.expect("then")
            branches.append((condition, self.chain()))
            if self.operator() != "elif":
                break
            self.at += 1
        if self.operator() == "else":
            self.at += 1
            otherwise = self.chain()
        self.expect("fi")
        return Choice(tuple(branches), otherwise)

    def words(self) -> tuple[Word, ...]:
        found: list[Word] = []
        while isinstance(token := self.peek(), Word):
            found.append(token)
            self.at += 1
        return tuple(found)

    def simple(self) -> Simple:
        words: list[Word] = []
        first = self.at
        while isinstance(token := self.peek(), Word | Redirect):
            if isinstance(token, Word):
                words.append(token)
            self.at += 1
        if not words:
            raise Unclear("syntax", "a command is missing", hard=True)
        while len(words) > 1 and words[0].aside:
            words.pop(0)
        if words[0].aside:
            raise Unclear("assignment", f"it sets a variable: {words[0].assigns}")
        if words[0].assigns and not all(word.assigns for word in words):
            raise Unclear("assignment", f"it sets a variable for one command: {words[0].assigns}")
        return Simple(tuple(words), self.tokens[first].start, self.tokens[self.at - 1].end)
