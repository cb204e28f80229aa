"""A turn as a stream of events."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from xun.agent.prompt import Prompt
from xun.agent.run_result import RunResult
from xun.agent.turn import Turn
from xun.events import PROVISIONAL, AnyEvent, TextDelta, TurnEnded
from xun.messages import Message

if TYPE_CHECKING:
    from xun.agent.agent import Agent

MAX_BEHIND = 2_000  # events a consumer may fall behind before it loses deltas, and only those


class RunStream:
    """`async with agent.run_stream(prompt) as stream:` then `async for event in stream`.

    Leaving early cancels the turn and waits for its end. `result` is there once the turn has ended.
    """

    def __init__(
        self,
        agent: Agent[Any],
        prompt: Prompt,
        context: Any,
        history: Sequence[Message] | None = None,
        output_schema: Any = None,
    ) -> None:
        self._agent = agent
        self._asked = (prompt, context, history, output_schema)
        self._turn: Turn | None = None
        self._events: deque[AnyEvent] = deque()
        self._more = asyncio.Event()
        self._over = False
        self._result: RunResult | None = None

    @property
    def result(self) -> RunResult:
        """The outcome. Raises `RuntimeError` while the turn still runs."""
        if self._result is None:
            raise RuntimeError("the run has not ended yet")
        return self._result

    async def __aenter__(self) -> RunStream:
        self._stop_listening = self._agent.bus.listen(self._hear)
        try:
            self._turn = self._agent.start_turn(*self._asked)
        except BaseException:
            self._stop_listening()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._turn is not None
        try:
            if not self._turn.done.done():
                self._agent.cancel()
            self._result = await self._agent.outcome_of(self._turn)
        finally:
            self._stop_listening()

    def _hear(self, event: AnyEvent) -> None:
        if isinstance(event, PROVISIONAL) and len(self._events) >= MAX_BEHIND:
            return
        self._events.append(event)
        self._more.set()

    async def __aiter__(self) -> AsyncIterator[AnyEvent]:
        if self._turn is None:
            raise RuntimeError("enter the stream with `async with` first")
        while not self._over:
            while self._events:
                event = self._events.popleft()
                if isinstance(event, TurnEnded) and not event.parent_id:
                    self._over = True
                    self._result = await self._agent.outcome_of(self._turn)
                yield event
            if not self._over:
                self._more.clear()
                await self._more.wait()

    async def text(self) -> AsyncIterator[str]:
        """The answer's text as it comes. Provisional: a retried call starts it again."""
        async for event in self:
            if isinstance(event, TextDelta):
                yield event.text
