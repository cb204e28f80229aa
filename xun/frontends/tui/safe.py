"""The one way from text to a widget: made visible, and never parsed as markup."""

from __future__ import annotations

from textual.content import Content

from xun.frontends.text import visible


def plain(text: str, style: str = "") -> Content:
    """`text` as it is, all of it in `style` (a Textual style such as "bold $error", default none).

    Square brackets stay brackets; control, bidirectional and invisible characters are shown. Only `style` is parsed,
    so it must never come from outside.
    """
    shown = visible(text)
    return Content.styled(shown, style) if style else Content(shown)
