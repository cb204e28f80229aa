"""Telling what happened: synchronous, in order, to everyone who listens."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from xun.agent.telling.own_copy import own_copy
from xun.events import AnyEvent

Listener = Callable[[AnyEvent], object]
_log = logging.getLogger("xun.events")


class EventBus:
    """Numbers the events of one agent and hands each to every listener at once.

    A listener must be quick and must not raise. One that raises is logged and heard no more: the rest of the world
    still has to be told. What it changes in an event changes nothing else.
    """

    def __init__(self, agent_id: str, session_id: str = "") -> None:
        self.agent_id = agent_id
        self.session_id = session_id
        self.seq = 0
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Add `listener`; the returned function removes it."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def emit(self, event: AnyEvent) -> AnyEvent:
        """Tell an event of the agent itself."""
        return self._tell(event, {"agent_id": self.agent_id, "at": time.time()})

    def relay(self, event: AnyEvent) -> AnyEvent:
        """Tell an event of an agent that works for this one, which keeps who it is of and when it was."""
        return self._tell(event, {})

    def _tell(self, event: AnyEvent, more: dict[str, Any]) -> AnyEvent:
        self.seq += 1
        event = event.model_copy(update={"seq": self.seq, "session_id": self.session_id, **more})
        for listener in tuple(self._listeners):
            own = _own(event)
            try:
                listener(own)
            except BaseException:  # noqa: BLE001 - whatever its fault is, it must not end the turn, nor the loop
                _log.exception("a listener failed and is dropped")
                if listener in self._listeners:
                    self._listeners.remove(listener)
        return event


def _own(event: AnyEvent) -> AnyEvent:
    """What one listener is told. That an event cannot be copied is no listener's fault."""
    try:
        return own_copy(event)
    except Exception:  # noqa: BLE001 - it must not end the turn: its end is told, too
        _log.info("an event is told as it is: it cannot be copied", exc_info=True)
        return event
