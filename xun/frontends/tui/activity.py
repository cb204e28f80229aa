"""The line above the prompt: what xun is doing, for how long, and how to stop it."""

from __future__ import annotations

import time

from textual.content import Content
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
from xun.frontends.titles import title
from xun.frontends.tui.safe import plain

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TICK = 0.25  # seconds between two looks of the line while something goes on; there is no timer otherwise


class ActivityLine(Static):
    """Hears every event. Nothing is shown, and nothing ticks, while nothing goes on."""

    DEFAULT_CSS = """
    ActivityLine { height: 1; padding: 0 1; color: $secondary; display: none; }
    ActivityLine.-busy { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(Content(), markup=False)
        self._doing = ""
        self._calls: dict[str, str] = {}
        self._questions: set[str] = set()
        self._began = 0.0
        self._frame = 0
        self._ticker: Timer | None = None

    def hear(self, event: AnyEvent) -> None:
        """Follow the turn."""
        match event:
            case TextDelta():
                self._doing = "answering"  # the ticker shows it: drawing for each token would cost more than the token
            case ThinkingDelta():
                self._doing = "thinking"
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
                self._doing = "waiting for the model"
            case ToolStarted(call=call):
                self._calls[call.id] = title(call, 60)
            case ToolEnded(call_id=call_id):
                self._calls.pop(call_id, None)
            case Asked(ask=ask):
                self._questions.add(ask.id)
            case Answered(ask_id=ask_id):
                self._questions.discard(ask_id)
            case AttemptReset(wait=wait):
                self._doing = f"trying again in {wait:.0f} s"
            case Waiting(on="retry", seconds=seconds):
                self._doing = f"trying again in {seconds:.0f} s"
            case Waiting(on="model"):
                self._doing = "waiting for the model, which is silent"
            case _:
                return False
        return True

    def begin(self, doing: str) -> None:
        """Show work that is no turn, such as summing up the conversation. `stop` ends it."""
        self._start()
        self._doing = doing
        self._show()

    def stop(self) -> None:
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None
        self.remove_class("-busy")

    def _start(self) -> None:
        self._began = time.monotonic()
        self._doing = "starting"
        self._calls.clear()
        self._questions.clear()
        self.add_class("-busy")
        if self._ticker is None:
            self._ticker = self.set_interval(_TICK, self._tick)

    def _tick(self) -> None:
        self._frame += 1
        self._show()

    @property
    def _what(self) -> str:
        if self._questions:
            return "waiting for your answer"
        if self._calls:
            first, *others = self._calls.values()
            return f"running {first}" + (f" and {len(others)} more" if others else "")
        return self._doing

    def _show(self) -> None:
        if self._ticker is None:
            return
        seconds = time.monotonic() - self._began
        spent = f"{seconds:.0f} s" if seconds < 100 else f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"
        sign = "?" if self._questions else _FRAMES[self._frame % len(_FRAMES)]
        self.update(plain(f"{sign} {self._what} · {spent} · Esc interrupts"))
