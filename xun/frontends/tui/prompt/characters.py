"""A text area that goes by what a person takes for characters, and shows those that cannot be seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.document._document import EditResult, Location, Selection
from textual.document._edit import Edit
from textual.events import MouseEvent
from textual.widgets import TextArea

from xun.frontends.tui.prompt.clusters import at_or_after, at_or_before, column_at, word_after, word_before
from xun.frontends.tui.prompt.lines import DrawnLine
from xun.frontends.tui.prompt.unseen import JOINER, STANDS_FOR_JOINER, joins, meant, stand_ins


class CharacterArea(TextArea, inherit_bindings=False):
    """`text` is what stands in it; `marked` and `selected_text` are what was typed or pasted."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--unseen"}
    DEFAULT_CSS = """
    CharacterArea .prompt--unseen { color: $warning; }
    """

    @property
    def marked(self) -> str:
        """The text as it was typed or pasted, but for the marks of long pastes."""
        return meant(self.text)

    @property
    def selected_text(self) -> str:
        """What is selected, as it was typed or pasted."""
        return meant(super().selected_text)

    def get_line(self, line_index: int) -> Text:
        """The line to be drawn."""
        return DrawnLine(self.document.get_line(line_index), self.get_component_rich_style("prompt--unseen"))

    def edit(self, edit: Edit) -> EditResult:
        """Whatever comes into the text comes through here; what cannot be seen in it is made visible."""
        text, (row, column) = edit.text, edit.top
        before = self.document.get_line(row)[:column]
        known = before.removesuffix(STANDS_FOR_JOINER)
        if known != before and joins(known[-2:], text):  # pictures that are typed come one by one
            text, column = JOINER + stand_ins(text), len(known)
        else:
            text = stand_ins(text, before[-2:])
        return super().edit(Edit(text, (row, column), edit.bottom, edit.maintain_selection_offset))

    # Where the cursor can be: between what a person takes for characters

    def validate_selection(self, selection: Selection) -> Selection:
        """Wherever the mouse or another line led to, behind the character there."""
        return Selection(*(self._snapped(location, at_or_after) for location in selection))

    def _snapped(self, location: Location, to: Callable[[str, int], int]) -> Location:
        row, column = location
        return row, to(self.document.get_line(row), column)

    def get_target_document_location(self, event: MouseEvent) -> Location:
        """What a click is on."""
        cells = event.x - self.gutter.left + self.scroll_offset.x
        return self._at_cells(super().get_target_document_location(event), cells)

    def get_cursor_up_location(self) -> Location:
        """The place in the row above that is over the cursor."""
        return self._at_cells(super().get_cursor_up_location(), self.navigator.last_x_offset)

    def get_cursor_down_location(self) -> Location:
        """The place in the row below that is under the cursor."""
        return self._at_cells(super().get_cursor_down_location(), self.navigator.last_x_offset)

    def _at_cells(self, location: Location, cells: int) -> Location:
        """`cells` from the left in the row of `location`, for which the base class counted each part of a character."""
        row, column = location
        line = self.document.get_line(row)
        if line.isascii() or "\t" in line:
            return location
        starts = [0, *self.wrapped_document.get_offsets(row), len(line)]
        index = min(bisect_right(starts, column), len(starts) - 1)
        return row, column_at(line, starts[index - 1], starts[index], cells)

    def get_cursor_left_location(self) -> Location:
        """One character to the left, or the end of the line above."""
        return self._snapped(super().get_cursor_left_location(), at_or_before)

    def get_cursor_right_location(self) -> Location:
        """One character to the right, or the beginning of the line below."""
        return self._snapped(super().get_cursor_right_location(), at_or_after)

    def get_cursor_word_left_location(self) -> Location:
        """The beginning of the word to the left, or the end of the line above."""
        row, column = self.cursor_location
        if not column:
            return super().get_cursor_left_location()
        return row, word_before(self.document.get_line(row), column)

    def get_cursor_word_right_location(self) -> Location:
        """The end of the word to the right, or the beginning of the line below."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        return (row, word_after(line, column)) if column < len(line) else super().get_cursor_right_location()

    def action_cut(self) -> None:
        """Move the selection to the clipboard, the cursor's line where nothing is selected."""
        if self.selection.is_empty:
            row, _ = self.cursor_location
            last = row + 1 == self.document.line_count
            self.selection = Selection((row, 0), self.document.end if last else (row + 1, 0))
        if text := self.selected_text:
            self.app.copy_to_clipboard(text)
            self.delete(*self.selection)
