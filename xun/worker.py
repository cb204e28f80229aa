"""Code of others (tools, callbacks) runs apart from ours.

Synchronous code has a thread of its own, which nobody has to wait for, and asynchronous code a task of its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from typing import NoReturn, TypeVar

from xun.bounds import standing_still

T = TypeVar("T")

MAX_THREADS = 128
GRACE = 3.0  # seconds in which code of others may clean up once it is cancelled
# Whether the running code is in one of the threads, or works for one that waits for it.
_inside: ContextVar[bool] = ContextVar("xun_worker", default=False)


class _Slots:
    """`MAX_THREADS` of them. Who finds none waits in a line, on its own loop; any thread may give one back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free = MAX_THREADS
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()

    async def take(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            loop = asyncio.get_running_loop()
            mine = (loop, loop.create_future())
            self._waiting.append(mine)
        try:
            with standing_still():  # that others are at work is no matter of this one's time
                await mine[1]
        except asyncio.CancelledError:
            with self._lock:
                left = mine in self._waiting
                if left:
                    self._waiting.remove(mine)
            if not left and mine[1].done() and not mine[1].cancelled():
                self.give_back()  # it came just then
            raise

    def give_back(self) -> None:
        """To the next in line whose loop still runs."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._free += 1
                    return
                loop, waiting = self._waiting.popleft()
            try:
                loop.call_soon_threadsafe(self._grant, waiting)
            except RuntimeError:  # that loop is closed
                continue
            return

    def _grant(self, waiting: asyncio.Future[None]) -> None:
        if waiting.done():
            self.give_back()
        else:
            waiting.set_result(None)


# By process: a fork would copy those taken, but not the threads that have them.
_slots_of: dict[int, _Slots] = {}


async def run_in_thread(function: Callable[[], T], name: str) -> T:
    """Run `function` in a thread, with the caller's context variables, and wait for it.

    A cancelled wait ends at once: the thread goes on by itself, its outcome is dropped, and being a daemon it does
    not keep the process alive (a thread of asyncio's own pool would). While `MAX_THREADS` of them are waited for it
    waits for one to end, which counts for no `Bound`; what a thread waits for itself, such as an answer, needs none of
    these, and one that nobody waits for any more is none of them. Raises what `function` raises, and `RuntimeError`
    where the system has no thread left.
    """
    slots = None if _inside.get() else _slots_of.setdefault(os.getpid(), _Slots())
    if slots is not None:
        await slots.take()
    try:
        return (await _started(function, name))()
    finally:
        if slots is not None:
            slots.give_back()


def _started(function: Callable[[], T], name: str) -> asyncio.Future[Callable[[], T]]:
    """Start the thread; what comes back is settled by its outcome."""
    loop = asyncio.get_running_loop()
    settled: asyncio.Future[Callable[[], T]] = loop.create_future()
    context = contextvars.copy_context()
    context.run(_inside.set, True)

    def work() -> None:
        outcome = context.run(_outcome_of, function)
        try:
            loop.call_soon_threadsafe(_settle, settled, outcome)
        except RuntimeError:  # the loop is closed, so nobody waits any more
            return

    threading.Thread(target=work, name=f"xun-{name}", daemon=True).start()
    return settled


async def run_in_task(function: Callable[[], Awaitable[T]], *, grace: float | None = None) -> T:
    """Await what `function` returns in a task of its own: that task is all it can cancel.

    Cancelling the wait cancels the task and waits for its end, `grace` seconds at most (default: `GRACE`): one that has
    not ended then goes on by itself. Raises what the code raises.
    """
    task = asyncio.create_task(awaited(function))
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE if grace is None else grace)
        if not task.done() or task.cancelled():
            raise
    return task.result()()


def is_cancelled() -> bool:
    """Whether the running task is being cancelled, and not only what it waited for: code of others ends itself so."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def awaited(function: Callable[[], Awaitable[T]]) -> Callable[[], T]:
    """What awaiting it led to, as a function that returns or raises it again, but for a cancellation, which passes.

    A task that raises `KeyboardInterrupt` or `SystemExit` ends the loop: one that awaits this does not.
    """
    try:
        value = await function()
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
        return partial(_raise, error)
    return lambda: value


def _outcome_of(function: Callable[[], T]) -> Callable[[], T]:
    """What calling `function` led to, as a function that returns or raises it again."""
    try:
        value = function()
    except BaseException as error:  # noqa: BLE001 - raised again in the task that waits
        return partial(_raise, error)
    return lambda: value


def _raise(error: BaseException) -> NoReturn:
    raise error


def _settle(future: asyncio.Future[Callable[[], T]], outcome: Callable[[], T]) -> None:
    if not future.done():
        future.set_result(outcome)
