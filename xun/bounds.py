"""Time limits of code that may ask a person: they stand still while it waits for the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Self

# Those that the running code is under; worker threads and tasks that it starts inherit them.
_over: ContextVar[tuple[Bound, ...]] = ContextVar("xun_bounds", default=())


class Bound:
    """`async with Bound(seconds) as bound:` raises `TimeoutError` once its body has taken so long.

    What passes under `standing_still`, also in threads and tasks that the body starts, is not counted; `stood` is how
    many seconds that were.
    """

    def __init__(self, seconds: float | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout = asyncio.timeout(seconds)
        self._holds = 0
        self._left: float | None = None
        self._since = 0.0
        self._ended = False
        self.stood = 0.0

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self._token = _over.set((*_over.get(), self))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._ended = True
        _over.reset(self._token)
        return await self._timeout.__aexit__(kind, error, trace)

    def expired(self) -> bool:
        return self._timeout.expired()

    def hold(self) -> None:
        self._on_its_loop(self._hold)

    def go_on(self) -> None:
        self._on_its_loop(self._go_on)

    def _hold(self) -> None:
        self._holds += 1
        if self._holds == 1 and not self._ended and not self.expired():
            self._since, end = self._loop.time(), self._timeout.when()
            self._left = None if end is None else end - self._since
            self._timeout.reschedule(None)

    def _go_on(self) -> None:
        self._holds -= 1
        if self._holds == 0 and not self._ended and not self.expired():
            now = self._loop.time()
            self.stood += now - self._since
            self._timeout.reschedule(None if self._left is None else now + self._left)

    def _on_its_loop(self, change: Callable[[], None]) -> None:
        if asyncio.get_running_loop() is self._loop:
            change()
            return
        with suppress(RuntimeError):  # that loop is gone, and what it ran
            self._loop.call_soon_threadsafe(change)


@contextmanager
def standing_still() -> Generator[None]:
    """Every limit that the running code is under stands still until this ends. On a running loop only."""
    bounds = _over.get()
    for bound in bounds:
        bound.hold()
    try:
        yield
    finally:
        for bound in bounds:
            bound.go_on()
