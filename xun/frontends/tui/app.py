"""The screen: transcript, question, queue, activity, prompt, status. It hears events and hands on what is typed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Event, InputEvent, Key, Paste

from xun.frontends.tui.actions import Acting
from xun.frontends.tui.keys import KEYS
from xun.frontends.tui.leaving import on_signals
from xun.frontends.tui.prompt.box import Prompt
from xun.frontends.tui.prompt.complete import Completer, Item
from xun.frontends.tui.prompt.history import History
from xun.frontends.tui.queue_view import QueueView
from xun.frontends.tui.starting import Starting
from xun.frontends.tui.status import StatusLine

# These know the events and the policy, which take longer to load than the first frame: they come after it.
if TYPE_CHECKING:
    from xun.frontends.tui.transcript.view import Transcript


class XunApp(Starting, Acting):
    """One person at work in one folder. `first` is sent as soon as there is an agent, and the command `then` is run,
    which nobody has typed.
    """

    TITLE = "xun"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""
    CSS = """
    Screen { layout: vertical; overflow: hidden; align-vertical: bottom; }
    Transcript { height: 1fr; }
    Screen.-low Transcript { display: none; }
    PromptArea { max-width: 100; }
    Prompt.-shell PromptArea { max-width: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*KEYS]

    def compose(self) -> ComposeResult:
        """The prompt, and what else is there before the rest is loaded."""
        yield QueueView()
        yield Prompt(History(self.opener.state / "prompts.jsonl"), Completer(self._commands, self._files.names))
        yield StatusLine()

    def _commands(self, before: str) -> list[Item]:
        return self.desk.complete(before) if self.desk is not None else []

    def on_mount(self) -> None:
        """Show the prompt, then find out what there is to work with."""
        on_signals(self.leave)
        self.app_suspend_signal.subscribe(self, lambda _: self._suspended())
        self.app_resume_signal.subscribe(self, lambda _: self._resumed())
        self._prompt.take_keys()
        self.draft_alone()
        self.query_one(StatusLine).set(folder=self.opener.shown_folder)
        self.call_after_refresh(self._begin)

    def _suspended(self) -> None:
        """Nothing that is typed until the screen is back, for the shell, may answer a question."""
        self._away = True
        self._leave_question()

    def _resumed(self) -> None:
        """Draw all of it, for the terminal shows nothing now, and wait for quiet as after a key."""
        self.action_redraw()
        self._come_back()

    def _come_back(self) -> None:
        """Leave the question, which has not heard of a stop by a signal: as after a key, it waits for quiet."""
        self._leave_question()
        self._away = False
        self._heard_of = self.back
        self._typed = time.monotonic()

    @property
    def _secret(self) -> bool:
        return self._parts is not None and self._question.secret and self._question.typing

    def _leave_question(self) -> None:
        if self._secret:
            return  # it answers nothing by itself, and no part of it may come to stand in the prompt
        if self._parts is not None and self._question.has_keys:
            self._question.let_go()
            self._prompt.take_keys()

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        self.take(event.text, steer=event.steer)
        if self._parts is not None:
            # The next key is meant for what a command or a shell line brings, be it a refusal.
            if event.text.lstrip()[:1] in ("/", "!"):
                self._question.hold_off()
            self._transcript.follow()

    def on_transcript_typed(self, event: Transcript.Typed) -> None:
        """A key that does nothing in the transcript."""
        self._prompt.take(event.key)

    def on_paste(self, event: Paste) -> None:
        """What nobody else has taken is for the prompt, whatever has the keys."""
        self._prompt.take(event)

    async def on_event(self, event: Event) -> None:
        """Take note of whatever is typed: no question takes the keys from who is typing, wherever that is.

        What was typed while the process was stopped, and read before it knew of that, is text at most.
        """
        if isinstance(event, InputEvent | Paste) and not event.is_forwarded:
            if self._heard_of != self.back:
                self._come_back()
            text = isinstance(event, Paste) or (isinstance(event, Key) and event.is_printable)
            if event.time <= self.back and (not text or self._secret):
                return
            if isinstance(event, Key | Paste):
                self._typed = time.monotonic()
        await super().on_event(event)
