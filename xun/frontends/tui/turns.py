"""What runs for a screen, one thing after another: turns, commands, and what waits for its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeVar

from xun.errors import XunError

if TYPE_CHECKING:
    from xun.agent.agent import Agent

C = TypeVar("C")
_SHOWN = 60  # characters of a command that runs

_LONG = "/compact"  # the command whose work takes so long that the session may be left in the midst of it
_WAITING = frozenset(("/clear", _LONG, "/continue", "/retry"))
_CHOOSING = frozenset(("/model", "/effort"))
"""Commands that wait like prompts while something runs. These do where they say what is chosen: a list that opens some
time later would take keys that were meant for the prompt."""
_AT_ONCE = frozenset(("key", "-h", "--help"))
_ESCAPE = "\\"


def waits(line: str) -> bool:
    """Whether `line` is a command that waits for the end of what runs, as prompts do."""
    name, *words = line.lower().split()[:2] or [""]
    if words and words[0] in _AT_ONCE:
        return False
    return name in _WAITING or (name in _CHOOSING and bool(words))


def literal(prompt: str) -> str:
    """`prompt` as it waits, so that it is told from a command."""
    return f"{_ESCAPE}{prompt}" if waits(prompt.lstrip(_ESCAPE)) else prompt


def meant(text: str) -> str:
    """The prompt that waited as `text`."""
    return text[len(_ESCAPE) :] if text.startswith(_ESCAPE) and waits(text.lstrip(_ESCAPE)) else text


class Turns:
    """Runs the turns of `agent`, and jobs between them, on the running loop.

    What is sent while something runs waits in `agent.queue`. After a turn that failed or was interrupted nothing is
    sent by itself: `held` is true until the person sends something. What has waited since an earlier run is held until
    the person sends it, but for commands: those were meant for the moment, and are `left_out`. `job` is the name of the
    job that runs, "" where none does. `say` is told what could not be done, and `ended` is called when something has
    ended. `command` runs what waited where that is the line of a command, and is False for a prompt.
    """

    def __init__(
        self,
        agent: Agent[Any],
        say: Callable[[str], None],
        ended: Callable[[], None],
        command: Callable[[str], bool] = lambda line: False,
    ) -> None:
        self.agent = agent
        self._command = command
        self.left_out = agent.queue.leave_out(waits)
        self._offered = bool(agent.queue.items)
        self.held = self._offered
        self.job = ""
        self._say = say
        self._tell_end = ended
        self._task: asyncio.Task[bool] | None = None
        self._then: Callable[[], None] | None = None
        self._stopping = False

    @property
    def busy(self) -> bool:
        return self._task is not None

    @property
    def running(self) -> str:
        """What runs, short enough for a line: a command as it was typed, or "a turn"; "" where nothing does."""
        if self._task is None:
            return ""
        return shorten(self.job, _SHOWN, placeholder=" …") if self.job else "a turn"

    def send(self, text: str) -> None:
        """Start a turn with `text`, or let it wait for the end of what runs."""
        if self.busy:
            self.agent.queue.add(literal(text))
        else:
            self._start(self._turn(text))

    def wait(self, line: str) -> None:
        """Let the line of a command, for which `waits` is true, wait for the end of what runs."""
        self.agent.queue.add(line)

    def resume(self) -> None:
        """Start a turn without a new prompt."""
        if self.busy:
            self._say(f"{self.running} is running already")
        else:
            self._start(self._turn(""))

    def send_next(self) -> bool:
        """Send the first prompt that waits. False where none does, or something runs."""
        text = None if self.busy else self.agent.queue.pop()
        if text is None:
            return False
        self._offered = False
        if not waits(text) or not self._command(text):
            self._start(self._turn(meant(text)))
        return True

    def run(self, job: Coroutine[Any, Any, C], then: Callable[[C], None], name: str) -> None:
        """Run `job` where nothing else does (the caller has looked at `busy`), and then `then` with its result.

        What waits is sent after it, unless it was held before: what is typed meanwhile, where nothing was.
        """
        held, self.job = self.held and bool(self.agent.queue.items), name
        if name.split()[:1] == [_LONG]:
            self.agent.queue.under_way(name)
        self._start(self._job(job, then))
        self.held = held

    def interrupt(self) -> bool:
        """Cancel what runs. False when idle."""
        if self._task is None:
            return False
        if self.agent.busy:
            self.agent.cancel()
        else:
            self._task.cancel()  # a job, not a turn: what works in the background has nothing to do with it
        return True

    async def stop(self) -> None:
        """Cancel what runs and wait for its end."""
        task = self._task
        if task is not None:
            self.held, self._stopping = True, not task.done()
            self.interrupt()
            await asyncio.wait([task])

    def _start(self, work: Coroutine[Any, Any, bool]) -> None:
        self.held = self._offered
        self._task = asyncio.get_running_loop().create_task(work, name="xun-screen")
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[bool]) -> None:
        self._task, self.job = None, ""
        if not self._stopping:  # else --continue tells what was left
            self.agent.queue.under_way("")
        then, self._then = self._then, None
        if then is not None:
            then()
        if task.cancelled() or not task.result():
            self.held = True
        elif not self.held:
            self.send_next()
        self._offered = self._offered and bool(self.agent.queue.items)  # they may have been taken back
        self._tell_end()

    async def _turn(self, prompt: str) -> bool:
        try:
            result = await self.agent.run(await self.agent.with_files(prompt))
        except (XunError, ValueError) as error:
            self._say(str(error))
            return False
        return result.ok

    async def _job(self, job: Coroutine[Any, Any, C], then: Callable[[C], None]) -> bool:
        result = await job
        # Not from here: what comes next may be a turn, and until `_ended` this is still what runs.
        self._then = partial(then, result)
        return True
