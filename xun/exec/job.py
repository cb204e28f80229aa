"""One running program: started, watched, read, drained."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from xun.exec.capture import Capture
from xun.exec.spawn import Process, spawn
from xun.exec.stream import Stream
from xun.exec.tree import Tree, adopt_orphans
from xun.result import XunError

OUTPUT_CAP = 250_000_000
"""Bytes of output after which a program is stopped: nobody reads more, and it may never end."""
_DRAIN = 0.2
_LIVE_EVERY = 0.1
_SETTLING, _SETTLING_PAUSE = 25, 0.001
_LIVE_TAIL = 4_000

End = Literal["exit", "timeout", "flood"]


class SpawnError(XunError):
    """A program could not be started. The text is one line that says why."""


class Job:
    """One running program with its two pipes."""

    def __init__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], mark: str,
        captures: tuple[Capture, Capture], live: Live, pass_fds: Sequence[int] = (), *, kept: bool = False,
    ) -> None:  # fmt: skip
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[End] = self._loop.create_future()
        self._silent = asyncio.Event()
        self._live = live
        self._confined = bool(pass_fds)
        adopt_orphans()
        self.process, pipes = _spawn(argv, cwd, env, pass_fds)
        self.tree = Tree(self.process.pid, mark, kept=kept)
        self._streams = tuple(
            Stream(self._loop, fd, capture, self._heard, self._pipe_ended)
            for fd, capture in zip(pipes, captures, strict=True)
        )
        self._pidfd = self._watch()

    def _watch(self) -> int | None:
        """Have the loop told when the program ends."""
        with contextlib.suppress(AttributeError, OSError):
            pidfd = os.pidfd_open(self.process.pid)
            self._loop.add_reader(pidfd, self._end, "exit")
            return pidfd
        threading.Thread(target=self._wait_in_thread, daemon=True).start()
        return None

    def _wait_in_thread(self) -> None:
        self.process.wait()
        with contextlib.suppress(RuntimeError):  # the loop may be closed by now
            self._loop.call_soon_threadsafe(self._end, "exit")

    def _end(self, how: End) -> None:
        if how == "exit":
            self._unwatch()
        if not self._ended.done():
            self._ended.set_result(how)

    def _unwatch(self) -> None:
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None

    def _heard(self, text: str) -> None:
        self._live.add(text, self._loop)
        if sum(stream.received for stream in self._streams) > OUTPUT_CAP:
            self._end("flood")

    def _pipe_ended(self) -> None:
        if not any(stream.open for stream in self._streams):
            self._silent.set()

    async def wait(self, timeout: float) -> End:
        timer = self._loop.call_later(timeout, self._end, "timeout")
        try:
            ended = await self._ended
        finally:
            timer.cancel()
        if ended == "exit":
            self.process.wait()
        return ended

    async def drain(self) -> None:
        """Take what was printed before the end, and wait a moment for stragglers that hold the pipes."""
        for stream in self._streams:
            for _ in range(32):
                if not stream.read():
                    break
        if any(stream.open for stream in self._streams):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN):
                    await self._silent.wait()

    async def leftovers(self) -> tuple[int, ...]:
        if self._confined:
            await self._sandbox_gone()
        found = self.tree.leftovers()
        if found and not any(stream.open for stream in self._streams):
            # No wait was needed for the pipes; a child that is just ending is no background job.
            await asyncio.sleep(_DRAIN / 10)
            found = self.tree.alive()
        return tuple(process.pid for process in found)

    async def _sandbox_gone(self) -> None:
        """Wait for the first process of the sandbox: it ends right behind the command, unless that left something."""
        for _ in range(_SETTLING):
            if self.tree.emptied():
                return
            await asyncio.sleep(_SETTLING_PAUSE)

    def detach(self) -> tuple[Stream, ...]:
        self._unwatch()
        for stream in self._streams:
            stream.detach()
        return self._streams

    def close(self) -> None:
        self._unwatch()
        for stream in self._streams:
            stream.close()


class Live:
    """Passes on what is printed, at intervals, so that a fast program does not flood a slow screen."""

    def __init__(self, tell: Callable[[str], None] | None) -> None:
        self._tell = tell
        self._waiting = ""
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str, loop: asyncio.AbstractEventLoop) -> None:
        if self._tell is None:
            return
        self._waiting = (self._waiting + text)[-_LIVE_TAIL:]
        if self._timer is None:
            self._timer = loop.call_later(_LIVE_EVERY, self.flush)

    def flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text, self._waiting = self._waiting, ""
        if text and self._tell is not None:
            self._tell(text)


def _spawn(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], pass_fds: Sequence[int]
) -> tuple[Process, tuple[int, int]]:
    """Start the program. Gives the reading ends of its stdout and stderr."""
    pipes = (os.pipe(), os.pipe())
    try:
        process = spawn(argv, cwd=cwd, env=env, stdout=pipes[0][1], stderr=pipes[1][1], pass_fds=pass_fds)
    except (OSError, ValueError) as error:
        for read_end, _ in pipes:
            os.close(read_end)
        raise SpawnError(_why(error, argv, cwd)) from error
    finally:
        for _, write_end in pipes:
            os.close(write_end)
    return process, (pipes[0][0], pipes[1][0])


def _why(error: Exception, argv: Sequence[str], cwd: Path) -> str:
    if not cwd.is_dir():
        return f"the working folder {cwd} does not exist or is not a folder"
    if isinstance(error, ValueError):
        return "a command cannot hold a NUL character"
    if isinstance(error, OSError) and error.errno == errno.E2BIG:
        return "the command is too long for the system; write it to a file and run that"
    return f"{argv[0]} could not be started: {error}"
