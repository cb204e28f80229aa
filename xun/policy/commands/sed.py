"""sed: scripts that only choose, change and print lines, read by a small grammar.

Not among its commands: those that write (`w`), run (`e`) and read other files (`r`), and those by which a script may
loop (labels, `D`) or grow without bound (what keeps lines in the hold space).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from xun.policy.commands.spec import Refused, Table, Use
from xun.policy.text.words import Arg

_MARKS = "/|,#:@!%~_"
_MAX_NESTING = 5
# By how much all substitutions of a script together may make a line longer.
_MAX_GROWTH = 1_000_000


def _expression(mark: str) -> str:
    """A regular expression up to `mark`. Brackets stand only where every sed agrees on where they end."""
    mark = re.escape(mark)
    bracket = rf"\[\^?(?:\[:[a-z]+:\]|\\[^\]\[\n{mark}]|[^\]\[\\\n{mark}])+\]"
    return rf"(?:[^{mark}\[\]\\\n]|\\[^\n]|{bracket})*"


_REGEX = rf"/{_expression('/')}/I?"
_ADDRESS = rf"(?:\d+(?:~\d+)?|\$|{_REGEX})"
_RANGE = re.compile(rf"\s*(?:{_ADDRESS}\s*(?:,\s*(?:[+~]\d+|{_ADDRESS})\s*)?(?:!\s*)?)?")
_SIMPLE = re.compile(r"[qQ]\d{0,3}|[pd=GnNPl]")
_TEXT = re.compile(r"[aic](?:\\|(?=[^\\\s]|\s*\S))[^\n\\]*$")  # all that is left is text
_NEXT = re.compile(r"\s*(?:;|$|(?=\}))")


@lru_cache(maxsize=16)
def _changes(mark: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """`s` and `y` with this mark."""
    text = rf"(?:[^{re.escape(mark)}\\\n]|\\[^\n])*"
    end = re.escape(mark)
    substitution = rf"s{end}{_expression(mark)}{end}(?P<by>{text}){end}(?P<flags>[gpIiMm0-9]*)"
    return re.compile(substitution), re.compile(rf"y{end}{text}{end}{text}{end}")


class _Script:
    """Reads a script from its beginning. Raises `Refused` at what is not in the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.growth = 1

    def refuse(self) -> Refused:
        return Refused("script", f"this sed script is not judged: {self.text}")

    def block(self, depth: int) -> None:
        """Commands up to the end, or to the brace that closes them."""
        while self.at < len(self.text):
            if depth and (closing := re.compile(r"[\s;]*\}").match(self.text, self.at)):
                self.at = closing.end()
                return
            self.command(depth)
        if depth:
            raise self.refuse()

    def command(self, depth: int) -> None:
        found = _RANGE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        if self.text[self.at : self.at + 1] == "{" and depth < _MAX_NESTING:
            self.at += 1
            self.block(depth + 1)
        elif not self.take(_SIMPLE) and not self.take(_TEXT):
            self.change()
        if not self.take(_NEXT):
            raise self.refuse()

    def take(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found is not None

    def change(self) -> None:
        """`s` or `y`."""
        mark = self.text[self.at + 1 : self.at + 2]
        if self.text[self.at : self.at + 1] not in ("s", "y") or not mark or mark not in _MARKS:
            raise self.refuse()
        substitution, transliteration = _changes(mark)
        if self.take(transliteration):
            return
        found = substitution.match(self.text, self.at)
        if found is None:
            raise self.refuse()
        self.at = found.end()
        again = len(re.findall(r"(?<!\\)(?:\\\\)*(?:&|\\\d)", found["by"]))
        self.growth *= max(1, again, len(found["by"]) if "g" in found["flags"] else 1)
        if self.growth > _MAX_GROWTH:
            raise Refused("script", "this sed script may take all memory: it makes lines longer again and again")


def _script(arg: Arg) -> None:
    if not arg.text.strip() or arg.glob:
        raise Refused("script", "this sed script is not judged")
    _Script(arg.text).block(0)


_FILES = Table(
    flags="nErsuz",
    valued={"e": "script"},
    long="quiet silent regexp-extended expression=script separate unbuffered null-data posix",
    checks={"script": _script},
)
_WITH_SCRIPT = replace(_FILES, first="script")


def sed(args: Sequence[Arg]) -> list[Use]:
    """sed over files, with its script in the first operand or in `-e`."""
    parsed = _FILES.parse(args)
    if parsed.has("e", "expression"):
        return _FILES(args)
    if not parsed.operands:
        raise Refused("script", "the script of sed is missing")
    return _WITH_SCRIPT(args)
