"""The screen: transcript, question, queue, activity, prompt, status. It hears events and hands on what is typed."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.scrollbar import ScrollBar

from xun import __version__
from xun.errors import XunError
from xun.frontends.tui.bars import WholeCells
from xun.frontends.tui.crash import keep_details
from xun.frontends.tui.files import FileList
from xun.frontends.tui.keys import KEYS
from xun.frontends.tui.leaving import on_signals
from xun.frontends.tui.opening import Ears, Level, Opener, Wanted
from xun.frontends.tui.prompt.box import Prompt
from xun.frontends.tui.prompt.complete import Completer, Item
from xun.frontends.tui.prompt.history import History
from xun.frontends.tui.queue_view import QueueView
from xun.frontends.tui.status import StatusLine
from xun.frontends.tui.theme import NAME, make_theme

# These know the events and the policy, which take longer to load than the first frame: they come after it.
if TYPE_CHECKING:
    from xun.events import AnyEvent
    from xun.frontends.tui.desk import Desk
    from xun.frontends.tui.parts import Parts
    from xun.frontends.tui.question.choices import Menu
    from xun.frontends.tui.question.panel import QuestionPanel
    from xun.frontends.tui.transcript.view import Transcript
    from xun.policy.decision import Answer, Ask

WELCOME = "xun {version} · /help · @ names a file · ! runs a shell line · Shift+Tab: mode"
TWICE = 2.0  # seconds within which the second Ctrl+C leaves
_ABOVE = frozenset({"interrupt", "details", "read", "scroll", "answer"})  # actions
CLOSING = 5.0  # seconds that running commands have to end when the screen closes


class XunApp(App[int]):
    """One person at work in one folder. `first` is sent as soon as there is an agent."""

    TITLE = "xun"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""
    CSS = """
    Screen { layout: vertical; overflow: hidden; align-vertical: bottom; }
    Transcript { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(
        self,
        opener: Opener,
        wanted: Wanted,
        *,
        first: str = "",
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
        self._files = FileList(opener.folder, lambda: self.call_from_thread(self._files_found))
        self._pressed = float("-inf")
        self.code: int | None = None
        self._parts: Parts | None = None
        self._ears: Ears | None = None  # those of the agent on the screen: another one may be closing still
        self.crash = ""

    def compose(self) -> ComposeResult:
        """The prompt, and what else is there before the rest is loaded."""
        yield QueueView()
        yield Prompt(History(self.opener.state / "prompts.jsonl"), Completer(self._commands, self._files.names))
        yield StatusLine()

    def _idle(self) -> float:
        return self._prompt.idle()

    def _draft(self) -> bool:
        return not self._prompt.blank

    def _engaged(self) -> bool:
        return self._prompt.engaged

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

    # Opening: the prompt takes keys at once; whatever needs time comes after the first frame.

    def on_mount(self) -> None:
        """Show the prompt, then find out what there is to work with."""
        on_signals(self.leave)
        self._prompt.take_keys()
        self.query_one(StatusLine).set(folder=self.opener.shown_folder)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.run_worker(self._open(self._wanted, trust=True), exclusive=True, group="open")

    async def _open(self, wanted: Wanted, *, trust: bool = False) -> None:
        try:
            if self._parts is None:
                await self._furnish()
            if trust:
                from xun.frontends.tui.first import ask_trust

                await ask_trust(self.opener, self.put, self.say)
            await self._open_agent(wanted)
        except XunError as error:
            self.say(str(error), "error")
        finally:
            self.opener.settled()

    async def _furnish(self) -> None:
        """Put the other parts above the prompt."""
        await asyncio.to_thread(import_module, "xun.frontends.tui.parts")
        from xun.frontends.tui.parts import Parts

        parts = Parts.make(idle=self._idle, draft=self._draft, engaged=self._engaged, clock=self._clock)
        queue = self.query_one(QueueView)
        await self.mount(parts.transcript, parts.question, before=queue)
        await self.mount(parts.activity, after=queue)
        self._parts = parts
        self.say(WELCOME.format(version=__version__))

    async def _open_agent(self, wanted: Wanted) -> None:
        from xun.frontends.tui.desk import Desk
        from xun.frontends.tui.first import open_somehow

        assert self._parts is not None
        notes: dict[str, None] = {}  # said below the history, which takes the place of all that was said before

        def say(text: str) -> None:
            if ears is self._ears:
                self._notice(text)
            else:
                notes[text] = None

        ears = Ears(lambda event: self.hear(event) if ears is self._ears else None, say, self.put)
        opened = await open_somehow(self.opener, wanted, ears, self.say)
        if opened is None:
            if self.desk is None:
                self.say("there is no agent yet: /exit leaves; what you type is kept until there is one")
            return
        old, self.desk, self._ears = self.desk, Desk(opened, self), ears
        if old is not None:
            await old.close()
        if opened.agent.messages:
            self._transcript.load(opened.agent.messages)
        for text in notes:
            self.say(text, "warning")
        self._parts.watch.start(opened.agent)
        self._parts.activity.clear()
        self._files.look_in(opened.agent.workspace.root)
        self._stand()
        if opened.starter and not self._early and self._prompt.blank:
            self._prompt.put_back(opened.starter)
        for text in self._early:
            self.desk.typed(text)
        self._early.clear()
        self.show_queue()

    # What the agent tells. Everything happens on this loop, so a widget may be changed here.

    def hear(self, event: AnyEvent) -> None:
        """Show one event."""
        if self.code is not None or self._parts is None:
            return
        self._parts.hear(event)
        if self._parts.watch.hear(event):
            self._stand()
        if self.desk is not None:
            self.desk.hear(event)

    def _stand(self) -> None:
        if self._parts is not None:
            self.query_one(StatusLine).set(**self._parts.watch.changes())

    def show_queue(self) -> None:
        """Show what waits now, and whether it is held."""
        if self.desk is not None:
            queue = self.desk.agent.queue
            self.query_one(QueueView).show(queue.items, queue.steering, held=self.desk.turns.held)

    def work(self, line: str) -> None:
        """Show that a command runs, as it was typed; with "" that none does any more."""
        assert self._parts is not None
        self._parts.activity.work(line)

    async def put(self, ask: Ask, menu: Menu | None = None) -> Answer:
        """Put a question to the person; `menu` takes the place of its usual answers."""
        return await self._question.ask(ask, menu)

    def say(self, text: str, level: Level = "info", *, gap: bool = True) -> None:
        """Show a line of xun's own, set off from what stands above by a `gap`."""
        self._transcript.say(text, level, gap=gap)

    def show(self, text: str) -> None:
        """Show what a command gave back."""
        self._transcript.show(text)

    def echo(self, line: str) -> None:
        """Show the line of a command."""
        self._transcript.echo(line)

    def _notice(self, text: str) -> None:
        if threading.get_ident() == self._thread_id:
            self.say(text, "warning")
        else:  # the agent is opened in a thread
            self.call_from_thread(self.say, text, "warning")

    def last_words(self) -> list[str]:
        """What is said on the terminal once the screen is gone."""
        lines = [self.crash] if self.crash else []
        if self.desk is not None and self.desk.agent.messages and self.desk.agent.session_id:
            lines.append(f"xun --resume {self.desk.agent.session_id} goes on with this session")
        return lines

    # What the person does

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        if self.desk is not None:
            self.desk.typed(event.text, steer=event.steer)
            self._transcript.follow()
        elif event.text.strip() in ("/exit", "/quit"):
            self.leave(0)
        elif event.text.strip():
            self._early.append(event.text)
            self.query_one(QueueView).show(self._early, early=True)

    def on_question_panel_left(self) -> None:
        """No question takes the keys any more."""
        self._prompt.take_keys()

    def on_question_panel_typed(self, event: QuestionPanel.Typed) -> None:
        """A key that is no answer."""
        self._type(event.text)

    def on_transcript_typed(self, event: Transcript.Typed) -> None:
        """A key that does nothing in the transcript."""
        self._type(event.character)

    def _type(self, text: str) -> None:
        self._prompt.take_keys()
        self._prompt.type(text)

    def edit(self, text: str) -> None:
        """Put `text` into the prompt."""
        self._prompt.put_back(text)

    def _commands(self, before: str) -> list[Item]:
        return self.desk.complete(before) if self.desk is not None else []

    def _files_found(self) -> None:
        self._prompt.complete_again()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is for the parts above the prompt waits until they are there."""
        return self._parts is not None or action not in _ABOVE

    def action_interrupt(self) -> None:
        """Back to the prompt; from there, stop what runs."""
        if self._transcript.has_focus:
            self._prompt.take_keys()
        elif self.desk is not None and not self.desk.interrupt():
            self._transcript.follow()

    def action_clear_or_leave(self) -> None:
        """Copy what is selected; else clear the prompt; pressed again, leave."""
        if self.screen.get_selected_text():
            self.screen.action_copy_text()
            self.screen.clear_selection()
            return
        if self._prompt.clear():
            self._pressed = float("-inf")
            return
        now = time.monotonic()
        if now - self._pressed < TWICE:
            self.leave(0)
            return
        self._pressed = now
        if self._parts is not None:
            self.action_interrupt()
            self.say("Ctrl+C again leaves")

    def action_leave_if_empty(self) -> None:
        """Ctrl+D leaves where there is nothing to delete."""
        if self._prompt.blank:
            self.leave(0)
        else:
            self._prompt.area.action_delete_right()

    def action_next_mode(self) -> None:
        """The next of the modes. The status line tells it; `/mode` tells what it means."""
        if self.desk is not None and self._parts is not None:
            self.desk.set_mode(self._parts.watch.next_mode())

    def action_take_back(self) -> None:
        """Take the last prompt that waits back into the prompt."""
        if self.desk is None:
            if self._early:
                self._prompt.put_back(self._early.pop())
                self.query_one(QueueView).show(self._early, early=True)
            return
        text = self.desk.agent.queue.take_back()
        if text is not None:
            self._prompt.put_back(text)

    def action_details(self) -> None:
        """Show or hide the details of every tool row."""
        self._transcript.toggle_details()

    def action_read(self) -> None:
        """Let the transcript have the keys, to go over it row by row; Esc goes back to the prompt."""
        self._transcript.focus()

    def action_redraw(self) -> None:
        """Draw everything anew: another program may have written over it."""
        self.refresh(layout=True)

    def action_scroll(self, unit: Literal["line", "page", "end"], step: int) -> None:
        """Scroll by a page or a line, or to an end: what is asked where it has the keys, else the transcript."""
        question = self._question
        if unit == "page" and question.ready and question.scroll_body(step * 5):
            return
        self._transcript.scroll_by(unit, step)

    def action_answer(self) -> None:
        """Let the question have the keys."""
        self._question.take()

    # Leaving

    def switch(self, session: str) -> None:
        """Go on with another session."""
        self.run_worker(self._open(Wanted(session=session)), exclusive=True, group="open")

    def leave(self, code: int) -> None:
        """Close in good order and exit with `code`. Called again, exit at once."""
        if self.code is not None:
            self.exit(code)
            return
        self.code = code
        self.run_worker(self._close(code), exit_on_error=False)

    async def _close(self, code: int) -> None:
        try:
            if self.desk is not None:
                async with asyncio.timeout(CLOSING):
                    await self.desk.close()
        except TimeoutError:
            if self.desk is not None:
                self.desk.agent.processes.kill()
        finally:
            if code:  # a signal: whatever the terminal does now, it ends
                last = threading.Timer(CLOSING, os._exit, (code,))
                last.daemon = True
                last.start()
            self.exit(code)

    def _handle_exception(self, error: Exception) -> None:
        """A fault of ours ends the screen. The terminal is restored first; one line says where the details are."""
        if self.is_headless:
            super()._handle_exception(error)
            return
        self._return_code = 1
        self.crash = keep_details(self.opener.state, error)
        if self.desk is not None:
            self.desk.agent.processes.kill()
        self._close_messages_no_wait()
