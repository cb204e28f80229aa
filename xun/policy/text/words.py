"""What the decoder makes of shell text: tokens, and the arguments that words become.

Characters that the shell acts on are kept apart from quoted ones as private-use code points, which the pre-screen keeps
out of the text itself.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from xun.policy.text.prescreen import Problem

# Active pattern characters.
STAR, ANY, OPEN, CLOSE = "\ue000", "\ue001", "\ue002", "\ue003"
# Stands for text that only a run of the command tells.
HOLE = "\ue004"
BRACE, BRACE_END, COMMA = "\ue010", "\ue011", "\ue012"
MARKS = {"*": STAR, "?": ANY, "[": OPEN, "]": CLOSE, "{": BRACE, "}": BRACE_END, ",": COMMA}
# The pieces of a word, in the order in which they stand in it.
FIRST_PIECE, MAX_PIECES = 0xE100, 100
_SHOWN = str.maketrans({mark: char for char, mark in MARKS.items()} | {HOLE: "…"})
_GLOB = re.compile(f"[{STAR}{ANY}{OPEN}{HOLE}]")
_PIECE = re.compile(f"[{chr(FIRST_PIECE)}-{chr(FIRST_PIECE + MAX_PIECES)}]")

# What the text of an argument is: its own; a path that begins in the folder where the command runs; the path of a pipe;
# one argument, or any number of them, of which only a run tells what they are; one of the names that a pattern matches,
# whole or split at its blanks.
Form = Literal["", "place", "stream", "word", "words", "each", "split"]


class Unclear(Exception):
    """The text holds a construct outside the closed set."""

    def __init__(self, code: str, text: str, *, hard: bool = False) -> None:
        super().__init__(text)
        self.problem = Problem(code, text, hard)


class Arg(NamedTuple):
    """One argument as the program will get it. A `glob` stands for whatever file names it matches.

    `pattern` is the text with the active pattern characters as private-use marks; `text` shows them as written.
    `known` is false where the text holds something that only the shell can tell.
    """

    pattern: str
    known: bool = True
    form: Form = ""

    @property
    def text(self) -> str:
        return self.pattern if self.pattern.isascii() else self.pattern.translate(_SHOWN)

    @property
    def glob(self) -> bool:
        return not self.pattern.isascii() and _GLOB.search(self.pattern) is not None

    @property
    def leading_glob(self) -> bool:
        """Can the first character of what it stands for be anything, a dash included?"""
        return self.glob and self.pattern[0] in (STAR, ANY, OPEN, HOLE)

    @property
    def composed(self) -> bool:
        """Does it hold pieces, for which values are still to be put in?"""
        return not self.pattern.isascii() and _PIECE.search(self.pattern) is not None


class Variable(NamedTuple):
    """`$name` in a word."""

    name: str
    quoted: bool


class Substitution(NamedTuple):
    """A command in a word: its opening (`$(`, a backquote or `<(`), its tokens, and its span."""

    start: int
    end: int
    opening: str
    tokens: tuple[Token, ...]
    quoted: bool


Piece = Variable | Substitution


class Word(NamedTuple):
    """A word of the text and the arguments it becomes: one, or several by brace expansion.

    `pieces` are what is put into it, each where its mark stands. A word that sets the variable `assigns` has its value
    as its argument, and one that only changes how output looks, for the command it stands before, is `aside`.
    """

    start: int
    end: int
    args: tuple[Arg, ...]
    plain: bool
    pieces: tuple[Piece, ...] = ()
    assigns: str = ""
    aside: bool = False


class Operator(NamedTuple):
    """An operator, or a reserved word where it is one."""

    start: int
    end: int
    text: str


class Redirect(NamedTuple):
    """A redirection that takes nothing from, and gives nothing to, any file but the one that it `reads`."""

    start: int
    end: int
    reads: Arg | None = None


class Newline(NamedTuple):
    start: int
    end: int


Token = Word | Operator | Redirect | Newline
