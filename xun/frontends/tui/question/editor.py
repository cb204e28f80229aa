"""Editing the rule of a lasting yes in the line of the panel, and looking up what it would let pass meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.widget import Widget

from xun.frontends.tui.question.held import HOLD
from xun.frontends.tui.question.rule import Edited, Editing
from xun.frontends.tui.timers import sure
from xun.policy.decision import Answer, Ask, Kept

if TYPE_CHECKING:
    from xun.commands.reach import Reach

ReachOf = Callable[[Ask, Kept, Sequence[Kept]], "Awaitable[Reach]"]
"""What a rule comes to, for a question and beside the other rules that are proposed."""
PAUSE = 0.25  # seconds without a key before the rule is looked up


class RuleEditor:
    """The rules of one lasting yes, on the loop of `widget`. `changed` is called when there is more to show."""

    def __init__(self, widget: Widget, reach: ReachOf | None, changed: Callable[[], None]) -> None:
        self._widget = widget
        self._reach = reach
        self._changed = changed
        self._editing: Editing | None = None
        self._text = ""
        self._waiting = False  # for what the text comes to that is to be kept
        self._repeats_until = 0.0  # an Enter before it is none for what is shown by then
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
        self._shown_now()
        self.look(self._editing.text, at_once=True)
        return self._editing.text

    def look(self, text: str, *, at_once: bool = False) -> None:
        """`text` is what stands in the line now: look up what it comes to, once nobody types."""
        if self._editing is None or (text == self._text and not at_once):
            return
        self._stop()
        self._text, self._editing.reach, self._editing.refused = text, None, False
        if at_once:
            self._start()
        else:
            self._timer = sure(self._widget.set_timer(PAUSE, self._start))
        self._changed()

    def last(self, step: int) -> None:
        """Choose how long it lasts, longer with 1, shorter with -1."""
        if self._editing is not None:
            self._editing.last(step)
            self.look(self._text, at_once=True)

    async def keep(self, text: str) -> Answer | str | None:
        """Keep `text`: the answer, the text of the next rule to be edited, or None where it is not kept, or not yet.

        That waits until it is known what `text` comes to, and a rule that does not cover what is asked is kept only
        when that was said. An empty text is never a yes: it leaves out one rule of several, when that was said. What is
        only the same Enter again keeps nothing.
        """
        editing = self._editing
        if editing is None or self._waiting or self._now() < self._repeats_until:
            return None
        if not (await self._good(editing, text) if text.strip() else self._left_out(editing)):
            return None
        answer = editing.keep(text)
        if answer is not None:
            return answer
        self._shown_now()
        self.look(editing.text, at_once=True)
        return editing.text

    async def _good(self, editing: Editing, text: str) -> bool:
        """Whether `text` may be kept. Else it shows why not, where that is known by then."""
        assert self._reach is not None
        rule, found = editing.rule(text), editing.reach
        if found is None or text != self._text:
            self._stop()
            self._text, self._waiting = text, True
            try:
                found = await self._reach(editing.ask, rule, editing.others)
            finally:
                self._waiting = False
            if self._editing is not editing or self._text != text or editing.rule(text) != rule:
                return False  # that Enter was for something else
        editing.reach = found
        good = not found.problem and (found.covers or found.part or editing.refused)
        if not good:
            self._refuse(editing, again=not found.problem)
        return good

    def _left_out(self, editing: Editing) -> bool:
        """Whether the rule, emptied, may be left out now. Else it says what is wrong with that."""
        if editing.optional and editing.refused:
            return True
        self._refuse(editing, again=True)
        return False

    def _refuse(self, editing: Editing, *, again: bool) -> None:
        """Say that it is not kept, and for `again` that another Enter may do it all the same."""
        editing.refused = again
        self._shown_now()
        self._changed()

    def _shown_now(self) -> None:
        self._repeats_until = self._now() + HOLD

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def rows(self, width: int) -> Edited | None:
        """What is shown above the line; None where no rule is edited."""
        return self._editing.rows(width, self._text) if self._editing is not None else None

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
        found = await self._reach(editing.ask, editing.rule(text), editing.others)
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
