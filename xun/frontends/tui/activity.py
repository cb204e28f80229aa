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
    Compacted,
    StepStarted,
    SubAgentEnded,
    SubAgentStarted,
    TextDelta,
    ThinkingDelta,
    TurnEnded,
    TurnStarted,
    Waiting,
)
from xun.frontends.text import one_line
from xun.frontends.tui.calls import Calls
from xun.frontends.tui.safe import plain
from xun.policy.decision import Ask

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_WAITS = "waiting for the model"
_RETRY = "trying again"
_SUMS_UP = "summing up the conversation"
_TICK = 0.25  # seconds between two looks of the line while something goes on; there is no timer otherwise


class ActivityLine(Static):
    """Hears every event. Nothing is shown, and nothing ticks, while nothing goes on. `clock` tells seconds.

    A turn is shown at once; what the person runs only when it takes longer than a tick, since most of that is over
    before anybody could read it.
    """

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
        self._calls = Calls()
        self._questions: set[str] = set()
        self._stopped: dict[str, float] = {}  # questions for which the turn waits, and since when
        self._waited = 0.0  # seconds for which it has waited so
        self._turn: float | None = None  # since when it runs
        self._command: float | None = None
        self._apart: dict[str, float] = {}  # sub-agents that work, and since when; beside no turn, in the background
        self._shell = False  # whether that is a shell line, which is a call of the person's as well
        self._lasts = False  # whether what goes on has taken a tick by now
        self._ticker: Timer | None = None

    def hear(self, event: AnyEvent) -> None:
        """Follow the turn and the calls."""
        if event.parent_id and not isinstance(event, Asked | Answered):
            if self._follow_apart(event):
                self._show()
            return
        match event:
            case TextDelta():
                self._do("answering")
            case ThinkingDelta():
                self._do("thinking")
            case _ if self._follow(event) or self._calls.hear(event, self._clock()):
                self._show()

    def _follow_apart(self, event: AnyEvent) -> bool:
        """Take note of a sub-agent that begins or ends. False where that changes nothing here."""
        match event:
            case SubAgentStarted():
                self._apart[event.agent_id] = self._clock()
            case SubAgentEnded():
                return self._apart.pop(event.agent_id, None) is not None
            case _:
                return False
        return self._turn is None

    def _follow(self, event: AnyEvent) -> bool:
        """Take note of what a turn does. False for an event that changes nothing here."""
        match event:
            case TurnStarted():
                self._turn, self._doing = self._clock(), "starting"
                self._waited = 0.0
                self._calls.next_step()
            case TurnEnded():
                self._turn = None
                self._stopped.clear()
                self._calls.next_step()
            case StepStarted():
                self._calls.next_step()
                self._doing = _WAITS
            case Asked(ask=ask):
                self._asked(ask)
            case Answered(ask_id=ask_id):
                self._questions.discard(ask_id)
                since = self._stopped.pop(ask_id, None)
                if since is not None and not self._stopped:
                    self._waited += self._clock() - since
            case AttemptReset(wait=seconds) | Waiting(on="retry", seconds=seconds):
                self._doing, self._again = _RETRY, self._clock() + seconds
            case Waiting(on="model"):
                self._doing = f"{_WAITS}, which is silent"
            case Waiting(on="compaction"):
                self._doing = _SUMS_UP
            case Compacted():
                self._doing = _WAITS
            case _:
                return False
        return True

    def _asked(self, ask: Ask) -> None:
        self._questions.add(ask.id)
        if self._turn is not None and not self._calls.is_own(ask.call_id):
            # Of several that are open at a time, all wait since the first.
            self._stopped[ask.id] = min((*self._stopped.values(), self._clock()))

    def work(self, line: str) -> None:
        """Follow a command from now on, as it was typed; with "" it has ended."""
        self._command = self._clock() if line else None
        self._shell = line.startswith("!")
        if line:
            self._doing = f"running {line}"
        self._show()

    def clear(self) -> None:
        """Nothing goes on, whatever was heard: another agent is on the screen."""
        self._turn = self._command = None
        self._apart.clear()
        self._calls = Calls()
        self._questions.clear()
        self._stopped.clear()
        self._show()

    def _do(self, doing: str) -> None:
        """What each token tells: drawing for each one would cost more than the token."""
        if self._doing != doing:
            self._doing = doing
            self._show()

    def on_resize(self, event: Resize) -> None:
        """Fit the new width."""
        self._show()

    @property
    def _own(self) -> bool:
        """Whether Esc would interrupt what the person runs beside: only where no turn and no other command goes on."""
        return self._turn is None and (self._command is None or self._shell)

    @property
    def _since(self) -> float | None:
        """When that began which Esc would interrupt, None where nothing goes on."""
        if self._turn is not None:
            return self._turn + self._waited
        if self._own and self._calls.any(own=True):
            return self._calls.own_since
        return self._command if self._command is not None else min(self._apart.values(), default=None)

    @property
    def _only_apart(self) -> bool:
        """Whether Esc would stop the sub-agents in the background: only where nothing else goes on."""
        return self._turn is None and self._command is None and not self._calls.any(own=True)

    def _what(self, room: int) -> str:
        """What goes on that Esc would interrupt, in about `room` cells."""
        if self._only_apart:
            count = len(self._apart)
            works = "a sub-agent works" if count == 1 else f"{count} sub-agents work"
            return one_line(f"{works} in the background", room)
        if self._calls.any(own=self._own):
            return self._calls.words(room, own=self._own)
        if self._doing != _RETRY:
            return one_line(self._doing, max(room, len(_WAITS)))
        left = self._again - self._clock()
        return f"{_RETRY} in {left:.0f} s" if left > 0 else _WAITS

    def _tick(self) -> None:
        self._lasts = True
        self._show()

    def _keep_time(self, *, going: bool) -> None:
        if going and self._ticker is None:
            self._ticker = self.set_interval(_TICK, self._tick)
        elif not going and self._ticker is not None:
            self._ticker.stop()
            self._ticker, self._lasts = None, False

    def _show(self) -> None:
        # The question says that it waits, and what Esc means there.
        self.set_class(bool(self._questions), "-asks")
        since = self._since
        self._keep_time(going=since is not None)
        shown = since is not None and (self._turn is not None or self._lasts)
        self.set_class(shown, "-busy")
        if since is None or not shown:
            return
        seconds = self._clock() - since
        spent = f"{seconds:.0f} s" if seconds < 100 else f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"
        sign = _FRAMES[int(seconds / _TICK) % len(_FRAMES)]
        end = f" · {spent} · Esc {'stops that' if self._only_apart else 'interrupts'}"
        text = f"{sign} {self._what(self.size.width - len(end) - 2)}{end}"
        self.update(plain(text), layout=False)  # it is one row, whatever it says
