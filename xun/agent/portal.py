"""The way from synchronous code into the async engine: one event-loop thread per process, started when first used."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, TypeVar

from xun.errors import RuntimeStateError
from xun.worker import awaited

T = TypeVar("T")
_log = logging.getLogger("xun.loop")


class _LoopThread:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._loop.is_closed():
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_run, args=(self._loop,), name="xun-loop", daemon=True).start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Keep `loop` running. A task that ends by `KeyboardInterrupt` or `SystemExit` would end it for everybody."""
    while not loop.is_closed():
        try:
            loop.run_forever()
        except BaseException:  # noqa: BLE001 - whoever waits for the task is told
            # No more than a note: without logging set up, Python would print anything graver, traceback and all.
            _log.info("a task tried to end the loop", exc_info=True)


# A fork copies the loop but not its thread, and locks as whoever held them then: each process has one of its own.
_by_process: dict[int, _LoopThread] = {}


def _own_loop() -> asyncio.AbstractEventLoop:
    return _by_process.setdefault(os.getpid(), _LoopThread()).loop()


def run_blocking(coroutine: Coroutine[Any, Any, T], *, twin: str, loop: asyncio.AbstractEventLoop | None = None) -> T:
    """Run `coroutine` on `loop` (default: the process's own loop thread) and wait for its result.

    Raises `RuntimeError` naming the async `twin` when called on a running loop's own thread, which it would block.
    Ctrl-C while waiting cancels the coroutine, waits for it to end, and raises `KeyboardInterrupt`.
    """
    try:
        refuse_running_loop(f"await {twin}")
    except RuntimeError:
        coroutine.close()
        raise
    target = loop or _own_loop()
    tasks: list[asyncio.Task[Callable[[], T]]] = []
    outcome: Future[T] = Future()

    def start() -> None:
        task = target.create_task(awaited(lambda: coroutine))
        task.add_done_callback(partial(_hand_over, outcome))
        tasks.append(task)

    def stop() -> None:
        tasks[0].cancel()

    try:
        target.call_soon_threadsafe(start)
    except RuntimeError:  # the loop is closed
        coroutine.close()
        raise
    try:
        return outcome.result()
    except KeyboardInterrupt:
        target.call_soon_threadsafe(stop)
        wait([outcome])
        raise


def refuse_running_loop(twin: str) -> None:
    """Raises `RuntimeStateError`, naming the asynchronous `twin`, on the thread of a running loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeStateError(f"this would block the running event loop; use `{twin}` instead")


def _hand_over(outcome: Future[T], task: asyncio.Task[Callable[[], T]]) -> None:
    if task.cancelled():
        outcome.cancel()
        outcome.set_running_or_notify_cancel()
        return
    try:
        outcome.set_result(task.result()())
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is for whoever waits
        outcome.set_exception(error)
