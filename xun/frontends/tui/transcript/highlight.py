"""Colours for code: a few kinds of token, so that any theme can show them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from xun.frontends.text import readable
from xun.frontends.tui.transcript.line import Piece

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LIMIT = 40_000
"""Characters beyond which code stays plain: colouring it would be felt."""

_STYLES = (
    ("Token.Keyword", "keyword"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Name.Function", "function"),
    ("Token.Name.Class", "function"),
    ("Token.Name.Decorator", "function"),
    ("Token.Name.Tag", "keyword"),
    ("Token.Name.Attribute", "function"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "string"),
    ("Token.Comment", "comment"),
    ("Token.Generic.Inserted", "added"),
    ("Token.Generic.Deleted", "removed"),
    ("Token.Generic.Heading", "strong"),
    ("Token.Generic.Subheading", "hunk"),
)


def highlight(code: str, language: str) -> list[list[Piece]]:
    """The lines of `code`, whose characters are all visible already; plain where the language is not known."""
    lexer = _lexer(language.lower()) if language and len(code) <= LIMIT else None
    if lexer is None:
        return [[(line, "code")] for line in code.split("\n")]
    lines: list[list[Piece]] = [[]]
    for kind, text in lexer.get_tokens(code):
        style = _style(str(kind))
        head, *rest = text.split("\n")
        if head:
            lines[-1].append((readable(head), style))
        lines += [[(readable(part), style)] if part else [] for part in rest]
    return lines[: code.count("\n") + 1]


@lru_cache(maxsize=512)
def _style(kind: str) -> str:
    for prefix, name in _STYLES:
        if kind == prefix or kind.startswith(f"{prefix}."):
            return f"code {name}"
    return "code"


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
