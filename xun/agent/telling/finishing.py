"""The end of a turn as it is told and handed back. Whatever is left in the turn, it ends, and says what was wrong."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from xun.agent.run_result import RunResult
from xun.agent.telling.ending import Outcome
from xun.errors import text_of
from xun.events import ErrorDetail, HistoryReplaced, TurnEnded
from xun.messages import Message, of_its_own

if TYPE_CHECKING:
    from xun.agent.turn import Turn

_log = logging.getLogger("xun.agent")


class Finishing:
    """What is told of the end of `turn`, and the result that comes of it. Nothing here raises."""

    def __init__(self, turn: Turn, outcome: Outcome) -> None:
        self._turn = turn
        self._outcome = outcome

    def close(self, *steps: Callable[[], None]) -> None:
        """Take `steps` to leave a history that can go on. Where one fails, the reply that it was about is dropped."""
        for step in steps:
            try:
                step()
            except Exception as error:  # noqa: BLE001 - nobody would ever hear of the end
                self._failed(error)
        if self._turn.waits_for_results:
            self._drop_reply()

    def told(self) -> TurnEnded:
        try:
            return self._told()
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(error)
        status, reason, detail = self._outcome
        return TurnEnded(status=status, stop_reason=reason, error=detail)

    def result(self, told: TurnEnded) -> RunResult:
        """What the run gives back, as it was told."""
        turn = self._turn
        return RunResult(
            status=told.status, stop_reason=told.stop_reason, output=told.output,
            messages=cast(Any, partial(_own, tuple(turn.agent.messages))),
            usage=told.usage, cost=told.cost, steps=told.steps, tool_calls=told.tool_calls, seconds=told.seconds,
            denials=tuple(turn.denials), error=told.error, model=turn.agent.model_name,
            session_id=turn.agent.session_id,
            usage_incomplete=turn.usage_incomplete or turn.agent.children.at_work_for(turn),
            data=turn.output.data if turn.output is not None and told.status == "completed" else None,
            events=turn.agent.telemetry.taken(),
        )  # fmt: skip

    def _told(self) -> TurnEnded:
        turn = self._turn
        status, reason, error = self._outcome
        return TurnEnded(
            status=status, stop_reason=reason, output=turn.reply_text, error=error, steps=turn.steps,
            tool_calls=turn.tool_calls, usage=turn.usage, cost=turn.cost, seconds=time.monotonic() - turn.began,
            broken=turn.broken if status == "failed" else "",
        )  # fmt: skip

    def _failed(self, error: Exception) -> None:
        _log.info("the end of a turn had to be made up", exc_info=error)
        if self._outcome[0] == "completed":
            said = f"{type(error).__name__}: {' '.join(text_of(error).split())}"
            self._outcome = ("failed", "error", ErrorDetail(kind="internal", message=said))

    def _drop_reply(self) -> None:
        """A call without a result would spoil every later request: its reply leaves the history."""
        messages = self._turn.agent.messages
        while messages and messages[-1].role != "user":
            last = messages.pop()
            if last.role == "assistant":
                break
        self._turn.agent.compactor.replaced()
        self._turn.emit(HistoryReplaced(messages=tuple(messages), reason="broken"))


def _own(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """`messages` for whoever looks at a result: what they change in it changes neither the history nor other results.

    It is made once that is looked at, and only then: it goes through the whole conversation.
    """
    try:
        return tuple(map(of_its_own, messages))
    except Exception:  # noqa: BLE001 - a message that cannot be copied is still to be read
        _log.info("the result of a run holds messages that cannot be copied", exc_info=True)
        return messages
