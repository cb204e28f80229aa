"""Profiles and calls for tests of sub-agents."""

from __future__ import annotations

from typing import Any

from tests.agent.support import call
from xun import (
    ScriptedProvider,
    SubAgent,
)
from xun.providers.base import ModelInfo

PRICED = ModelInfo("scripted", "m", input_price=1.0, output_price=10.0)


def lookup(word: str) -> str:
    """Look a word up."""
    return f"{word} means something"


def finder(*steps: Any, **how: Any) -> SubAgent:
    return SubAgent("finder", "Finds words.", model=ScriptedProvider(list(steps)), tools=[lookup], **how)


def using(step: dict[str, Any], sent: int, received: int) -> dict[str, Any]:
    return {**step, "usage": {"input_tokens": sent, "output_tokens": received}}


DELEGATE = call("delegate_finder", task="find cats")
