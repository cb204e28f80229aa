"""The question, below the transcript: what would be done, why it asks, and the answers.

It takes the keys only when nobody types, reads or has a draft, so that no key meant for the prompt becomes an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from textual.events import Click, Key, Paste
from textual.message import Message
from textual.timer import Timer

from xun.frontends.tui.keys import OF_SCREEN
from xun.frontends.tui.question.box import Waiting
from xun.frontends.tui.question.choices import Choice, Menu, menu_of
from xun.frontends.tui.question.describe import Shown, heading
from xun.frontends.tui.question.editor import ReachOf
from xun.frontends.tui.question.entering import QuestionEntry
from xun.frontends.tui.question.fit import hint_for
from xun.frontends.tui.question.held import Held
from xun.frontends.tui.question.mark import Mark
from xun.frontends.tui.question.opinion import LOOKS, Opinion, told
from xun.frontends.tui.question.quiet import AFTER_LEAVING, Quiet
from xun.frontends.tui.safe import plain
from xun.frontends.tui.transcript.view import Transcript
from xun.policy.decision import Answer, Ask

_NO_ANSWER = frozenset(("tab", "home", "end"))  # keys that answer nothing yet


class QuestionPanel(QuestionEntry, can_focus=True):
    """Puts questions to the person, one after another.

    `idle` tells the seconds since the last key, `draft` whether the prompt holds text, `engaged` whether a list or a
    search is open there, and `hand` gives it the keys and pastes that are no answers. `saves` tells, for a question,
    what *always* would write, a line each; `shown` gives a path as the person knows it. A yes counts only once all of
    the question was in view. `opinion` tells what a second model says of a question, and `begun` is told that the
    person has begun to answer it. `reach` tells what a rule would let pass, for *always* to edit it; without it that
    keeps what the question would save.
    """

    FOCUS_ON_CLICK = False  # a click takes the keys, as Tab does; to select text is none

    class Left(Message):
        """The person goes back to the prompt, or the last question is answered."""

    def __init__(
        self,
        *,
        idle: Callable[[], float],
        draft: Callable[[], bool],
        hand: Callable[[Key | Paste], None],
        engaged: Callable[[], bool] = lambda: False,
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
        self._draft, self._engaged, self._hand, self._saves = draft, engaged, hand, saves
        self._quiet = Quiet(self, self._arm, wanted=self._may_take, idle=idle, busy=self._busy, still=self._keep_hint)
        self._held = Held(self, self._counted)
        self._waiting: list[Waiting] = []
        self._armed = False
        self._following = False  # the question before had the keys, and this one does not take them yet
        self._missed = ""  # the key that came too early
        self._asked_for = False  # by Tab or a click: a draft does not matter then
        self._past = 0  # questions that were put since there was none

    # Asking

    async def ask(self, ask: Ask, menu: Menu | None = None) -> Answer:
        """Put `ask` to the person and wait for the answer. Cancelling it takes the question back.

        `menu` takes the place of the answers that such a question usually has.
        """
        waiting = Waiting(ask, asyncio.get_running_loop().create_future(), menu)
        self._waiting.append(waiting)
        self._show()
        try:
            return await waiting.answer
        finally:
            self._waiting.remove(waiting)
            self._past = self._past + 1 if self._waiting else 0
            if self.is_attached:  # else the screen is over
                self._show()

    @property
    def asking(self) -> Ask | None:
        """The question that is shown, None where there is none."""
        return self._shown.ask if self._shown else None

    @property
    def ready(self) -> bool:
        """Whether keys are taken as answers now."""
        return self._shown is not None and self._armed and self.has_focus and (self._asked_for or not self._draft())

    def take(self) -> None:
        """Take the keys now, for the question that is shown; from the line for a reason, back to the answers."""
        if self._entry is not None and not self.typing:
            self.screen.set_focus(self._line)
            return
        self._close_entry()
        self._asked_for = True
        self._arm()

    def _arm(self) -> None:
        if self._shown is not None:
            self._quiet.stop()
            self._armed, self._following = True, False
            self.screen.set_focus(self)
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
        self._shown = first
        had_keys = self.has_focus or self.typing
        self._disarm()
        self._take_back()
        self._close_entry()
        self._line.empty()
        self.set_class(first is not None, "-asking")
        if first is None:
            self._quiet.stop()
            self.post_message(self.Left())
            return
        self._mark = Mark(first.menu or menu_of(first.ask, self._saves(first.ask), self._path))
        self._seen = self._begun = self._turned = False
        if self._looks is not None:
            self._looks.stop()
        self.set_class(any(decision.hard for decision in first.ask.decisions), "-careful")
        self.set_class(bool(first.ask.question), "-plain")
        self.query_one("#question-body").scroll_home(animate=False)
        self._title()
        self._draw()
        if had_keys:
            # The next of several: the key that answered the last must not answer this one too, nor be text.
            self._mark.remember()
            self._following = not self._draft()
            if self._following:
                self.screen.set_focus(self)
            else:
                self.post_message(self.Left())
        self._quiet.wait()
        self._look_out()
        if self._mark.menu.listing:  # it was asked for
            self.take()
        if self._mark.menu.at_once:
            self._choose(self._mark.choice)

    def _title(self) -> None:
        if self._shown is not None:
            total = self._past + len(self._waiting)
            count = f" · {self._past + 1} of {total}" if total > 1 else ""
            only = (
                f" · {'nothing' if self._mark.nothing else 'only'} with “{self._mark.filter}”"
                if self._mark.filter
                else ""
            )
            self.border_title = plain(f"{heading(self._shown.ask)}{count}{only}")

    def on_focus(self) -> None:
        """The keys are ours now."""
        self.call_next(self._draw)

    def on_blur(self) -> None:
        """They are not any more: what they were taken for may be over when they come back."""
        if self._armed and self._entry is None:
            self._take_back()
            self._disarm()
            self._quiet.wait()
        self.call_next(self._draw)

    def on_click(self, event: Click) -> None:
        """Take the keys, and mark the answer that was clicked on, unless it was to select text."""
        if self.screen.get_selected_text():
            return
        if not self.ready:
            self.take()
        if self._entry is None and (answer := self._pointed_at(event)) is not None:
            self._take_back()
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
        elif event.key not in OF_SCREEN:
            event.stop()
            event.prevent_default()
            if not self._came_early(event):
                self._hand_on(event)
        else:
            self._take_back()

    def _begin(self, key: str) -> None:
        if self._shown is not None and not self._begun and key not in _NO_ANSWER:
            self._begun = True
            self._tell_begun(self._shown.ask)
            self._draw()

    def on_paste(self, event: Paste) -> None:
        """What is pasted is no answer."""
        event.stop()
        if self._entry is not None:
            self._line.take(event)
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
        self._take_back()

    def _came_early(self, event: Key) -> bool:
        """Keep an answer to the question before from being one to this, or text, unless it begins a sentence."""
        answers = event.key == "enter" or self._mark.names(event.key)
        if not self._following or not answers or not (event.key == "enter" or self._held.goes_on(event.key)):
            return False
        self._held.add(event)
        self._missed = event.character if event.is_printable and event.character else "Enter"
        self._draw()
        return True

    def _take_back(self) -> list[Key]:
        """What is held answers nothing, and what it moved stands where it stood."""
        keys, self._missed = self._held.drop(), ""
        if keys:
            self._mark.go_back()
            self._draw()
        return keys

    def _command(self, event: Key) -> bool:
        if event.key == "enter" and self._held.keys:
            named = self._held.choice or (self._mark.choice if self._mark.numbered else None)
            if named is None:  # a letter that answers nothing: with Enter it is no answer either
                self._hand_on()
            else:
                self._held.add(event, named)  # it may end a line of several
            return True
        match event.key:
            case "up" | "down":
                self._take_back()
                self._mark.move(1 if event.key == "down" else -1)
                self._draw()
            case "enter":
                self._choose(self._mark.choice)
            case "backspace" if self._mark.filter:
                self._narrow(self._mark.filter[:-1])
            case "escape" if self._mark.filter:
                self._narrow("")
            case "escape":
                self._give(Answer.no())
            case "home" | "end":
                self._take_back()
                return self.scroll("end", 1 if event.key == "end" else -1)
            case "tab":
                self._take_back()
                self._disarm()
                self.post_message(self.Left())
                self._quiet.wait(AFTER_LEAVING)
            case _:
                return False
        return True

    def _letter(self, event: Key) -> bool:
        """A letter or a digit counts once no other follows: it may begin a sentence."""
        if self._filters(event):
            return True
        going_on = bool(self._held.keys)
        number = self._mark.begun(event.key)
        if going_on and not self._held.goes_on(event.key) and not number:
            return False
        if not going_on:
            self._mark.remember()
        pressed = self._mark.press(event.key)
        if pressed is None:
            return False
        if isinstance(pressed, Choice) and self._unseen(pressed):
            pressed = None  # a yes to what has not been seen is none: it shows the rest first
        elif going_on and not number and self._held.choice is None and event.key == self._held.keys[-1].key:
            pressed = None  # nor is a key that is still held down from showing it
        if isinstance(pressed, Choice) and pressed.entry not in ("", "rule"):
            self._held.drop()
            self._choose(pressed)
            return True
        if isinstance(pressed, Choice):
            self._mark.put(self._mark.menu.choices.index(pressed))
        self._held.add(event, pressed if isinstance(pressed, Choice) else None)
        self._draw()
        return True

    def _filters(self, event: Key) -> bool:
        """In a list, whatever is typed narrows it, but for the digits of a number to begin with."""
        mark, held = self._mark, self._held.keys
        if not mark.menu.listing or not event.is_printable or event.character is None:
            return False
        if event.key.isdecimal() and not mark.filter and (not held or mark.begun(event.key)):
            return False
        self._narrow(mark.filter + "".join(key.character or "" for key in self._take_back()) + event.character)
        return True

    def _narrow(self, text: str) -> None:
        self._mark.narrow(text)
        self._title()
        self._draw()

    def _counted(self, choice: Choice | None) -> None:
        self._draw()
        if choice is not None and self.ready:
            self._choose(choice)

    def _unseen(self, choice: Choice) -> bool:
        """Whether `choice` is a yes to what was not in view as a whole: then the next page is, now."""
        if choice.answer.yes and not self._seen and self._mark.explained:
            self._mark.explained = False  # the card was gone to, past the rest of what is asked
            self._draw()
            return True
        return choice.answer.yes and choice.entry in ("", "rule") and not self._seen and self.scroll_body(self._page())

    def _choose(self, choice: Choice) -> None:
        if self._unseen(choice) or self._mark.nothing:
            return
        rule = choice.entry == "rule" and self._editor.available
        if choice.entry in ("", "rule") and not rule:
            self._give(choice.answer)
            return
        self._entry = choice
        self.add_class("-typing")
        self._line.open(choice.entry, secret=choice.entry == "secret")
        if rule and self._shown is not None:
            self._line.put(self._editor.open(self._shown.ask))
        self._draw()

    def _give(self, answer: Answer) -> None:
        if self._shown is not None and not self._shown.answer.done():
            self._shown.answer.set_result(answer)

    def _opinion_now(self) -> str:
        return told(self._shown.ask, self._said(self._shown.ask), begun=self._begun) if self._shown else ""

    def _look_out(self) -> None:
        """Look now and then whether the second model has spoken, while it may."""
        self._looks = None
        if self._shown is None:
            return
        if self._opinion != self._opinion_now():
            self._draw()
        if self._said(self._shown.ask) is True:
            self._looks = self.set_timer(LOOKS, self._look_out)

    def _hint_now(self) -> str:
        early = f"{self._missed} was not taken: it came before this question · " if self._missed else ""
        return early + hint_for(
            self._mark.menu, ready=self.ready, held=self._held.choice is not None, reading=self._read,
            listing=self._engaged(), draft=self._draft(), typing=self._entry,
            left=self.screen.focused not in (None, self, self._line),
        )  # fmt: skip
