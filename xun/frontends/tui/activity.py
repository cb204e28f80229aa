"""The line above the prompt: what xun is doing, for how long, and how to stop it."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.content import Content
from textual.events import Resize
from textual.timer import Timer
from textual.widgets import Static

from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    AttemptReset,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Waiting,
)
from xun.frontends.text import one_line
from xun.frontends.titles import title
from xun.frontends.tui.safe import plain

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_WAITS = "waiting for the model"
_RETRY = "trying again"
_TICK = 0.25  # seconds between two looks of the line while something goes on; there is no timer otherwise


class ActivityLine(Static):
    """Hears every event. Nothing is shown, and nothing ticks, while nothing goes on. `clock` tells seconds."""

    DEFAULT_CSS = """
    ActivityLine { height: 1; color: $secondary; display: none; }
    ActivityLine.-busy { display: block; }
    ActivityLine.-asks { display: none; }
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(Content(), markup=False)
        self._clock = clock
        self._doing = ""
        self._again = 0.0
        self._calls: dict[str, str] = {}
        self._questions: set[str] = set()
        self._began = 0.0
        self._ticker: Timer | None = None

    def hear(self, event: AnyEvent) -> None:
        """Follow the turn."""
        match event:
            case TextDelta():
                self._do("answering")
            case ThinkingDelta():
                self._do("thinking")
            case TurnStarted():
                self._start()
                self._show()
            case TurnEnded():
                self.stop()
            case _ if self._follow(event):
                self._show()

    def _follow(self, event: AnyEvent) -> bool:
        """Take note of what a step does. False for an event that changes nothing here."""
        match event:
            case StepStarted():
                self._calls.clear()
                self._doing = _WAITS
            case ToolStarted(call=call):
                self._calls[call.id] = title(call, 200)
            case ToolEnded(call_id=call_id):
                self._calls.pop(call_id, None)
            case Asked(ask=ask):
                self._questions.add(ask.id)
            case Answered(ask_id=ask_id):
                self._questions.discard(ask_id)
            case AttemptReset(wait=seconds) | Waiting(on="retry", seconds=seconds):
                self._doing, self._again = _RETRY, self._clock() + seconds
            case Waiting(on="model"):
                self._doing = f"{_WAITS}, which is silent"
            case _:
                return False
        return True

    def _do(self, doing: str) -> None:
        """What each token tells: drawing for each one would cost more than the token."""
        if self._doing != doing:
            self._doing = doing
            self._show()

    def stop(self) -> None:
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None
        self.remove_class("-busy")

    def _start(self) -> None:
        self._began = self._clock()
        self._doing = "starting"
        self._calls.clear()
        self._questions.clear()
        self.add_class("-busy")
        if self._ticker is None:
            self._ticker = self.set_interval(_TICK, self._show)

    def on_resize(self, event: Resize) -> None:
        """Fit the new width."""
        self._show()

    def _what(self, room: int) -> str:
        """What goes on, in about `room` cells."""
        if self._calls:
            first, *others = self._calls.values()
            more = f" and {len(others)} more" if others else ""
            return f"running {one_line(first, max(room - len(more) - 8, 3))}{more}"
        if self._doing != _RETRY:
            return self._doing
        left = self._again - self._clock()
        return f"{_RETRY} in {left:.0f} s" if left > 0 else _WAITS

    def _show(self) -> None:
        # The question says that it waits, and what Esc means there.
        self.set_class(bool(self._questions), "-asks")
        if self._ticker is None:
            return
        seconds = self._clock() - self._began
        spent = f"{seconds:.0f} s" if seconds < 100 else f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"
        sign = _FRAMES[int(seconds / _TICK) % len(_FRAMES)]
        end = f" · {spent} · Esc interrupts"
        text = f"{sign} {self._what(self.size.width - len(end) - 2)}{end}"
        self.update(plain(text), layout=False)  # it is one row, whatever it says
