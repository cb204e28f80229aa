"""The format of git's configuration files."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SECTION = re.compile(r"""\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]""")
# A value without quotes, backslashes and comments.
_PLAIN = re.compile(r"[^\"\\\n#;]*(?=\n|\Z)")
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*")


def parse_config(text: str) -> Iterator[tuple[str, str]]:
    """(key, value) of a git configuration file; a key alone is "true". Raises `ValueError` where git would fail."""
    section = ""
    at = 0
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
        elif char in "#;":
            at = _line_end(text, at)
        elif char == "[":
            match = _SECTION.match(text, at)
            if not match:
                raise ValueError("a section is not understood")
            name, inner = match.groups()
            section = name.lower() + ("." + re.sub(r"\\(.)", r"\1", inner) if inner is not None else "")
            at = match.end()
        else:
            match = _KEY.match(text, at)
            if not match or not section:
                raise ValueError("a line is not understood")
            at = match.end()
            value = "true"
            if text[at : at + 1] == "=":
                value, at = _value(text, at + 1)
            elif text[at : at + 1] not in ("", "\n", "#", ";"):
                raise ValueError("a line is not understood")
            yield f"{section}.{match[1].lower()}", value


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _value(text: str, at: int) -> tuple[str, int]:
    """A value from `at`: quotes and backslashes undone, continued lines joined, a comment left off."""
    if plain := _PLAIN.match(text, at):
        return plain[0].strip(), plain.end()
    out: list[str] = []
    quoted = False
    while at < len(text):
        char = text[at]
        if char == "\\":
            following = text[at + 1 : at + 2]
            out.append({"n": "\n", "t": "\t", "b": "\b", "\n": ""}.get(following, following))
            at += 2
            continue
        if char == "\n" and not quoted:
            break
        if char in "#;" and not quoted:
            at = _line_end(text, at)
            break
        if char == '"':
            quoted = not quoted
        else:
            out.append(char)
        at += 1
    return "".join(out).strip(), at
