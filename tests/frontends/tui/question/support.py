"""A screen with a question panel and a prompt, wired as the program wires them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.pilot import Pilot

from tests.frontends.tui.snapshots.stage import BOUND
from xun.frontends.tui.prompt.box import Prompt
from xun.frontends.tui.prompt.complete import Completer
from xun.frontends.tui.prompt.history import History
from xun.frontends.tui.question.panel import QuestionPanel
from xun.frontends.tui.theme import NAME, make_theme
from xun.policy.action import Run, Write
from xun.policy.decision import Answer, Ask, Decision, Reason

RULE = 'allow command "npm test"'

LONG = 90.0  # seconds: longer than any test waits


def command_ask(command: str = "npm test", *, hard: bool = False, ask_id: str = "ask-1") -> Ask:
    reason = Reason(code="unlisted", text="npm is not on the list", hard=hard, segment=command)
    decision = Decision(
        action=Run(command=command, cwd="/work"),
        effect="ask",
        reasons=(reason,),
        grantable=() if hard else ("npm test",),
    )
    return Ask(id=ask_id, agent="xun", call_id="call-1", tool="bash", decisions=(decision,))


def write_ask(diff: str = "@@ -1 +1 @@\n-old\n+new\n") -> Ask:
    reason = Reason(code="write", text="it would edit /work/a.py")
    decision = Decision(
        action=Write(path="/work/a.py", op="edit", diff=diff),
        effect="ask",
        reasons=(reason,),
        grantable=("/work/a.py",),
    )
    return Ask(id="ask-2", agent="xun", call_id="call-2", tool="edit_file", decisions=(decision,))


def choice_ask(*, allow_extra: bool = False) -> Ask:
    return Ask(
        id="ask-3",
        agent="xun",
        call_id="call-3",
        tool="ask_preference",
        decisions=(),
        question="Tabs or [blanks]?",
        choices=("tabs", "blanks"),
        default_choice=1,
        allow_extra=allow_extra,
    )


class QuestionApp(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "interrupt")]

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(make_theme())
        self.theme = NAME
        self.sent: list[str] = []
        self.interrupts = 0

    def compose(self) -> ComposeResult:
        yield QuestionPanel(
            idle=lambda: self.prompt.idle(),
            draft=lambda: not self.prompt.blank,
            engaged=lambda: self.prompt.engaged,
            hand=lambda event: self.prompt.take(event),
            left=lambda: self.prompt.take_keys(),
            stray=lambda names: self.prompt.take_stray(names),
            saves=lambda ask: (RULE,),
        )
        yield Prompt(History(), Completer(lambda before: ()))

    def on_mount(self) -> None:
        self.prompt.take_keys()

    def on_prompt_submitted(self, event: Prompt.Submitted) -> None:
        self.sent.append(event.text)

    def action_interrupt(self) -> None:
        self.interrupts += 1

    def action_focus_next(self) -> None:
        self.panel.take()

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    @property
    def panel(self) -> QuestionPanel:
        return self.query_one(QuestionPanel)

    def put(self, ask: Ask) -> asyncio.Task[Answer]:
        return asyncio.create_task(self.panel.ask(ask))

    def shown(self) -> str:
        """Everything on the screen, as text."""
        lines = self.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in lines)


@asynccontextmanager
async def question_of(width: int = 80, height: int = 24) -> AsyncGenerator[tuple[QuestionApp, Pilot[None]]]:
    app = QuestionApp()
    async with app.run_test(size=(width, height)) as pilot:
        yield app, pilot


async def until_ready(app: QuestionApp, pilot: Pilot[None]) -> None:
    """Wait until the question takes keys."""
    end = time.monotonic() + BOUND
    while not app.panel.ready:
        assert time.monotonic() < end, "the question never took the keys"
        await pilot.pause(0.02)


async def until_shown(app: QuestionApp, pilot: Pilot[None], there: Callable[[str], bool]) -> None:
    """Wait until `there` is true of the screen."""
    end = time.monotonic() + BOUND
    while not there(app.shown()):
        assert time.monotonic() < end, app.shown()
        await pilot.pause(0.02)


async def answer_of(task: asyncio.Task[Answer]) -> Answer:
    return await asyncio.wait_for(task, BOUND)
