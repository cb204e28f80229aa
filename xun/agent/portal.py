"""The way from synchronous code into the async engine: one event-loop thread per process, started when first used."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _LoopThread:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._loop.is_closed():
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="xun-loop", daemon=True).start()
            return self._loop


_thread = _LoopThread()


def run_blocking(coroutine: Coroutine[Any, Any, T], *, twin: str, loop: asyncio.AbstractEventLoop | None = None) -> T:
    """Run `coroutine` on `loop` (default: the process's own loop thread) and wait for its result.

    Raises `RuntimeError` naming the async `twin` when called on a running loop's own thread, which it would block.
    Ctrl-C while waiting cancels the coroutine, waits for it to end, and raises `KeyboardInterrupt`.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        coroutine.close()
        raise RuntimeError(f"this would block the running event loop; use `await {twin}` instead")
    future = asyncio.run_coroutine_threadsafe(coroutine, loop or _thread.loop())
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        raise
