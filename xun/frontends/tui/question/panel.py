"""The question, below the transcript: what would be done, why it asks, and the answers.

It takes the keys only when nobody types, reads or has a draft, so that no key meant for the prompt becomes an answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from textual.events import Click, Key, Paste
from textual.timer import Timer

from xun.frontends.tui.focus import give_keys, has_keys
from xun.frontends.tui.keys import OF_SCREEN
from xun.frontends.tui.question.answering import QuestionAnswers
from xun.frontends.tui.question.box import Waiting
from xun.frontends.tui.question.choices import Menu, menu_of
from xun.frontends.tui.question.describe import Shown, heading
from xun.frontends.tui.question.editor import ReachOf
from xun.frontends.tui.question.fit import hint_for
from xun.frontends.tui.question.mark import Mark
from xun.frontends.tui.question.opinion import LOOKS, Opinion, told
from xun.frontends.tui.question.quiet import GRACE, Quiet
from xun.frontends.tui.safe import plain
from xun.frontends.tui.timers import sure
from xun.frontends.tui.transcript.view import Transcript
from xun.policy.decision import Answer, Ask, Assessment

_NO_ANSWER = frozenset(("tab", "home", "end"))  # keys that answer nothing yet


class QuestionPanel(QuestionAnswers, can_focus=True):
    """Puts questions to the person, one after another.

    `idle` tells the seconds since the last key, `draft` whether the prompt holds text, `engaged` whether a list or a
    search is open there. `hand` gives it the keys and pastes that are no answers, and `left` all that is typed from now
    on. `stray` takes back the one key that stands there, if it is of those that it is given. `saves` tells, for a
    question, what *always* would write, a line each; `shown` gives a path as the person knows it. A yes counts only
    once all of the question was in view. `opinion` tells what the risk assessor says of a question, and `begun` is
    told that the person has begun to answer it. `reach` tells what a rule would let pass, for *always* to edit it;
    without it that keeps what the question would save.
    """

    FOCUS_ON_CLICK = False  # a click takes the keys, as Tab does; to select text is none

    def __init__(
        self,
        *,
        idle: Callable[[], float],
        draft: Callable[[], bool],
        hand: Callable[[Key | Paste], None],
        left: Callable[[], None],
        engaged: Callable[[], bool] = lambda: False,
        stray: Callable[[Callable[[str], bool]], str] = lambda names: "",
        saves: Callable[[Ask], Sequence[str]] = lambda ask: (),
        shown: Shown = str,
        opinion: Opinion = lambda ask: False,
        begun: Callable[[Ask], None] = lambda ask: None,
        reach: ReachOf | None = None,
    ) -> None:
        super().__init__(shown, reach)
        self._said, self._tell_begun = opinion, begun
        self._begun = False  # whether the person has begun to answer
        self._looks: Timer | None = None
        self._draft, self._engaged, self._saves = draft, engaged, saves
        self._hand, self._left, self._stray = hand, left, stray
        self._emptied = float("-inf")  # when the last question with the keys was answered, the prompt being blank
        self._quiet = Quiet(self, self._arm, wanted=self._may_take, idle=idle, busy=self._busy, still=self._keep_hint)
        self._waiting: list[Waiting] = []
        self._armed = False
        self._following = False  # the question before had the keys, and this one does not take them yet
        self._asked_for = False  # by Tab or a click: a draft does not matter then
        self._past = 0  # questions that were put since there was none

    # Asking

    async def ask(self, ask: Ask, menu: Menu | None = None) -> Answer:
        """Put `ask` to the person and wait for the answer. Cancelling it takes the question back.

        `menu` takes the place of the answers that such a question usually has.
        """
        waiting = Waiting(ask, asyncio.get_running_loop().create_future(), menu)
        if waiting.asked_for:  # what is typed next is meant for it, never for a question that was open before it
            self._close_lists()
            self._waiting.insert(0, waiting)
        else:
            before = sum(one.asked_for or one.own for one in self._waiting) if waiting.own else len(self._waiting)
            self._waiting.insert(before, waiting)
        self._show()
        try:
            return await waiting.answer
        finally:
            self._waiting.remove(waiting)
            if not waiting.listed:
                self._past = self._past + 1 if self._questions else 0
            if self.is_attached:  # else the screen is over
                self._show()

    def decline(self) -> None:
        """Answer the question that is shown with a no."""
        self._give(Answer.no())

    def leave_list(self) -> bool:
        """Choose nothing from the list, or for the line, that the person has asked for. False where none is open."""
        asked_for = self._shown is not None and self._shown.asked_for
        if asked_for:
            self.decline()
        return asked_for

    def _close_lists(self) -> None:
        """Choose nothing from the lists that are open: another has been asked for."""
        for waiting in self._waiting:
            if waiting.listed and not waiting.answer.done():
                waiting.answer.set_result(Answer.no())

    @property
    def _questions(self) -> int:
        """How many wait, apart from lists that the person has asked for."""
        return sum(not waiting.listed for waiting in self._waiting)

    @property
    def asking(self) -> Ask | None:
        """The question that is shown, None where there is none."""
        return self._shown.ask if self._shown else None

    @property
    def ready(self) -> bool:
        """Whether keys are taken as answers now."""
        return self._shown is not None and self._armed and has_keys(self) and (self._asked_for or not self._draft())

    @property
    def has_keys(self) -> bool:
        """Whether what is typed comes here, as answers or as text for one."""
        return has_keys(self) or self.typing

    def take(self) -> None:
        """Take the keys now, for the question that is shown; from the line for a reason, back to the answers."""
        if self._entry is not None and not self.typing:
            give_keys(self._line)
            return
        self._close_entry()
        self._asked_for = True
        self._arm()

    def _arm(self) -> None:
        if self._shown is not None:
            self._quiet.stop()
            self._armed, self._following = True, False
            give_keys(self)
            self._draw()

    def _disarm(self) -> None:
        self._armed = self._asked_for = self._following = False

    def _may_take(self) -> bool:
        return self._shown is not None and self._entry is None and not self.ready

    @property
    def _read(self) -> bool:
        return isinstance(self.screen.focused, Transcript)

    def _busy(self) -> bool:
        return self._draft() or self._engaged() or self._read

    def _show(self) -> None:
        first = self._waiting[0] if self._waiting else None
        if first is not None and first is self._shown:
            self._title()
            return
        before, self._shown = self._shown, first
        had_keys = self.has_keys
        self._disarm()
        self._take_back()
        self._close_entry()
        typed = self._line.empty()
        if before in self._waiting:
            before.typed = typed
        self.set_class(first is not None, "-asking")
        if first is None:
            self._quiet.stop()
            self._draw()
            if had_keys:
                self._emptied = float("-inf") if self._draft() else time.monotonic()
                self._left()
            return
        self._line.refill(*first.typed)
        self._mark = Mark(first.menu or menu_of(first.ask, self._saves(first.ask), self._path))
        self._seen = self._begun = self._turned = False
        if self._looks is not None:
            self._looks.stop()
        self.set_class(any(decision.hard for decision in first.ask.decisions), "-careful")
        self.set_class(bool(first.ask.question), "-plain")
        self._body.scroll_home(animate=False, immediate=True)
        self._title()
        self._advise(self._said(first.ask))
        self._draw()
        soon = not had_keys and time.monotonic() - self._emptied < GRACE
        # What the prompt got between two questions, where it would answer this one, is to be none of either.
        early = self._stray(self._mark.names) if soon else ""
        if had_keys or soon:
            # The next of several: the key that answered the last must not answer this one too, nor be text.
            self._mark.remember()
            self._following = not self._draft()
            if self._following:
                give_keys(self)
            else:
                self._left()
            if early:
                self._held.add(Key(early, early))
                self._missed = early
                self._draw()
        if first.own:  # the key that the person has for what the line brings is for it
            self._quiet.hold(0.0)
        self._quiet.wait()
        self._look_out()
        if self._mark.menu.listing:  # it was asked for
            self.take()
        if self._mark.menu.at_once:
            self._choose(self._mark.choice)

    def _title(self) -> None:
        if self._shown is not None:
            total = 0 if self._shown.listed else self._past + self._questions
            count = f" · {self._past + 1} of {total}" if total > 1 else ""
            only = (
                f" · {'nothing' if self._mark.nothing else 'only'} with “{self._mark.filter}”"
                if self._mark.filter
                else ""
            )
            waits = self._shown.asked_for and not all(one.asked_for for one in self._waiting)
            behind = " · a question waits behind it" if waits else ""
            self.border_title = plain(f"{heading(self._shown.ask)}{count}{only}{behind}")

    def on_focus(self) -> None:
        """The keys are ours now."""
        self.call_next(self._draw)

    def on_blur(self) -> None:
        """They are not any more: what they were taken for may be over when they come back."""
        if self._armed and self._entry is None and not has_keys(self):  # they may be back by now
            self._settle()
            self._disarm()
            # By a click elsewhere the person has gone; a terminal that loses the focus gives it back.
            if self.app.app_focus:
                self._quiet.hold()
            self._quiet.wait()
        self.call_next(self._draw)

    def on_click(self, event: Click) -> None:
        """Take the keys, and mark the answer that was clicked on, unless it was to select text."""
        if self.screen.get_selected_text():
            return
        if not self.ready:
            self.take()
        if self._entry is None and (answer := self._pointed_at(event)) is not None:
            self._settle()
            self._mark.put(answer)
            self._begin("click")
            self._draw()

    # Keys

    def on_key(self, event: Key) -> None:
        """Answer, move, or give the key back to the prompt."""
        if self._editor and event.key in ("up", "down"):
            event.stop()
            self._editor.last(1 if event.key == "down" else -1)
            return
        if self._shown is None or not self.has_focus:
            return
        if self._entry is not None:  # it has the focus in a moment
            event.stop()
            self._line.take(event)
        elif self.ready and (self._command(event) or self._letter(event)):
            self._begin(event.key)
            event.stop()
            event.prevent_default()
        elif event.key not in OF_SCREEN or (event.key == "escape" and self._following):
            event.stop()
            event.prevent_default()
            if not self._came_early(event):
                self._hand_on(event)
        else:
            self._settle()

    def _begin(self, key: str) -> None:
        if self._shown is not None and not self._begun and key not in _NO_ANSWER:
            self._begun = True
            self._tell_begun(self._shown.ask)
            self._draw()

    def on_paste(self, event: Paste) -> None:
        """What is pasted is no answer, but narrows a list as what is typed does."""
        event.stop()
        if self._entry is not None:
            self._line.take(event)
        elif self.ready and self._mark.menu.listing:
            self._narrow(self._mark.filter + " ".join(event.text.split()))
        else:
            self._hand_on(event)

    def _hand_on(self, *events: Key | Paste) -> None:
        keys = self._take_back()
        self._disarm()
        for each in (*keys, *events):
            self._hand(each)
        self._quiet.wait()

    def let_go(self) -> None:
        """Take back the answer that is about to count: a key has done something else."""
        self._settle()

    def hold_off(self) -> None:
        """Take the keys later than usual, whichever question comes: the person is at something else."""
        self._quiet.hold()
        if self._shown is not None and not self.has_keys:
            self._quiet.wait()

    def _leave(self) -> None:
        self._disarm()
        self._left()
        self._quiet.hold()
        self._quiet.wait()

    def _came_early(self, event: Key) -> bool:
        """Keep an answer to the question before from being one to this, or text, unless it begins a sentence."""
        if event.key == "escape":
            self._missed = "Esc"
            self._draw()
            return True
        answers = event.key == "enter" or self._mark.names(event.key)
        if not self._following or not answers or not (event.key == "enter" or self._held.goes_on(event.key)):
            return False
        self._held.add(event)
        self._missed = event.character if event.is_printable and event.character else "Enter"
        self._draw()
        return True

    def _opinion_now(self) -> str:
        return told(self._shown.ask, self._said(self._shown.ask), begun=self._begun) if self._shown else ""

    def _look_out(self) -> None:
        """Look now and then whether the risk assessor has spoken, while it may."""
        self._looks = None
        if self._shown is None:
            return
        before = self._mark.at
        self._advise(self._said(self._shown.ask))  # whatever has drawn what it says by now
        if self._opinion != self._opinion_now() or self._mark.at != before:
            self._draw()
        if self._said(self._shown.ask) is True:
            self._looks = sure(self.set_timer(LOOKS, self._look_out))

    def _advise(self, said: Assessment | bool) -> None:
        """Mark the no that is advised, as it would be had it come in time, unless the person has begun to answer."""
        begun = self._mark.moved or self._held.begun  # to look at the decision is no beginning
        if isinstance(said, Assessment) and said.verdict == "reject" and not begun:
            nos = (at for at, one in enumerate(self._mark.menu.choices) if not one.answer.yes)
            self._mark.at = next(nos, self._mark.at)

    def _hint_now(self) -> str:
        early = f"{self._missed} was not taken: it came before this question · " if self._missed else ""
        return early + hint_for(
            self._mark, ready=self.ready, held=self._held.choice is not None, reading=self._read,
            listing=self._engaged(), draft=self._draft(), typing=self._entry,
            left=self.screen.focused not in (None, self, self._line),
        )  # fmt: skip
