"""The question, below the transcript: what would be done, why it asks, and the answers.

It takes the keys only when nobody has typed for a moment, so that no key meant for the prompt becomes an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key, Resize
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Static

from xun.frontends.tui.question.choices import Choice, Menu, menu_of
from xun.frontends.tui.question.describe import Shown, heading
from xun.frontends.tui.question.fit import fit
from xun.frontends.tui.question.look import content_of
from xun.frontends.tui.question.mark import Mark
from xun.frontends.tui.question.quiet import Quiet
from xun.frontends.tui.safe import plain
from xun.policy.decision import Answer, Ask

_ABOVE = 2  # rows that the transcript keeps, one in a screen that is not so tall:
_TALL = 20
_WIDE = 60  # cells in which the border has room for a sentence


@dataclass(slots=True)
class _Waiting:
    ask: Ask
    answer: asyncio.Future[Answer]
    menu: Menu | None = None


class QuestionPanel(Vertical, can_focus=True):
    """Puts questions to the person, one after another.

    `idle` tells the seconds since the last key, `draft` whether the prompt holds text, `engaged` whether a list or a
    search is open there. `saves` tells, for a question, what *always* would write, a line each; `shown` gives a path as
    the person knows it. A yes counts only once all of the question was in view.
    """

    DEFAULT_CSS = """
    QuestionPanel { height: auto; display: none; border: round $warning; padding: 0 1; }
    QuestionPanel.-asking { display: block; }
    QuestionPanel.-careful { border: heavy $error; }
    QuestionPanel.-plain { border: round $primary; }
    QuestionPanel #question-body { height: auto; scrollbar-size-vertical: 1; }
    QuestionPanel #question-text { width: 1fr; }
    QuestionPanel #question-menu { margin: 1 0 0 0; }
    QuestionPanel.-close #question-menu { margin: 0; }
    QuestionPanel #question-entry { display: none; border: none; height: 1; padding: 0; }
    QuestionPanel.-typing #question-entry { display: block; }
    """

    class Typed(Message):
        """A key that is no answer: it belongs to the prompt."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The person goes back to the prompt, or the last question is answered."""

    def __init__(
        self,
        *,
        idle: Callable[[], float],
        draft: Callable[[], bool],
        engaged: Callable[[], bool] = lambda: False,
        saves: Callable[[Ask], Sequence[str]] = lambda ask: (),
        shown: Shown = str,
    ) -> None:
        super().__init__()
        self._draft, self._saves, self._path = draft, saves, shown
        self._quiet = Quiet(self, self.take, wanted=self._may_take, idle=idle, draft=draft, engaged=engaged)
        self._waiting: list[_Waiting] = []
        self._mark = Mark(Menu((), 0))
        self._shown: _Waiting | None = None
        self._entry: Choice | None = None
        self._armed = False
        self._room = 0
        self._seen = False

    def compose(self) -> ComposeResult:
        """The parts, top to bottom."""
        with VerticalScroll(id="question-body", can_focus=False):
            yield Static(Content(), id="question-text", markup=False)
        yield Static(Content(), id="question-menu", markup=False)
        line = Input(id="question-entry", compact=True)
        line.cursor_blink = False  # a screen that waits does nothing
        yield line

    def on_mount(self) -> None:
        """Take notice when other parts of the screen grow or shrink."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._fit)

    # Asking

    async def ask(self, ask: Ask, menu: Menu | None = None) -> Answer:
        """Put `ask` to the person and wait for the answer. Cancelling it takes the question back.

        `menu` takes the place of the answers that such a question usually has.
        """
        waiting = _Waiting(ask, asyncio.get_running_loop().create_future(), menu)
        self._waiting.append(waiting)
        self._show()
        try:
            return await waiting.answer
        finally:
            self._waiting.remove(waiting)
            self._show()

    @property
    def asking(self) -> Ask | None:
        """The question that is shown, None where there is none."""
        return self._shown.ask if self._shown else None

    @property
    def ready(self) -> bool:
        """Whether keys are taken as answers now."""
        return self._shown is not None and self._armed and self.has_focus

    def take(self) -> None:
        """Take the keys now, for the question that is shown."""
        if self._shown is not None:
            self._quiet.stop()
            self._armed = True
            self.focus()

    def _may_take(self) -> bool:
        return self._shown is not None and self._entry is None and not self.ready

    def scroll_body(self, lines: int) -> bool:
        """Scroll what is asked by `lines`. False where all of it is shown."""
        part = self.query_one("#question-body")
        if self._shown is None or part.max_scroll_y <= 0:
            return False
        part.scroll_relative(y=lines, animate=False)
        self.call_after_refresh(self._look)
        return True

    def _look(self) -> None:
        """Has all of it been in view by now?"""
        part = self.query_one("#question-body")
        self._seen = self._seen or part.scroll_y >= part.max_scroll_y
        self._tell_of_more()

    def _show(self) -> None:
        first = self._waiting[0] if self._waiting else None
        if first is not None and first is self._shown:
            self._title()
            return
        self._shown = first
        self._armed = False
        self._close_entry()
        self.set_class(first is not None, "-asking")
        if first is None:
            self._quiet.stop()
            self.post_message(self.Left())
            return
        self._mark = Mark(first.menu or menu_of(first.ask, self._saves(first.ask), self._path))
        self._seen = False
        self.set_class(any(decision.hard for decision in first.ask.decisions), "-careful")
        self.set_class(bool(first.ask.question), "-plain")
        self.query_one("#question-body").scroll_home(animate=False)
        self._title()
        self._draw()
        if self.has_focus:
            # The next of several: the key that answered the last must not answer this one too.
            self.post_message(self.Left())
        self._quiet.wait()

    def _title(self) -> None:
        if self._shown is not None:
            count = f" · 1 of {len(self._waiting)}" if len(self._waiting) > 1 else ""
            self.border_title = plain(f"{heading(self._shown.ask)}{count}")

    def on_focus(self) -> None:
        """The keys are ours now."""
        self.call_next(self._draw)

    def on_blur(self) -> None:
        """They are not any more."""
        self.call_next(self._draw)

    # Keys

    def on_key(self, event: Key) -> None:
        """Answer, move, or give the key back to the prompt."""
        if self._shown is None or self._entry is not None or not self.has_focus:
            return
        if self._armed and (self._command(event.key) or self._letter(event.key)):
            event.stop()
            event.prevent_default()
        elif event.is_printable and event.character:
            event.stop()
            event.prevent_default()
            self._armed = False
            self.post_message(self.Typed(event.character))
            self._quiet.wait()

    def _command(self, key: str) -> bool:
        match key:
            case "up" | "down":
                self._mark.move(1 if key == "down" else -1)
                self._draw()
            case "enter":
                # With something half typed, Enter was meant for it unless a choice has been looked for.
                if self._mark.moved or not self._draft():
                    self._choose(self._mark.choice)
            case "escape":
                self._give(Answer.no())
            case "tab":
                self._quiet.stop()
                self._armed = False
                self.post_message(self.Left())
            case _:
                return False
        return True

    def _letter(self, key: str) -> bool:
        if key.isdecimal():
            return self._digit(key)
        if self._draft():
            return False  # the person may be going on with a word
        if key in ("j", "k") and not any(choice.key == key for choice in self._mark.menu.choices):
            return self._command("down" if key == "j" else "up")
        if key == "m" and self._mark.menu.more:
            self._mark.open_more()
            self._draw()
            return True
        for choice in self._mark.menu.choices:
            if choice.key == key:
                self._choose(choice)
                return True
        return False

    def _digit(self, key: str) -> bool:
        """A number answers as soon as no longer one could be meant; until then it moves the mark, for Enter to take."""
        index = self._mark.digit(key)
        if index is None:
            return False
        if self._mark.complete:
            self._choose(self._mark.menu.choices[index])
        else:
            self._mark.put(index)
            self._draw()
        return True

    def _choose(self, choice: Choice) -> None:
        if choice.answer.yes and not choice.entry and not self._seen and self.scroll_body(self._page()):
            return  # a yes to what has not been seen is none: it shows the rest first
        if not choice.entry:
            self._give(choice.answer)
            return
        self._entry = choice
        self.add_class("-typing")
        line = self.query_one("#question-entry", Input)
        line.value = ""
        line.password = choice.entry == "secret"
        line.focus()
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The reason, or the own words, are complete."""
        event.stop()
        choice, text = self._entry, event.value.strip()
        if choice is None or (choice.entry != "reason" and not text):
            return
        event.input.value = ""
        self._give(Answer.no(text or None) if choice.entry == "reason" else Answer.say(text))

    def key_escape(self, event: Key) -> None:
        """Leave the line for a reason without answering."""
        if self._entry is not None:
            event.stop()
            self._close_entry()
            self.focus()
            self._draw()

    def _page(self) -> int:
        return max(self.query_one("#question-body").size.height - 1, 1)

    def _close_entry(self) -> None:
        self._entry = None
        self.remove_class("-typing")

    def _give(self, answer: Answer) -> None:
        if self._shown is not None and not self._shown.answer.done():
            self._shown.answer.set_result(answer)

    # Looks

    def on_resize(self, event: Resize) -> None:
        """Fit the new width."""
        self._draw()

    def _fit(self, screen: Screen[Any]) -> None:
        if self._shown is not None and self._free_rows() != self._room:
            self._draw()

    def _draw(self) -> None:
        """Lay out what is asked and the answers in the rows that the rest of the screen leaves."""
        if self._shown is None:
            return
        width = max((self.size.width or self.app.size.width - 4) - 1, 8)  # beside a scrollbar
        self._room = self._free_rows()
        laid = fit(
            self._shown.ask, self._mark, self._path,
            width=width, rows=self._room, ready=self.ready, typing=self._entry,
        )  # fmt: skip
        self.set_class(laid.close, "-close")
        self.query_one("#question-text", Static).update(content_of(laid.asked))
        self.query_one("#question-menu", Static).update(content_of(laid.menu))
        part = self.query_one("#question-body")
        part.display = bool(laid.asked)
        part.styles.max_height = laid.height
        self.call_after_refresh(self._look)

    def _free_rows(self) -> int:
        """Rows between the borders that nothing else on the screen needs."""
        others = [part for part in self.siblings if part.display]
        fixed = [part for part in others if not (part.styles.height and part.styles.height.is_fraction)]
        taken = sum(part.outer_size.height for part in fixed) + 2
        return self.app.size.height - taken - (_ABOVE if self.app.size.height >= _TALL else 1)

    def _tell_of_more(self) -> None:
        part = self.query_one("#question-body")
        below = int(part.max_scroll_y - part.scroll_y)
        rest = "Page Down shows the rest" if self._seen else "Page Down shows the rest; a yes counts after it"
        rest = rest if self.size.width >= _WIDE else "Page Down"
        self.border_subtitle = plain(f"{below} more rows · {rest}") if below > 0 else Content()
