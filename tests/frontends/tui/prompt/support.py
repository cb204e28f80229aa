"""A screen with nothing but a prompt on it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from xun.frontends.tui.prompt.box import Prompt
from xun.frontends.tui.prompt.complete import Completer, Item
from xun.frontends.tui.prompt.history import History
from xun.frontends.tui.theme import NAME, make_theme

COMMANDS = (Item("/help", "what there is"), Item("/mode", "what is asked"), Item("/model", "which model"))
FILES = ("src/", "src/app.py", "src/main.py", "README.md", "tests/test_main.py", "a b.txt")


class PromptApp(App[None]):
    def __init__(self, history: History | None = None, files: Sequence[str] | None = FILES) -> None:
        super().__init__()
        self.register_theme(make_theme())
        self.theme = NAME
        self.sent: list[tuple[str, bool]] = []
        self.files = files
        self._history = history or History()

    def compose(self) -> ComposeResult:
        completer = Completer(lambda before: [c for c in COMMANDS if c.text.startswith(before)], lambda: self.files)
        yield Prompt(self._history, completer)

    def on_mount(self) -> None:
        self.query_one(Prompt).take_keys()

    def on_prompt_submitted(self, event: Prompt.Submitted) -> None:
        self.sent.append((event.text, event.steer))

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    @property
    def text(self) -> str:
        return self.prompt.area.text


@asynccontextmanager
async def prompt_of(
    history: History | None = None, files: Sequence[str] | None = FILES
) -> AsyncGenerator[tuple[PromptApp, Pilot[None]]]:
    app = PromptApp(history, files)
    async with app.run_test(size=(80, 24)) as pilot:
        yield app, pilot
