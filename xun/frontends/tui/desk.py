"""An open agent at work: what a typed line means, and what a command asks of the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Protocol

from xun.agent.input.mentions import mentioned
from xun.commands.outcome import Action, AskKey, Edit, Exit, OpenSession, Outcome, Pick, Resume, Send
from xun.errors import XunError
from xun.events import AnyEvent, QueueChanged, TurnEnded, TurnStarted
from xun.frontends.prompt_size import LargePrompt, large
from xun.frontends.tui.opening import Level, Opened
from xun.frontends.tui.prompt.complete import Item
from xun.frontends.tui.question.choices import Choice, Menu
from xun.frontends.tui.question.own import choice, picked
from xun.frontends.tui.turns import Turns, waits
from xun.frontends.tui.way_on import way_on
from xun.policy.decision import Answer, Ask

if TYPE_CHECKING:
    from xun.commands.context import CommandContext
    from xun.commands.registry import CommandRegistry

_LITERAL = ("\\/", "\\!")  # how a prompt begins that begins like a command
_SHOWN = 40  # characters of a command that was not run


class Front(Protocol):
    """What a desk needs of the screen."""

    def say(self, text: str, level: Level = "info", *, gap: bool = True) -> None:
        """Show `text`, set off from what stands above by a `gap`; `level` is info, warning or error."""
        ...

    def show(self, text: str) -> None:
        """Show what a command gave back."""
        ...

    def echo(self, line: str) -> None:
        """Show the line of a command."""
        ...

    def show_queue(self) -> None:
        """Show what waits now, and whether it is held."""
        ...

    def work(self, line: str) -> None:
        """Show that a command runs, as it was typed; with "" that none does any more."""
        ...

    async def put(self, ask: Ask, menu: Menu | None = None) -> Answer:
        """Let the person answer; `menu` takes the place of the usual answers."""
        ...

    def stand(self) -> None:
        """Show on the status line what is in force now."""
        ...

    async def ask_key(self, provider: str) -> bool:
        """Let the person enter a key for `provider`, which is used from then on. False where they do not."""
        ...

    def edit(self, text: str) -> None:
        """Put `text` into the prompt."""
        ...

    def switch(self, session: str) -> None:
        """Go on with another session."""
        ...

    def leave(self, code: int) -> None:
        """End the program."""
        ...


class Desk:
    """Takes typed lines. Commands that may run beside a turn do; the rest waits for its end."""

    def __init__(self, opened: Opened, front: Front) -> None:
        self.opened = opened
        self.agent = opened.agent
        self.turns = Turns(self.agent, self._complain, self._ended, self._waited)
        self._front = front
        self._commands: set[asyncio.Task[Any]] = set()  # those that run beside a turn
        self._picks: set[asyncio.Task[Any]] = set()

    @property
    def left_out(self) -> str:
        """What the person should know of commands that waited or ran when the session was left; "" where none did."""
        lines = [shorten(line, _SHOWN, placeholder=" …") for line in self.turns.left_out]
        if not lines:
            return ""
        some, were = ("a command", "was") if len(lines) == 1 else ("commands", "were")
        return f"{some} that waited or ran when this session was left {were} not done: {', '.join(lines)}"

    @property
    def _registry(self) -> CommandRegistry:
        return self.opened.commands

    @property
    def _context(self) -> CommandContext:
        return self.opened.context

    def typed(self, text: str, *, steer: bool = False) -> None:
        """Do what a line says. An empty one sends the first prompt that waits."""
        line = text.strip()
        if not line:
            self.turns.send_next()
        elif self.turns.busy and waits(line):
            self.turns.wait(line)
        elif line.startswith(_LITERAL):
            self.turns.send(line[1:])
        elif line.startswith("!") or self._registry.is_command(line):
            if line.startswith("/"):  # the others show themselves
                self._front.echo(line)
            self.command(line)
        elif steer and self.agent.busy and not any(mentioned(text)):  # a running turn is shown no files
            self.agent.steer(text)
        else:
            self.turns.send(text)

    def large(self, text: str) -> LargePrompt | None:
        """What is to be said of a line that would be a prompt, and a very large one; None for any other."""
        line = text.strip()
        if line.startswith("!") or self._registry.is_command(line):
            return None
        return large(self.agent, text)

    def _waited(self, line: str) -> bool:
        """Run a command that has waited."""
        self._front.echo(line)
        self.command(line)
        return True

    def hear(self, event: AnyEvent) -> None:
        """Show what follows from an event: what waits, and after a turn what can be done next."""
        if isinstance(event, QueueChanged | TurnStarted):
            self._front.show_queue()
        elif isinstance(event, TurnEnded):
            words = self.opened.epilogue(event) or way_on(event)
            if words:
                self._front.say(words, gap=event.status != "failed")

    def complete(self, before: str) -> list[Item]:
        """Completions of a line that begins with `/`."""
        return [Item(found.text, found.help) for found in self._registry.complete(before, self._context)]

    def pass_to_mode(self, mode: str) -> None:
        """Work in `mode`, to which a key has passed. Raises `ValueError` for an unknown one."""
        self.agent.set_mode(mode, named=False)
        self._context.set("mode", mode, "Shift+Tab")

    def interrupt(self) -> bool:
        """Cancel what runs; where nothing does, the commands that were begun beside it; else sub-agents that work on.

        False when idle.
        """
        if self.turns.interrupt():
            return True
        for task in self._commands:
            task.cancel()
        if self._commands:
            return True
        stopped = self.agent.children.cancel()
        if stopped:
            self._front.say("what worked in the background was stopped")
        return stopped

    async def close(self) -> None:
        """End what runs, and close the agent."""
        for task in (*self._commands, *self._picks):
            task.cancel()
        await self.turns.stop()
        await self.opened.aclose()

    def _complain(self, text: str) -> None:
        self._front.say(text, "error")

    def _ended(self) -> None:
        self._front.work(self.turns.job)
        self._front.show_queue()

    def command(self, line: str) -> None:
        """Run a line that is a command."""
        if not self.turns.busy:
            self.turns.run(self._registry.execute(line, self._context), self._show, line)
            self._front.work(line)
            self._front.show_queue()
        else:
            self._run_beside(self._executed(line, self.turns.running), self._commands)

    def _run_beside(self, job: Coroutine[Any, Any, None], tasks: set[asyncio.Task[Any]]) -> None:
        task = asyncio.get_running_loop().create_task(job)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def _executed(self, line: str, beside: str) -> None:
        self._show(await self._registry.execute(line, self._context, beside=beside))

    def _show(self, outcome: Outcome) -> None:
        self._front.stand()  # a command may have changed the model or the effort, which no event tells
        if outcome.text:
            self._front.show(outcome.text)
        if outcome.error:
            self._complain(outcome.error)
        if outcome.action is not None:
            self._act(outcome.action)

    def _act(self, action: Action) -> None:
        match action:
            case Send(prompt=prompt):
                self.turns.send(prompt)
            case Resume():
                self.turns.resume()
            case Edit(text=text):
                self._front.edit(text)
            case Pick():
                self._run_beside(self._pick(action), self._picks)
            case OpenSession(id=session):
                self._front.switch(session)
            case AskKey(provider=provider):
                self._run_beside(self._ask_key(provider), self._picks)
            case Exit():
                self._front.leave(0)

    async def _ask_key(self, provider: str) -> None:
        try:
            if await self._front.ask_key(provider):
                self.opened.renew()
                self._front.say("/continue tries again")
        except XunError as error:
            self._complain(str(error))

    async def _pick(self, pick: Pick) -> None:
        choices = tuple(
            Choice(item.label or item.text, Answer.pick(at), keeps=item.help) for at, item in enumerate(pick.choices)
        )
        ask = choice("pick", pick.title, [item.text for item in pick.choices], title=pick.title)
        answer = await self._front.put(ask, Menu(choices, pick.current or 0, listing=True))
        index = picked(answer)
        if index is None:
            return
        line = pick.line(pick.choices[index])
        if self.turns.busy and waits(line):  # a turn has begun since
            self.turns.wait(line)
        else:
            self.command(line)
