"""Who has the keys: told and given at once, and not as soon as the message of it is read.

Textual sets its own `has_focus` when a widget comes to the message, behind all that waits there. That is what holds for
a key which the widget is handed, for it waits in the same line; for all else it may be of a moment ago.
"""

from __future__ import annotations

from textual.widget import Widget


def has_keys(widget: Widget) -> bool:
    """Whether what is typed from now on goes to `widget`. False once the screen is closing."""
    return widget.is_attached and widget.screen.focused is widget


def give_keys(widget: Widget) -> None:
    """Let what is typed from now on go to `widget`. Once the screen is closing, nothing is done."""
    if widget.is_attached:
        widget.screen.set_focus(widget)
