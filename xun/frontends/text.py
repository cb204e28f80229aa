"""Text for people: what could command a terminal or mislead the eye is shown, never obeyed."""

from __future__ import annotations

import unicodedata

_NAMES = {"\x1b": "␛", "\r": "␍", "\b": "␈", "\x07": "␇", "\x00": "␀", "\x7f": "␡"}


def visible(text: str, *, keep: str = "\n\t") -> str:
    """`text` with control, bidirectional, invisible and unassigned characters made visible.

    Characters in `keep` (default: newline and tab) stay. Lone surrogates become U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep else _shown(char) for char in text)


def _shown(char: str) -> str:
    if char in _NAMES:
        return _NAMES[char]
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    if category in ("Cc", "Cf", "Zl", "Zp", "Co", "Cn"):
        return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"
    return char


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


def middle(text: str, width: int) -> str:
    """`text` cut to `width` characters with head and tail kept, so that nothing hides behind padding."""
    if len(text) <= width:
        return text
    head = width * 2 // 3
    tail = width - head
    return f"{text[:head]} … [{len(text) - head - tail} characters] … {text[-tail:]}"
