"""The calls that go on, for the line that tells what xun is doing: which of them run, and which only wait."""

from __future__ import annotations

from collections.abc import Sequence

from xun.events import AnyEvent, Decided, ToolEnded, ToolProgress, ToolStarted
from xun.frontends.text import one_line
from xun.frontends.titles import title
from xun.messages import ToolCall

_TITLE = 200  # characters of a call that are kept: a row has no more
_READABLE = 10  # cells of a call's name, for which less is said of the others
_LEAST = 3


def by_person(call: ToolCall) -> bool:
    """Whether the person has made the call, with a shell line."""
    from xun.asides import SHELL_ID

    return call.id.startswith(SHELL_ID)


class Calls:
    """The calls of a step, and the person's own beside them, in the order in which they began.

    A call waits until it is allowed: for its turn, for the risk assessor, or for an answer.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._running: set[str] = set()
        self._own: dict[str, float] = {}  # the person's, and when they began

    def any(self, *, own: bool) -> bool:
        """Whether a call of the person goes on, or one of the step."""
        return any((call_id in self._own) is own for call_id in self._names)

    def is_own(self, call_id: str) -> bool:
        """Whether the person has made the call `call_id`, which goes on."""
        return call_id in self._own

    @property
    def own_since(self) -> float | None:
        """When the first of the person's calls began, or was allowed after a question; None where there is none."""
        return min(self._own.values(), default=None)

    def hear(self, event: AnyEvent, now: float) -> bool:
        """Follow the calls; `now` is the time in seconds. False for an event that changes nothing here."""
        match event:
            case ToolStarted(call=call):
                self._names[call.id] = title(call, _TITLE)
                if by_person(call):
                    self._own[call.id] = now
            case Decided(call_id=call_id, allowed=True) | ToolProgress(call_id=call_id):
                if call_id not in self._names or call_id in self._running:
                    return False
                self._running.add(call_id)
                if call_id in self._own:
                    self._own[call_id] = now
            case ToolEnded(call_id=call_id):
                self._forget(call_id)
            case _:
                return False
        return True

    def next_step(self) -> None:
        """The calls of the last step are over, however they ended. The person's go on."""
        for call_id in [call_id for call_id in self._names if call_id not in self._own]:
            self._forget(call_id)

    def words(self, room: int, *, own: bool) -> str:
        """What goes on of the person's calls or of the step's, in about `room` cells. Only where there are any."""
        meant = {call_id: name for call_id, name in self._names.items() if (call_id in self._own) is own}
        running = [name for call_id, name in meant.items() if call_id in self._running]
        waiting = [name for call_id, name in meant.items() if call_id not in self._running]
        if not running:
            rest = _those_that_wait(len(waiting) - 1)
            return _fitted("", waiting[0], (f" waits to be allowed{rest}", f" waits{rest}", " waits"), room)
        more = f" and {len(running) - 1} more" if len(running) > 1 else ""
        return _fitted("running ", running[0], (more + _those_that_wait(len(waiting)), more, ""), room)

    def _forget(self, call_id: str) -> None:
        self._names.pop(call_id, None)
        self._own.pop(call_id, None)
        self._running.discard(call_id)


def _fitted(before: str, name: str, ends: Sequence[str], room: int) -> str:
    """`name` with the first of `ends` that leaves it room enough to be known by, else with the last."""
    left = [room - len(before) - len(end) for end in ends]
    chosen = next((index for index, cells in enumerate(left) if cells >= _READABLE), len(ends) - 1)
    return f"{before}{one_line(name, max(left[chosen], _LEAST))}{ends[chosen]}"


def _those_that_wait(count: int) -> str:
    return f", {count} more {'waits' if count == 1 else 'wait'}" if count else ""
