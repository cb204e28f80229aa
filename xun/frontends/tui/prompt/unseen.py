"""Characters that cannot be seen or that mislead the eye stand in the prompt as others that can be seen.

What stands for one is what `visible` makes of it, each character of that moved to a private plane of Unicode: so it is
told from the same text typed by hand, and what is sent is what was typed or pasted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from xun.frontends.text import visible

JOINER = "\u200d"  # makes one picture of several
_LOOKS = ("\ufe0e", "\ufe0f")  # as text, as a picture
_IN_PICTURES = re.compile(f"[{JOINER}{''.join(_LOOKS)}]")
_KEYS, _KEY_CAP = tuple("0123456789#*"), "\u20e3"
_KEPT = "\n\t"
_PLANE = 0xF0000
_TO_SEE = {_PLANE + code: code for code in (*range(0x20, 0x7F), *range(0x2400, 0x2440))}
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")


def _moved(text: str) -> str:
    return "".join(chr(_PLANE + ord(char)) for char in text)


_STANDS = re.compile(f"[{_moved(' ')}-{_moved(chr(0x243F))}]+")
_HEX = f"[{_moved('0')}-{_moved('9')}{_moved('a')}-{_moved('f')}]"
_PICTURE = f"[{_moved(chr(0x2400))}-{_moved(chr(0x243F))}]"
_ONE = re.compile(f"({_moved(chr(92))}(?:{_moved('u')}{_HEX}{{4}}|{_moved('U')}{_HEX}{{8}})|{_PICTURE})")
_PICTURES = {visible(char): char for char in map(chr, (*range(0x20), 0x7F)) if len(visible(char)) == 1}
STANDS_FOR_JOINER = _moved(visible(JOINER))


def stand_ins(text: str, before: str = "") -> str:
    """`text` as it stands in the prompt, behind `before`. Lone surrogates, which no output carries, become U+FFFD."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    whole, start = before + text, len(before)
    return "".join(
        char if char in _KEPT or _in_picture(whole, at) else _stand_in(char) for at, char in enumerate(text, start)
    )


def _stand_in(char: str) -> str:
    seen = visible(char)
    return char if seen == char else seen if seen == "\ufffd" else _moved(seen)


def meant(text: str) -> str:
    """What `text`, as it stands in the prompt, is to say: the other way round.

    What is left of a stand-in that was cut up is the text that it shows.
    """
    return _STANDS.sub(lambda run: "".join(_original(piece) for piece in _ONE.split(run[0])), text)


def _original(piece: str) -> str:
    shown = to_see(piece)
    if escaped := _ESCAPED.fullmatch(shown):
        return chr(int(escaped[1] or escaped[2], 16))
    return _PICTURES.get(shown, shown)


def to_see(text: str) -> str:
    """`text`, as it stands in the prompt, to be drawn: as many characters, none of them private."""
    return text.translate(_TO_SEE)


def standing(text: str) -> Iterator[tuple[int, int]]:
    """Where in `text`, as it stands in the prompt, others stand for characters: begin and end of each run."""
    return (run.span() for run in _STANDS.finditer(text))


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """`text`, as it stands in the prompt, in pieces: each is what stands for one character (True), or other text."""
    return ((piece, number % 2 == 1) for number, piece in enumerate(_ONE.split(text)) if piece)


def count_unseen(text: str) -> int:
    """How many characters of `text` would not stand for themselves."""
    odd = {char for char in set(text) - set(_KEPT) if visible(char) != char}
    used = sum(_in_picture(text, found.start()) for found in _IN_PICTURES.finditer(text)) if odd else 0
    return sum(map(text.count, odd)) - used


def _in_picture(text: str, at: int) -> bool:
    """Does the character at `at` join pictures, or say that the one before it is to be one?"""
    if text[at] == JOINER:
        return joins(text[max(at - 2, 0) : at], text[at + 1 : at + 2])
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    return text[at] in _LOOKS and (_is_picture(before) or (before in _KEYS and after == _KEY_CAP))


def joins(before: str, after: str) -> bool:
    """Would a joiner between `before` and `after` make one picture of them, as in families and professions?"""
    return _is_picture(before.rstrip("\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")[-1:]) and _is_picture(
        after[:1]
    )


def _is_picture(char: str) -> bool:
    drawn = char == "\u2194" or (char > "\u2000" and unicodedata.category(char) == "So")
    return drawn and visible(char) == char
