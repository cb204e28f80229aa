"""How large a prompt is beside what the model takes: what is very large is not sent by a slip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xun.agent.agent import Agent
from xun.agent.compaction.compact import GUESSED_WINDOW
from xun.messages import Usage

LARGE = 0.5
"""Share of the model's context that a prompt may fill without a word."""
HOPELESS = 4.0
"""Contexts that a prompt fills by the estimate when no tokeniser could make it fit in one."""


@dataclass(frozen=True, slots=True)
class LargePrompt:
    """A prompt that fills more than `LARGE` of a context.

    `tokens` is an estimate, `window` None where it is unknown, `cost` what it costs in dollars, None where that is.
    """

    tokens: int
    window: int | None
    model: str
    cost: float | None

    @property
    def too_large(self) -> bool:
        """Whether it is more than the model takes, as far as the estimate is right."""
        return self.window is not None and self.tokens > self.window

    @property
    def hopeless(self) -> bool:
        """Whether it cannot fit, however the model counts."""
        return self.window is not None and self.tokens > HOPELESS * self.window

    @property
    def size(self) -> str:
        """How large it is, in words."""
        return f"about {self.tokens:,} tokens"

    @property
    def beside(self) -> str:
        """What that is beside what the model takes, in a sentence without its subject."""
        price = f", and costs about ${self.cost:.2f} to send" if self.cost else ""
        if self.window is None:
            return f"has {self.size}; how many {self.model} takes is not known{price}"
        if self.too_large:
            return f"has {self.size}, more than the {self.window:,} that {self.model} takes in all"
        return f"has {self.size}, {self.tokens / self.window:.0%} of the {self.window:,} that {self.model} takes{price}"


def large(agent: Agent[Any], text: str) -> LargePrompt | None:
    """What is to be said of `text` as a prompt for `agent`; None where it is not large."""
    tokens, window = agent.prompt_tokens(text), agent.context_window
    if tokens <= LARGE * (window or GUESSED_WINDOW):
        return None
    return LargePrompt(tokens, window, agent.model_name, agent.model.cost(Usage(input_tokens=tokens)))
