"""Quotes, escapes and expansions in the words of shell text, by bash's own rules."""

from __future__ import annotations

import re
from functools import lru_cache

from xun.policy.text.words import FIRST_PIECE, MAX_PIECES, Piece, Substitution, Unclear, Variable

_HOME = re.compile(r"\$(?:HOME(?![A-Za-z0-9_])|\{HOME\})")
# In some locales a letter beyond ASCII goes on with the name.
_NAME = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)(?![^\x00-\x7f])|\{([A-Za-z_][A-Za-z0-9_]*)\})")

_STATUSES = re.compile(r"\$\{PIPESTATUS\[(?:\d{1,2}|[@*])\]\}")


def shows_status(text: str) -> bool:
    """Is `text` an expansion that shows how the commands of a pipe ended?"""
    return _STATUSES.fullmatch(text) is not None


@lru_cache(maxsize=16)
def _shown_alone(text: str) -> bool:
    """Does `text` name PIPESTATUS only to show it? Whatever else does might set it, `for PIPESTATUS in …` does."""
    return text.count("PIPESTATUS") == len(_STATUSES.findall(text))


# Text that the shell neither splits nor takes for a pattern where it stands without quotes.
_WHOLE = re.compile(r"/[\w./+-]*", re.ASCII)
# What stands for itself in double quotes.
_QUOTED = re.compile(r"[^\"\\$`]+")
# Behind a dollar in double quotes, they leave it a dollar.
_NO_NAME = frozenset('"/|),.;}%:=^]+~&<>')


class Quotes:
    """Reads the parts of words from `at` on. `pieces` are those of the word that is being read."""

    def __init__(self, text: str, home: str, at: int, end: int, *, variables: bool) -> None:
        self.text = text
        self.home = home
        self.at = at
        self.end = end
        self.variables = variables
        self.pieces: list[Piece] = []

    def substitution(self, opening: str, *, quoted: bool) -> Substitution:
        """The command in `$(…)` or `<(…)`, which begins here."""
        raise NotImplementedError

    def backquoted(self, *, quoted: bool) -> str:
        """The mark of the command in backquotes, which begins here."""
        raise NotImplementedError

    def char(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.text[at] if at < self.end else ""

    def quoting(self, char: str, start: int) -> str:
        """What a part of the word at `start` stands for that begins with `char`: a quote, escape or expansion."""
        match char:
            case "'":
                return self.single_quoted()
            case '"':
                return self.double_quoted()
            case "\\":
                return self.escaped()
            case "$":
                return self.dollar(start)
            case "`":
                return self.backquoted(quoted=False)
            case _:
                return self.tilde(start)

    def single_quoted(self) -> str:
        end = self.text.find("'", self.at + 1, self.end)
        if end < 0:
            raise Unclear("syntax", "a quote is not closed", hard=True)
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        return inner

    def double_quoted(self) -> str:
        out: list[str] = []
        self.at += 1
        while char := self.char():
            if char == '"':
                self.at += 1
                return "".join(out)
            if char == "\\":
                following = self.char(1)
                if following == "\n":
                    raise Unclear("line-continuation", "a line continuation splits a word", hard=True)
                out.append(following if following and following in '$`"\\' else "\\" + following)
                self.at += 2
            elif char == "$":
                out.append(self.quoted_dollar())
            elif char == "`":
                out.append(self.backquoted(quoted=True))
            elif literal := _QUOTED.match(self.text, self.at, self.end):
                out.append(literal[0])
                self.at = literal.end()
        raise Unclear("syntax", "a quote is not closed", hard=True)

    def escaped(self) -> str:
        char = self.char(1)
        if char in ("", "\n"):
            raise Unclear("syntax", "a backslash stands at the end of a line", hard=True)
        self.at += 2
        return char

    def tilde(self, start: int) -> str:
        following = self.char(1)
        before = self.text[self.at - 1 : self.at] if self.at > start else ""
        self.at += 1
        if not before:
            if following not in ("", "/", " ", "\t", "\n", ";", "|", "&", ")") or not self.home:
                raise Unclear("expansion", "it names somebody's home folder")
            return self.home
        if before in "=:{,":
            raise Unclear("expansion", "a tilde inside a word may stand for a folder")
        return "~"

    # --- what stands for something else

    def dollar(self, start: int) -> str:
        following = self.char(1)
        if status := self.status(following):
            return status
        name = _HOME.match(self.text, self.at, self.end)
        if name and _WHOLE.fullmatch(self.home):
            self.at = name.end()
            return self.home
        if following in ("", " ", "\t") and self.at > start:
            self.at += 1
            return "$"
        return self.expansion(following, quoted=False)

    def quoted_dollar(self) -> str:
        following = self.char(1)
        if status := self.status(following):
            return status
        if following and following in _NO_NAME:
            self.at += 1
            return "$"
        name = _HOME.match(self.text, self.at, self.end)
        if name and self.home:
            self.at = name.end()
            return self.home
        return self.expansion(following, quoted=True)

    def status(self, following: str) -> str:
        """What `$?` and `${PIPESTATUS[0]}` stand for: one to three digits, whichever. Empty where there is neither."""
        if following == "?":
            self.at += 2
            return "0"
        found = _STATUSES.match(self.text, self.at, self.end) if following == "{" else None
        if found is None or not _shown_alone(self.text):
            return ""
        self.at = found.end()
        return "0"

    def expansion(self, following: str, *, quoted: bool) -> str:
        if following == "(":
            if self.char(2) == "(":
                raise Unclear("expansion", "it computes an arithmetic expansion")
            return self.put_in(self.substitution("$(", quoted=quoted))
        if following and following in "'\"":
            raise Unclear("quoting", "it uses $'…' or $\"…\" quoting")
        name = _NAME.match(self.text, self.at, self.end) if self.variables else None
        if name is None:
            raise Unclear("expansion", "it expands a variable")
        self.at = name.end()
        return self.put_in(Variable(name[1] or name[2], quoted))

    def put_in(self, piece: Piece) -> str:
        """The mark of a piece in its word."""
        if len(self.pieces) >= MAX_PIECES:
            raise Unclear("too-long", f"a word holds more than {MAX_PIECES} expansions", hard=True)
        self.pieces.append(piece)
        return chr(FIRST_PIECE + len(self.pieces) - 1)
