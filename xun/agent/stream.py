"""A turn as a stream of events."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from xun.agent.history import History
from xun.agent.input.prompt import Prompt
from xun.agent.run_result import RunResult
from xun.agent.turn import Turn
from xun.errors import RuntimeStateError
from xun.events import PROVISIONAL, AnyEvent, AttemptReset, TextDelta, ThinkingDelta, TurnEnded

if TYPE_CHECKING:
    from xun.agent.agent import Agent

MAX_BEHIND = 2_000  # events a consumer may fall behind before deltas are joined, and mere signs of progress dropped


class _Joined:
    """Deltas of one kind and one agent, told as one."""

    def __init__(self, first: TextDelta | ThinkingDelta) -> None:
        self._first = first
        self.pieces: list[str] = []

    def goes_on(self, event: AnyEvent) -> bool:
        return type(event) is type(self._first) and event.agent_id == self._first.agent_id

    def event(self) -> AnyEvent:
        return self._first.model_copy(update={"text": "".join(self.pieces)})


class RunStream:
    """`async with agent.run_stream(prompt) as stream:` then `async for event in stream`.

    Leaving early cancels the turn and waits for its end. `result` is there once the turn has ended. It can be entered
    once. A consumer that falls far behind gets text in longer pieces, never less of it: what waits for it is at most
    what the turn has said, and `MAX_BEHIND` events besides those that tell of calls, messages and decisions.
    """

    def __init__(
        self,
        agent: Agent[Any],
        prompt: Prompt,
        context: Any,
        history: History | None = None,
        output_schema: Any = None,
    ) -> None:
        self._agent = agent
        self._asked = (prompt, context, history, output_schema)
        self._turn: Turn | None = None
        self._events: deque[AnyEvent | _Joined] = deque()
        self._more = asyncio.Event()
        self._over = False
        self._result: RunResult | None = None

    @property
    def result(self) -> RunResult:
        """The outcome. Raises `RuntimeStateError` while the turn still runs."""
        if self._result is None:
            raise RuntimeStateError("the run has not ended yet")
        return self._result

    async def __aenter__(self) -> RunStream:
        if self._turn is not None:
            raise RuntimeStateError("this stream has been entered already: run_stream makes one for each turn")
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
                self._agent.leave(self._turn)
            self._result = await self._agent.outcome_of(self._turn)
        finally:
            self._stop_listening()

    def _hear(self, event: AnyEvent) -> None:
        if len(self._events) < MAX_BEHIND or not isinstance(event, PROVISIONAL):
            self._events.append(event)
        elif isinstance(event, TextDelta | ThinkingDelta):
            last = self._events[-1]
            if not (isinstance(last, _Joined) and last.goes_on(event)):
                self._events.append(last := _Joined(event))
            last.pieces.append(event.text)
        else:
            return
        self._more.set()

    async def __aiter__(self) -> AsyncIterator[AnyEvent]:
        if self._turn is None:
            raise RuntimeStateError("enter the stream with `async with` first")
        while not self._over:
            while self._events:
                waiting = self._events.popleft()
                event = waiting.event() if isinstance(waiting, _Joined) else waiting
                if isinstance(event, TurnEnded) and not event.parent_id:
                    self._over = True
                    self._result = await self._agent.outcome_of(self._turn)
                yield event
            if not self._over:
                self._more.clear()
                await self._more.wait()

    async def answer(self, on_reset: Callable[[], object] | None) -> AsyncGenerator[str]:
        """Enter it and give the answer's text as it comes, `on_reset` called where that starts again.

        Raises `RunFailed` at its end where the run does not complete.
        """
        async with self:
            async for event in self:
                if isinstance(event, TextDelta):
                    yield event.text
                elif isinstance(event, AttemptReset) and on_reset is not None:
                    on_reset()
        self.result.raise_for_status()

    async def text(self) -> AsyncIterator[str]:
        """The answer's text as it comes. Provisional: a retried call starts it again."""
        async for event in self:
            if isinstance(event, TextDelta):
                yield event.text
