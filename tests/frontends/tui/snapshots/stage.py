"""The real screen with a real agent, whose model plays a script and stops where it is told."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from xun.cli.screen_open import ScreenOpener
from xun.config.paths import find_paths
from xun.events import AnyEvent, AttemptReset, SubAgentEnded, ToolEnded, Waiting
from xun.frontends.tui.app import XunApp
from xun.frontends.tui.opening import Wanted
from xun.frontends.tui.question.panel import QuestionPanel
from xun.providers.base import Done, Request, StreamItem
from xun.providers.registry import register_provider
from xun.providers.scripted import ScriptedProvider
from xun.setup import RunPlan

SMALL, LARGE = (80, 24), (200, 50)
MODEL = "script/fables"
_FACTS = """[models.script.fables]
context = 200000
input_price = 3.0
output_price = 15.0
"""
BOUND = 60.0  # seconds that nothing here ever takes, on a busy machine either


class Stopping(ScriptedProvider):
    """A scripted model. A step with `late` begins when it is let; one with `hold` says all, and does not end by itself."""

    def __init__(self, steps: Sequence[Mapping[str, Any]]) -> None:
        self._stops = [{key: step[key] for key in ("late", "hold") if key in step} for step in steps]
        self.let = asyncio.Event()
        super().__init__({key: step[key] for key in step if key not in ("late", "hold")} for step in steps)

    async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
        """The next step as a stream."""
        stops = self._stops[self._taken]
        if "late" in stops:
            await self.let.wait()
        async for item in super().stream(request):
            if "hold" in stops and isinstance(item, Done):
                await asyncio.Event().wait()
            yield item


_script: list[Mapping[str, Any]] = []
register_provider("script", lambda name, env, settings: Stopping(tuple(_script)))


class StagedApp(XunApp):
    """The screen, in which each command takes as long as any other, nothing else takes any time, and no dice fall."""

    def hear(self, event: AnyEvent) -> None:
        """Show one event."""
        if isinstance(event, ToolEnded):
            seconds = 1.2 if event.result.content.startswith("exit code") else 0.0
            event = event.model_copy(update={"seconds": seconds})
        elif isinstance(event, SubAgentEnded):
            event = event.model_copy(update={"seconds": 2.5})
        elif isinstance(event, AttemptReset):
            event = event.model_copy(update={"wait": 30.0})
        elif isinstance(event, Waiting) and event.on == "retry":
            event = event.model_copy(update={"seconds": 30.0})
        super().hear(event)


@dataclass
class Clock:
    """Stands still."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


class Stage:
    """An open screen: what is on it, and somebody who types."""

    def __init__(self, app: XunApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self._pilot = pilot

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return text_of(self.app)

    async def until(self, there: str | Callable[[str], bool]) -> None:
        """Wait until `there` stands on the screen, or is true of it."""
        true = there if callable(there) else lambda shown: there in shown
        end = time.monotonic() + BOUND
        while not true(self.text):
            assert time.monotonic() < end, f"waited for {there!r}; the screen is\n{self.text}"
            await self._pilot.pause(0.02)

    async def opened(self) -> None:
        """Wait until there is an agent."""
        await self.until(lambda shown: "context" in shown.splitlines()[-1])

    async def send(self, text: str, until: str | Callable[[str], bool] = "") -> None:
        """Type a line and Enter, and wait for what comes of it."""
        prompt = self.app._prompt
        prompt.area.put(text)
        await self._pilot.pause()
        prompt._send(steer=False)
        if until:
            await self.until(until)

    def let(self) -> None:
        """Let the model begin a step that is `late`."""
        assert self.app.desk is not None
        provider = self.app.desk.agent.provider
        assert isinstance(provider, Stopping)
        provider.let.set()

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self._pilot.press(*keys)

    async def asked(self) -> None:
        """Wait until a question takes the keys."""
        panel = self.app.query_one(QuestionPanel)
        await self.until(lambda shown: panel.ready)

    async def resize(self, width: int, height: int) -> None:
        """Another terminal."""
        await self._pilot.resize_terminal(width, height)
        await self.still()

    async def soon(self) -> None:
        """Let a little time pass."""
        await self._pilot.pause(0.06)

    async def still(self) -> None:
        """Wait until nothing moves any more."""
        async with asyncio.timeout(BOUND):
            before = ""
            while (now := self.text) != before:
                before = now
                await self.soon()


def text_of(app: App[Any]) -> str:
    """What `app` shows, lines without their trailing blanks."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def files(folder: Path, contents: Mapping[str, str]) -> None:
    """Make these files."""
    for name, text in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@asynccontextmanager
async def stage(
    *steps: Mapping[str, Any],
    model: str | None = MODEL,
    size: tuple[int, int] = SMALL,
    first: str = "",
    wait: bool = True,
    kind: type[XunApp] = StagedApp,
    mode: str = "manual",
    allow: tuple[str, ...] = (),
    allow_write: tuple[str, ...] = (),
    deny: tuple[str, ...] = (),
    tools: tuple[str, ...] | None = None,
) -> AsyncGenerator[Stage]:
    """The screen in `~/fables`, its model playing `steps`. `wait` for an agent; the last ones are options of `xun`."""
    folder = Path.home() / "fables"
    folder.mkdir(exist_ok=True)
    # Without a risk assessor, which would play a step of the script too.
    files(Path(os.environ["XUN_HOME"]), {"models.toml": _FACTS, "policy.toml": '[settings]\nrisk = "off"\n'})
    _script[:] = steps
    settings = {"mode": mode, **({"model": model} if model else {}), **({"tools": tools} if tools else {})}
    plan = RunPlan(
        settings=settings, cwd=folder, session=False, allow=allow, allow_write=allow_write, deny=deny,
    )  # fmt: skip
    clock = Clock() if kind is StagedApp else time.monotonic
    app = kind(ScreenOpener(plan, find_paths()), Wanted(), first=first, clock=clock)
    async with app.run_test(size=size) as pilot:
        shown = Stage(app, pilot)
        if wait:
            await shown.opened()
        try:
            yield shown
        finally:
            if app.desk is not None:
                await app.desk.close()
