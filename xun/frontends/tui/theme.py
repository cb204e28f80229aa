"""One theme made of the terminal's own colours, so that it suits a light and a dark background alike."""

from __future__ import annotations

from dataclasses import replace

from textual.theme import BUILTIN_THEMES, Theme

NAME = "xun"


def make_theme() -> Theme:
    """The theme. Meaning never hangs on a colour alone: a word or a sign stands beside each."""
    base = BUILTIN_THEMES["ansi-dark"]
    ours = {
        "border": "ansi_bright_black",
        "border-blurred": "ansi_bright_black",
        "input-cursor-background": "ansi_default",  # reversed, it is seen on any background
        "input-cursor-foreground": "ansi_default",
        "input-cursor-text-style": "reverse",
        "scrollbar": "ansi_bright_black",
        "scrollbar-hover": "ansi_blue",
        "scrollbar-active": "ansi_blue",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "scrollbar-corner-color": "ansi_default",
    }
    return replace(base, name=NAME, accent="ansi_magenta", variables={**base.variables, **ours})
