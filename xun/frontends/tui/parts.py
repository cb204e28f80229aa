"""The parts of the screen above the prompt. They know the events, which take longer to load than a first frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.events import Key, Paste

from xun.events import AnyEvent
from xun.frontends.tui.activity import ActivityLine
from xun.frontends.tui.question.panel import QuestionPanel
from xun.frontends.tui.standing import Watch
from xun.frontends.tui.transcript.view import Transcript
from xun.policy.decision import would_save


@dataclass(frozen=True, slots=True)
class Parts:
    """The widgets, and what the status line follows."""

    transcript: Transcript
    question: QuestionPanel
    activity: ActivityLine
    watch: Watch

    @classmethod
    def make(
        cls,
        *,
        idle: Callable[[], float],
        draft: Callable[[], bool],
        engaged: Callable[[], bool],
        hand: Callable[[Key | Paste], None],
        left: Callable[[], None],
        stray: Callable[[Callable[[str], bool]], str],
        clock: Callable[[], float],
    ) -> Parts:
        """New ones. All but `clock` are told of the prompt, as `QuestionPanel` says; `clock` tells seconds."""
        watch = Watch()
        question = QuestionPanel(
            idle=idle,
            draft=draft,
            engaged=engaged,
            hand=hand,
            left=left,
            stray=stray,
            saves=would_save,
            shown=watch.shown,
            opinion=watch.opinion,
            begun=watch.begun,
            reach=watch.reach,
        )
        return cls(Transcript(), question, ActivityLine(clock), watch)

    def hear(self, event: AnyEvent) -> None:
        """Show one event."""
        self.transcript.hear(event)
        self.activity.hear(event)
