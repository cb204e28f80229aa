"""What the keys do."""

from __future__ import annotations

import time
from typing import Literal

from textual.document._document import Selection

from xun.frontends.tui.focus import give_keys, has_keys
from xun.frontends.tui.leaving import Leaving
from xun.frontends.tui.queue_view import QueueView

TWICE = 2.0  # seconds within which the second Ctrl+C leaves
_ABOVE = frozenset({"interrupt", "details", "read", "scroll", "focus_next"})  # actions


class Acting(Leaving):
    """A part of `XunApp`: the actions that `keys.KEYS` names."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is for the parts above the prompt waits until they are there."""
        return self._parts is not None or action not in _ABOVE

    def _let_go(self) -> None:
        if self._parts is not None:
            self._question.let_go()

    def action_interrupt(self) -> None:
        """Esc: back to the prompt; from there, close the list that was asked for, else stop what runs."""
        if self._parts is None or not self._question.follows_no():
            self._interrupt()
        elif self._question.tell_once():
            self.say("Esc was not taken: it came right after your no")

    def _interrupt(self) -> None:
        if has_keys(self._transcript) or (self._parts is not None and self._question.leave_list()):
            self._prompt.take_keys()
        elif self.desk is not None and not self.desk.interrupt():
            self._transcript.follow()

    def action_clear_or_leave(self) -> None:
        """Copy what is selected; else clear the prompt; pressed again, leave."""
        self._let_go()
        if self.screen.get_selected_text():
            self.screen.action_copy_text()
            self.screen.clear_selection()
            return
        if self._parts is not None and self._question.clear_entry():
            return
        if text := self._prompt.area.selected_text:
            self.copy_to_clipboard(text)
            self._prompt.area.selection = Selection.cursor(self._prompt.area.cursor_location)
            return
        if self._prompt.clear():
            self._pressed = float("-inf")
            return
        now = time.monotonic()
        if now - self._pressed < TWICE:
            self.leave(0)
            return
        self._pressed = now
        if self._parts is not None:
            self._interrupt()
            self.say("Ctrl+C again leaves")

    def action_leave_if_empty(self) -> None:
        """Ctrl+D leaves where there is nothing to delete."""
        if self._prompt.blank:
            self.leave(0)
        else:
            self._prompt.area.action_delete_right()

    def action_next_mode(self) -> None:
        """The next of the modes. The status line tells it; `/mode` tells what it means."""
        self._let_go()
        if self.desk is not None and self._parts is not None and not self._question.typing:
            self.desk.pass_to_mode(self._parts.watch.next_mode())

    def action_take_back(self) -> None:
        """Take the last prompt that waits back into the prompt."""
        self._let_go()
        if self.desk is None:
            if self._early:
                self._prompt.put_back(self._early.pop())
                self.query_one(QueueView).show(self._early, early=True)
            return
        text = self.desk.agent.queue.take_back()
        if text is not None:
            self._prompt.put_back(text)

    def action_details(self) -> None:
        """Show or hide the details of every tool row."""
        self._let_go()
        self._transcript.toggle_details()

    def action_read(self) -> None:
        """Let the transcript have the keys, to go over it row by row; Esc goes back to the prompt."""
        give_keys(self._transcript)

    def action_redraw(self) -> None:
        """Draw everything anew: another program may have written over it."""
        self.refresh(layout=True)

    def action_scroll(self, unit: Literal["line", "page", "end"], step: int) -> None:
        """Scroll by a page or a line, or to an end: what is asked where it has the keys, else the transcript."""
        question = self._question
        if unit != "line" and question.ready and question.scroll(unit, step):
            return
        self._transcript.scroll_by(unit, step)

    def action_focus_next(self) -> None:
        """Tab, to which every screen of Textual gives this name: the question has the keys, or the prompt again."""
        if self._question.asking is not None:
            self._question.take()
        else:
            self._prompt.take_keys()
