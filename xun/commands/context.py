"""What commands work on: the running agent, and what a front end knows about the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xun.agent.agent import Agent
from xun.commands.outcome import Completion
from xun.config.load import Config
from xun.config.paths import Paths
from xun.config.project.grants import ProjectGrants
from xun.config.session import with_value


def _no_models() -> Sequence[Completion]:
    return ()


@dataclass(slots=True)
class CommandContext:
    """`config` is replaced when a command changes a setting for this session.

    `models` names the models that could be used now, best first, with a few words about each. `grants` is what the
    person said about the project's own commands.
    """

    agent: Agent[Any]
    config: Config | None = None
    paths: Paths | None = None
    models: Callable[[], Sequence[Completion]] = _no_models
    grants: ProjectGrants | None = None

    def set(self, key: str, value: object, where: str) -> None:
        """Show `value` as the setting `key` from now on, set by `where`."""
        if self.config is not None:
            self.config = with_value(self.config, key, value, where)
