"""What a question looks like: what is asked, to be scrolled, the answers below it, and the line that is typed in."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.events import MouseEvent, Resize
from textual.screen import Screen

from xun.frontends.tui.measured import Text
from xun.frontends.tui.question.choices import Choice, Menu
from xun.frontends.tui.question.describe import Shown, above_card, titled
from xun.frontends.tui.question.entry import EntryLine
from xun.frontends.tui.question.fit import fit
from xun.frontends.tui.question.look import content_of
from xun.frontends.tui.question.mark import Mark
from xun.frontends.tui.question.rule import Edited
from xun.frontends.tui.safe import plain
from xun.frontends.tui.transcript.line import Line
from xun.policy.decision import Answer, Ask

_ABOVE = 2  # rows that the transcript keeps, one in a screen that is not so tall, and none in a low one:
_TALL, _LOW = 20, 7
_TRIES = 4  # layouts that are waited for
_WIDE = 60  # cells in which the border has room for a sentence


@dataclass(slots=True)
class Waiting:
    """A question, and where its answer is to go; `menu` takes the place of the usual answers.

    `typed` is what stood in its line when another one was put before it, and what for.
    """

    ask: Ask
    answer: asyncio.Future[Answer]
    menu: Menu | None = None
    typed: tuple[str, str] = ("", "")

    @property
    def listed(self) -> bool:
        """Whether it is a list that the person has asked for."""
        return self.menu is not None and self.menu.listing

    @property
    def asked_for(self) -> bool:
        """Whether the person has asked for it, and so types for it: a list, or the line for a key."""
        return self.menu is not None and (self.menu.listing or self.menu.at_once)

    @property
    def own(self) -> bool:
        """Whether the person waits for it: for a shell line of theirs, or one of xun's own that a command brings."""
        from xun.asides import SHELL_ID

        return not self.ask.call_id or self.ask.call_id.startswith(SHELL_ID)


