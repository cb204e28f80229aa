"""What commands work on: the running agent, and what a front end knows about the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xun.agent.agent import Agent
from xun.config.load import Config
from xun.config.paths import Paths


def _no_models() -> Sequence[str]:
    return ()


@dataclass(slots=True)
class CommandContext:
    """`config` is replaced when a command changes a setting for this session.

    `models` names the models that could be used now, best first.
    """

    agent: Agent[Any]
    config: Config | None = None
    paths: Paths | None = None
    models: Callable[[], Sequence[str]] = _no_models
