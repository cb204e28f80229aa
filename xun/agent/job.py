"""Work beside the turns of an agent."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Coroutine
from typing import Any


class Job:
    """A coroutine as a task on the running loop, to be cancelled and waited for from any thread or loop."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], name: str) -> None:
        self.loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._process = os.getpid()
        self.task = self.loop.create_task(coroutine, name=name)
        self._over: concurrent.futures.Future[None] = concurrent.futures.Future()
        self.task.add_done_callback(lambda _: self._over.set_result(None))

    def cancel(self) -> None:
        """Cancel it. Nothing happens where its loop has been stopped: it will never go on."""
        if not self.runs:
            return
        if self._thread == threading.get_ident():
            self.task.cancel()
        else:
            self.loop.call_soon_threadsafe(self.task.cancel)

    async def ended(self) -> None:
        """Wait until it has ended, however it did. Cancelling the wait leaves it alone."""
        if self.runs:
            await asyncio.shield(asyncio.wrap_future(self._over))

    @property
    def runs(self) -> bool:
        """Whether its loop runs. In a process forked meanwhile it only looks so: no thread came along."""
        return self._process == os.getpid() and self.loop.is_running()
