"""Whatever is laid out when: a widget is as high as what it shows in the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static, Tooltip
from textual.widgets._toast import ToastRack

from tests.frontends.tui.snapshots.stage import stage
from xun.frontends.tui.measured import Measured, Text
from xun.frontends.tui.prompt.area import PromptArea
from xun.frontends.tui.prompt.complete import Item
from xun.frontends.tui.prompt.popup import Popup
from xun.frontends.tui.queue_view import QueueView

pytestmark = pytest.mark.anyio
_OF_TEXTUAL = (Tooltip, ToastRack)  # which it puts on every screen, and which show nothing here


def _text(widget: Any, rows: int) -> None:
    widget.update(Content("\n").join([Content("line")] * rows))


def _area(widget: Any, rows: int) -> None:
    widget.put("\n".join(["line"] * rows))


def _popup(widget: Any, rows: int) -> None:
    widget.open([Item("line")] * rows)


def _queue(widget: Any, rows: int) -> None:
    widget.show(["line"] * (rows - 1))


KINDS: dict[str, tuple[Callable[[], Widget], Callable[[Any, int], None]]] = {
    "text": (Text, _text),
    "prompt": (lambda: PromptArea(lambda key: False), _area),
    "popup": (Popup, _popup),
    "queue": (QueueView, _queue),
}


class _Beside(App[None]):
    """A widget, and another one beside it."""

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget
        self.beside = Static("beside")

    def compose(self) -> ComposeResult:
        yield self.widget
        yield self.beside

    def lay_out(self) -> None:
        """What the screen does at any time, because of the other widget."""
        self.beside.refresh(layout=True)
        self.beside._check_refresh()
        self.screen._refresh_layout()


@pytest.mark.parametrize("kind", KINDS)
async def test_what_changes_again_before_it_is_idle_is_measured_again(kind: str) -> None:
    make, show = KINDS[kind]
    app = _Beside(make())
    async with app.run_test() as pilot:
        show(app.widget, 2)
        await pilot.pause()
        show(app.widget, 3)
        app.lay_out()
        show(app.widget, 4)
        await pilot.pause()
        app.lay_out()
        assert app.widget.size.height == 4


async def test_every_part_as_high_as_what_it_shows_is_of_that_kind() -> None:
    async with stage() as screen:
        parts = [each for each in screen.app.screen.walk_children(Widget) if not isinstance(each, _OF_TEXTUAL)]
        auto = [each for each in parts if each.styles.height and each.styles.height.is_auto and not each.is_container]
        assert {type(each) for each in auto} >= {Text, PromptArea, Popup, QueueView}
        assert [each for each in auto if not isinstance(each, Measured)] == []
