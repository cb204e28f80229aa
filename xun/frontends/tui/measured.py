"""Widgets that are as high as what they show, however often that changes before the screen is laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static

if TYPE_CHECKING:
    from textual.widget import Widget as _Widget
else:
    _Widget = object  # Textual takes the style of a class from its first base that is a widget


class Measured(_Widget):
    """To be named before the class of a widget whose height is `auto`.

    Textual measures a widget once for each layout that it counts, and of those that are asked for until the widget is
    idle it counts the first alone. Where the screen is laid out between two of them, because of another widget, the
    height of the first would stay, with the second one's last rows out of view.
    """

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Draw it anew, as the base class does; after `layout` it is measured again in any case."""
        if layout and self._layout_required:
            self._layout_updates += 1
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)


class Text(Measured, Static):
    """Lines of text, none at first, which are never parsed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as every widget names it
        super().__init__(Content(), id=id, markup=False)
