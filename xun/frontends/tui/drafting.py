"""The prompt that is being typed, kept while it is, so that no end of the screen takes it along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.timer import Timer

from xun.frontends.tui.base import BaseApp
from xun.frontends.tui.prompt.box import Prompt
from xun.frontends.tui.prompt.draft import Drafts, draft_of, name_now

if TYPE_CHECKING:
    from xun.frontends.tui.opening import Opened

EVERY = 1.0
"""Seconds from a change to its being kept, and from one writing to the next."""
_BACK = "what stood in the prompt when xun ended is there again"
_CUT = f"{_BACK}, all but what was too long to be kept"


class Drafting(BaseApp):
    """A part of `XunApp`: a draft is kept with its session, and comes back with it.

    Before there is one, it is kept as that of a session that never began, behind what waits for an agent.
    """

    _drafts: Drafts | None = None
    _due: Timer | None = None

    def draft_alone(self) -> None:
        """Keep what is typed until there is an agent."""
        if self.opener.keeps:
            self._drafts = Drafts(self.opener.state / "drafts", name_now(), self.opener.folder)

    def draft_with(self, opened: Opened) -> None:
        """Keep the draft with the session of `opened` from now on, and bring back the one that was left there."""
        if self._drafts is not None:
            self._drafts.keep(draft_of("", "", ()), begun=False)  # what stands in the prompt comes along
        session = opened.session
        self._drafts = Drafts(self.opener.state / "drafts", session, self.opener.folder) if session else None
        left = self._drafts.take() if self._drafts is not None else None
        if left is not None:
            self._prompt.put_back(left.text, left.pasted)
            self.say(_CUT if left.cut else _BACK)
        self.keep_draft()

    @on(Prompt.Edited)
    def _edited(self, event: Prompt.Edited) -> None:
        event.stop()
        if self._drafts is None:
            return
        if self._prompt.blank:  # it was sent, or cleared, and must not come back
            self.keep_draft()
        elif self._due is None:
            self._due = self.set_timer(EVERY, self.keep_draft)

    def keep_draft(self) -> None:
        """Keep what stands in the prompt now."""
        if self._due is not None:
            self._due.stop()
            self._due = None
        if self._drafts is not None:
            area = self._prompt.area
            begun = self.desk is not None and bool(self.desk.opened.resumable)
            text, pasted = area.unfolded
            waits = "\n".join([*self._early, ""] if text else self._early)
            moved = tuple((start + len(waits), end + len(waits)) for start, end in pasted)
            self._drafts.keep(draft_of(waits + area.marked, waits + text, moved), begun=begun)
