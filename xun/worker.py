"""Code of others (tools, callbacks) runs apart from ours.

Synchronous code has a thread of its own, which nobody has to wait for, and asynchronous code a task of its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NoReturn, TypeVar

T = TypeVar("T")

MAX_THREADS = 128
GRACE = 3.0  # seconds in which code of others may clean up once it is cancelled
# By process: a fork would copy those taken, but not the threads that have them.
_slots_of: dict[int, threading.BoundedSemaphore] = {}


async def run_in_thread(function: Callable[[], T], name: str) -> T:
    """Run `function` in a thread, with the caller's context variables, and wait for it.

    A cancelled wait ends at once: the thread goes on by itself, its outcome is dropped, and being a daemon it does
    not keep the process alive (a thread of asyncio's own pool would). Raises what `function` raises, and
    `RuntimeError` when `MAX_THREADS` of them still run.
    """
    slots = _slots_of.setdefault(os.getpid(), threading.BoundedSemaphore(MAX_THREADS))
    if not slots.acquire(blocking=False):
        raise RuntimeError(f"{MAX_THREADS} tool calls are still running; wait for one to end")
    loop = asyncio.get_running_loop()
    settled: asyncio.Future[Callable[[], T]] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome = context.run(_outcome_of, function)
        finally:
            slots.release()
        try:
            loop.call_soon_threadsafe(_settle, settled, outcome)
        except RuntimeError:  # the loop is closed, so nobody waits any more
            return

    try:
        threading.Thread(target=work, name=f"xun-{name}", daemon=True).start()
    except RuntimeError:  # the system has no thread left
        slots.release()
        raise
    return (await settled)()


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
