"""The question, below the transcript: what would be done, why it asks, and the answers.

It takes the keys only when nobody has typed for a moment, so that no key meant for the prompt becomes an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key, Resize
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from xun.frontends.tui.question.choices import Choice, Menu, menu_of
from xun.frontends.tui.question.describe import body, heading
from xun.frontends.tui.safe import plain
from xun.policy.decision import Answer, Ask

GRACE = 0.6  # seconds without a key before the question takes the keys
GRACE_WITH_DRAFT = 1.5  # the same while something half typed stands in the prompt
_ANSWERS = "a number or letter answers · Esc no · Tab back to the prompt"
_NUMBERS = "a number answers · Esc leaves it · Tab back to the prompt"
_WAITS = "waits until you stop typing · Tab answers now"
_PLACEHOLDERS = {
    "reason": "why? Enter says no, Esc goes back",
    "words": "Enter sends it, Esc goes back",
    "secret": "it is not shown; Enter takes it, Esc goes back",
}
_OTHERS = 8  # rows that the rest of the screen keeps


@dataclass(slots=True)
class _Waiting:
    ask: Ask
    answer: asyncio.Future[Answer]
    menu: Menu | None = None


class QuestionPanel(Vertical, can_focus=True):
    """Puts questions to the person, one after another.

    `idle` tells the seconds since the last key, `draft` whether the prompt holds text. `saves` tells, for a question,
    what *always* would write, a line each.
    """

    DEFAULT_CSS = """
    QuestionPanel { height: auto; display: none; border: round $warning; padding: 0 1; }
    QuestionPanel.-asking { display: block; }
    QuestionPanel.-careful { border: heavy $error; }
    QuestionPanel #question-body { height: auto; scrollbar-size-vertical: 1; }
    QuestionPanel #question-text { width: 1fr; }
    QuestionPanel #question-menu { margin: 1 0 0 0; }
    QuestionPanel #question-entry { display: none; border: none; height: 1; padding: 0; }
    QuestionPanel.-typing #question-entry { display: block; }
    QuestionPanel.-typing #question-menu { display: none; }
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
        saves: Callable[[Ask], Sequence[str]] = lambda ask: (),
    ) -> None:
        super().__init__()
        self._idle, self._draft, self._saves = idle, draft, saves
        self._waiting: list[_Waiting] = []
        self._menu = Menu((), 0)
        self._at = 0
        self._moved = False
        self._shown: _Waiting | None = None
        self._entry: Choice | None = None
        self._grace: Timer | None = None
        self._armed = False

    def compose(self) -> ComposeResult:
        """The parts, top to bottom."""
        with VerticalScroll(id="question-body", can_focus=False):
            yield Static(Content(), id="question-text", markup=False)
        yield Static(Content(), id="question-menu", markup=False)
        yield Input(id="question-entry", compact=True)

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
            self._stop_grace()
            self._armed = True
            self.focus()

    def scroll_body(self, lines: int) -> bool:
        """Scroll what is asked by `lines`. False where all of it is shown."""
        part = self.query_one("#question-body")
        if self._shown is None or part.max_scroll_y <= 0:
            return False
        part.scroll_relative(y=lines, animate=False)
        return True

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
            self._stop_grace()
            self.post_message(self.Left())
            return
        self._menu = first.menu or menu_of(first.ask, self._saves(first.ask))
        self._at, self._moved = self._menu.default, False
        self.set_class(any(decision.hard for decision in first.ask.decisions), "-careful")
        self.query_one("#question-text", Static).update(body(first.ask))
        self.query_one("#question-body").scroll_home(animate=False)
        self._title()
        self._draw()
        self._fit()
        if self.has_focus:
            # The next of several: the key that answered the last must not answer this one too.
            self.post_message(self.Left())
        self._wait_for_quiet()

    def _title(self) -> None:
        if self._shown is not None:
            count = f" · 1 of {len(self._waiting)}" if len(self._waiting) > 1 else ""
            self.border_title = plain(f"{heading(self._shown.ask)}{count}")

    # The moment of quiet

    def _wait_for_quiet(self) -> None:
        self._stop_grace()
        grace = GRACE_WITH_DRAFT if self._draft() else GRACE
        # At least half of it, however long ago the last key was: the next one may be on its way to the prompt.
        self._grace = self.set_timer(max(grace - self._idle(), grace / 2), self._quiet)

    def _quiet(self) -> None:
        self._grace = None
        if self._shown is None or self._entry is not None or self.ready:
            return
        grace = GRACE_WITH_DRAFT if self._draft() else GRACE
        if (left := grace - self._idle()) > 0:
            self._grace = self.set_timer(left, self._quiet)
            return
        self.take()

    def _stop_grace(self) -> None:
        if self._grace is not None:
            self._grace.stop()
            self._grace = None

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
            self._wait_for_quiet()

    def _command(self, key: str) -> bool:
        match key:
            case "up" | "down":
                self._at = (self._at + (1 if key == "down" else -1)) % len(self._menu.choices)
                self._moved = True
                self._draw()
            case "enter":
                # With something half typed, Enter was meant for it unless a choice has been looked for.
                if self._moved or not self._draft():
                    self._choose(self._menu.choices[self._at])
            case "escape":
                self._give(Answer.no())
            case "tab":
                self._stop_grace()
                self._armed = False
                self.post_message(self.Left())
            case _:
                return False
        return True

    def _letter(self, key: str) -> bool:
        if key.isdecimal() and 1 <= int(key) <= len(self._menu.choices):
            self._choose(self._menu.choices[int(key) - 1])
            return True
        if self._draft():
            return False  # the person may be going on with a word
        if key in ("j", "k") and not any(choice.key == key for choice in self._menu.choices):
            return self._command("down" if key == "j" else "up")
        if key == "m" and self._menu.more:
            self._menu = self._menu.opened()
            self._draw()
            self._fit()
            return True
        for choice in self._menu.choices:
            if choice.key == key:
                self._choose(choice)
                return True
        return False

    def _choose(self, choice: Choice) -> None:
        if not choice.entry:
            self._give(choice.answer)
            return
        self._entry = choice
        self.add_class("-typing")
        entry = self.query_one("#question-entry", Input)
        entry.value = ""
        entry.password = choice.entry == "secret"
        entry.placeholder = _PLACEHOLDERS[choice.entry]
        entry.focus()
        self._fit()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The reason, or the own words, are complete."""
        event.stop()
        entry, text = self._entry, event.value.strip()
        if entry is None or (entry.entry != "reason" and not text):
            return
        event.input.value = ""
        self._give(Answer.no(text or None) if entry.entry == "reason" else Answer.say(text))

    def key_escape(self, event: Key) -> None:
        """Leave the line for a reason without answering."""
        if self._entry is not None:
            event.stop()
            self._close_entry()
            self.focus()
            self._fit()

    def _close_entry(self) -> None:
        self._entry = None
        self.remove_class("-typing")

    def _give(self, answer: Answer) -> None:
        if self._shown is not None and not self._shown.answer.done():
            self._shown.answer.set_result(answer)

    # Looks

    def on_resize(self, event: Resize) -> None:
        """Keep room for the transcript."""
        self._fit()

    def _fit(self) -> None:
        rows = len(self._menu.choices) + bool(self._menu.more) + 4
        self.query_one("#question-body").styles.max_height = max(self.app.size.height - rows - _OTHERS, 3)
        self.call_after_refresh(self._tell_of_more)

    def _tell_of_more(self) -> None:
        more = self.query_one("#question-body").max_scroll_y > 0
        self.border_subtitle = plain("Page Down shows the rest") if more else Content()

    def _draw(self) -> None:
        lines = [self._line(index, choice) for index, choice in enumerate(self._menu.choices)]
        if self._menu.more:
            lines.append(plain("    m more answers", "dim"))
        answers = _ANSWERS if any(choice.key for choice in self._menu.choices) else _NUMBERS
        hint = answers if self.ready else _WAITS
        self.query_one("#question-menu", Static).update(Content("\n").join([*lines, plain(hint, "dim")]))

    def _line(self, index: int, choice: Choice) -> Content:
        here = index == self._at
        mark = "▸" if here else " "
        key = f" ({choice.key})" if choice.key else ""
        text = plain(f"{mark} {index + 1} {choice.label}{key}", "bold" if here and self.ready else "")
        return text + plain(f"   {choice.keeps}", "dim") if choice.keeps else text
