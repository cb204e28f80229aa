"""What every part of the screen has: its state, its widgets, and what is said on it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.scrollbar import ScrollBar
from textual.timer import Timer, TimerCallback

from xun.config.redact import masked_line
from xun.frontends.tui.bars import WholeCells
from xun.frontends.tui.files import FileList
from xun.frontends.tui.opening import Ears, Level, ModelOffer, Opener, Wanted
from xun.frontends.tui.prompt.box import Prompt
from xun.frontends.tui.queue_view import QueueView
from xun.frontends.tui.status import StatusLine
from xun.frontends.tui.theme import NAME, make_theme
from xun.frontends.tui.timers import sure

# These know the events and the policy, which take longer to load than the first frame: they come after it.
if TYPE_CHECKING:
    from xun.events import AnyEvent
    from xun.frontends.tui.desk import Desk
    from xun.frontends.tui.parts import Parts
    from xun.frontends.tui.question.choices import Menu
    from xun.frontends.tui.question.panel import QuestionPanel
    from xun.frontends.tui.transcript.view import Transcript
    from xun.policy.decision import Answer, Ask


class BaseApp(App[int]):
    """The base of `XunApp`, whose other parts are in a file each."""

    def __init__(
        self,
        opener: Opener,
        wanted: Wanted,
        *,
        first: str = "",
        then: str = "",
        clock: Callable[[], float] = time.monotonic,
        driver_class: Any = None,
    ) -> None:
        super().__init__(driver_class, ansi_color=True)  # from the beginning: NO_COLOR is looked at by the base class
        self.register_theme(make_theme())
        self.theme = NAME
        ScrollBar.renderer = WholeCells
        self.opener = opener
        self._clock = clock
        self.desk: Desk | None = None
        self._wanted = wanted
        self._early = [first] if first else []
        self._then = then
        self._files = FileList(opener.folder, lambda: self.call_from_thread(self._files_found))
        self._pressed = float("-inf")
        self._problem_told = False  # that of the prompt history
        self._typed = float("-inf")  # when a key or a paste came last
        self._away = False  # whether the screen is suspended
        # When the terminal was taken again last, infinite while that is to be done; told in the midst of anything.
        self.back = float("-inf")
        self._heard_of = self.back
        self.code: int | None = None
        self._parts: Parts | None = None
        self._ears: Ears | None = None  # those of the agent on the screen: another one may be closing still
        self.crash = ""

    def set_timer(
        self, delay: float, callback: TimerCallback | None = None, *, name: str | None = None, pause: bool = False
    ) -> Timer:
        """As the base class, which takes another size of the terminal by such a timer; but it goes off in any case."""
        return sure(super().set_timer(delay, callback, name=name, pause=pause))

    def _files_found(self) -> None:
        self._prompt.complete_again()

    @property
    def _prompt(self) -> Prompt:
        return self.query_one(Prompt)

    @property
    def _transcript(self) -> Transcript:
        assert self._parts is not None
        return self._parts.transcript

    @property
    def _question(self) -> QuestionPanel:
        assert self._parts is not None
        return self._parts.question

    def hear(self, event: AnyEvent) -> None:
        """Show one event."""
        if self.code is not None or self._parts is None:
            return
        self._parts.hear(event)
        if self._parts.watch.hear(event):
            self.stand()
        if self.desk is not None:
            self.desk.hear(event)

    def stand(self) -> None:
        """Show on the status line what is in force now."""
        if self._parts is not None:
            self.query_one(StatusLine).set(**self._parts.watch.changes())

    def show_queue(self) -> None:
        """Show what waits now, and whether it is held."""
        if self.desk is not None:
            queue, turns = self.desk.agent.queue, self.desk.turns
            self.query_one(QueueView).show(queue.items, queue.steering, held=turns.held, busy=turns.busy)

    def work(self, line: str) -> None:
        """Show that a command runs, as it was typed; with "" that none does any more."""
        assert self._parts is not None
        self._parts.activity.work(masked_line(line))

    async def put(self, ask: Ask, menu: Menu | None = None) -> Answer:
        """Put a question to the person; `menu` takes the place of its usual answers."""
        return await self._question.ask(ask, menu)

    async def ask_key(self, provider: str) -> bool:
        """Let the person enter a key for `provider`. False where they do not."""
        from xun.frontends.tui.first import ask_key

        offer = ModelOffer(f"another key for {provider}", key_of=provider)
        return await ask_key(offer, self.opener, self.put, self.say)

    def say(self, text: str, level: Level = "info", *, gap: bool = True) -> None:
        """Show a line of xun's own, set off from what stands above by a `gap`."""
        self._transcript.say(text, level, gap=gap)

    def show(self, text: str) -> None:
        """Show what a command gave back."""
        self._transcript.show(text)

    def echo(self, line: str) -> None:
        """Show the line of a command, without what is secret in it."""
        self._transcript.echo(masked_line(line))

    def _notice(self, text: str, level: Level) -> None:
        if threading.get_ident() == self._thread_id:
            self.say(text, level)
        else:  # the agent is opened in a thread
            self.call_from_thread(self.say, text, level)

    def last_words(self) -> list[str]:
        """What is said on the terminal once the screen is gone."""
        lines = [self.crash] if self.crash else []
        if self.desk is not None and self.desk.agent.messages and (session := self.desk.opened.resumable):
            lines.append(f"xun --resume {session} goes on with this session")
        return lines

    def edit(self, text: str) -> None:
        """Put `text` into the prompt."""
        self._prompt.put_back(text)
