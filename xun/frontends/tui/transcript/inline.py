"""The text of a paragraph, a heading or a cell: emphasis as styles, everything else as characters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xun.frontends.text import readable
from xun.frontends.tui.transcript.line import Piece

if TYPE_CHECKING:
    from markdown_it.token import Token

_STYLES = {"strong_open": "strong", "em_open": "em", "s_open": "strike", "link_open": "link"}


def inline_lines(tokens: Iterable[Token], style: str) -> list[list[Piece]]:
    """The lines that `tokens` make, `style` below the styles of their own."""
    writer = _Writer(style)
    for token in tokens:
        writer.take(token)
    return writer.lines


class _Writer:
    def __init__(self, style: str) -> None:
        self.lines: list[list[Piece]] = [[]]
        self._styles = [style or "text"]
        self._links: list[tuple[str, int, int]] = []  # the target of each open link, and where its text begins

    def take(self, token: Token) -> None:
        match token.type:
            case "softbreak" | "hardbreak":
                self.lines.append([])
            case "code_inline":
                self._put(token.content, "code")
            case "image":
                self._put(f"![{token.content}]({token.attrs.get('src', '')})")
            case "link_open":
                self._links.append((str(token.attrs.get("href", "")), len(self.lines) - 1, len(self.lines[-1])))
                self._styles.append("link")
            case "link_close":
                self._styles.pop()
                self._end_link()
            case kind if kind in _STYLES:
                self._styles.append(_STYLES[kind])
            case "strong_close" | "em_close" | "s_close":
                self._styles.pop()
            case _:
                self._put(token.content)

    def _put(self, text: str, style: str = "") -> None:
        """Entities are decoded by now, so this is where characters must be made visible."""
        if text:
            text = readable(text).replace("\n", " ")
            self.lines[-1].append((text, " ".join(filter(None, [*self._styles, style]))))

    def _end_link(self) -> None:
        target, line, piece = self._links.pop()
        shown = "".join(
            text
            for number, pieces in enumerate(self.lines[line:])
            for text, _ in (pieces if number else pieces[piece:])
        )
        if target not in (shown, f"mailto:{shown}"):
            self._put(f" ({target})", "muted")
