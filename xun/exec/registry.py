"""Which processes an agent has started and what of them still runs, so that nothing outlives its session."""

from __future__ import annotations

import asyncio
import atexit
import itertools
import secrets
from typing import Protocol

from xun.exec.guard import guard
from xun.exec.spawn import Process as Child
from xun.exec.tree import MARK, Process, Tree

SHUTDOWN_GRACE = 0.5
"""Seconds between SIGTERM and SIGKILL for what is left at the end of a session."""


class _Closable(Protocol):
    def close(self) -> None: ...


class ProcessRegistry:
    """The commands of one agent. Its owner calls `shutdown()` at the end; else the end of this process
    does.
    """

    def __init__(self) -> None:
        self._token = secrets.token_hex(4)
        self._numbers = itertools.count(1)
        self._running: dict[Tree, Child] = {}
        self._background: dict[Tree, tuple[_Closable, ...]] = {}
        self._at_exit = False
        self._guarded = False

    def mark(self, env: dict[str, str]) -> str:
        """Put the mark of the next command into `env`, behind that of a command this process runs in
        itself.
        """
        if not self._guarded:
            self._guarded = True
            guard(MARK, self._token)
        mark = f"{self._token}.{next(self._numbers)};"
        env[MARK] = env.get(MARK, "") + mark
        return mark

    def started(self, tree: Tree, process: Child) -> None:
        self._running[tree] = process
        if not self._at_exit:
            self._at_exit = True
            atexit.register(self.kill)

    def ended(self, tree: Tree) -> None:
        self._running.pop(tree, None)

    def keep(self, tree: Tree, streams: tuple[_Closable, ...]) -> None:
        """Watch over what a finished command left running. `streams` are closed with it."""
        self._background[tree] = streams

    def background(self) -> tuple[Process, ...]:
        """What finished commands have left running and still runs."""
        return tuple(process for tree in tuple(self._background) for process in tree.alive())

    async def shutdown(self, grace: float = SHUTDOWN_GRACE) -> None:
        """End everything: SIGTERM, after `grace` seconds SIGKILL. Nothing this registry started is left."""
        try:
            jobs = [tree.end(process, grace) for tree, process in self._running.items()]
            jobs += [tree.end(None, grace) for tree in self._background]
            if jobs:
                await asyncio.gather(*jobs)
        finally:
            self.kill()

    def kill(self) -> None:
        """End everything at once, without waiting for it to agree."""
        for tree, process in tuple(self._running.items()):
            tree.kill(process)
        for tree, streams in tuple(self._background.items()):
            tree.kill()
            for stream in streams:
                stream.close()
        self._running.clear()
        self._background.clear()
        if self._at_exit:
            self._at_exit = False
            atexit.unregister(self.kill)


_shared: ProcessRegistry | None = None


def shared_registry() -> ProcessRegistry:
    """The registry of callers that have none of their own; ended with this process."""
    global _shared  # noqa: PLW0603 - one a process, made on first use
    if _shared is None:
        _shared = ProcessRegistry()
    return _shared
