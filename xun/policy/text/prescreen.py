"""What is refused before shell text is parsed: text that shows one thing and runs another, and text too large to judge.

The parser and the word decoder only ever see text that passed here.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

MAX_BYTES = 8 * 1024
MAX_SEGMENTS = 100
MAX_DEPTH = 20

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
# Letters and marks that draw nothing: Hangul fillers, the braille blank, the grapheme joiner.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a text is not understood well enough to be allowed. `hard` problems always ask a person."""

    code: str
    text: str
    hard: bool = False


def screen(text: str) -> Problem | None:
    """The first thing that makes `text` unfit to be parsed, or None."""
    if not text.strip():
        return Problem("empty", "there is no command", hard=True)
    if found := hidden_character(text):
        return Problem("hidden-character", f"it holds a character that does not show: {found}", hard=True)
    if len(text) > MAX_BYTES or len(text.encode()) > MAX_BYTES:
        return Problem("too-long", f"it is longer than {MAX_BYTES} bytes", hard=True)
    return None


def hidden_character(text: str) -> str | None:
    """The code point (as U+XXXX) of the first character of `text` that does not show as what it is, or None."""
    if match := _CONTROL.search(text):
        return f"U+{ord(match.group()):04X}"
    if text.isascii():
        return None
    for char in text:
        if not char.isascii() and _hides(char):
            return f"U+{ord(char):04X}"
    return None


def _hides(char: str) -> bool:
    if char in _BLANK_LETTERS:
        return True
    variation_selector = "\ufe00" <= char <= "\ufe0e" or "\U000e0100" <= char <= "\U000e01ef"
    return variation_selector or unicodedata.category(char) in _HIDDEN_CATEGORIES


def strip_end(text: str) -> str:
    """`text` without the newlines at its end, which add no command; an escaped one is left alone."""
    stripped = text.rstrip("\n")
    return text if stripped.endswith("\\") else stripped


def join_lines(text: str) -> str | Problem:
    """`text` with each backslash-newline between words replaced by two blanks, so that offsets stay.

    Anywhere else (inside quotes or a word, where it could split a token that a reader looks for) it is a problem.
    """
    if "\\\n" not in text:
        return text
    out: list[str] = []
    position, quote, comment, escaped = 0, "", False, False
    while position < len(text):
        char = text[position]
        step = 1
        if comment:
            comment = char != "\n"
        elif char == "\\" and quote != "'":
            step = 2
            if text[position + 1 : position + 2] == "\n":
                if quote or escaped or not _between_words(text, position):
                    return Problem("line-continuation", "a line continuation splits a word", hard=True)
                out.append("  ")
                position += 2
                continue
        elif char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        elif char == "#" and not quote:
            comment = position == 0 or text[position - 1] in " \t\n;|&()"
        # A blank that is escaped belongs to a word: it separates nothing.
        escaped = step == 2
        out.append(text[position : position + step])
        position += step
    return "".join(out)


def _between_words(text: str, position: int) -> bool:
    """Has the backslash-newline at `position` a blank before it, and a blank or the start of a word or pipe after?"""
    before = text[position - 1 : position]
    after = text[position + 2 : position + 3]
    return before in (" ", "\t") and after not in ("", "\\", "\n", "(", ")", "<", ">", "#")
