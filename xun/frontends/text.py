"""Text for people: what could command a terminal or mislead the eye is shown, never obeyed."""

from __future__ import annotations

import re
import unicodedata

_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
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
