"""Commands at work on a real agent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.agent.support import agent_of
from xun import Agent
from xun.commands.builtin import default_registry
from xun.commands.context import CommandContext
from xun.commands.outcome import Action, Outcome
from xun.commands.registry import CommandRegistry
from xun.config.load import Config, load
from xun.config.paths import Paths, find_paths


class Bench:
    """A started agent and the commands that work on it. `async with Bench(...) as bench`."""

    def __init__(self, steps: list[Any] | None = None, *tools: Callable[..., Any] | str, **how: Any) -> None:
        self.agent: Agent[Any]
        self.agent, self.provider, self.heard = agent_of(steps or [], *tools, **how)
        self.paths: Paths = find_paths()
        self.registry: CommandRegistry = default_registry()
        self.context = CommandContext(self.agent, load(self.paths), self.paths)

    async def __aenter__(self) -> Bench:
        await self.agent.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.agent.aclose()

    @property
    def config(self) -> Config:
        assert self.context.config is not None
        return self.context.config

    async def run(self, line: str) -> Outcome:
        return await self.registry.execute(line, self.context)

    async def text(self, line: str) -> str:
        """The text of a line that works and asks for nothing else."""
        outcome = await self.run(line)
        assert (outcome.error, outcome.action) == ("", None), outcome
        return outcome.text

    async def error(self, line: str) -> str:
        """The error of a line that does nothing."""
        outcome = await self.run(line)
        assert outcome.error and (outcome.text, outcome.action) == ("", None), outcome
        return outcome.error

    async def action(self, line: str) -> Action | None:
        outcome = await self.run(line)
        assert outcome.error == "", outcome
        return outcome.action

    def completions(self, prefix: str) -> list[str]:
        return [found.text for found in self.registry.complete(prefix, self.context)]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