class QuestionBox(Vertical):
    """Shows the question in `_shown`, none where that is None; `shown` gives a path as the person knows it."""

    DEFAULT_CSS = """
    QuestionBox { height: auto; display: none; border: round $warning; padding: 0 1; }
    QuestionBox.-asking { display: block; }
    QuestionBox.-careful { border: heavy $error; }
    QuestionBox.-plain { border: round $primary; }
    QuestionBox #question-body { height: auto; scrollbar-size-vertical: 1; }
    QuestionBox #question-text { width: 1fr; }
    QuestionBox #question-menu { margin: 1 0 0 0; }
    QuestionBox.-close #question-menu { margin: 0; }
    QuestionBox.-typing #question-entry { display: block; }
    """

    def __init__(self, shown: Shown) -> None:
        super().__init__()
        # Held, not looked up: they are gone before this is when the screen closes.
        self._body = VerticalScroll(id="question-body", can_focus=False)
        self._text, self._menu, self._line = Text(id="question-text"), Text(id="question-menu"), EntryLine()
        self._path = shown
        self._mark = Mark(Menu((), 0))
        self._shown: Waiting | None = None
        self._entry: Choice | None = None
        self._hint = ""
        self._opinion = ""
        self._listed = 0  # answers in view, where there are more
        self._room = 0
        self._seen = False
        self._turned = False  # to the card
        self._before_card = 0.0
        self._below: list[Line] = []  # what is asked: the answers, and the rest
        self._keys_told = True  # in a row of their own, for what is typed

    def compose(self) -> ComposeResult:
        """The parts, top to bottom."""
        with self._body:
            yield self._text
        yield self._menu
        yield self._line

    def on_mount(self) -> None:
        """Take notice when other parts of the screen grow or shrink."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._fit)
        self.watch(self._body, "scroll_y", self._moved, init=False)

    @property
    def ready(self) -> bool:
        """Whether keys are taken as answers now."""
        raise NotImplementedError

    def _hint_now(self) -> str:
        raise NotImplementedError

    def _edited(self, width: int) -> Edited | None:
        """What is told of a rule that is being edited."""
        raise NotImplementedError

    def _opinion_now(self) -> str:
        raise NotImplementedError

    # What is asked

    def scroll(self, unit: Literal["line", "page", "end"], step: int) -> bool:
        """Scroll what is asked, where all of it is not in view, by lines or pages, or to its beginning or end.

        Where it is, and there are more answers than rows, the mark goes on among those.
        """
        rows = {"line": 1, "page": self._page(), "end": self._text.size.height}
        if self.scroll_body(step * rows[unit]):
            return True
        if self._shown is None or not self._listed:
            return False
        steps = {"line": 1, "page": self._listed, "end": len(self._mark.menu.choices)}
        self._mark.step(step * steps[unit])
        self._draw()
        return True

    def scroll_body(self, lines: int) -> bool:
        """Scroll what is asked by `lines`. False where all of it is shown."""
        part = self._body
        if self._shown is None or self._last_row <= 0:
            return False
        part.scroll_relative(y=lines, animate=False, immediate=True)
        self._look()
        return True

    def _moved(self) -> None:
        self.call_after_refresh(self._look)  # the wheel moves it too

    def _look(self) -> None:
        """Has all of it been in view by now?"""
        if self._shown is None:
            return
        part = self._body
        open_card = self._mark.explained and self._last_row > 0  # it was gone to, past what is asked
        # Where there is no room for it at all, none of it was, unless there is nothing but the title.
        shown = part.display or titled(self._shown.ask)
        self._seen = self._seen or (shown and part.scroll_y >= self._last_row and not open_card)
        self._tell_of_more()

    @property
    def _last_row(self) -> int:
        """How far what is asked can be scrolled. What is hidden still has the size of what it showed last."""
        part = self._body
        return int(part.max_scroll_y) if part.display else 0

    def _page(self) -> int:
        return max(self._body.size.height - 1, 1)

    def _pointed_at(self, event: MouseEvent) -> int | None:
        """The number of the answer that the mouse is on, from 0."""
        at = event.get_content_offset(self._menu)
        return self._below[at.y].choice if at is not None and at.y < len(self._below) else None

    # Looks

    def on_resize(self, event: Resize) -> None:
        """Fit the new width."""
        self._draw()

    def _fit(self, screen: Screen[Any]) -> None:
        if self._shown is not None and (self._free_rows() != self._room or self._hint != self._hint_now()):
            self._draw()

    def on_descendant_focus(self) -> None:
        """The line is typed in."""
        self.call_next(self._keep_hint)

    def on_descendant_blur(self) -> None:
        """It is left."""
        self.call_next(self._keep_hint)

    def _keep_hint(self) -> None:
        if self._hint != self._hint_now():
            self._draw()

    def _draw(self) -> None:
        """Lay out what is asked and the answers in the rows that the rest of the screen leaves."""
        self.screen.set_class(self._shown is not None and self.app.size.height < _LOW, "-low")
        if self._shown is None:
            return
        width = max((self.size.width or self.app.size.width - 4) - 1, 8)  # beside a scrollbar
        self._room, self._hint, self._opinion = self._free_rows(), self._hint_now(), self._opinion_now()
        laid = fit(
            self._shown.ask, self._mark, self._path,
            width=width, rows=self._room, ready=self.ready, typing=self._entry, keys=self._hint,
            opinion=self._opinion, edited=self._edited(width),
        )  # fmt: skip
        self._below, self._listed, self._keys_told = laid.menu, laid.listed, laid.told
        self.set_class(laid.close, "-close")
        self._text.update(content_of(laid.asked))
        self._menu.update(content_of(laid.menu))
        part = self._body
        part.display = bool(laid.asked)
        part.styles.max_height = laid.height
        if self._turned != self._mark.explained:
            self._turned = self._mark.explained
            self.call_after_refresh(self._turn, above_card(self._shown.ask, width, self._path))
        self.call_after_refresh(self._look)

    def _turn(self, above: int) -> None:
        """Go to the card that was opened, and back once it is closed."""
        part = self._body
        if self._turned:
            self._before_card = part.scroll_y
        self._go_to(above if self._turned else self._before_card, _TRIES)

    def _go_to(self, row: float, tries: int) -> None:
        """Scroll what is asked to `row`, again after the next layouts where this one has not come to all of it yet."""
        part = self._body
        part.scroll_to(y=row, animate=False, immediate=True)
        if tries > 0 and part.max_scroll_y < row:
            self.call_after_refresh(self._again, self._shown, self._turned, row, tries - 1)
        self._look()

    def _again(self, shown: Waiting | None, turned: bool, row: float, tries: int) -> None:
        if self._shown is shown and self._turned == turned:  # else something else is shown by now
            self._go_to(row, tries)

    def _free_rows(self) -> int:
        """Rows between the borders that nothing else on the screen needs."""
        others = [part for part in self.siblings if part.display]
        fixed = [part for part in others if not (part.styles.height and part.styles.height.is_fraction)]
        taken = sum(part.outer_size.height for part in fixed) + 2
        above = _ABOVE if self.app.size.height >= _TALL else int(self.app.size.height >= _LOW)
        return self.app.size.height - taken - above

    def _tell_of_more(self) -> None:
        part = self._body
        below = max(int(self._last_row - part.scroll_y), 0)
        if self._entry is not None:  # its keys are those of a line: what is asked is not scrolled by them
            rest = "" if self._keys_told else self._hint.partition(" · ")[0]
        elif self.ready:
            rest = "Page Down, End" if self.size.width < _WIDE else "Page Down, End show the rest"
            rest = rest if self._seen or self.size.width < _WIDE else f"{rest}; a yes counts after it"
            rest = rest if below > 0 else ""
        else:  # where there is no row for what the keys do, it is told here
            rest = self._hint.partition(" · ")[0] if self.has_class("-close") else ""
        told = (f"{below} more row{'' if below == 1 else 's'}" if below > 0 else "", rest)
        self.border_subtitle = plain(" · ".join(filter(None, told)))
