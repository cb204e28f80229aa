"""Editing the rule of a lasting yes in the line of the panel, and looking up what it would let pass meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.widget import Widget

from xun.frontends.tui.question.rule import Editing
from xun.frontends.tui.transcript.line import Line
from xun.policy.decision import Answer, Ask, Kept

if TYPE_CHECKING:
    from xun.commands.reach import Reach

ReachOf = Callable[[Ask, Kept], "Awaitable[Reach]"]
"""What a rule comes to, for a question."""
PAUSE = 0.25  # seconds without a key before the rule is looked up


class RuleEditor:
    """The rules of one lasting yes, on the loop of `widget`. `changed` is called when there is more to show."""

    def __init__(self, widget: Widget, reach: ReachOf | None, changed: Callable[[], None]) -> None:
        self._widget = widget
        self._reach = reach
        self._changed = changed
        self._editing: Editing | None = None
        self._text = ""
        self._timer: Timer | None = None
        self._looking: asyncio.Task[None] | None = None

    def __bool__(self) -> bool:
        """Whether a rule is being edited."""
        return self._editing is not None

    @property
    def available(self) -> bool:
        """Whether rules can be looked up here: else there is nothing to edit them by."""
        return self._reach is not None

    def open(self, ask: Ask) -> str:
        """Begin with what *always* would save for `ask`: the text for the line."""
        self.close()
        self._editing = Editing(ask)
        self.look(self._editing.text, at_once=True)
        return self._editing.text

    def look(self, text: str, *, at_once: bool = False) -> None:
        """`text` is what stands in the line now: look up what it comes to, once nobody types."""
        if self._editing is None or (text == self._text and not at_once):
            return
        self._stop()
        self._text, self._editing.reach = text, None
        if at_once:
            self._start()
        else:
            self._timer = self._widget.set_timer(PAUSE, self._start)
        self._changed()

    def last(self, step: int) -> None:
        """Choose how long it lasts, longer with 1, shorter with -1."""
        if self._editing is not None:
            self._editing.last(step)
            self.look(self._text, at_once=True)

    async def keep(self, text: str) -> Answer | str | None:
        """Keep `text`: the answer, the text of the next rule to be edited, or None where it cannot be a rule."""
        editing = self._editing
        if editing is None or self._reach is None:
            return None
        if text.strip():
            found = await self._reach(editing.ask, editing.rule(text))
            if self._editing is not editing:
                return None  # the question is over meanwhile
            if found.problem:
                self._stop()
                self._text, editing.reach = text, found
                self._changed()
                return None
        answer = editing.keep(text)
        if answer is not None:
            return answer
        self.look(editing.text, at_once=True)
        return editing.text

    def rows(self, width: int) -> list[Line]:
        """What is shown above the line; nothing where no rule is edited."""
        return self._editing.rows(width, self._text) if self._editing is not None else []

    def close(self) -> None:
        """Edit nothing any more."""
        self._stop()
        self._editing = None

    def _start(self) -> None:
        self._timer = None
        if self._editing is not None and self._text.strip():
            self._looking = asyncio.ensure_future(self._look_up(self._editing, self._text))

    async def _look_up(self, editing: Editing, text: str) -> None:
        assert self._reach is not None
        found = await self._reach(editing.ask, editing.rule(text))
        if self._editing is editing and self._text == text:
            editing.reach = found
            self._changed()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
