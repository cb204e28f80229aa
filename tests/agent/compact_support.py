"""What the tests of compaction share: a model of a small window, and conversations that fill it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.agent.support import Heard, agent_of
from xun import Agent, Message, ModelInfo, ScriptedProvider, ToolCall, ToolResult
from xun.messages import Text, Thinking
from xun.providers.base import Request

Step = dict[str, Any] | Callable[[Request], dict[str, Any]]
SUMMARY = {"text": "The summary.", "usage": {"input_tokens": 500, "output_tokens": 40}}
WINDOW = 8_000


def lines(count: int) -> str:
    """Many lines."""
    return "line of text\n" * count


def model(window: int | None = WINDOW) -> ModelInfo:
    return ModelInfo("scripted", "m", context_window=window, input_price=1.0, output_price=10.0)


def past(turns: int, chars: int = 2_000) -> list[Message]:
    """Finished turns of three calls each."""
    history: list[Message] = []
    for turn in range(turns):
        made = [ToolCall(id=f"c{turn}_{place}", name="lines", arguments={"count": 9}) for place in range(3)]
        results = tuple(ToolResult(call_id=one.id, name="lines", content="r" * chars) for one in made)
        history += [
            Message.user(f"instruction {turn}"),
            Message(role="assistant", blocks=(Thinking(text="hm", wire="scripted"), *made)),
            Message(role="tool", blocks=results),
            Message(role="assistant", blocks=(Text(text=f"answer {turn}"),)),
        ]
    return history


def compacting(steps: list[Step], **how: Any) -> tuple[Agent[Any], ScriptedProvider, Heard]:
    how.setdefault("model_info", model())
    return agent_of(steps, lines, **how)


def full(step: dict[str, Any], tokens: int = 7_000) -> dict[str, Any]:
    return {**step, "usage": {"input_tokens": tokens, "output_tokens": 10}}
