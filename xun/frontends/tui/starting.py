"""From the first frame to an agent, and from one agent to the next."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from xun import __version__
from xun.errors import XunError
from xun.frontends.tui import key_shaped, large
from xun.frontends.tui.key_shaped import asks_first, may_send
from xun.frontends.tui.large import may_send_large, refusal
from xun.frontends.tui.leaving import Leaving
from xun.frontends.tui.opening import Ears, Level, Opened, Wanted
from xun.frontends.tui.queue_view import QueueView

if TYPE_CHECKING:
    from xun.frontends.prompt_size import LargePrompt
    from xun.frontends.tui.question.choices import Menu
    from xun.policy.decision import Answer, Ask

WELCOME = "xun {version} · /help · @ names a file · ! runs a shell line · Shift+Tab: mode"
_MODEL = "/model asks for one again, /exit leaves"
_ANSWER = "answer above, or leave with /exit"
_HELP = "/help"
_OWN = (key_shaped.ASK, large.ASK)
_NOES = ("n", "no")
_COMMAND = re.compile(r"/[\w-]+(\s|$)")


def _asks_help(line: str) -> bool:
    """Whether `line` is a command that explains commands, which needs no agent."""
    word, *rest = line.split()[:2] or [""]
    return word == _HELP or (bool(_COMMAND.match(line)) and rest in (["-h"], ["--help"]))


class Starting(Leaving):
    """A part of `XunApp`. The prompt takes keys at once; whatever needs time comes after the first frame."""

    _given_up = False  # the person has, and there is no agent

    def _begin(self) -> None:
        self._given_up = False
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

        parts = Parts.make(
            idle=self._idle,
            draft=self._draft,
            engaged=self._engaged,
            hand=self._prompt.take,
            left=self._prompt.take_keys,
            stray=self._prompt.take_stray,
            clock=self._clock,
        )
        queue = self.query_one(QueueView)
        await self.mount(parts.transcript, parts.question, before=queue)
        await self.mount(parts.activity, after=queue)
        self._parts = parts
        self.say(WELCOME.format(version=__version__))

    async def _open_agent(self, wanted: Wanted) -> None:
        from xun.frontends.tui.desk import Desk
        from xun.frontends.tui.first import open_somehow

        assert self._parts is not None
        notes: dict[str, Level] = {}  # said below the history, which takes the place of all that was said before

        def say(text: str, level: Level = "warning") -> None:
            if ears is self._ears:
                self._notice(text, level)
            else:
                notes[text] = level

        note = partial(say, level="info")
        ears = Ears(lambda event: self.hear(event) if ears is self._ears else None, say, note, self.put)
        opened = await open_somehow(self.opener, wanted, ears, self.say)
        if opened is None:
            self._given_up = self.desk is None
            if self._given_up:
                self.say(f"there is no agent yet: {_MODEL}; what you type is kept until there is one")
            return
        old, self.desk, self._ears = self.desk, Desk(opened, self), ears
        if old is not None:
            if (mode := opened.agent.mode) != old.agent.mode:
                notes[f"this session is in {mode} mode; the one before it was in {old.agent.mode} mode"] = "info"
            await old.close()
        self._furnished(opened, {**notes, **({left: "info"} if (left := self.desk.left_out) else {})})
        early, self._early = self._early, []
        for text in early:
            self.take(text)
        self.keep_draft()  # they are the agent's now
        then, self._then = self._then, ""
        if then:
            self.desk.command(then)
        self.show_queue()

    def _furnished(self, opened: Opened, notes: Mapping[str, Level]) -> None:
        """Show what the agent that was opened brings along, and `notes` below it."""
        assert self._parts is not None
        if opened.past is not None and opened.past.told:
            self._transcript.load(opened.past)
        for text, level in notes.items():
            self.say(text, level)
        self._parts.watch.start(opened.agent, opened.past.refused if opened.past is not None else 0)
        self._parts.activity.clear()
        self._files.look_in(opened.agent.workspace.root)
        self.stand()
        self.draft_with(opened)
        if opened.starter and not self._early and self._prompt.blank:
            self._prompt.put_back(opened.starter)

    # What is sent

    def take(self, text: str, *, steer: bool = False) -> None:
        """Take what was sent: do it, or let it wait until there is an agent.

        What looks like a key, or fills much of the model's context, is asked about.
        """
        if self._declines(text):
            self._question.decline()
        elif asks_first(text):
            self.run_worker(self._ask_for_key(text, steer=steer), group="key")
        else:
            self._weigh(text, steer=steer)
        problem = self._prompt.history.problem
        if problem and self._parts is not None and not self._problem_told:
            self._problem_told = True
            self.say(problem, "warning")

    def _declines(self, text: str) -> bool:
        """Whether `text` is a no that was typed in the prompt to whether something is sent at all."""
        asking = self._question.asking if self._parts is not None else None
        return asking is not None and asking.id in _OWN and text.strip().lower() in _NOES

    async def _ask_for_key(self, text: str, *, steer: bool) -> None:
        # Before there is anything to ask with, it just comes back.
        if self._parts is not None and await may_send(self.put):
            self._weigh(text, steer=steer)
        else:
            self._prompt.put_back(text)

    def _weigh(self, text: str, *, steer: bool) -> None:
        prompt = self.desk.large(text) if self.desk is not None else None
        if prompt is None:
            self._taken(text, steer=steer)
        elif prompt.hopeless:
            self._prompt.put_back(text)
            self.say(refusal(prompt), "warning")
        else:
            self.run_worker(self._ask_for_size(text, prompt, steer=steer), group="size")

    async def _ask_for_size(self, text: str, prompt: LargePrompt, *, steer: bool) -> None:
        if await may_send_large(prompt, self.put):
            self._taken(text, steer=steer)
        else:
            self._prompt.put_back(text)

    def _taken(self, text: str, *, steer: bool) -> None:
        if self.desk is not None:
            self.desk.typed(text, steer=steer)
        elif text.strip() and not self._without_agent(text.strip()):
            self._early.append(text)
            self.query_one(QueueView).show(self._early, early=True)
            self.keep_draft()

    def _without_agent(self, line: str) -> bool:
        """Do what a line asks for that has not to wait, or say that it cannot be done yet. False where it waits."""
        word = line.split(maxsplit=1)[0]
        if word in ("/exit", "/quit"):
            self.leave(0)
        elif self._parts is None or not (self._given_up or self._question.asking):
            return False  # it takes a moment
        elif _asks_help(line):
            self.run_worker(self._help(line), group="help")
        elif word == "/model" and self._given_up:
            self._begin()
        elif line.startswith("!") or _COMMAND.match(line):
            self._transcript.follow()
            self.say(
                f"{word} needs an agent, and there is none yet: {_MODEL if self._given_up else _ANSWER}", "warning"
            )
        else:
            return False
        return True

    async def _help(self, line: str) -> None:
        await asyncio.to_thread(import_module, "xun.commands.builtin")
        from xun.commands.builtin import default_registry
        from xun.commands.command import CommandError
        from xun.commands.help import explained

        word, *names = line.split()
        self._transcript.follow()
        self.echo(line)
        try:
            self.show(explained(default_registry(), (names[0] if names else None) if word == _HELP else word))
        except CommandError as error:
            self.say(str(error), "error")

    async def put(self, ask: Ask, menu: Menu | None = None) -> Answer:
        """Put a question to the person. What was asked of xun before there is an agent to wait for is told now."""
        if self.desk is None:
            for line in filter(_asks_help, self._early):
                self.run_worker(self._help(line), group="help")
            self._early = [line for line in self._early if not _asks_help(line)]
            self.query_one(QueueView).show(self._early, early=True)
        return await super().put(ask, menu)

    def _idle(self) -> float:
        return 0.0 if self._away else time.monotonic() - self._typed

    def _draft(self) -> bool:
        return not self._prompt.blank

    def _engaged(self) -> bool:
        return self._prompt.engaged

    def switch(self, session: str) -> None:
        """Go on with another session."""
        self.run_worker(self._open(Wanted(session=session)), exclusive=True, group="open")
