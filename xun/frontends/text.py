"""Text for people: what could command a terminal or mislead the eye is shown, never obeyed."""

from __future__ import annotations

import re
import unicodedata

_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NAMES = {"\x1b": "␛", "\r": "␍", "\b": "␈", "\x07": "␇", "\x00": "␀", "\x7f": "␡"}


# Letters and marks that show as nothing or as a blank, though their category does not say so.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_JOINED = re.compile("(?<=[\ufe0f\u2600-\u27bf\U0001f000-\U0001faff])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])")
_BLANKS_OF_PROSE = "\xa0\u2009\u202f\ufe0e\ufe0f"
_JOINER = "\u200d"


def visible(text: str, *, keep: str = "\n\t") -> str:
    """`text` with control, bidirectional, invisible and unassigned characters made visible, and every odd blank too.

    Characters in `keep` (default: newline and tab) stay. Lone surrogates become U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep else _shown(char) for char in text)


def readable(text: str) -> str:
    """`text` as `visible` has it, for prose: emoji stay joined, and the blanks of typesetting stay blank."""
    if text.isascii():
        return visible(text)
    parts = _JOINED.split(text)
    return _JOINER.join(visible(part, keep="\n\t" + _BLANKS_OF_PROSE) for part in parts)


def _shown(char: str) -> str:
    if char in _NAMES:
        return _NAMES[char]
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    if char in _BLANKS or _selects(char) or category in _HIDDEN or (category == "Zs" and char != " "):
        return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"
    return char


_HIDDEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cn"})


def _selects(char: str) -> bool:
    """Is it a variation selector, which changes at most how the character before it looks?"""
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def one_line(text: str, width: int = 100) -> str:
    """The first line that says something, made visible and cut to `width` characters with an ellipsis."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    first = visible(lines[0])
    more = len(lines) > 1
    if len(first) + more <= width:
        return f"{first} …" if more else first
    return f"{first[: width - 1]}…"


def json_line(data: object) -> str:
    """`data` as JSON on one line, as `one_json_line` has it. Raises what `json.dumps` raises."""
    import json

    return one_json_line(json.dumps(data, ensure_ascii=False))


def one_json_line(text: str) -> str:
    """JSON text with that escaped which a reader of lines could take for a line's end, or a terminal for a command.

    These are U+2028, U+2029 and the characters from U+007F to U+009F, U+0085 among them; JSON escapes the lower
    ones itself. A lone surrogate, which no output carries, becomes U+FFFD.
    """
    return _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    return "\\ufffd" if "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}"
