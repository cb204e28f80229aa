"""The names of styles as colours of the theme."""

from __future__ import annotations

from collections.abc import Callable

from rich.style import Style

from xun.frontends.tui.transcript.line import Line

CLASSES = frozenset(
    f"transcript--{name}"
    for name in (
        "muted", "strong", "em", "strike", "underline", "link", "heading", "quote", "rule", "bullet", "code", "output",
        "prompt", "prompt-mark", "thinking", "thinking-mark", "tool", "ok", "running", "warning", "error", "added",
        "removed", "context", "hunk", "number", "keyword", "function", "string", "comment", "cursor", "sign",
        "blank",
    )
)  # fmt: skip
"""Component classes of the widget, one for each name of a style."""

# Muted is dim, not grey: a theme of the terminal's own colours has no grey that suits every background.

CSS = """
Transcript {
    background: $background;
    color: $foreground;
    overflow-x: hidden;
    overflow-y: scroll;
    scrollbar-size-vertical: 1;
    & > .transcript--muted { text-style: dim; }
    & > .transcript--strong { text-style: bold; }
    & > .transcript--em { text-style: italic; }
    & > .transcript--strike { text-style: strike; }
    & > .transcript--underline { text-style: underline; }
    & > .transcript--link { text-style: underline; }
    & > .transcript--heading { text-style: bold; }
    & > .transcript--quote { color: $secondary; }
    & > .transcript--rule { text-style: dim; }
    & > .transcript--bullet { color: $primary; }
    & > .transcript--code { color: $secondary; }
    & > .transcript--prompt { text-style: bold; }
    & > .transcript--prompt-mark { color: $primary; text-style: bold; }
    & > .transcript--thinking { text-style: dim italic; }
    & > .transcript--thinking-mark { text-style: dim; }
    & > .transcript--tool { text-style: bold; }
    & > .transcript--ok { color: $success; }
    & > .transcript--running { color: $primary; }
    & > .transcript--warning { color: $warning; }
    & > .transcript--error { color: $error; }
    & > .transcript--added { color: $success; }
    & > .transcript--removed { color: $error; }
    & > .transcript--hunk { color: $secondary; }
    & > .transcript--number { text-style: dim; }
    & > .transcript--keyword { color: $accent; }
    & > .transcript--function { color: $primary; }
    & > .transcript--string { color: $success; }
    & > .transcript--comment { color: $foreground; text-style: dim italic; }
    & > .transcript--cursor { text-style: reverse; }
    & > .transcript--sign { color: $primary; text-style: reverse; }
    & > .transcript--blank { text-style: reverse; }
}
"""


class Palette:
    """Finds the style that names stand for. `lookup` gives that of a component class."""

    def __init__(self, lookup: Callable[[str], Style], base: Style) -> None:
        self.base = base
        self._lookup = lookup
        self._known: dict[str, Style] = {"": base, "text": base}

    def style(self, names: str) -> Style:
        """The styles that `names`, separated by blanks, stand for, the later ones on top."""
        style = self._known.get(names)
        if style is None:
            style = self.base
            for name in names.split():
                if (known := f"transcript--{name}") in CLASSES:
                    style += self._lookup(known)
            self._known[names] = style
        return style

    def segments(self, line: Line) -> list[tuple[str, Style]]:
        """The pieces of a row with their styles, neighbours of one style as one."""
        parts: list[tuple[str, Style]] = []
        for text, names in line.pieces:
            style = self.style(names)
            if parts and parts[-1][1] is style:
                parts[-1] = (parts[-1][0] + text, style)
            else:
                parts.append((text, style))
        return parts
